/** Sealed tosses: cells whose mines nothing will ever tell, with the two layouts that prove it. */

import { make } from "./dom.js";
import { proofOf } from "./picture.js";
import { forPeople } from "./words.js";

/** The elements that tell of sealed tosses: words for each, and the two layouts of the first. */
export function sealedProof(game, sealed) {
  if (!sealed?.length) return [];
  const words = sealed.map((toss) => {
    const line = forPeople(toss.words);
    return make("p", { class: "sealed-words" }, line[0].toUpperCase() + line.slice(1));
  });
  return [...words, proofOf(game, { cell: sealed[0].cells[0], layouts: sealed[0].layouts })];
}

/** The numbers of all cells in sealed tosses. */
export const sealedCells = (cols, sealed) => new Set((sealed ?? []).flatMap((toss) => toss.cells.map(([row, col]) => row * cols + col)));
