/** Deductions in words: the templates of player/logic/words, filled with what the kernel says. */

import { kernel } from "./core/kernel.js";
import { listed, t } from "./words.js";

/** The names of the tiers of deductions, by their numbers. */
export const TIERS = ["first click", "1 clue", "2 clues", "more clues", "mine count"];

/** The verdicts of Kaboom in words. */
export const VERDICTS = {
  first_click: t("The first click is always safe."),
  proven_safe: t("It was certain to be safe."),
  forced_guess: t("No cell was certain to be safe, so your guess was granted."),
  early_guess: t("No cell was certain to be safe, or no clue could spare you this guess: it was granted."),
  proven_mine: t("It was certain to be a mine."),
  needless_guess: t("Another cell was certain to be safe, so this guess was not granted."),
  outside: t("A guess was forced, but only next to the clues."),
};

/** A cell in words, as a pair of row and column. */
export const cellName = (cell) => `(${cell.join(", ")})`;

/** The words of an unavoidable guess, from its cells; `early` advises to make it now. */
export const unavoidableInWords = (cells, early) =>
  t(early ? "guess.early" : "guess.unavoidable", { cells: listed(cells.map(cellName)) });

/** The steps of a view in order with their words, until all certain cells are known. */
export const explained = (view) =>
  kernel.path(view).map((step) => ({ ...worded(view, step), cells: [...step.safe, ...step.mines] }));

/** A hint of the kernel with its words. */
export function worded(view, hint) {
  const { tier, safe, mines, cell, mine, clues, smallest } = hint;
  const { pair, pairs } = view.grid;
  const decided = (name, list) => t(name, { count: list.length, cells: pairs(list).map(cellName).join(", ") });
  const parts = [
    ...(safe.length ? [decided("step.safe", safe)] : []),
    ...(mines.length ? [decided("step.mines", mines)] : []),
  ];
  const because = reason(view, hint);
  const sentence = (text) => t("step.because", { decided: text, because });
  return {
    safe: pairs(safe),
    mines: pairs(mines),
    tier,
    tier_name: TIERS[tier],
    reason: {
      cell: pair(cell),
      mine,
      clues: pairs(clues),
      mine_count: tier === 4,
      smallest,
      words: sentence(decided(mine ? "step.mines" : "step.safe", [cell])),
    },
    words: sentence(listed(parts)),
  };
}

/** Fill the template of a hint. */
function reason(view, { tier, cell, clues, says }) {
  const name = (at) => cellName(view.grid.pair(at));
  const clue = (at) => t("clue.at", { clue: view.cells[at], cell: name(at) });
  const reasons = clues.length ? [t("clues.named", { count: clues.length, clues: listed(clues.map(clue)) })] : [];
  if (tier === 4) reasons.push(t(says.rest ? "count.left" : "count.number", says));
  const count = clues.length + Number(tier === 4);
  return t(says.name, {
    ...says,
    cell: name(cell),
    clue: clue(says.clue),
    other: clue(says.other),
    at: name(says.clue),
    places: listed(says.places.map(name)),
    reasons: listed(reasons),
    together: count === 1 ? "" : t(count === 2 ? "together.both" : "together.all"),
  });
}
