/** Chains of deductions: from a position to a safe cell. */

import { around } from "../grid.js";
import { listOf, marked } from "./sizes.js";

/**
 * Return the shortest chain: the steps of the mines that a safe cell rests on, then its own. A step has only the cells
 * that the chain needs, and as `found` the mines known before it, which a step by the mine count counts. The chain is
 * empty if no cell is safe.
 *
 * @param {import("../../kernel/index.js").View} view
 * @param {import("../../kernel/index.js").Hint[]} path the steps of the view in order
 * @param {number[]} flagged mines that need no step
 */
export function chainToSafe(view, path, flagged) {
  const known = marked(view, flagged, 2);
  // The mines that each known mine rests on; null for cells that rest on a safe cell, which ends a chain.
  const below = new Map(flagged.map((mine) => [mine, new Set()]));
  const steps = [];
  let best = null;
  for (const step of path) {
    const near = new Set(step.clues.flatMap((clue) => around(view, clue)));
    // Mines by one clue need no other mines, and safe cells by one clue no other safe cells.
    const counted = step.tier > 1 ? [1, 2] : step.mine ? [1] : [2];
    const rests = (cell) => counted.includes(known[cell]) && (near.has(cell) || (step.tier === 4 && known[cell] === 1));
    const direct = [...below.keys()].filter((cell) => rests(cell) && !flagged.includes(cell));
    const isChain = direct.every((cell) => below.get(cell));
    const needed = isChain ? new Set(direct.flatMap((cell) => [cell, ...below.get(cell)])) : null;
    const found = counted.includes(2) ? listOf(known, 2) : [];
    steps.push({ ...step, found });
    // A second clue is as hard as a mine more.
    const cost = isChain ? needed.size + step.tier : Infinity;
    if (step.safe.length && cost < (best?.cost ?? Infinity))
      best = { cost, needed, step: { ...step, found, mines: [], cell: step.safe[0], mine: false } };
    for (const cell of [...step.safe, ...step.mines].filter((one) => !known[one])) {
      known[cell] = step.safe.includes(cell) ? 1 : 2;
      below.set(cell, known[cell] === 2 ? needed : null);
    }
  }
  if (!best) return [];
  const ofMines = steps
    .map((step) => ({ ...step, safe: [], mines: step.mines.filter((mine) => best.needed.has(mine)), mine: true }))
    .filter(({ mines }) => mines.length);
  return [...ofMines.map((step) => ({ ...step, cell: step.mines[0] })), best.step];
}
