/** Practice: positions whose easiest safe step is of one kind, and what the record tells about each kind. */

import { listOf } from "../../kernel/grids.js";
import { hiddenView, viewOf } from "../../kernel/index.js";
import { TIERS } from "../wording.js";
import { kernel } from "./kernel.js";
import { PRESETS } from "./sizes.js";

/** The kinds of steps, by their numbers: the tiers 1 to 4, and a guess where no cell is certainly safe. */
const GUESS = 5;
export const KINDS = [...TIERS, "guess"];
const [, INTERMEDIATE, EXPERT] = PRESETS;

/** The steps to safe cells, easiest first. Each is of the kind of the hardest step up to it. */
function stepsToSafe(view) {
  let kind = 0;
  const found = kernel.path(view).map(({ tier, safe }) => ({ kind: (kind = Math.max(kind, tier)), safe }));
  return found.filter(({ safe }) => safe.length);
}

/** The kind of the easiest step to a safe cell. */
export const kindOf = (view) => stepsToSafe(view)[0]?.kind ?? GUESS;

/**
 * The first position in a puzzle where the easiest step to a safe cell is of a kind; null if there is none.
 *
 * @param {import("./puzzles.js").Puzzle} puzzle
 * @param {number} kind
 */
function positionIn({ grid, mines, mineMap, click }, kind) {
  let view = hiddenView(grid, mines);
  let cells = [click];
  while (cells.length) {
    ({ view } = kernel.open(view, mineMap, cells));
    const known = kernel.closure(view);
    const isOver = view.cells.every((clue, cell) => clue >= 0 || known[cell] === 2);
    if (kind === GUESS) {
      cells = listOf(known);
      if (!cells.length && !isOver) return view;
    } else {
      const steps = stepsToSafe(view);
      const easiest = steps[0]?.kind;
      if (easiest === kind) return view;
      cells = steps.filter((step) => step.kind < kind || easiest > kind).flatMap(({ safe }) => safe);
    }
  }
  return null;
}

/** Find a puzzle with a position of a kind, and that position. Equal seeds find equal ones. */
export function practicePuzzle(kind, seed) {
  const size = kind > 2 ? EXPERT : INTERMEDIATE;
  const recipe = { ...size, click: size.grid.middle, seed };
  for (let index = 0; ; index++) {
    const found = kind === GUESS ? null : kernel.findSolvable({ ...recipe, index }, ({ tally }) => tally[kind - 1] > 0);
    const puzzle = found ?? kernel.deal({ ...recipe, seed: seed + index });
    const view = positionIn(puzzle, kind);
    if (view) return { puzzle, opened: [...view.cells.keys()].filter((cell) => view.cells[cell] >= 0) };
    if (found) ({ index } = found);
  }
}

/** Judge an answer: whether a cell is certainly safe, or the best guess if none is. */
export function isRight(view, cell) {
  const { verdict, loss } = kernel.judge(view, [cell]);
  return verdict === "certain" || (verdict === "forced guess" && loss === 0);
}

/**
 * Count the clicks of a review that took long (the slowest tenth) or lost the game by the kind of step that was there:
 * `[clicks, losses, seconds]` for each kind.
 */
export function countSteps({ judgements, mines, grid }) {
  const counts = Array.from({ length: GUESS }, () => [0, 0, 0]);
  const own = judgements.filter(({ verdict, helped }) => verdict !== "first click" && !helped);
  own.sort((one, other) => other.thinking_seconds - one.thinking_seconds);
  for (const [i, { survived, view, thinking_seconds: seconds }] of own.entries()) {
    if (i >= own.length / 10 && survived) continue;
    const count = counts[kindOf(viewOf(view.join("\n"), mines, grid)) - 1];
    count[0] += 1;
    count[1] += Number(!survived);
    count[2] += seconds;
  }
  return counts;
}

/** The sums over the entries that have counts, most losses first, then longest thought. */
export function weaknesses(entries) {
  const all = entries.map(({ steps }) => steps).filter(Boolean);
  return [1, 2, 3, 4, GUESS]
    .map((kind) => {
      const [clicks, losses, seconds] = [0, 1, 2].map((at) => all.reduce((sum, steps) => sum + steps[kind - 1][at], 0));
      return { kind, name: KINDS[kind], clicks, losses, seconds: seconds / (clicks || 1) };
    })
    .filter(({ clicks }) => clicks)
    .sort((one, other) => other.losses - one.losses || other.seconds - one.seconds);
}
