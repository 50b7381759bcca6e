/** Help during a game: hints, the cheat, advice on guessing, flags, chances, explanations, and a link to share. */

import { $, copyText, make } from "./dom.js";
import { advise, ask } from "./engine.js";
import { placeName } from "./format.js";
import { appendMessage, legend, orShowError, showMessage } from "./messages.js";
import { addressOfPage, goToAnalysis } from "./place.js";
import { proofOf, unavoidableProof } from "./proofs.js";
import { t, translated, translatedTitle } from "./words.js";

const linkOf = (token) => new URL(addressOfPage("share", token), location.href).href;
const LAST_HINT = 3;
const MEANINGS = { why: t("the clues"), "is-safe": t("safe"), "is-mine": t("mine") };

/** The cells of a hint or an explanation by their mark. */
const cellsOf = (hint) => ({ "is-safe": hint.safe, "is-mine": hint.mines, why: hint.reason?.clues });

/** Show that a guess is needed: mark the best one, and add the two layouts that prove it. */
function showGuess(board, game, words, guess) {
  const values = { cell: placeName(guess.cell), share: Math.round(guess.mine_probability * 100) };
  board.mark({ asked: [guess.cell] });
  board.reveal(guess.cell);
  showMessage(
    [
      words,
      guess.granted
        ? t("For example {cell}, a mine in {share} % of the layouts: granted.", values)
        : t("The best guess is {cell}: a mine in {share} % of the layouts.", values),
      t("Two layouts that both fit every clue:"),
    ],
    {
      tone: "guess",
      after: [proofOf(board.grid, game.cells, guess), ...unavoidableProof(board.grid, game.cells, guess.unavoidable)],
    },
  );
}

/** A sentence about the chances: the best guess, or the number of certain cells. */
function chancesInWords(board, chances, best) {
  if (best)
    return t("Nothing is certainly safe. The best guess is {cell}: {share} % a mine.", {
      cell: placeName(best),
      share: Math.round(chances.get(board.grid.index(best)) * 100),
    });
  const count = (chance) => [...chances.values()].filter((one) => one === chance).length;
  return t("Chances of a mine: {safe} {safe:cell|cells} certainly safe, {mines} {mines:cell|cells} certainly mined.", {
    safe: count(0),
    mines: count(1),
  });
}

/** A legend of the chances on the board. */
function legendOfChances(chances, best, unavoidable) {
  const shares = [...chances.values()];
  const used = [
    ["ring", t("safe"), shares.includes(0)],
    ["disc", t("mine"), shares.includes(1)],
    ["star", t("best guess"), best !== null],
    ["unavoidable", t("unavoidable guess"), unavoidable.length > 0],
    ["risk", t("0 to 100 %"), shares.some((one) => one > 0 && one < 1)],
  ];
  return legend(Object.fromEntries(used.filter(([, , isUsed]) => isUsed)));
}

export class Help {
  #hint = null;
  #position = null;
  #stage = 0;

  constructor(client) {
    this.client = client;
    this.showsChances = false;
    this.showsVerdicts = false;
  }

