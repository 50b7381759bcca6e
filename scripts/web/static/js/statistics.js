/** The statistics of a game in words: for the review and the end of a game. */

import { make } from "./dom.js";
import { exactText, percent } from "./format.js";
import { decimal, t } from "./words.js";

const fixed = (value) => decimal(value, 2);

const STATS = [
  [t("Time"), "seconds", exactText],
  [t("3BV"), "bbbv", String],
  [t("3BV done"), "solved_bbbv", String],
  [t("3BV a second"), "bbbv_per_second", fixed],
  [t("Clicks"), "clicks", String],
  [t("3BV a click"), "efficiency", fixed],
  [t("ZiNi a click"), "zini_efficiency", fixed],
  [t("Clicks of the shortest plan found"), "fewest_clicks", String],
  [t("Luck"), "luck", percent],
  [t("Forced guesses"), "forced", String],
  [t("Needless guesses"), "needless", String],
  [t("Mistakes"), "mistakes", String],
  [t("Time spent on forced guesses"), "stuck_seconds", exactText],
];

/** The figures that say nothing about a player who had help. */
export const SPEED = ["bbbv_per_second", "efficiency", "zini_efficiency", "fewest_clicks"];

/** The 3BV of the open cells of a grid, by the codes of its cells: the openings, and the clues outside of them. */
export function openBbbv(codes, grid) {
  const reached = new Set();
  let openings = 0;
  codes.forEach((code, start) => {
    if (code !== "0" || reached.has(start)) return;
    openings += 1;
    const todo = [start];
    while (todo.length) {
      const index = todo.pop();
      if (!reached.has(index) && codes[index] === "0") todo.push(...grid.around(index));
      reached.add(index);
    }
  });
  return openings + codes.filter((code, index) => code >= "1" && code <= "8" && !reached.has(index)).length;
}

/** The known statistics as lines of a `dl`, except those in `without`. */
export function statsOf(game, without = []) {
  const left = [...without];
  if (game.solved_bbbv === game.bbbv) left.push("solved_bbbv");
  // A click on a certain mine is no bad luck.
  left.push(game.mistakes ? "luck" : "mistakes");
  return termsOf(
    STATS.filter(([, key]) => !left.includes(key) && game[key] != null).map(([name, key, text]) => [
      name,
      text(game[key]),
    ]),
  );
}

/** A rating and its last change: "1020 (+20)". */
export const ratingText = ({ rating, change }) =>
  `${Math.round(rating)} (${change < 0 ? "−" : "+"}${Math.abs(Math.round(change))})`;

/** Lines of a `dl` from pairs of a name and a value. */
export function termsOf(pairs) {
  return pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
}
