/** Text for numbers, times and cells. */

import { decimal, t, translated } from "./words.js";

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The name of a grid in a menu. */
export const gridName = (grid) => capital(translated(grid || "rectangle"));

/** A size as text: `16x30/99`, or `16x30/99 torus`. */
export const sizeName = ({ grid, mines }) => `${grid.rows}x${grid.cols}/${mines} ${grid.label}`.trimEnd();

/** A probability in percent, to a tenth. */
export const percent = (share) =>
  share > 0 && share < 0.001
    ? t("less than {share}\u00a0%", { share: decimal(0.1, 1) })
    : `${decimal(share * 100, 1, 0)}\u00a0%`;

/** Seconds as minutes and seconds: 75 is "1:15". */
export function clockText(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Seconds to the hundredth: 75.125 is "1:15.13", 9.5 is "9.50 s". */
export function exactText(seconds) {
  const hundredths = Math.round(seconds * 100);
  if (hundredths < 6000) return `${decimal(hundredths / 100, 2)}\u00a0s`;
  return `${Math.floor(hundredths / 6000)}:${decimal((hundredths % 6000) / 100, 2).padStart(5, "0")}`;
}

/** The progress of a search for a board. */
export const searchInWords = (seconds) => t("Searching for a board: {seconds} s.", { seconds: Math.floor(seconds) });

/** Whether the board is turned: its rows are upright on the screen. */
export const isTurned = () => globalThis.document?.body.classList.contains("turned") ?? false;

/** A row and a column as the player sees them, and as the rulers count them. */
const seen = (row, column) => (isTurned() ? { row: column, column: row } : { row, column });

/** The name of a cell; rows and columns count from 0, as everywhere in the toolkit. */
export const placeName = ([row, column]) => t("row {row}, column {column}", seen(row, column));

const CELL = /\((\d+), (\d+)\)/g;
const MANY_CELLS = /\(\d+, \d+\)(?:(?:, | [^ ,()]+ )\(\d+, \d+\)){3,}/g;

/** A sentence of the server for the page: cells in words; four cells or more become a number of cells. */
export function sentence(text) {
  const words = text
    .replace(MANY_CELLS, (cells) => t("{count} {count:cell|cells}", { count: cells.match(CELL).length }))
    .replace(CELL, (_, row, column) => t("row {row} column {column}", seen(row, column)));
  return capital(/[.!?:…]$/.test(words) ? words : `${words}.`);
}
