/**
 * One game as the server tells it: sends moves in the order they were made, and keeps the board up to date.
 *
 * Flags are drawn before the server answers, because they can't go wrong; what a cell holds, only the server knows.
 */

import { post } from "./api.js";
import { codesOf, countdown } from "./codes.js";

export class GameLink {
  #queue = Promise.resolve();
  #waiting = 0;

  /** `board` draws, `settings` says whether clues count down, `changed(game, before)` is told of every answer. */
  constructor(board, game, settings, changed) {
    this.board = board;
    this.settings = settings;
    this.changed = changed;
    this.take(game);
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
    this.game = game;
    // Flags drawn ahead of the server would flicker if an older answer were drawn over them.
    if (!this.isBusy) this.board.show(codesOf(game));
    this.recount();
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
    if (name === "flag") this.#flagAtOnce(index);
    return this.ask(name, { row: Math.floor(index / cols), col: index % cols });
  }

  /** Send any call that answers with a game, after those before it; throws ApiError if it is refused. */
  ask(name, body = {}) {
    this.#wait(1);
    const answer = this.#queue.then(() => post(`/api/games/${this.game.id}/${name}`, body));
    this.#queue = answer.catch(() => undefined);
    return answer.then(
      (found) => {
        this.#wait(-1);
        this.take(found.game ?? found);
        return found;
      },
      (error) => {
        this.#wait(-1);
        this.board.show(codesOf(this.game));
        throw error;
      },
    );
  }

  /** Ask something about the game that draws nothing, after the moves before it. */
  query(name, body = {}) {
    const answer = this.#queue.then(() => post(`/api/games/${this.game.id}/${name}`, body));
    this.#queue = answer.catch(() => undefined);
    return answer;
  }

  #wait(more) {
    this.#waiting += more;
    this.board.root.setAttribute("aria-busy", this.isBusy);
  }

  #flagAtOnce(index) {
    const code = this.board.codes[index];
    if (code === "#" || code === "F") this.board.set(index, code === "#" ? "F" : "#");
    this.recount();
  }
}
