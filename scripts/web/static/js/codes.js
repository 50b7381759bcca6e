/** Conversions of the engine's data to the codes and marks that the board draws, and to addresses. */

import { holesOf, kindOf, withHoles } from "../kernel/grids.js";

/** A list with an entry a cell, or a text with a character a cell, by rows. */
export const rowsOf = ({ rows, cols }, list) =>
  Array.from({ length: rows }, (_, row) => list.slice(row * cols, (row + 1) * cols));

/** The rows of a text with "-" in place of the holes. */
export function drawnRows(size, text) {
  const holes = holesOf(size);
  return rowsOf(size, Array.from(text, (code, place) => (holes?.[place] ? "-" : code)).join(""));
}

/** The rows of a view as text: clues, "#" for hidden cells, and "-" for holes. */
export const linesOf = (view, cells = view.cells) =>
  drawnRows(
    view,
    Array.from(cells, (cell) => (cell < 0 ? "#" : cell)),
  );

/** One code for every cell, row by row. The mines are included if the server has sent them. */
export function codesOf(game) {
  const { cols } = game;
  const codes = [...game.cells.join("")];
  const at = ([row, col]) => row * cols + col;
  for (const cell of game.flags) if (codes[at(cell)] === "#") codes[at(cell)] = "F";
  if (game.mine_map) {
    const mines = new Set(game.mine_map.map(at));
    for (const mine of mines) if (codes[mine] === "#") codes[mine] = game.status === "won" ? "F" : "*";
    if (game.status === "lost") {
      for (const flag of game.flags.map(at)) if (codes[flag] === "F" && !mines.has(flag)) codes[flag] = "W";
    }
  }
  for (const cell of game.exploded) codes[at(cell)] = "X";
  return codes;
}

/** A Map from the index of a clue to the clue minus the flags around it, for clues with flags. */
export function countdown(board) {
  const left = new Map();
  board.codes.forEach((code, index) => {
    if (code < "1" || code > "8") return;
    const flags = board.around(index).filter((near) => board.codes[near] === "F").length;
    if (flags > 0) left.set(index, Number(code) - flags);
  });
  return left;
}

/** A Map from index to the chance of a mine, for uncertain cells, from rows of chances. */
export function uncertain(rows) {
  return new Map(
    [...(rows ?? []).flat().entries()].filter(([, chance]) => chance !== null && chance > 0 && chance < 1),
  );
}

/* Positions in addresses: `/analyse#16x30/99/` and a letter for each cell, row by row; for a hole any. */

const LETTERS = { "#": "h", F: "f", "*": "m" };
const CODES = { h: "#", f: "F", m: "*" };
const ADDRESS = /^#([^/]+)\/(\d{1,4})\/([0-8hfm]+)$/;
const SIZE = /^(\d{1,3})x(\d{1,3})(?:~([a-z.]*))?(?:~([\w.]+))?$/;

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
 * A size in tokens and addresses: `12x12`, or `12x12~hex.torus`. The holes are bits: `3x3~torus~CAA`. Tokens have "-"
 * between their parts, so a size has "." instead.
 *
 * @param {{ rows?: number, cols?: number, grid?: string }} size
 */
export function sizeToken({ rows, cols, grid = "" }) {
  const holes = holesOf({ grid });
  const bits = holes ? `~${packed(holes).replaceAll("-", ".")}` : "";
  return `${rows}x${cols}${grid && "~"}${kindOf(grid).replaceAll(" ", ".")}${bits}`;
}

/** Read a size of `sizeToken`; null if it is none. */
export function sizeOfToken(token) {
  const [, rows, cols, kind = "", bits = ""] = SIZE.exec(token) ?? [];
  const size = { rows: Number(rows), cols: Number(cols), grid: kind.replaceAll(".", " ") };
  const holes = unpacked(bits.replaceAll(".", "-"), bits ? size.rows * size.cols : 0);
  if (!rows || !holes) return null;
  const grid = withHoles(size, holes);
  return { rows: size.rows, cols: size.cols, ...(grid && { grid }) };
}

/** The address of a position of board codes; other codes than clues, flags and mines become hidden cells. */
export function addressOf({ mines, codes, ...size }) {
  const letters = codes.map((code) => (code >= "0" && code <= "8" ? code : (LETTERS[code] ?? "h")));
  return `#${sizeToken(size)}/${mines}/${letters.join("")}`;
}

/** The address of a game from the server. */
export function addressOfGame(game) {
  const codes = [...game.cells.join("")];
  for (const [row, col] of game.flags ?? []) codes[row * game.cols + col] = "F";
  return addressOf({ ...game, codes });
}

/** Read the position of an address; null if there is none. */
export function positionOf(address) {
  const [, token, mines, letters] = ADDRESS.exec(address) ?? [];
  const size = token && sizeOfToken(token);
  if (!size) return null;
  const codes = [...letters].map((letter) => CODES[letter] ?? letter);
  return codes.length === size.rows * size.cols ? { ...size, mines: Number(mines), codes } : null;
}
