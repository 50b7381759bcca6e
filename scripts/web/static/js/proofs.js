/** Proofs by two layouts: pictures of a part of the board, and explanations of unavoidable guesses. */

import { make } from "./dom.js";
import { sentence } from "./format.js";
import { t, translated } from "./words.js";

const RADIUS = 3;

/** Draw the cells around one cell in a layout; `mines` are the layout's mines. */
function pictureOf(game, mines, [row, col], caption) {
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

/** Pictures of two layouts that differ in a cell. */
export function proofOf(game, { cell, layouts }) {
  const hasMine = (layout) => layout.some(([r, c]) => r === cell[0] && c === cell[1]);
  const caption = (layout) => (hasMine(layout) ? t("Here it is a mine") : t("Here it is safe"));
  const sorted = [...layouts].sort((a, b) => hasMine(b) - hasMine(a));
  return make("div", { class: "layouts" }, ...sorted.map((one) => pictureOf(game, one, cell, caption(one))));
}

/** Explanations of unavoidable guesses: a sentence for each, and two layouts of the first. */
export function unavoidableProof(game, guesses) {
  if (!guesses?.length) return [];
  const sentences = guesses.map(({ words }) => make("p", { class: "unavoidable-words" }, sentence(translated(words))));
  return [...sentences, proofOf(game, { cell: guesses[0].cells[0], layouts: guesses[0].layouts })];
}
