/** The Analyse page: paste or draw a position, and see everything that follows from it. */

import { post } from "./api.js";
import { Board } from "./board.js";
import { marksOf, uncertain } from "./codes.js";
import { $, make } from "./dom.js";
import { listenToKeyboard } from "./keyboard.js";
import { forPeople, legend, orTell, tell } from "./words.js";
import { Zoom } from "./zoom.js";

const EXAMPLE = "6x8/9\n########\n###113##\n#21102##\n#20001##\n#41211##\n########\n";
const BRUSHES = ["#", "0", "1", "2", "3", "4", "5", "6", "7", "8"];
const MEANINGS = { "is-safe": "safe", "is-mine": "mine", why: "the clues" };

const number = (id) => $(`#${id}`).valueAsNumber;

class Analyse {
  constructor() {
    this.brush = "#";
    this.stop = [];
    this.zoom = new Zoom($(".board-scroll"), () => innerHeight * 0.8);
    $("#text").value = EXAMPLE;
    $("#read").addEventListener("click", () => this.read());
    $("#blank").addEventListener("click", () => this.blank());
    $("#copy").addEventListener("click", () => this.copy());
    $("#mines").addEventListener("change", () => this.ask());
    $("#show-chances").addEventListener("change", () => this.#drawChances());
    $("#brushes").replaceChildren(...BRUSHES.map((brush) => this.#brushButton(brush)));
  }

  #brushButton(brush) {
    const name = brush === "#" ? "hidden cell" : `clue ${brush}`;
    const button = make("button", { type: "button", "aria-label": name, "aria-pressed": brush === this.brush }, brush);
    button.addEventListener("click", () => {
      this.brush = brush;
      for (const one of $("#brushes").children) one.setAttribute("aria-pressed", one === button);
    });
    return button;
  }

  /** Analyse the pasted text. */
  async read() {
    const mines = number("paste-mines");
    const answer = await orTell(() => post("/api/analyse", { text: $("#text").value, mines: Number.isNaN(mines) ? null : mines }));
    if (answer) this.show(answer);
  }

  /** Begin an empty drawing. */
  blank() {
    const [rows, cols] = [number("rows"), number("cols")];
    if (!(rows >= 1 && cols >= 1 && rows <= 100 && cols <= 100)) {
      tell("A board has 1 to 100 rows and columns.", { tone: "error" });
      return;
    }
    this.#lay(rows, cols);
    this.ask();
  }

  #lay(rows, cols) {
    for (const stop of this.stop) stop();
    this.board = new Board($("#board"), { rows, cols, label: `Position, ${rows} rows, ${cols} columns` });
    this.zoom.show(this.board);
    const ending = new AbortController();
    const on = (name, handler) => this.board.root.addEventListener(name, handler, { signal: ending.signal });
    on("pointerdown", (event) => this.#draw(this.board.indexOf(event.target), this.brush));
    on("pointerover", (event) => {
      if (event.buttons & 1) this.#draw(this.board.indexOf(event.target), this.brush);
    });
    on("pointerup", () => this.ask());
    on("keydown", (event) => {
      if (!BRUSHES.includes(event.key)) return;
      this.#draw(this.board.current, event.key);
      this.ask();
    });
    this.stop = [() => ending.abort(), listenToKeyboard(this.board, (name, index) => {
      this.#draw(index, this.brush);
      this.ask();
    })];
  }

  #draw(index, code) {
    if (index === null) return;
    this.board.set(index, code);
    this.board.moveTo(index, false);
  }

  #rows() {
    const { codes, cols, rows } = this.board;
    return Array.from({ length: rows }, (_, row) => codes.slice(row * cols, (row + 1) * cols).join(""));
  }

  /** Analyse the drawing. */
  async ask() {
    if (!this.board) return;
    const cells = this.#rows();
    const answer = await orTell(() => post("/api/position", { cells, mines: number("mines") || 0 }));
    if (answer && cells.join() === this.#rows().join()) this.show(answer);
  }

  /** Show what the server found. */
  show(answer) {
    this.answer = answer;
    if (this.board?.rows !== answer.rows || this.board?.cols !== answer.cols) this.#lay(answer.rows, answer.cols);
    this.board.show([...answer.view.split("\n").slice(1).join("")]);
    [$("#rows").value, $("#cols").value, $("#mines").value] = [answer.rows, answer.cols, answer.mine_count];
    $("#steps").replaceChildren(...(answer.explanation ?? []).map((step) => this.#stepItem(step)));
    this.#markAll();
    this.#drawChances();
    if (!answer.consistent) tell(answer.words, { tone: "lost", after: [legend({ why: "the clues at fault" })] });
    else tell(answer.words, { after: [legend({ "is-safe": "safe", "is-mine": "mine" })] });
  }

  #markAll() {
    const { answer, board } = this;
    const guess = answer.guess ? [answer.guess.cell] : [];
    board.mark(marksOf(board.cols, { "is-safe": answer.safe, "is-mine": answer.mines, asked: guess, why: answer.clash?.clues }));
  }

  #stepItem(step) {
    const button = make("button", { type: "button", class: "quiet" }, `${step.tier_name}: ${forPeople(step.words)}`);
    button.addEventListener("click", () => {
      this.board.chances(new Map());
      this.board.mark(marksOf(this.board.cols, { "is-safe": step.safe, "is-mine": step.mines, why: step.reason.clues }));
      tell(step.words, { after: [legend(MEANINGS)] });
    });
    return make("li", {}, button);
  }

  #drawChances() {
    const shown = $("#show-chances").checked && this.answer?.consistent;
    const best = this.answer?.guess?.cell;
    this.board?.chances(shown ? uncertain(this.answer.probabilities) : new Map(), best ? best[0] * this.board.cols + best[1] : null);
  }

  /** Write the drawing as text, into the text field. */
  copy() {
    if (!this.board) return;
    $("#text").value = `${this.board.rows}x${this.board.cols}/${number("mines") || 0}\n${this.#rows().join("\n")}\n`;
    $("#text").select();
    // Where the clipboard is refused, the selected text is there to copy by hand.
    navigator.clipboard?.writeText($("#text").value).catch(() => undefined);
    tell("The position is in the text field.");
  }
}

/** Start the page with an example. */
export async function start() {
  await new Analyse().read();
}
