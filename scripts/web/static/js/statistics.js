/** The figures of a game, in words: on the review, at the end of a game, and in the record. */

import { exactText } from "./clock.js";
import { make } from "./dom.js";

/** Write a chance in percent, to a tenth. */
export const percent = (share) => `${share > 0 && share < 0.001 ? "less than 0.1" : Number((share * 100).toFixed(1))}\u00a0%`;

const FIGURES = [
  ["Time", "seconds", exactText],
  ["3BV", "bbbv", String],
  ["3BV done", "solved_bbbv", String],
  ["3BV a second", "bbbv_per_second", (value) => value.toFixed(2)],
  ["Clicks", "clicks", String],
  ["3BV a click", "efficiency", (value) => value.toFixed(2)],
  ["ZiNi a click", "zini_efficiency", (value) => value.toFixed(2)],
  ["Clicks of the player efficient", "few_clicks", String],
  ["Luck", "luck", percent],
  ["Guesses forced", "forced", String],
  ["Guesses needless", "needless", String],
  ["Time with nothing certain left", "stuck_seconds", exactText],
];

/** The figures that are known, as lines of a `dl`; `without` names those that are told elsewhere. */
export function figuresOf(game, without = []) {
  const left = game.solved_bbbv === game.bbbv ? [...without, "solved_bbbv"] : without;
  return linesOf(FIGURES.filter(([, key]) => !left.includes(key) && game[key] != null).map(([name, key, text]) => [name, text(game[key])]));
}

/** Lines of a `dl`, from pairs of a name and a value. */
export function linesOf(pairs) {
  return pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
}