  #advise(question) {
    return orShowError(() => this.client.advise(question));
  }

  #token() {
    return orShowError(() => ask("share", this.client.game.id));
  }

  clear() {
    this.client.board.mark();
  }

  /** Show the easiest deduction in stages: where to look, the clues, the result. A setting shows all at once. */
  async hint() {
    const hint = await this.#easiest();
    if (!hint) return;
    const { board, game } = this.client;
    if (!hint.found) {
      this.clear();
      if (hint.guess) showGuess(board, game, hint.words, hint.guess);
      else showMessage(hint.words, { tone: "guess" });
      return;
    }
    this.#stage = this.client.settings.hintSteps ? this.#stage + 1 : LAST_HINT;
    const { clues } = hint.reason;
    const first = this.#stage < LAST_HINT && clues.length ? clues[0] : (hint.safe[0] ?? hint.mines[0]);
    board.reveal(first);
    const tier = t("Easiest step: {tier}.", { tier: translated(hint.tier_name) });
    if (this.#stage === 1 && clues.length) {
      const around = clues.map(board.grid.index).flatMap((index) => [index, ...board.grid.around(index)]);
      board.mark({ zone: around });
      showMessage(
        [t("Look around {cell}.", { cell: placeName(first) }), tier, t("Press Hint again to see the clues.")],
        { after: [legend({ zone: t("look here") })] },
      );
    } else if (this.#stage < LAST_HINT) {
      board.mark({ why: clues });
      const names = clues.map((clue) =>
        t("the {clue} at {cell}", { clue: game.cells[clue[0]][clue[1]], cell: placeName(clue) }),
      );
      if (hint.reason.mine_count) names.push(t("the number of mines"));
      showMessage(
        [
          t("It follows from {reasons}.", { reasons: names.join(` ${t("and")} `) }),
          t("Press Hint again to see the result."),
        ],
        { after: clues.length ? [legend({ why: MEANINGS.why })] : [] },
      );
      this.#stage = LAST_HINT - 1;
    } else {
      board.mark(cellsOf(hint));
      showMessage([...hint.words, tier], { after: [legend(MEANINGS, cellsOf(hint))] });
    }
  }

  /** Request a hint, once for each position. */
  async #easiest() {
    const position = () => JSON.stringify([this.client.game.cells, this.client.game.flags]);
    if (this.#position === position()) return this.#hint;
    const hint = await this.#advise("hint");
    this.#position = hint && position();
    this.#hint = hint;
    this.#stage = 0;
    return hint;
  }

  /** Open and flag all certain cells, until a guess is needed. */
  async cheat() {
    this.clear();
    this.client.board.chances();
    this.client.hold(1);
    await this.#openCertain().finally(() => this.client.hold(-1));
    this.refresh();
  }

  async #openCertain() {
    const { client } = this;
    let [opened, flagged] = [0, 0];
    for (;;) {
      const found = await this.#advise("certain");
      if (!found) return;
      const flags = new Set(client.game.flags.map(String));
      const mines = found.mines.filter((cell) => !flags.has(`${cell}`));
      flagged += mines.length;
      if (found.safe.length || mines.length) {
        const game = await orShowError(() => client.help(found.safe, mines));
        if (!game || client.isOver) return;
        opened += game.changed.length;
      }
      if (found.safe.length) continue;
      const done =
        client.game.status === "ready"
          ? ""
          : t("Opened {cells} {cells:cell|cells} and set {flags} {flags:flag|flags}.", {
              cells: opened,
              flags: flagged,
            });
      const words = [done, found.words].filter(Boolean).join(" ");
      if (found.guess) showGuess(client.board, client.game, words, found.guess);
      else showMessage(words);
      return;
    }
  }

  /** Show the link that recreates the puzzle, and copy it if the browser allows that. */
  async share() {
    const token = await this.#token();
    if (!token) return;
    const isKind = this.client.game.mode === "kaboom";
    const [copied, shown] = isKind
      ? [t("Link copied: it opens a game of this kind."), t("This link opens a game of this kind:")]
      : [t("Link copied: it opens this very puzzle."), t("This link opens this very puzzle:")];
    await showLink(linkOf(token), t("Link to this puzzle"), copied, shown);
  }

  /** Copy the result of the ended game as text, with the link to its puzzle. */
  async shareResult() {
    const token = await this.#token();
    if (!token) return;
    const lines = [...$("#ending-stats").children].map((line) =>
      [...line.children].map((part) => part.textContent).join(" "),
    );
    const text = `Sweep, ${translatedTitle(this.client.game.title)}: ${$("#ending-title").textContent}\n${lines.join(", ")}\n${linkOf(token)}`;
    const field = make("textarea", { readonly: "", rows: 5, "aria-label": t("Result") });
    field.value = text;
    showMessage((await copyText(text)) ? t("Result copied.") : t("Your result:"), { after: [field] });
  }

  /** Open the position on the Analyse page. */
  async analyse() {
    await orShowError(async () => {
      await this.client.noteHelp();
      goToAnalysis(this.client.board.grid, this.client.game);
    });
  }

  async mayGuess() {
    const answer = await this.#advise("may-guess");
    if (answer) showMessage(answer.words, { tone: answer.allowed ? "guess" : "" });
  }

  async checkFlags() {
    const answer = await this.#advise("check-flags");
    if (!answer) return;
    const { board } = this.client;
    const marks = { why: answer.unproven, "is-safe": answer.wrong };
    board.mark(marks);
    showMessage(answer.words, {
      after: [legend({ why: t("not certain"), "is-safe": t("certainly safe: a wrong flag") }, marks)],
    });
  }

  async showChances(shown) {
    this.showsChances = shown;
    if (!shown) showMessage(t("Chances are hidden."));
    await this.refreshChances();
  }

  /** Show or hide the result of a click on each cell of a Kaboom game. */
  async showVerdicts(shown) {
    this.showsVerdicts = shown;
    this.clear();
    if (shown) await this.refreshVerdicts();
    else showMessage(t("Verdicts are hidden."));
  }

  async refreshVerdicts() {
    const { board, game } = this.client;
    if (!this.showsVerdicts || this.client.isOver || game.mode !== "kaboom") return;
    const answer = await this.#advise("verdicts");
    if (!answer) return;
    const marks = { "is-safe": answer.safe, "is-mine": answer.mines, granted: answer.granted, refused: answer.refused };
    const names = {
      "is-safe": t("safe"),
      "is-mine": t("a certain mine"),
      granted: t("a guess, granted"),
      refused: t("a guess that kills"),
    };
    board.mark(marks);
    appendMessage(t("What a click would do:"), [legend(names, marks)], "verdicts");
  }

  /** Show the chances and verdicts of the current position, if they are chosen. */
  refresh() {
    if (this.showsChances) this.refreshChances();
    if (this.showsVerdicts) this.refreshVerdicts();
  }

  /** Draw the chances of the current position, or remove them. */
  async refreshChances() {
    const { board } = this.client;
    if (!this.showsChances || this.client.isOver) {
      board.chances();
      return;
    }
    const answer = await this.#advise("chances");
    if (!answer) return;
    const { game } = this.client;
    if (answer.chances === null) {
      appendMessage(t("There are too many layouts to count, so there are no chances to show."));
      return;
    }
    const chances = new Map([...answer.chances.flat().entries()].filter(([, chance]) => chance !== null));
    const { best } = answer;
    const unavoidable = answer.unavoidable.flatMap(({ cells }) => cells);
    board.chances(chances, best, unavoidable);
    // A hint may have named the best guess already.
    const isNamed = best !== null && board.marks.get(board.grid.index(best)) === "asked";
    const proof = isNamed ? [] : unavoidableProof(board.grid, game.cells, answer.unavoidable);
    appendMessage(isNamed ? t("Chances of a mine:") : chancesInWords(board, chances, best), [
      legendOfChances(chances, best, unavoidable),
      ...proof,
    ]);
  }

  /** Explain a loss, after the verdict of Kaboom if there is one. */
  async explain(verdict) {
    const { board, game } = this.client;
    const before = { ...game, cells: game.rules ? game.cells : (game.before ?? game.cells) };
    const answer = await orShowError(() =>
      advise("explain", before, { cell: game.exploded[0], why: game.verdict?.why }),
    );
    if (!answer || this.client.game.status !== "lost") return;
    board.mark(cellsOf(answer));
    const lines = [verdict === answer.words ? null : verdict, answer.words];
    // The hint may rest on the mine that the words name.
    const way = answer.hint?.words.filter((line) => !line.endsWith(answer.words)).join("; ");
    if (way) lines.push(t("There was a safe way: {hint}", { hint: way }));
    showMessage(lines, { tone: "lost", after: [legend(MEANINGS, cellsOf(answer))] });
  }
}

/** Show a link in a field, and copy it if the browser allows that. */
export async function showLink(link, label, copied, shown) {
  const field = make("input", { class: "link", readonly: "", value: link, "aria-label": label });
  showMessage((await copyText(link)) ? copied : shown, { after: [field] });
  field.select();
}
