/** A small still picture of a part of a board, for layouts that prove a point. */

const RADIUS = 3;

/** Draw the cells around one cell as one layout would have them. `mines` are the layout's mines. */
export function pictureOf(game, mines, [row, col], caption) {
  const isMine = new Set(mines.map(([r, c]) => r * game.cols + c));
  const grid = document.createElement("div");
  grid.className = "board picture";
  grid.setAttribute("role", "img");
  grid.setAttribute("aria-label", caption);
  const span = (middle, size) => [Math.max(0, middle - RADIUS), Math.min(size - 1, middle + RADIUS)];
  const [top, bottom] = span(row, game.rows);
  const [left, right] = span(col, game.cols);
  for (let r = top; r <= bottom; r++) {
    const line = document.createElement("div");
    line.className = "board-row";
    for (let c = left; c <= right; c++) {
      const code = game.cells[r][c];
      const mine = isMine.has(r * game.cols + c);
      const cell = document.createElement("div");
      cell.className = `cell ${code === "#" ? (mine ? "mine is-hidden" : "hidden-cell") : `open n${code}`}`;
      if (r === row && c === col) cell.classList.add("asked");
      cell.textContent = code >= "1" ? code : "";
      line.append(cell);
    }
    grid.append(line);
  }
  const figure = document.createElement("figure");
  const title = document.createElement("figcaption");
  title.textContent = caption;
  figure.append(title, grid);
  return figure;
}

/** The two layouts that differ at a cell: that it can't be known. */
export function proofOf(game, guess) {
  const box = document.createElement("div");
  box.className = "layouts";
  const holds = (layout) => layout.some(([r, c]) => r === guess.cell[0] && c === guess.cell[1]);
  for (const layout of [...guess.layouts].sort((a, b) => holds(b) - holds(a))) {
    box.append(pictureOf(game, layout, guess.cell, holds(layout) ? "Here it is a mine" : "Here it is safe"));
  }
  return box;
}
