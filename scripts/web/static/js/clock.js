/** The clock: the server keeps the time, this shows it tick between two answers. */

/** Write seconds as minutes and seconds: 75 is "1:15". */
export function clockText(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Write seconds to the hundredth: 75.125 is "1:15.13", 9.5 is "9.50 s". */
export function exactText(seconds) {
  const hundredths = Math.round(seconds * 100);
  if (hundredths < 6000) return `${(hundredths / 100).toFixed(2)}\u00a0s`;
  return `${Math.floor(hundredths / 6000)}:${((hundredths % 6000) / 100).toFixed(2).padStart(5, "0")}`;
}

export class Clock {
  #base = 0;
  #since = 0;
  #timer = 0;

  constructor(show) {
    this.show = show;
  }

  /** Take the server's time; go on ticking only if the game does. */
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
