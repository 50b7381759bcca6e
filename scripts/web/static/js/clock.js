/** The clock. The server keeps the time; the page counts on between two responses. */

import { clockText } from "./format.js";

export class Clock {
  #base = 0;
  #since = 0;
  #timer = 0;

  constructor(show) {
    this.show = show;
  }

  /** Set the server's time, and count on if the game is running. */
  set(seconds, runs) {
    this.#base = seconds;
    this.#since = performance.now();
    clearInterval(this.#timer);
    if (runs) this.#timer = setInterval(() => this.#tick(), 250);
    this.show(clockText(seconds));
  }

  #tick() {
    this.show(clockText(this.#base + (performance.now() - this.#since) / 1000));
  }
}
