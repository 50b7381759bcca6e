/** Conversions of the engine's data to the codes and marks that the board draws, and to addresses. */

/** The indices of the cells around one. */
export function around(rows, cols, index) {
  const row = Math.floor(index / cols);
  const col = index % cols;
  const near = [];
  for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, rows - 1); r++) {
    for (let c = Math.max(col - 1, 0); c <= Math.min(col + 1, cols - 1); c++) {
      if (r !== row || c !== col) near.push(r * cols + c);
    }
  }
  return near;
}

/** A list with an entry a cell, or a text with a character a cell, by rows. */
export const rowsOf = ({ rows, cols }, list) =>
  Array.from({ length: rows }, (_, row) => list.slice(row * cols, (row + 1) * cols));

/** The rows of a view as text: clues, and "#" for hidden cells. */
export const linesOf = (view, cells = view.cells) =>
  rowsOf(view, Array.from(cells, (cell) => (cell < 0 ? "#" : cell)).join(""));

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

/* Positions in addresses: `/analyse#16x30/99/` and a letter for each cell, row by row. */

const LETTERS = { "#": "h", F: "f", "*": "m" };
const CODES = { h: "#", f: "F", m: "*" };
const ADDRESS = /^#(\d{1,3})x(\d{1,3})\/(\d{1,4})\/([0-8hfm]+)$/;

/** The address of a position of board codes; other codes than clues, flags and mines become hidden cells. */
export function addressOf({ rows, cols, mines, codes }) {
  const letters = codes.map((code) => (code >= "0" && code <= "8" ? code : (LETTERS[code] ?? "h")));
  return `#${rows}x${cols}/${mines}/${letters.join("")}`;
}

/** The address of a game from the server. */
export function addressOfGame(game) {
  const codes = [...game.cells.join("")];
  for (const [row, col] of game.flags ?? []) codes[row * game.cols + col] = "F";
  return addressOf({ ...game, codes });
}

/** Read the position of an address; null if there is none. */
export function positionOf(address) {
  const match = ADDRESS.exec(address);
  if (!match) return null;
  const [rows, cols, mines] = match.slice(1, 4).map(Number);
  const codes = [...match[4]].map((letter) => CODES[letter] ?? letter);
  return codes.length === rows * cols && rows * cols > 0 ? { rows, cols, mines, codes } : null;
}
