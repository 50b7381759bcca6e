/** The clock beside the board. */

/** A clock that counts on between two answers; the engine keeps the time. */
export class Clock {
  #timer = 0;
  #since = 0;
  #shown = 0;

  constructor(show) {
    this.show = show;
  }

  get runs() {
    return this.#timer !== 0;
  }

  get seconds() {
    return this.#shown + (this.runs ? (performance.now() - this.#since) / 1000 : 0);
  }

  /** Set the engine's time, and count on if the game is running. */
  set(seconds, runs) {
    clearInterval(this.#timer);
    this.#shown = seconds;
    this.#since = performance.now();
    this.#timer = runs ? setInterval(() => this.show(this.seconds), 250) : 0;
    this.show(seconds);
  }
}
