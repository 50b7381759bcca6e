/** Proofs by two layouts: pictures of a part of the board, and explanations of unavoidable guesses. */

import { make } from "./dom.js";
import { sentence } from "./format.js";
import { Plan } from "./plan.js";
import { t, translated } from "./words.js";

const RADIUS = 3;

/** Draw the cells around one cell in a layout over rows of cells; `mines` are the layout's mines. */
function pictureOf(grid, rows, mines, place, caption) {
  const isMine = new Set(mines.map(grid.index));
  const plan = new Plan(grid);
  const shown = rows.join("");
  const picture = make("div", { class: `${plan.classes} picture`, role: "img", "aria-label": caption });
  const asked = grid.index(place);
  for (const { isShifted, cells } of plan.lines(plan.near(asked, RADIUS))) {
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
export function proofOf(grid, rows, { cell, layouts }) {
  const hasMine = (layout) => layout.some((mine) => `${mine}` === `${cell}`);
  const caption = (layout) => (hasMine(layout) ? t("Here it is a mine") : t("Here it is safe"));
  const sorted = [...layouts].sort((a, b) => hasMine(b) - hasMine(a));
  return make("div", { class: "layouts" }, ...sorted.map((one) => pictureOf(grid, rows, one, cell, caption(one))));
}

/** Explanations of unavoidable guesses: a sentence for each, and two layouts of the first. */
export function unavoidableProof(grid, rows, guesses) {
  if (!guesses?.length) return [];
  const sentences = guesses.map(({ words }) => make("p", { class: "unavoidable-words" }, sentence(translated(words))));
  const [{ cells, layouts }] = guesses;
  return [...sentences, proofOf(grid, rows, { cell: cells[0], layouts })];
}
