/** The sizes of boards: presets, limits, names, and plain data as in requests, records and the answers of the server. */

import { Grid } from "../../kernel/grids.js";
import { sizeName } from "../format.js";
import { shortTitle, t, translated } from "../words.js";

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

/** The result of a function; an error of the kernel about its arguments becomes a `Fault`. */
export function orFault(compute) {
  try {
    return compute();
  } catch (error) {
    throw error instanceof RangeError ? new Fault(translated(error.message)) : error;
  }
}

/** @typedef {{ grid: import("../../kernel/index.js").Grid, mines: number }} Size */

/** @type {(Size & { name: string })[]} */
export const PRESETS = [
  { name: "beginner", grid: new Grid(9, 9), mines: 10 },
  { name: "intermediate", grid: new Grid(16, 16), mines: 40 },
  { name: "expert", grid: new Grid(16, 30), mines: 99 },
  { name: "super-expert", grid: new Grid(30, 50), mines: 300 },
];
export const MAX_PAGE_SIDE = 100;

/** Throw `Fault` for sides that the page does not accept. */
export function checkSides({ rows, cols }) {
  const fits = [rows, cols].every((side) => Number.isInteger(side) && side >= 1 && side <= MAX_PAGE_SIDE);
  if (!fits) throw new Fault(t("A board has 1 to {most} rows and columns.", { most: MAX_PAGE_SIDE }));
}

/** The grid of plain data. Throws `Fault`. */
export function gridOf(data) {
  checkSides(data);
  return orFault(() => Grid.fromJSON(data));
}

/**
 * The size of plain data, and back. Throws `Fault`.
 *
 * @returns {Size}
 */
export const sizeFromJSON = (data) => ({ grid: gridOf(data), mines: data.mines });
export const sizeToJSON = ({ grid, mines }) => ({ ...grid.toJSON(), mines });

/** Return the size of a request: plain data, or the name of a preset and of a grid. Throws `Fault`. */
export function sizeIn(request) {
  const preset = PRESETS.find(({ name }) => name === request.preset);
  const size = sizeFromJSON({ ...(preset ? sizeToJSON(preset) : request), grid: request.grid });
  if (!(Number.isInteger(size.mines) && size.mines >= 0)) throw new Fault(t("The number of mines is missing."));
  return size;
}

/** The preset of a size, if it has one. */
export const presetOf = (size) => PRESETS.find((one) => sizeName(one) === sizeName(size));

/** A heading of a kind of game and its size: `Classic expert 16x30/99`. */
export const titleOf = (name, size) =>
  [name, presetOf(size)?.name, shortTitle(sizeName(size))].filter(Boolean).join(" ");

/** Whether no cell of a view is open. */
export const isUntouched = ({ grid, cells }) => grid.cells.every((cell) => cells[cell] < 0);
