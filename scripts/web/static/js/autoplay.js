/** The automatic player of the Play page: it makes the next certain move, or plays on until the player takes over. */

import { isPressed, press } from "./dom.js";
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
    return isPressed("play-on");
  }

  /** Make one move; with `guess` the best guess if nothing is certain. Returns whether play can go on. */
  async next(guess = false) {
    const client = this.client();
    const { board } = client;
    board.mark();
    const move = await orShowError(() => client.advise("hint"));
    if (!move || client !== this.client()) return false;
    const first = guess && client.game.status === "ready" ? board.grid.pairs([board.grid.middle]) : [];
    const opened = move.guess && guess ? [move.guess.cell] : first;
    const [safe, mines] = [move.safe ?? opened, move.mines ?? []];
    const game = safe.length || mines.length ? await orShowError(() => client.help(safe, mines)) : client.game;
    if (!game || client !== this.client()) return false;
    board.mark({ fresh: safe.length ? game.changed : [], asked: opened, "is-mine": mines, why: move.reason?.clues });
    const cell = safe[0] ?? mines[0] ?? move.guess?.cell;
    if (cell) board.reveal(cell);
    if (client.isOver) return false;
    showMessage(
      [first.length ? t("It makes the first click.") : move.words, move.guess && guess ? t("It guesses.") : ""],
      { tone: move.guess ? "guess" : "" },
    );
    return safe.length + mines.length > 0;
  }

  play(on) {
    clearTimeout(this.#timer);
    press("play-on", on, [t("Play on"), t("Pause")]);
    if (on) this.#continue();
  }

  async #continue() {
    const goesOn = await this.next(true);
    if (!this.plays) return;
    if (goesOn) this.#timer = setTimeout(() => this.#continue(), PAUSE_MS);
    else this.play(false);
  }
}
