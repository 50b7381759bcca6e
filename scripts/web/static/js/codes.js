/** Conversions of the engine's data to the codes and marks that the board draws, and to addresses. */

import { Grid } from "../kernel/grids.js";

/** Whether a code is a clue. */
export const isClue = (code) => code >= "0" && code <= "8";

/** The rows of a text with "-" in place of the holes. */
export const drawnRows = (grid, codes) =>
  grid.rowsOf(Array.from(codes, (code, place) => (grid.holes?.[place] ? "-" : code))).map((row) => row.join(""));

/** The rows of a view as text: clues, "#" for hidden cells, and "-" for holes. */
export const linesOf = ({ grid, cells }) =>
  drawnRows(
    grid,
    Array.from(cells, (cell) => (cell < 0 ? "#" : cell)),
  );

/** One code for every cell of a game on a grid, row by row. The mines are included if the engine has sent them. */
export function codesOf(game, { index }) {
  const codes = [...game.cells.join("")];
  const change = (cells, from, to) => {
    for (const cell of cells.map(index)) if (codes[cell] === from) codes[cell] = to;
  };
  const mines = game.mine_map ?? [];
  const isLost = game.mine_map && game.status === "lost";
  change(game.flags, "#", isLost ? "W" : "F");
  change(mines, "W", "F");
  change(mines, "#", game.status === "won" ? "F" : "*");
  for (const cell of game.exploded) codes[index(cell)] = "X";
  return codes;
}

/** A Map from the index of a clue to the clue minus the flags around it, for clues with flags. */
export function countdown(board) {
  const left = new Map();
  board.codes.forEach((code, index) => {
    if (code < "1" || code > "8") return;
    const flags = board.grid.around(index).filter((near) => board.codes[near] === "F").length;
    if (flags > 0) left.set(index, Number(code) - flags);
  });
  return left;
}

/** A Map from index to the chance of a mine, for uncertain cells, or for `all` hidden ones, from rows of chances. */
export function uncertain(rows, all = false) {
  return new Map(
    [...(rows ?? []).flat().entries()].filter(([, chance]) => chance !== null && (all || (chance > 0 && chance < 1))),
  );
}

/* Positions in addresses: `/analyse#16x30/99/` and a letter for each cell, row by row; for a hole any. */

const LETTERS = { "#": "h", F: "f", "*": "m" };
const CODES = { h: "#", f: "F", m: "*" };
const ADDRESS = /^#([^/]+)\/(\d{1,4})\/([0-8hfm]+)$/;
const GRID = /^(\d{1,3})x(\d{1,3})(?:~([a-z.]*))?(?:~([\w.]+))?$/;

/** One bit for each mark, as base64 for addresses. */
export function packed(marks) {
  const bytes = new Uint8Array(Math.ceil(marks.length / 8));
  marks.forEach((mark, at) => {
    if (mark) bytes[at >> 3] |= 128 >> (at & 7);
  });
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The `count` marks of a text of `packed`; null if it is none. */
export function unpacked(text, count) {
  let bytes;
  try {
    bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
  if (bytes.length !== Math.ceil(count / 8)) return null;
  return Uint8Array.from({ length: count }, (_, at) => (bytes.charCodeAt(at >> 3) >> (7 - (at & 7))) & 1);
}

/**
 * A grid in tokens and addresses: `12x12`, or `12x12~hex.torus`. The holes are bits: `3x3~torus~CAA`. Tokens have "-"
 * between their parts, so a grid has "." instead.
 */
export function gridToken(grid) {
  const bits = grid.holes ? `~${packed(grid.holes).replaceAll("-", ".")}` : "";
  return `${grid.rows}x${grid.cols}${grid.label && "~"}${grid.kind.replaceAll(" ", ".")}${bits}`;
}

/** Read a grid of `gridToken`; null if it is none. */
export function gridOfToken(token) {
  const [, height, width, kind = "", bits = ""] = GRID.exec(token) ?? [];
  try {
    const grid = new Grid(Number(height), Number(width), kind.replaceAll(".", " "));
    if (!bits) return grid;
    const holes = unpacked(bits.replaceAll(".", "-"), grid.size);
    return holes && grid.withHoles(holes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
}

/** The address of a position of board codes; other codes than clues, flags and mines become hidden cells. */
export function addressOf(grid, mines, codes) {
  const letters = codes.map((code) => (isClue(code) ? code : (LETTERS[code] ?? "h")));
  return `#${gridToken(grid)}/${mines}/${letters.join("")}`;
}

/** Read the position of an address; null if there is none. */
export function positionOf(address) {
  const [, token, mines, letters] = ADDRESS.exec(address) ?? [];
  const grid = token && gridOfToken(token);
  if (letters?.length !== grid?.size) return null;
  return grid && { grid, mines: Number(mines), codes: [...letters].map((letter) => CODES[letter] ?? letter) };
}
