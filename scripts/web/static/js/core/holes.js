/** Holes for new games: patterns for boards of any size, and rows that a player writes. */

import { t } from "../words.js";
import { Fault, gridOf, orFault } from "./sizes.js";

/** The holes by their distance from the middle, which is 1 on the ellipse that touches all sides of the board. */
const PATTERNS = { ellipse: (far) => far > 1, ring: (far) => far > 1 || far < 0.4 };

/** A grid with the holes of a pattern, `ellipse` or `ring`. */
export function withPattern(pattern, grid) {
  const holes = Array.from({ length: grid.size }, (_, place) => {
    const [row, col] = grid.pair(place);
    return PATTERNS[pattern](Math.hypot((2 * row + 1) / grid.rows - 1, (2 * col + 1) / grid.cols - 1));
  });
  return orFault(() => grid.withHoles(Uint8Array.from(holes, Number)));
}

/** The lines of rows that a player writes. */
export const linesIn = (text) => text.split(/\s+/).filter(Boolean);

/** The grid of lines of "." for a cell and "#" for a hole. Throws `Fault`. */
export function gridOfLines(lines, kind) {
  const cols = lines[0]?.length;
  if (!cols || lines.some((line) => line.length !== cols || /[^.#]/.test(line)))
    throw new Fault(t("Write rows of equal length, with . for a cell and # for a hole."));
  return gridOf({ rows: lines.length, cols, grid: `${kind} holes ${lines.join("/")}`.trim() });
}
