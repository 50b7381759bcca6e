/** The player beside you: makes the next certain move, or plays on until the game ends or you take over. */

import { marksOf } from "./codes.js";
import { $ } from "./dom.js";
import { orTell, tell } from "./messages.js";

const PAUSE_MS = 350;

export class Autoplay {
  #timer = 0;

  /** `link()` is the game that goes on now. */
  constructor(link) {
    this.link = link;
  }

  get plays() {
    return $("#play-on").getAttribute("aria-pressed") === "true";
  }

  /** Make one move; `guess` allows the best guess where nothing is certain. Returns whether it could. */
  async next(guess = false) {
    const link = this.link();
    link.board.mark(new Map());
    const answer = await orTell(() => link.ask("next", { guess }));
    if (!answer || link !== this.link()) return false;
    const { board } = link;
    const { move } = answer;
    const opened = move.guess && guess ? [move.guess.cell] : [];
    board.mark(marksOf(board.cols, { fresh: answer.game.changed, asked: opened, "is-mine": move.mines, why: move.reason?.clues }));
    const at = move.safe?.[0] ?? move.mines?.[0] ?? move.guess?.cell ?? answer.game.changed[0];
    if (at) board.reveal(at[0] * board.cols + at[1]);
    if (link.isOver) return false;
    tell([move.words, opened.length ? "It guesses." : ""], { tone: move.guess ? "guess" : "" });
    return move.found || guess;
  }

  /** Play on, or stop. */
  play(on) {
    clearTimeout(this.#timer);
    $("#play-on").setAttribute("aria-pressed", on);
    $("#play-on").textContent = on ? "Pause" : "Play on";
    if (on) this.#go();
  }

  async #go() {
    const goesOn = await this.next(true);
    if (!this.plays) return;
    if (goesOn) this.#timer = setTimeout(() => this.#go(), PAUSE_MS);
    else this.play(false);
  }
}
