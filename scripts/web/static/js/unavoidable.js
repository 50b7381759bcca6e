/** Unavoidable guesses: cells whose mines nothing will ever tell, with the two layouts that prove it. */

import { make } from "./dom.js";
import { proofOf } from "./picture.js";
import { forPeople } from "./words.js";

/** The elements that tell of unavoidable guesses: words for each, and the two layouts of the first. */
export function unavoidableProof(game, unavoidable) {
  if (!unavoidable?.length) return [];
  const words = unavoidable.map((guess) => {
    const line = forPeople(guess.words);
    return make("p", { class: "unavoidable-words" }, line[0].toUpperCase() + line.slice(1));
  });
  return [...words, proofOf(game, { cell: unavoidable[0].cells[0], layouts: unavoidable[0].layouts })];
}

/** The numbers of all cells in unavoidable guesses. */
export const unavoidableCells = (cols, unavoidable) => new Set((unavoidable ?? []).flatMap((guess) => guess.cells.map(([row, col]) => row * cols + col)));
