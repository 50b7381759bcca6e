/** The automatic player of the Play page: it makes the next certain move, or plays on until the player takes over. */

import { $ } from "./dom.js";
import { orShowError, showMessage } from "./messages.js";
import { t } from "./words.js";

const PAUSE_MS = 350;

export class Autoplay {
  #timer = 0;

  /** `client()` returns the client of the current game. */
  constructor(client) {
    this.client = client;
  }

  get plays() {
    return $("#play-on").getAttribute("aria-pressed") === "true";
  }

  /** Make one move; with `guess` the best guess if nothing is certain. Returns whether play can go on. */
  async next(guess = false) {
    const client = this.client();
    client.board.mark();
    const answer = await orShowError(() => client.request("next", { guess }));
    if (!answer || client !== this.client()) return false;
    const { board } = client;
    const { move } = answer;
    const opened = move.guess && guess ? [move.guess.cell] : [];
    board.mark({ fresh: answer.game.changed, asked: opened, "is-mine": move.mines, why: move.reason?.clues });
    const cell = move.safe?.[0] ?? move.mines?.[0] ?? move.guess?.cell ?? answer.game.changed[0];
    if (cell) board.reveal(cell);
    if (client.isOver) return false;
    showMessage([move.words, opened.length ? t("It guesses.") : ""], { tone: move.guess ? "guess" : "" });
    return move.found || guess;
  }

  /** Play on, or stop. */
  play(on) {
    clearTimeout(this.#timer);
    $("#play-on").setAttribute("aria-pressed", on);
    $("#play-on").textContent = on ? t("Pause") : t("Play on");
    if (on) this.#continue();
  }

  async #continue() {
    const goesOn = await this.next(true);
    if (!this.plays) return;
    if (goesOn) this.#timer = setTimeout(() => this.#continue(), PAUSE_MS);
    else this.play(false);
  }
}
