/** Positions and games in addresses: `/analyse#16x30/99/` and a letter for each cell, row by row. */

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
