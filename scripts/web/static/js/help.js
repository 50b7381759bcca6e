/** The help: hints, the cheat, advice on guessing, flags, chances, what went wrong, and a link to share. */

import { get } from "./api.js";
import { placeName } from "./board.js";
import { marksOf } from "./codes.js";
import { make } from "./dom.js";
import { proofOf, unavoidableCells, unavoidableProof } from "./proofs.js";
import { addressOfGame } from "./position.js";
import { add, legend, orTell, tell } from "./messages.js";

const LAST_HINT = 3;
const MEANINGS = { why: "the clues", "is-safe": "safe", "is-mine": "mine" };

/** The cells of a hint or an explanation by their mark. Clues last: they are never hidden, so nothing hides them. */
const cellsOf = (hint) => ({ "is-safe": hint.safe, "is-mine": hint.mines, why: hint.reason?.clues });

function legendOf(hint) {
  const used = cellsOf(hint);
  return legend(Object.fromEntries(Object.entries(MEANINGS).filter(([mark]) => used[mark]?.length)));
}

/** Tell that nothing can be known, mark the cell to guess, and give the two layouts that prove it. */
function tellGuess(board, game, words, guess) {
  const { best } = guess;
  const index = best.cell[0] * game.cols + best.cell[1];
  const place = placeName(index, game.cols);
  const share = `a mine in ${Math.round(best.mine_probability * 100)} % of the layouts`;
  const lines = [words, best.granted ? `For example ${place}, ${share}: granted.` : `The best guess is ${place}: ${share}.`];
  board.mark(marksOf(board.cols, { asked: [best.cell] }));
  board.reveal(index);
  lines.push("Two layouts that both fit every clue:");
  tell(lines, { tone: "guess", after: [proofOf(game, guess), ...unavoidableProof(game, guess.unavoidable)] });
}

/** Say what stands out among the chances: what is certain, or else the best guess. */
function chancesInWords(board, chances, best) {
  const share = (index) => Math.round(chances.get(index) * 100);
  if (best !== null) return `Nothing is certainly safe. The best guess is ${placeName(best, board.cols)}: ${share(best)} % a mine.`;
  const count = (chance) => [...chances.values()].filter((one) => one === chance).length;
  const cells = (number) => `${number} cell${number === 1 ? "" : "s"}`;
  return `Chances of a mine: ${cells(count(0))} certainly safe, ${cells(count(1))} certainly mined.`;
}

/** The shapes and colours of the chances that are on the board, and what they mean. */
function scaleOf(chances, best, unavoidable) {
  const shares = [...chances.values()];
  const used = [["ring", "safe", shares.includes(0)], ["disc", "mine", shares.includes(1)], ["star", "best guess", best !== null], ["unavoidable", "unavoidable guess", unavoidable.size > 0], ["risk", "0 to 100 %", shares.some((one) => one > 0 && one < 1)]];
  return Object.fromEntries(used.filter(([, , isUsed]) => isUsed));
}

export class Help {
  #hint = null;
  #hinted = null;
  #told = 0;

  constructor(link) {
    this.link = link;
    this.showsChances = false;
    this.showsVerdicts = false;
  }

