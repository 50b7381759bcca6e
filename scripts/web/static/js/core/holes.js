/** Holes for new games: patterns for boards of any size, and rows that a player writes. */

import { withHoles } from "../../kernel/grids.js";
import { t } from "../words.js";
import { Fault } from "./sizes.js";

/** The holes by their distance from the middle, which is 1 on the ellipse that touches all sides of the board. */
const PATTERNS = { ellipse: (far) => far > 1, ring: (far) => far > 1 || far < 0.4 };

/** The name of a grid with the holes of a pattern, `ellipse` or `ring`. */
export function withPattern(pattern, { rows, cols, grid }) {
  const isHole = PATTERNS[pattern];
  const holes = Array.from({ length: rows * cols }, (_, place) => {
    const [row, col] = [Math.floor(place / cols), place % cols];
    return isHole(Math.hypot((2 * row + 1) / rows - 1, (2 * col + 1) / cols - 1));
  });
  return withHoles({ cols, grid }, Uint8Array.from(holes, Number));
}

/** The lines of rows that a player writes. */
export const linesIn = (text) => text.split(/\s+/).filter(Boolean);

/** The rows, the columns and the grid of lines of "." for a cell and "#" for a hole. Throws `Fault`. */
export function sizeOfLines(lines, grid) {
  const cols = lines[0]?.length;
  if (!cols || lines.some((line) => line.length !== cols || /[^.#]/.test(line)))
    throw new Fault(t("Write rows of equal length, with . for a cell and # for a hole."));
  const holes = Uint8Array.from(lines.join(""), (mark) => Number(mark === "#"));
  return { rows: lines.length, cols, grid: withHoles({ cols, grid }, holes) };
}
