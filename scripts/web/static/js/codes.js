/** From the server's game to the codes that the board draws. */

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

/** One code for every cell, row by row; a game that is over shows what is known of its mines. */
export function codesOf(game) {
  const { cols } = game;
  const codes = [...game.cells.join("")];
  const at = ([row, col]) => row * cols + col;
  for (const cell of game.flags) if (codes[at(cell)] === "#") codes[at(cell)] = "F";
  if (game.mine_map) {
    const mines = new Set(game.mine_map.map(at));
    for (const mine of mines) if (codes[mine] === "#") codes[mine] = "*";
    if (game.status === "lost") {
      for (const flag of game.flags.map(at)) if (codes[flag] === "F" && !mines.has(flag)) codes[flag] = "W";
    }
  }
  for (const cell of game.exploded) codes[at(cell)] = "X";
  return codes;
}

/** For every open clue, the mines that its flags leave: a Map from index to number (negative: too many flags). */
export function countdown(board) {
  const left = new Map();
  board.codes.forEach((code, index) => {
    if (code < "1" || code > "8") return;
    const flags = board.around(index).filter((near) => board.codes[near] === "F").length;
    if (flags > 0) left.set(index, Number(code) - flags);
  });
  return left;
}

/** A Map from index to mark, from cells as the server gives them: {why: [[row, col]...], "is-safe": ...}. */
export function marksOf(cols, groups) {
  const marks = new Map();
  for (const [mark, cells] of Object.entries(groups)) {
    for (const [row, col] of cells ?? []) marks.set(row * cols + col, mark);
  }
  return marks;
}

/** A Map from index to chance of a mine where it is neither 0 nor 1, from rows as the server gives them. */
export function uncertain(rows) {
  return new Map([...(rows ?? []).flat().entries()].filter(([, chance]) => chance !== null && chance > 0 && chance < 1));
}
