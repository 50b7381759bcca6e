/**
 * One game as the server tells it: sends moves as they are made, and keeps the board up to date.
 *
 * Moves do not wait for each other's answers. Each has a number, its turn, by which the server keeps their order. Flags
 * and the cells that a move may open are drawn before the server answers; what a cell holds, only the server knows.
 */

import { post } from "./api.js";
import { codesOf, countdown } from "./codes.js";

const QUESTIONS = "sweep-questions-";

export class GameClient {
  #alone = Promise.resolve();
  #onTheirWay = new Set();
  #pending = [];
  #waiting = 0;
  #turn = 0;

  /** `board` draws, `settings` says whether clues count down, `changed(game, before)` is told of every answer. */
  constructor(board, game, settings, changed) {
    this.board = board;
    this.settings = settings;
    this.changed = changed;
    this.#turn = game.turn;
    this.questions = new Set(JSON.parse(sessionStorage.getItem(`${QUESTIONS}${game.id}`) ?? "[]"));
    this.take(game);
  }

  /** Set a question mark, which only this tab knows, or take it away. */
  question(index, isSet) {
    if (isSet) this.questions.add(index);
    else this.questions.delete(index);
    sessionStorage.setItem(`${QUESTIONS}${this.game.id}`, JSON.stringify([...this.questions]));
    this.#draw();
  }

  get isOver() {
    return this.game.status === "won" || this.game.status === "lost";
  }

  /** How many moves the server has not answered yet. */
  get isBusy() {
    return this.#waiting > 0;
  }

  /** Draw an answer of the server. */
  take(game) {
    const before = this.game;
    // Answers may overtake each other: the newest tells all that the others did.
    if (before && game.turn < before.turn) return;
    this.game = game;
    this.#pending = this.isOver ? [] : this.#pending.filter((move) => move.turn >= game.turn);
    this.#draw();
    this.board.root.classList.toggle("live", !this.isOver);
    this.board.root.classList.toggle("is-won", game.status === "won");
    this.board.root.classList.toggle("is-lost", game.status === "lost");
    this.changed(game, before);
  }

  /** Count clues down again, after flags or the setting changed. */
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
    return this.#send(this.#alone.then(() => post(`/api/games/${this.game.id}/${name}`, body)), move);
  }

  /** Send any call that answers with a game, after those before it; throws ApiError if it is refused. */
  ask(name, body = {}) {
    return this.#send(this.query(name, body));
  }

  /** Ask something about the game that draws nothing, after the moves before it. */
  query(name, body = {}) {
    const before = Promise.allSettled([this.#alone, ...this.#onTheirWay]);
    const answer = before.then(() => post(`/api/games/${this.game.id}/${name}`, body));
    this.#alone = answer.catch(() => undefined);
    return answer;
  }

  /** Take the answer when it comes; a refused move is drawn back. */
  async #send(answer, move = null) {
    this.#onTheirWay.add(answer);
    this.#wait(1);
    try {
      const found = await answer;
      this.#wait(-1);
      this.take(found.game ?? found);
      return found;
    } catch (error) {
      this.#wait(-1);
      this.#pending = this.#pending.filter((one) => one !== move);
      this.#draw();
      throw error;
    } finally {
      this.#onTheirWay.delete(answer);
    }
  }

  /** Draw the newest answer, and over it the moves that it does not hold yet. */
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

  #wait(more) {
    this.#waiting += more;
    this.board.root.setAttribute("aria-busy", this.isBusy);
  }
}
