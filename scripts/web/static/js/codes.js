/** Conversions from the server's data to the codes and marks that the board draws. */

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
