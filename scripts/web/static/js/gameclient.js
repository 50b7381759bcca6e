/**
 * The connection of a game to the server: it sends moves and keeps the board up to date.
 *
 * Moves are sent without waiting for earlier responses; the server orders them by their number, the turn. Flags and
 * pending cells are drawn before the response arrives, clues after it.
 */

import { post } from "./api.js";
import { codesOf, countdown } from "./codes.js";
import { advise } from "./local.js";

const QUESTIONS = "sweep-questions-";

export class GameClient {
  #exclusive = Promise.resolve();
  #sent = new Set();
  #pending = [];
  #waiting = 0;
  #asking = 0;
  #turn = 0;

  /** `changed(game, before)` is called after every response, with the state before it. */
  constructor(board, game, settings, changed) {
    this.board = board;
    this.settings = settings;
    this.changed = changed;
    this.#turn = game.turn;
    this.questions = new Set(JSON.parse(sessionStorage.getItem(`${QUESTIONS}${game.id}`) ?? "[]"));
    this.take(game);
  }

  /** Set or remove a question mark; the server does not store them. */
  question(index, isSet) {
    if (isSet) this.questions.add(index);
    else this.questions.delete(index);
    sessionStorage.setItem(`${QUESTIONS}${this.game.id}`, JSON.stringify([...this.questions]));
    this.#draw();
  }

  get isOver() {
    return this.game.status === "won" || this.game.status === "lost";
  }

  /** Whether some moves have no response yet. */
  get isBusy() {
    return this.#waiting > 0;
  }

  /** Draw a state from the server. */
  take(game) {
    const before = this.game;
    // Responses may arrive out of order: an older one has nothing new.
    if (before && game.turn < before.turn) return;
    this.game = game;
    this.#pending = this.isOver ? [] : this.#pending.filter((move) => move.turn >= game.turn);
    this.#draw();
    this.board.root.classList.toggle("live", !this.isOver);
    this.board.root.classList.toggle("is-won", game.status === "won");
    this.board.root.classList.toggle("is-lost", game.status === "lost");
    this.changed(game, before);
  }

  /** Update countdown clues after a change of flags or settings. */
  recount() {
    this.board.countDown(this.settings.countdown && this.game.status !== "lost" ? countdown(this.board) : new Map());
  }

  /** Send a move of a cell: "open", "flag" or "chord". */
  move(name, index) {
    const { cols } = this.board;
    const move = { name, index, turn: this.#turn++ };
    this.#pending.push(move);
    this.#draw();
    const body = { row: Math.floor(index / cols), col: index % cols, turn: move.turn };
    return this.#send(this.#exclusive.then(() => post(`/api/games/${this.game.id}/${name}`, body)), move);
  }

  /** Send a call that returns a game, after all earlier ones. Throws ApiError. */
  request(name, body = {}) {
    const before = Promise.allSettled([this.#exclusive, ...this.#sent]);
    const answer = before.then(() => post(`/api/games/${this.game.id}/${name}`, body));
    this.#exclusive = answer.catch(() => undefined);
    return this.#send(answer);
  }

  /** Note help, and open and flag cells that the engine found. Throws ApiError. */
  help(safe = [], mines = []) {
    return this.request("help", { safe: safe.map(this.board.at), mines: mines.map(this.board.at) });
  }

  /** Note help unless it is known, after all moves. Throws ApiError. */
  async noteHelp() {
    await Promise.allSettled([this.#exclusive, ...this.#sent]);
    if (this.game.status !== "playing" || this.game.helped) return;
    await post(`/api/games/${this.game.id}/help`);
    this.game.helped = true;
  }

  /** Return the engine's answer about the position, after the game has noted the help; undefined if the position changed meanwhile. */
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

  /** Draw the state of a response; remove a rejected move from the board. */
  async #send(answer, move = null) {
    this.#sent.add(answer);
    this.wait(1);
    try {
      const found = await answer;
      this.wait(-1);
      this.take(found);
      return found;
    } catch (error) {
      this.wait(-1);
      this.#pending = this.#pending.filter((one) => one !== move);
      this.#draw();
      throw error;
    } finally {
      this.#sent.delete(answer);
    }
  }

  /** Draw the newest state, and over it the moves that it does not include yet. */
  #draw() {
    const codes = codesOf(this.game);
    const opening = new Set();
    for (const { name, index } of this.#pending) {
      if (name === "flag" && (codes[index] === "#" || codes[index] === "F")) codes[index] = codes[index] === "#" ? "F" : "#";
      const cells = name === "chord" ? this.board.around(index) : name === "open" ? [index] : [];
      for (const cell of cells) if (codes[cell] === "#") opening.add(cell);
    }
    for (const index of this.questions) if (codes[index] === "#") codes[index] = "?";
    this.board.show(codes);
    this.board.pend(opening);
    this.recount();
  }

  /** Count a request, so that `isBusy` holds until its end; `more` is 1 at its start and -1 at its end. */
  wait(more) {
    this.#waiting += more;
    this.#showBusy();
  }
  #showBusy() {
    this.board.root.setAttribute("aria-busy", this.#waiting + this.#asking > 0);
  }
}