  #path(name) {
    return `/api/games/${this.link.game.id}/${name}`;
  }

  /** Take all marks away: the position they speak of is gone. */
  clear() {
    this.link.board.mark(new Map());
  }

  /** The easiest deduction: where to look, then which clues, then what follows; or all at once, as the player likes. */
  async hint() {
    const hint = await this.#easiest();
    if (!hint) return;
    const { board, game } = this.link;
    if (!hint.found) {
      this.clear();
      if (hint.guess) tellGuess(board, game, hint.words, hint.guess);
      else tell(hint.words, { tone: "guess" });
      return;
    }
    this.#told = this.link.settings.hintSteps ? this.#told + 1 : LAST_HINT;
    const { clues } = hint.reason;
    const [row, col] = this.#told < LAST_HINT && clues.length ? clues[0] : hint.safe[0] ?? hint.mines[0];
    board.reveal(row * board.cols + col);
    const tier = `Easiest step: ${hint.tier_name}.`;
    if (this.#told === 1 && clues.length) {
      const around = new Set(clues.flatMap(([r, c]) => [r * board.cols + c, ...board.around(r * board.cols + c)]));
      board.mark(new Map([...around].map((index) => [index, "zone"])));
      tell([`Look around ${placeName(row * board.cols + col, board.cols)}.`, tier, "Hint again tells the clues."], { after: [legend({ zone: "look here" })] });
    } else if (this.#told < LAST_HINT) {
      board.mark(marksOf(board.cols, { why: clues }));
      const names = clues.map(([r, c]) => `the ${game.cells[r][c]} at ${placeName(r * board.cols + c, board.cols)}`);
      if (hint.reason.mine_count) names.push("the number of mines");
      tell([`It follows from ${names.join(" and ")}.`, "Hint again tells what."], { after: clues.length ? [legend({ why: "the clues" })] : [] });
      this.#told = LAST_HINT - 1;
    } else {
      board.mark(marksOf(board.cols, cellsOf(hint)));
      tell([hint.words, tier], { after: [legendOf(hint)] });
    }
  }

  /** Ask for a hint, once for a position. */
  async #easiest() {
    const at = () => JSON.stringify([this.link.game.cells, this.link.game.flags]);
    if (this.#hinted === at()) return this.#hint;
    const hint = await orTell(() => this.link.query("hint"));
    this.#hinted = hint && at();
    this.#hint = hint;
    this.#told = 0;
    return hint;
  }

  async cheat() {
    this.clear();
    const answer = await orTell(() => this.link.ask("cheat"));
    if (!answer) return;
    if (answer.guess) tellGuess(this.link.board, answer.game, answer.words, answer.guess);
    else if (answer.game.status !== "won") tell(answer.words);
  }

  /** Copy the link that recreates the puzzle where the browser allows it, and show it in any case. */
  async share() {
    const answer = await orTell(() => get(this.#path("share")));
    if (!answer) return;
    const link = `${location.origin}/share/${answer.token}`;
    const field = make("input", { class: "link", readonly: "", value: link, "aria-label": "Link to this puzzle" });
    // Clipboards are refused on pages that are not secure, and by some browsers always: then the player copies by hand.
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    const what = this.link.game.mode === "kaboom" ? "a game of this kind" : "this very puzzle";
    tell(copied ? `Link copied: it deals ${what}.` : `This link deals ${what}:`, { after: [field] });
    field.select();
  }

  /** Take the position to the page Analyse. */
  async analyse() {
    const position = await orTell(() => this.link.query("analyse"));
    if (position) location.assign(`/analyse${addressOfGame(position)}`);
  }

  async mayGuess() {
    const answer = await orTell(() => get(this.#path("may-guess")));
    if (answer) tell(answer.words, { tone: answer.allowed ? "guess" : "" });
  }

  async checkFlags() {
    const answer = await orTell(() => get(this.#path("check-flags")));
    if (!answer) return;
    const { board } = this.link;
    board.mark(marksOf(board.cols, { why: answer.unproven, "is-safe": answer.wrong }));
    const names = { why: "not certain", "is-safe": "certainly safe: a wrong flag" };
    if (!answer.wrong.length) delete names["is-safe"];
    if (!answer.unproven.length) delete names.why;
    tell(answer.words, { after: [legend(names)] });
  }

  async showChances(shown) {
    this.showsChances = shown;
    if (!shown) tell("The chances are no longer shown.");
    await this.refreshChances();
  }

  /** Show what Kaboom would make of a click on each cell, or no longer. */
  async showVerdicts(shown) {
    this.showsVerdicts = shown;
    this.clear();
    if (shown) await this.refreshVerdicts();
    else tell("The verdicts are no longer shown.");
  }

  async refreshVerdicts() {
    const { board, game } = this.link;
    if (!this.showsVerdicts || this.link.isOver || game.mode !== "kaboom") return;
    const answer = await orTell(() => get(this.#path("verdicts")));
    if (!answer || this.link.game !== game) return;
    const marks = { "is-safe": answer.safe, "is-mine": answer.mines, granted: answer.granted, refused: answer.refused };
    const names = { "is-safe": "safe", "is-mine": "a certain mine", granted: "a guess, granted", refused: "a guess that kills" };
    board.mark(marksOf(board.cols, marks));
    add("What a click would do:", [legend(Object.fromEntries(Object.entries(names).filter(([mark]) => marks[mark].length)))]);
  }

  /** Draw the chances of the present position, or none. */
  async refreshChances() {
    const { board, game } = this.link;
    if (!this.showsChances || this.link.isOver) {
      board.chances(new Map());
      return;
    }
    const answer = await orTell(() => get(this.#path("probabilities")));
    if (!answer || this.link.game !== game) return;
    if (answer.mine === null) {
      add("These layouts are too many to count: there are no chances to show.");
      return;
    }
    const chances = new Map([...answer.mine.flat().entries()].filter(([, chance]) => chance !== null));
    const best = answer.best && answer.best[0] * game.cols + answer.best[1];
    const unavoidable = unavoidableCells(game.cols, answer.unavoidable);
    board.chances(chances, best, unavoidable);
    // A hint has named the best guess already.
    const isTold = best !== null && board.marks.get(best) === "asked";
    add(isTold ? "Chances of a mine:" : chancesInWords(board, chances, best), [legend(scaleOf(chances, best, unavoidable)), ...(isTold ? [] : unavoidableProof(game, answer.unavoidable))]);
  }

  /** After a loss: what was known, and why the cell was fatal, after the adversary's own words if it has any. */
  async explain(verdict) {
    const answer = await orTell(() => get(this.#path("explain")));
    if (!answer || this.link.game.status !== "lost") return;
    const { board } = this.link;
    board.mark(marksOf(board.cols, cellsOf(answer)));
    const lines = [verdict === answer.words ? null : verdict, answer.words];
    if (answer.hint) lines.push(`There was a safe way: ${answer.hint.words}`);
    tell(lines, { tone: "lost", after: [legendOf(answer)] });
  }
}
