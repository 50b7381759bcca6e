/**
 * The review of a game, click by click: the view before each click, and the cells that could be deduced from it.
 *
 * It needs no server: the Review page shows a review from the server, and `review --html` writes one into a file.
 */

import { Board } from "./board.js";
import { uncertain } from "./codes.js";
import { $, make } from "./dom.js";
import { counted, percent } from "./format.js";
import { legend, showMessage } from "./messages.js";
import { proofOf } from "./proofs.js";
import { linesOf, statsOf } from "./statistics.js";
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
    const { rows, cols, mines } = review;
    this.board = new Board($("#board"), { rows, cols, label: `Board of the game, ${rows} rows, ${cols} columns` });
    this.zoom = new Zoom($(".board-scroll"));
    this.zoom.show(this.board);
    $("#title").textContent = `${review.title ?? `${rows}x${cols}/${mines}`}, ${review.won ? "won" : "lost"}`;
    $("#moment").max = this.clicks.length;
    const { "forced guess": forced, "needless guess": needless } = review.verdicts;
    $("#stats").replaceChildren(...statsOf({ ...review, forced, needless }), ...linesOf(this.#lostChances()));
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
    return known.length ? [["Win chance lost by guesses", percent(lost)]] : [];
  }

  /** Show the board before a click; after the last click, the end. */
  show(at) {
    this.at = Math.min(Math.max(at, 0), this.clicks.length);
    const isEnd = this.at === this.clicks.length;
    $("#moment").value = this.at;
    const name = isEnd ? "the end" : `click ${this.at + 1} of ${this.clicks.length}`;
    $("#moment").setAttribute("aria-valuetext", name);
    $("#moment-name").textContent = name;
    $("#first").disabled = $("#back").disabled = this.at === 0;
    $("#forward").disabled = $("#last").disabled = isEnd;
    $("#guess-back").disabled = !this.guesses.some((i) => i < this.at);
    $("#guess-forward").disabled = !this.guesses.some((i) => i > this.at);
    for (const button of $("#guesses").querySelectorAll("button")) {
      const isHere = Number(button.dataset.at) === this.at;
      button.setAttribute("aria-current", isHere ? "step" : "false");
      if (isHere) $("#guesses").scrollTop = button.parentElement.offsetTop - $("#guesses").clientHeight / 2;
    }
    if (isEnd) this.#showEnd();
    else this.#showClick(this.clicks[this.at]);
  }

  /** The position on the board: its size, its mines and its rows. */
  get position() {
    const cells = this.clicks[this.at]?.view ?? this.review.last_view;
    return { rows: cells.length, cols: this.board.cols, mines: this.mines.length, cells };
  }

  #showEnd() {
    const { board } = this;
    const { won } = this.review;
    const codes = [...this.review.last_view.join("")];
    for (const mine of this.mines) codes[board.at(mine)] = won ? "F" : "*";
    const fatal = this.clicks.filter((click) => !click.survived).flatMap((click) => click.cells);
    for (const cell of fatal) if (codes[board.at(cell)] === "*") codes[board.at(cell)] = "X";
    board.show(codes);
    board.mark();
    board.chances();
    showMessage(won ? "The game was won." : "The game was lost.", { tone: won ? "won" : "lost" });
  }

  #showClick(click) {
    const rows = click.view;
    this.board.show([...rows.join("")]);
    this.board.chances($("#show-chances").checked ? uncertain(click.probabilities) : undefined);
    const isGuess = click.verdict === "forced guess" || click.verdict === "needless guess";
    const best = isGuess && click.best_cell && !click.cells.some((cell) => `${cell}` === `${click.best_cell}`) ? [click.best_cell] : [];
    const certain = click.verdict === "certain" ? click.cells : [];
    // The clicked cells come last, so that no other mark hides them.
    this.board.mark({
      why: click.step?.reason.clues, "is-mine": click.step?.mines, "is-safe": click.step ? click.step.safe : [...best, ...certain], asked: click.cells,
    });
    this.board.reveal(click.cells[0] ?? click.cell);
    this.#describe(click, rows, best);
  }

  #describe(click, rows, best) {
    const place = (cell) => this.board.place(cell);
    const isChord = click.cells.length > 1 || `${click.cells}` !== `${click.cell}`;
    const what = click.helped ? `${counted(click.cells.length, "cell")} opened for you` : isChord ? `A chord on ${place(click.cell)}` : place(click.cell);
    const lines = [`${click.verdict}: ${what}.`];
    if (!PLAIN.includes(click.verdict)) {
      const chance = click.safety === null ? "" : ` The chance to survive was ${percent(click.safety)}.`;
      lines.push(`${click.survived ? "Survived." : "It was a mine."}${chance}`);
      const win = winChances(click);
      const estimate = click.guess?.kind === "estimate" ? click.guess.rating : null;
      if (win) lines.push(`The chance to win was ${percent(win.value)}${win.rating === "best" ? ", the best possible" : `; the best guess had ${percent(win.best_value)}`}.`);
      if (estimate) lines.push(estimate === "best" ? "By estimate, no guess was better." : `By estimate, the best guess was ${estimate.slice(1)} better.`);
      if (best.length && click.best_safety !== null && !click.step) lines.push(`The best guess was ${place(best[0])}, safe with ${percent(click.best_safety)}.`);
    }
    lines.push(click.layouts ? "Nothing was certain: these two layouts both fit every clue." : click.words);
    const used = { asked: "the click" };
    if (click.step) Object.assign(used, { why: "the clues", "is-safe": "could be known" });
    else if (best.length) used["is-safe"] = "the best guess";
    const pace = `${click.seconds.toFixed(2)}\u00a0s, ${click.thinking_seconds.toFixed(2)}\u00a0s after the click before`;
    const after = [legend(used), make("p", { class: "note" }, pace)];
    if (click.layouts) {
      const layouts = click.layouts.map(minesOf);
      after.unshift(proofOf({ rows: rows.length, cols: this.board.cols, cells: rows }, { cell: click.uncertain_cell, layouts }));
    }
    showMessage(lines, { tone: click.survived ? TONES[click.verdict] ?? "" : "lost", after });
  }

  #list() {
    const items = this.guesses.map((i) => {
      const click = this.clicks[i];
      const chance = click.safety === null ? "" : `, ${percent(click.safety)}`;
      const rating = winChances(click) ? `, win chance ${percent(winChances(click).value)}` : "";
      const button = make("button", { type: "button", class: "quiet", "data-at": i }, `${i + 1}: ${click.verdict}${chance}${rating}${click.survived ? "" : ", a mine"}`);
      button.addEventListener("click", () => this.show(i));
      return make("li", {}, button);
    });
    $("#guesses").replaceChildren(...items);
    $("#no-guesses").hidden = items.length > 0;
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
    for (const [id, to] of Object.entries(moves)) $(`#${id}`).addEventListener("click", () => this.show(to()));
    $("#moment").addEventListener("input", () => this.show($("#moment").valueAsNumber));
    $("#show-chances").addEventListener("change", () => this.show(this.at));
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", ArrowUp: "guess-back", ArrowDown: "guess-forward" };
    document.addEventListener("keydown", (event) => {
      const id = keys[event.key];
      if (!id || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, .words")) return;
      event.preventDefault();
      this.show(moves[id]());
    });
  }
}

/** Show a review (the data of `review --json`) in the template of the Review page. */
export function showReview(review) {
  return new Reviewer(review);
}
