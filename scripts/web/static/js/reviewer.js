/**
 * A judged game, click by click: what was seen before each click, and what could be known then.
 *
 * It needs no server: /review shows one that it was sent, and `review --html` writes one into a file.
 */

import { Board, placeName } from "./board.js";
import { marksOf, uncertain } from "./codes.js";
import { $, make } from "./dom.js";
import { figuresOf, percent } from "./statistics.js";
import { proofOf } from "./proofs.js";
import { legend, tell } from "./messages.js";
import { Zoom } from "./zoom.js";

const PLAIN = ["first click", "certain"];
const TONES = { "forced guess": "guess", "needless guess": "guess", "known mine": "lost" };

const rowsOf = (view) => view.split("\n").slice(1);
const minesOf = (rows) => rows.flatMap((row, r) => [...row].flatMap((code, c) => (code === "*" ? [[r, c]] : [])));

class Reviewer {
  constructor(review) {
    this.review = review;
    this.clicks = review.judgements;
    this.mines = minesOf(review.mines);
    this.at = 0;
    const [rows, cols] = [review.mines.length, review.mines[0].length];
    const label = `Board of the game, ${rows} rows, ${cols} columns`;
    this.board = new Board($("#board"), { rows, cols, label });
    this.zoom = new Zoom($(".board-scroll"));
    this.zoom.show(this.board);
    $("#title").textContent = `${review.title ?? review.board}, ${review.won ? "won" : "lost"}`;
    $("#moment").max = this.clicks.length;
    const { "forced guess": forced, "needless guess": needless } = review.verdicts;
    $("#figures").replaceChildren(...figuresOf({ ...review, forced, needless }));
    this.#list();
    this.#bind();
    this.show(this.guesses.length ? this.guesses[0] : 0);
  }

  /** The numbers, from 0, of the clicks that were not certain. */
  get guesses() {
    return this.clicks.map((click, i) => (PLAIN.includes(click.verdict) ? -1 : i)).filter((i) => i >= 0);
  }

  /** Show the board before a click, counted from 0; after the last comes the end. */
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

  /** The position that is shown: its size, its mines and its rows. */
  get position() {
    const cells = rowsOf(this.clicks[this.at]?.view ?? this.review.end);
    return { rows: cells.length, cols: this.board.cols, mines: this.mines.length, cells };
  }

  #showEnd() {
    const { cols } = this.board;
    const codes = [...rowsOf(this.review.end).join("")];
    for (const [row, col] of this.mines) codes[row * cols + col] = this.review.won ? "F" : "*";
    const fatal = this.clicks.filter((click) => !click.survived).flatMap((click) => click.cells);
    for (const [row, col] of fatal) if (codes[row * cols + col] === "*") codes[row * cols + col] = "X";
    this.board.show(codes);
    this.board.mark(new Map());
    this.board.chances(new Map());
    tell(this.review.won ? "The game was won." : "The game was lost.", { tone: this.review.won ? "won" : "lost" });
  }

  #showClick(click) {
    const { cols } = this.board;
    const rows = rowsOf(click.view);
    this.board.show([...rows.join("")]);
    this.board.chances($("#show-chances").checked ? uncertain(click.chances) : new Map());
    const isGuess = click.verdict === "forced guess" || click.verdict === "needless guess";
    const best = isGuess && click.best && !click.cells.some((cell) => `${cell}` === `${click.best}`) ? [click.best] : [];
    const certain = click.verdict === "certain" ? click.cells : [];
    // The clicked cells last: they are what is judged.
    this.board.mark(marksOf(cols, {
      why: click.step?.reason.clues, "is-mine": click.step?.mines, "is-safe": click.step ? click.step.safe : [...best, ...certain], asked: click.cells,
    }));
    const [row, col] = click.cells[0] ?? click.cell;
    this.board.reveal(row * cols + col);
    this.#tell(click, rows, best);
  }

  #tell(click, rows, best) {
    const place = ([row, col]) => placeName(row * this.board.cols + col, this.board.cols);
    const what = click.helped ? `${click.cells.length} cell${click.cells.length === 1 ? "" : "s"} opened for you`
      : click.cells.length > 1 || `${click.cells}` !== `${click.cell}` ? `A chord on ${place(click.cell)}` : place(click.cell);
    const lines = [`${click.verdict}: ${what}.`];
    if (!PLAIN.includes(click.verdict)) {
      const chance = click.safety === null ? "" : ` The chance to survive was ${percent(click.safety)}.`;
      lines.push(`${click.survived ? "Survived." : "It was a mine."}${chance}`);
      if (best.length && click.best_safety !== null && !click.step) {
        lines.push(`Best, with all that follows: ${place(best[0])}, where it was ${percent(click.best_safety)}.`);
      }
      if (click.guess?.kind === "win_probability") {
        lines.push(`The chance to win was ${percent(click.guess.value)}, after the best guess ${percent(click.guess.best_value)}.`);
      }
    }
    lines.push(click.layouts ? "Nothing was certain, as two layouts prove that both fit every clue:" : click.reason);
    const used = { asked: "the click" };
    if (click.step) Object.assign(used, { why: "the clues", "is-safe": "could be known" });
    else if (best.length) used["is-safe"] = "the best guess";
    const pace = `${click.seconds.toFixed(2)}\u00a0s, ${click.thinking_seconds.toFixed(2)}\u00a0s after the click before`;
    const after = [legend(used), make("p", { class: "note" }, pace)];
    if (click.layouts) {
      const layouts = click.layouts.map((layout) => minesOf(layout.split("\n")));
      const game = { rows: rows.length, cols: this.board.cols, cells: rows };
      after.unshift(proofOf(game, { cell: click.uncertain_cell, layouts }));
    }
    tell(lines, { tone: click.survived ? TONES[click.verdict] ?? "" : "lost", after });
  }

  #list() {
    const items = this.guesses.map((i) => {
      const { verdict, safety, survived } = this.clicks[i];
      const chance = safety === null ? "" : `, ${percent(safety)}`;
      const button = make("button", { type: "button", class: "quiet", "data-at": i }, `${i + 1}: ${verdict}${chance}${survived ? "" : ", a mine"}`);
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

/** Show a review, as `review --json` prints it, where the template of the page stands. */
export function showReview(review) {
  return new Reviewer(review);
}
