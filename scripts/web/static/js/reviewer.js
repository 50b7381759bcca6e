/**
 * The review of a game, click by click: the view before each click, and the cells that could be deduced from it.
 *
 * It needs no server: the Review page shows a review from the server, and `review --html` writes one into a file.
 */

import { Grid } from "../kernel/grids.js";
import { Board } from "./board.js";
import { uncertain } from "./codes.js";
import { $, fillList, make, markHere, onClick, onKeys } from "./dom.js";
import { percent, placeName, sizeName } from "./format.js";
import { legend, showMessage } from "./messages.js";
import { proofOf } from "./proofs.js";
import { Replay } from "./replay.js";
import { termsOf, statsOf } from "./statistics.js";
import { decimal, t, translated, translatedTitle } from "./words.js";
import { Zoom } from "./zoom.js";

const PLAIN = ["first click", "certain"];
const TONES = { "forced guess": "guess", "needless guess": "guess", "known mine": "lost" };

const minesOf = (rows) => rows.flatMap((row, r) => [...row].flatMap((code, c) => (code === "*" ? [[r, c]] : [])));
const winChances = ({ guess }) => (guess?.kind === "win_probability" ? guess : null);

class Reviewer {
  constructor(review) {
    this.review = review;
    this.clicks = review.judgements;
    this.mines = minesOf(review.board);
    this.at = 0;
    this.zoom = new Zoom($(".board-scroll"));
    const label = t("Board of the game, {rows} rows, {cols} columns", review);
    this.board = this.zoom.show(new Board($("#board"), Grid.fromJSON(review), label));
    $("#title").textContent =
      `${translatedTitle(review.title ?? sizeName({ grid: this.board.grid, mines: review.mines }))}, ${review.won ? t("won") : t("lost")}`;
    $("#moment").max = this.clicks.length;
    const { "forced guess": forced, "needless guess": needless, "known mine": mistakes } = review.verdicts;
    $("#stats").replaceChildren(...statsOf({ ...review, forced, needless, mistakes }), ...termsOf(this.#lostChances()));
    this.replay = new Replay(review, (at) => this.#showReplayed(at));
    this.#list();
    this.#bind();
    this.show(this.guesses.length ? this.guesses[0] : 0);
  }

  /** The indices of the clicks that were not certain. */
  get guesses() {
    return this.clicks.map((click, i) => (PLAIN.includes(click.verdict) ? -1 : i)).filter((i) => i >= 0);
  }

  /** The chance to win that forced guesses gave away, as lines; empty if no chance is known. */
  #lostChances() {
    const known = this.clicks.map(winChances).filter(Boolean);
    const lost = known.reduce((total, guess) => total + Math.max(0, guess.best_value - guess.value), 0);
    return known.length ? [[t("Win chance lost by guesses"), percent(lost)]] : [];
  }

  /** Stop at a click: show the board before it; after the last click, the end. */
  show(at) {
    this.#goTo(at);
    this.replay.seek(this.at);
    if (this.at < this.clicks.length) this.#showClick(this.clicks[this.at]);
  }

  /** Show the board after so many clicks while the game is played back. */
  #showReplayed(at) {
    if (at === this.at && at > 0) return;
    this.#goTo(at);
    if (this.at === this.clicks.length) return;
    this.board.show([...this.clicks[at].view.join("")]);
    this.board.mark({ fresh: this.clicks[at - 1]?.cells });
    this.board.chances();
    showMessage(t("The game is played back."), { silent: true });
  }

  /** Update the buttons, the slider and the list for a click; show the end. */
  #goTo(at) {
    this.at = Math.min(Math.max(at, 0), this.clicks.length);
    const isEnd = this.at === this.clicks.length;
    $("#moment").value = this.at;
    const name = isEnd
      ? t("the end")
      : t("click {number} of {count}", { number: this.at + 1, count: this.clicks.length });
    $("#moment").setAttribute("aria-valuetext", name);
    $("#moment-name").textContent = name;
    $("#first").disabled = $("#back").disabled = this.at === 0;
    $("#forward").disabled = $("#last").disabled = isEnd;
    $("#guess-back").disabled = !this.guesses.some((i) => i < this.at);
    $("#guess-forward").disabled = !this.guesses.some((i) => i > this.at);
    markHere($("#guesses"), this.guesses.indexOf(this.at));
    if (isEnd) this.#showEnd();
  }

  /** The position on the board: its mines and its rows. */
  get position() {
    return { mines: this.mines.length, cells: this.clicks[this.at]?.view ?? this.review.last_view };
  }

