/** Playback of a review in real time, beside the player's best game. */

import { $, isPressed, onClick, press } from "./dom.js";
import { exactText } from "./format.js";
import { t } from "./words.js";

const FRAME_MS = 50;

/** The share of the safe cells that are open in rows of a view; "-" is a hole. */
const shareOf = (rows, safe) => rows.join("").replace(/[-#]/g, "").length / safe;

/** The share that a game had reached at a time, from its steps `[seconds, share]`. */
export const shareAt = (steps, seconds) => steps.findLast(([at]) => at <= seconds)?.[1] ?? 0;

export class Replay {
  #timer = 0;

  /** `show(at)` shows the board after so many clicks. */
  constructor({ judgements, last_view: last, mines, seconds, rival = null }, show) {
    const safe = last.join("").replaceAll("-", "").length - mines;
    const after = [...judgements.slice(1).map(({ view }) => view), last];
    this.steps = judgements.map((click, i) => [click.seconds, shareOf(after[i], safe)]);
    this.total = Math.max(seconds, ...judgements.map((click) => click.seconds));
    this.rival = rival;
    this.show = show;
    $("#race").hidden = !rival;
    if (rival) {
      const values = { time: exactText(rival.seconds) };
      $("#rival-name").textContent = rival.isSame
        ? t("Your best game on this board: {time}", values)
        : t("Your best game of this kind: {time}", values);
    }
    onClick("replay", () => (this.plays ? this.stop() : this.play()));
  }

  get plays() {
    return isPressed("replay");
  }

  /** Play on from the current click, or from the start after the end. */
  play() {
    if (this.seconds >= this.total) this.seconds = 0;
    this.#press(true);
    let before = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.seconds += ((now - before) / 1000) * Number($("#replay-speed").value);
      before = now;
      this.show(this.steps.filter(([at]) => at <= this.seconds).length);
      this.#draw();
      if (this.seconds >= this.total) this.stop();
    }, FRAME_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#press(false);
  }

  /** Stop after so many clicks. */
  seek(at) {
    this.stop();
    this.seconds = at === this.steps.length ? this.total : (this.steps[at - 1]?.[0] ?? 0);
    this.#draw();
  }

  #press(plays) {
    press("replay", plays, [t("Replay"), t("Pause")]);
  }

  #draw() {
    $("#replay-clock").textContent = exactText(Math.min(this.seconds, this.total));
    $("#own-share").value = shareAt(this.steps, this.seconds);
    $("#rival-share").value = shareAt(this.rival?.steps ?? [], this.seconds);
  }
}
