/** The sizes of boards: presets, limits, and cells as numbers or as pairs of row and column. */

import { holesOf, isGrid, kindOf } from "../../kernel/grids.js";
import { shortTitle, t } from "../words.js";

/** An error with a message for the player and a code for the page. */
export class Fault extends Error {
  /**
   * @param {string} message
   * @param {string} code `bad_input`, `not_found`, `conflict` (not now), `too_slow`, `broken` or `offline`
   */
  constructor(message, code = "bad_input") {
    super(message);
    this.code = code;
  }
}

/** The result of a function; null if it throws an error of these classes. */
export function unless(classes, compute) {
  try {
    return compute();
  } catch (error) {
    if (!classes.some((one) => error instanceof one)) throw error;
    return null;
  }
}

/**
 * @typedef {{ rows: number, cols: number, mines: number, grid?: string }} Size A size of
 *   boards; without a grid, of rectangles
 */

/** @type {(Size & { name: string })[]} */
export const PRESETS = [
  { name: "beginner", rows: 9, cols: 9, mines: 10 },
  { name: "intermediate", rows: 16, cols: 16, mines: 40 },
  { name: "expert", rows: 16, cols: 30, mines: 99 },
  { name: "super-expert", rows: 30, cols: 50, mines: 300 },
];
export const MAX_PAGE_SIDE = 100;

/**
 * Return the size of a request: three numbers or the name of a preset, and the name of a grid. Throws `Fault`.
 *
 * @param {Partial<Size> & { preset?: string }} request
 * @returns {Size}
 */
export function sizeIn(request) {
  const { rows, cols, mines } = request.preset ? (PRESETS.find(({ name }) => name === request.preset) ?? {}) : request;
  const size = sizeOf({ rows, cols, mines, grid: request.grid });
  checkSides(size);
  if (!(Number.isInteger(mines) && mines >= 0)) throw new Fault(t("The number of mines is missing."));
  return size;
}

/**
 * The size of a board, a view, a game or a request.
 *
 * @param {Partial<Size>} size
 * @returns {Size}
 */
export const sizeOf = ({ rows, cols, mines, grid }) => ({ rows, cols, mines, ...(grid && { grid }) });

/**
 * Throw `Fault` for sides and grids that the page does not accept.
 *
 * @param {{ rows?: number, cols?: number, grid?: string }} size
 */
export function checkSides({ rows, cols, grid }) {
  const fits = [rows, cols].every((side) => Number.isInteger(side) && side >= 1 && side <= MAX_PAGE_SIDE);
  if (!fits) throw new Fault(t("A board has 1 to {most} rows and columns.", { most: MAX_PAGE_SIDE }));
  if (!isGrid({ rows, cols, grid: kindOf(grid) }))
    throw new Fault(t("Sides that meet have at least 5 cells. Rows of hexagons that meet are even in number."));
  if (!isGrid({ rows, cols, grid })) throw new Fault(t("The holes must fit the board and leave a cell."));
}

/**
 * A size as text: `16x30/99`, or `16x30/99 torus`.
 *
 * @param {Partial<Size>} size
 */
export const sizeName = ({ rows, cols, mines, grid }) => `${rows}x${cols}/${mines}${grid ? ` ${grid}` : ""}`;

/** The preset of a size, if it has one. */
export const presetOf = (size) => PRESETS.find((one) => sizeName(one) === sizeName(size));

/** A heading of a kind of game and its size: `Classic expert 16x30/99`. */
export const titleOf = (name, size) =>
  [name, presetOf(size)?.name, shortTitle(sizeName(size))].filter(Boolean).join(" ");

/** Cells as pairs of row and column. */
export const pairs = ({ cols }, cells) => Array.from(cells, (cell) => [Math.floor(cell / cols), cell % cols]);

/** The cells that have a mark, by default 1. */
export const listOf = (marks, mark = 1) => [...marks.keys()].filter((cell) => marks[cell] === mark);

/** An array with a mark for the cells of a list, and 0 for all others. */
export function marked({ rows, cols }, cells, mark = 1) {
  const marks = new Uint8Array(rows * cols);
  for (const cell of cells) marks[cell] = mark;
  return marks;
}

/**
 * A view without an open cell.
 *
 * @param {Size} size
 * @returns {import("../../kernel/index.js").View}
 */
export function hiddenView(size) {
  const holes = holesOf(size);
  return { ...sizeOf(size), cells: new Int8Array(size.rows * size.cols).map((_, cell) => (holes?.[cell] ? 0 : -1)) };
}

/** Whether no cell of a view is open. */
export function isUntouched(view) {
  const holes = holesOf(view);
  return view.cells.every((clue, cell) => clue < 0 || Boolean(holes?.[cell]));
}