  #showEnd() {
    const { board } = this;
    const { won } = this.review;
    const codes = [...this.review.last_view.join("")];
    for (const mine of this.mines) codes[board.grid.index(mine)] = won ? "F" : "*";
    const fatal = this.clicks.filter((click) => !click.survived).flatMap((click) => click.cells);
    for (const cell of fatal) if (codes[board.grid.index(cell)] === "*") codes[board.grid.index(cell)] = "X";
    board.show(codes);
    board.mark();
    board.chances();
    showMessage(won ? t("The game was won.") : t("The game was lost."), { tone: won ? "won" : "lost" });
  }

  #showClick(click) {
    const rows = click.view;
    this.board.show([...rows.join("")]);
    this.board.chances($("#show-chances").checked ? uncertain(click.probabilities) : undefined);
    const isGuess = TONES[click.verdict] === "guess";
    const best =
      isGuess && click.best_cell && !click.cells.some((cell) => `${cell}` === `${click.best_cell}`)
        ? [click.best_cell]
        : [];
    const certain = click.verdict === "certain" ? click.cells : [];
    // The clicked cells come last, so that no other mark hides them.
    this.board.mark({
      why: click.step?.reason.clues,
      "is-mine": click.step?.mines,
      "is-safe": click.step ? click.step.safe : [...best, ...certain],
      asked: click.cells,
    });
    this.board.reveal(click.cells[0] ?? click.cell);
    this.#describe(click, rows, best);
  }

  #describe(click, rows, best) {
    const isChord = click.cells.length > 1 || `${click.cells}` !== `${click.cell}`;
    const what = click.helped
      ? t("{count} {count:cell|cells} opened for you", { count: click.cells.length })
      : isChord
        ? t("A chord on {cell}", { cell: placeName(click.cell) })
        : placeName(click.cell);
    const lines = [
      `${translated(click.verdict)}: ${what}.`,
      PLAIN.includes(click.verdict) ? "" : this.#survival(click, best),
      click.layouts ? t("Nothing was certain: these two layouts both fit every clue.") : click.words,
    ];
    const used = { asked: t("the click") };
    if (click.step) Object.assign(used, { why: t("the clues"), "is-safe": t("could be known") });
    else if (best.length) used["is-safe"] = t("the best guess");
    const pace = t("{time}\u00a0s, {pause}\u00a0s after the click before", {
      time: decimal(click.seconds, 2),
      pause: decimal(click.thinking_seconds, 2),
    });
    const after = [legend(used), make("p", { class: "note" }, pace)];
    if (click.layouts) {
      const layouts = click.layouts.map(minesOf);
      after.unshift(proofOf(this.board.grid, rows, { cell: click.uncertain_cell, layouts }));
    }
    showMessage(lines, { tone: click.survived ? (TONES[click.verdict] ?? "") : "lost", after });
  }

  /** Sentences about a click that was not certain: its chance, what the guess was worth, and the best one. */
  #survival(click, best) {
    const safety = click.safety === null ? null : { chance: percent(click.safety) };
    const survived = click.survived ? t("Survived.") : t("It was a mine.");
    return [
      safety ? `${survived} ${t("The chance to survive was {chance}.", safety)}` : survived,
      click.guess && this.#worth(click.guess),
      best.length && click.best_safety !== null && !click.step
        ? t("The best guess was {cell}, safe with {chance}.", {
            cell: placeName(best[0]),
            chance: percent(click.best_safety),
          })
        : "",
    ];
  }

  #worth(guess) {
    const isBest = guess.rating === "best";
    if (!winChances({ guess }))
      return isBest
        ? t("By estimate, no guess was better.")
        : t("By estimate, the best guess was {share} better.", { share: guess.rating.slice(1) });
    const values = { chance: percent(guess.value), best: percent(guess.best_value) };
    return isBest
      ? t("The chance to win was {chance}, the best possible.", values)
      : t("The chance to win was {chance}; the best guess had {best}.", values);
  }

  #list() {
    const buttons = this.guesses.map((i) => {
      const click = this.clicks[i];
      const win = winChances(click);
      const parts = [
        `${i + 1}: ${translated(click.verdict)}`,
        click.safety === null ? "" : percent(click.safety),
        win && t("win chance {chance}", { chance: percent(win.value) }),
        click.survived ? "" : t("a mine"),
      ];
      return [parts.filter(Boolean).join(", "), () => this.show(i)];
    });
    fillList($("#guesses"), buttons);
    $("#no-guesses").hidden = buttons.length > 0;
  }

  #bind() {
    const moves = {
      first: () => 0,
      back: () => this.at - 1,
      forward: () => this.at + 1,
      last: () => this.clicks.length,
      "guess-back": () => this.guesses.filter((i) => i < this.at).pop() ?? this.at,
      "guess-forward": () => this.guesses.find((i) => i > this.at) ?? this.at,
    };
    const on = (id) => () => this.show(moves[id]());
    for (const id of Object.keys(moves)) onClick(id, on(id));
    $("#moment").addEventListener("input", () => this.show($("#moment").valueAsNumber));
    $("#show-chances").addEventListener("change", () => this.show(this.at));
    const keys = {
      ArrowLeft: on("back"),
      ArrowRight: on("forward"),
      Home: on("first"),
      End: on("last"),
      ArrowUp: on("guess-back"),
      ArrowDown: on("guess-forward"),
    };
    onKeys(keys, "input, .words");
  }
}

/** Show a review (the data of `review --json`) in the template of the Review page. */
export function showReview(review) {
  return new Reviewer(review);
}
