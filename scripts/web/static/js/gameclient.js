/**
 * The game on the page: it passes moves to the engine and keeps the board up to date.
 *
 * The engine answers in order. Flags and pending cells are drawn before its answer, clues after it.
 */

import { codesOf, countdown } from "./codes.js";
import { advise, ask } from "./engine.js";
import { tab } from "./storage.js";

const QUESTIONS = "sweep-questions-";

export class GameClient {
  /** The calls without an answer. */
  #sent = new Set();
  /** Moves of the player without an answer: `{ name, index }`. */
  #pending = [];
  #asking = 0;
  /** Longer actions of several calls that are running. */
  #held = 0;

  /** `changed(game, before)` is called after every answer, with the state before it. */
  constructor(board, game, settings, changed) {
    this.board = board;
    this.settings = settings;
    this.changed = changed;
    this.questions = new Set(tab.read(`${QUESTIONS}${game.id}`, []));
    this.take(game);
  }

  /** Set or remove a question mark, which only this tab stores. */
  question(index, isSet) {
    if (isSet) this.questions.add(index);
    else this.questions.delete(index);
    tab.write(`${QUESTIONS}${this.game.id}`, [...this.questions]);
    this.#draw();
  }

  get isOver() {
    return this.game.status === "won" || this.game.status === "lost";
  }

  /** Whether some moves have no answer yet. */
  get isBusy() {
    return this.#sent.size + this.#held > 0;
  }

  /** Draw a state from the engine. */
  take(game) {
    const before = this.game;
    this.game = game;
    this.#draw();
    this.board.root.classList.toggle("live", !this.isOver);
    this.board.showEnd(game.status);
    this.changed(game, before);
  }

  /** Update countdown clues after a change of flags or settings. */
  recount() {
    this.board.countDown(this.settings.countdown && this.game.status !== "lost" ? countdown(this.board) : new Map());
  }

  /** Make a move on a cell: "open", "flag" or "chord". Throws `Fault`. */
  move(name, index) {
    const move = { name, index };
    this.#pending.push(move);
    this.#draw();
    return this.#send(ask("move", this.game.id, name, index), move);
  }

  /** Make a call that returns the game: "undo", "reveal" or "wake". Throws `Fault`. */
  request(name, ...args) {
    return this.#send(ask(name, this.game.id, ...args));
  }

  /** Note help, and open and flag cells that the engine found. Throws `Fault`. */
  help(safe = [], mines = []) {
    return this.#send(ask("help", this.game.id, safe.map(this.board.grid.index), mines.map(this.board.grid.index)));
  }

  /** Note help unless it is known, after all moves. Throws `Fault`. */
  async noteHelp() {
    await Promise.allSettled(this.#sent);
    if (this.game.status === "playing" && !this.game.helped) await this.help();
  }

  /** Return the engine's answer about the position after the game has noted the help; undefined if it changed meanwhile. */
  async advise(question) {
    this.#asking += 1;
    this.#showBusy();
    try {
      await this.noteHelp();
      const { game } = this;
      const answer = await advise(question, game);
      return game === this.game ? answer : undefined;
    } finally {
      this.#asking -= 1;
      this.#showBusy();
    }
  }

  /** Count an action of several calls as one; `more` is 1 at its start and -1 at its end. */
  hold(more) {
    this.#held += more;
    this.#showBusy();
  }

  /** Draw the state that the engine answers; a rejected move disappears from the board. */
  async #send(answer, move = null) {
    this.#sent.add(answer);
    this.#showBusy();
    const done = () => {
      this.#sent.delete(answer);
      this.#pending = this.#pending.filter((one) => one !== move);
      this.#showBusy();
    };
    try {
      const found = await answer;
      done();
      this.take(found);
      return found;
    } catch (error) {
      done();
      this.#draw();
      throw error;
    }
  }

  /** Draw the newest state, and over it the moves that it does not include yet. */
  #draw() {
    const codes = codesOf(this.game, this.board.grid);
    const opening = new Set();
    for (const { name, index } of this.#pending) {
      if (name === "flag" && (codes[index] === "#" || codes[index] === "F"))
        codes[index] = codes[index] === "#" ? "F" : "#";
      const cells = name === "chord" ? this.board.grid.around(index) : name === "open" ? [index] : [];
      for (const cell of cells) if (codes[cell] === "#") opening.add(cell);
    }
    for (const index of this.questions) if (codes[index] === "#") codes[index] = "?";
    this.board.show(codes);
    this.board.pend(opening);
    this.recount();
  }

  #showBusy() {
    this.board.root.setAttribute("aria-busy", this.isBusy || this.#asking > 0);
  }
}
