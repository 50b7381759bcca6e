/** Proofs by two layouts: pictures of a part of the board, and the explanation of unavoidable guesses. */

import { make } from "./dom.js";
import { forPeople } from "./messages.js";

const RADIUS = 3;

/** Draw the cells around one cell as one layout would have them. `mines` are the layout's mines. */
export function pictureOf(game, mines, [row, col], caption) {
  const isMine = new Set(mines.map(([r, c]) => r * game.cols + c));
  const grid = make("div", { class: "board picture", role: "img", "aria-label": caption });
  const span = (middle, size) => [Math.max(0, middle - RADIUS), Math.min(size - 1, middle + RADIUS)];
  const [top, bottom] = span(row, game.rows);
  const [left, right] = span(col, game.cols);
  for (let r = top; r <= bottom; r++) {
    const line = make("div", { class: "board-row" });
    for (let c = left; c <= right; c++) {
      const code = game.cells[r][c];
      const mine = isMine.has(r * game.cols + c);
      const shown = code === "#" ? (mine ? "mine is-hidden" : "hidden-cell") : `open n${code}`;
      const asked = r === row && c === col ? " asked" : "";
      line.append(make("div", { class: `cell ${shown}${asked}` }, code >= "1" ? code : ""));
    }
    grid.append(line);
  }
  return make("figure", {}, make("figcaption", {}, caption), grid);
}

/** The two layouts that differ at a cell: that it can't be known. */
export function proofOf(game, guess) {
  const holds = (layout) => layout.some(([r, c]) => r === guess.cell[0] && c === guess.cell[1]);
  const caption = (layout) => (holds(layout) ? "Here it is a mine" : "Here it is safe");
  const layouts = [...guess.layouts].sort((a, b) => holds(b) - holds(a));
  return make("div", { class: "layouts" }, ...layouts.map((one) => pictureOf(game, one, guess.cell, caption(one))));
}

/** Explain unavoidable guesses: a sentence for each, and two layouts of the first. */
export function unavoidableProof(game, guesses) {
  if (!guesses?.length) return [];
  const sentences = guesses.map(({ words }) => {
    const line = forPeople(words);
    return make("p", { class: "unavoidable-words" }, line[0].toUpperCase() + line.slice(1));
  });
  return [...sentences, proofOf(game, { cell: guesses[0].cells[0], layouts: guesses[0].layouts })];
}

/** The indices of all cells in unavoidable guesses. */
export const unavoidableCells = (cols, guesses) => new Set((guesses ?? []).flatMap(({ cells }) => cells.map(([row, col]) => row * cols + col)));
