/** Proofs by two layouts: pictures of a part of the board, and explanations of unavoidable guesses. */

import { make } from "./dom.js";
import { sentence } from "./format.js";
import { Grid } from "./grid.js";
import { t, translated } from "./words.js";

const RADIUS = 3;

/** Draw the cells around one cell in a layout; `mines` are the layout's mines. */
function pictureOf(game, mines, [row, col], caption) {
  const isMine = new Set(mines.map(([r, c]) => r * game.cols + c));
  const grid = new Grid(game);
  const shown = game.cells.join("");
  const picture = make("div", { class: `${grid.classes} picture`, role: "img", "aria-label": caption });
  const asked = grid.at(row, col);
  for (const { isShifted, cells } of grid.lines(grid.near(asked, RADIUS))) {
    const line = make("div", { class: isShifted ? "board-row shifted" : "board-row" });
    for (const { index } of cells) {
      const code = index === null ? "-" : shown[index];
      const hidden = isMine.has(index) ? "mine is-hidden" : "hidden-cell";
      const look = code === "#" ? hidden : code === "-" ? "hole" : `open n${code}`;
      const mark = index === asked ? " asked" : "";
      line.append(make("div", { class: `cell ${look}${mark}` }, code >= "1" ? code : ""));
    }
    picture.append(line);
  }
  return make("figure", {}, make("figcaption", {}, caption), picture);
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
