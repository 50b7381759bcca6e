/** The statistics of a game in words: for the review and the end of a game. */

import { make } from "./dom.js";
import { exactText, percent } from "./format.js";

const fixed = (value) => value.toFixed(2);

const STATS = [
  ["Time", "seconds", exactText],
  ["3BV", "bbbv", String],
  ["3BV done", "solved_bbbv", String],
  ["3BV a second", "bbbv_per_second", fixed],
  ["Clicks", "clicks", String],
  ["3BV a click", "efficiency", fixed],
  ["ZiNi a click", "zini_efficiency", fixed],
  ["Clicks of the efficient strategy", "few_clicks", String],
  ["Luck", "luck", percent],
  ["Forced guesses", "forced", String],
  ["Needless guesses", "needless", String],
  ["Time spent on forced guesses", "stuck_seconds", exactText],
];

/** The known statistics as lines of a `dl`, except those in `without`. */
export function statsOf(game, without = []) {
  const left = game.solved_bbbv === game.bbbv ? [...without, "solved_bbbv"] : without;
  return linesOf(STATS.filter(([, key]) => !left.includes(key) && game[key] != null).map(([name, key, text]) => [name, text(game[key])]));
}

/** Lines of a `dl` from pairs of a name and a value. */
export function linesOf(pairs) {
  return pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
}
