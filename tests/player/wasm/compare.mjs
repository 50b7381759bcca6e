// Compare the WebAssembly kernel with Python: reads cases as JSON lines from stdin, and prints the differences.
import { createInterface } from "node:readline";

import { Grid, listOf } from "../../../scripts/web/static/kernel/grids.js";
import { hiddenView } from "../../../scripts/web/static/kernel/index.js";
import { advise } from "../../../scripts/web/static/js/advice.js";
import { kernel, useKernel } from "../../../scripts/web/static/js/core/kernel.js";
import { Fault, sizeFromJSON } from "../../../scripts/web/static/js/core/sizes.js";
import { reviewOf } from "../../../scripts/web/static/js/judgement.js";
import { unavoidableInWords, worded } from "../../../scripts/web/static/js/wording.js";

await useKernel();
const CLOSE = 1e-12;
const sized = (one) => ({ ...one, ...sizeFromJSON(one) });
const recipeIn = (one) => ({ ...sized(one), seed: BigInt(one.seed) });
const viewIn = (one) => ({ ...sizeFromJSON(one), cells: Int8Array.from(one.cells) });
/** The values of a text of cells; holes are 0. */
const valuesOf = (text) => [...text].map((code) => ({ "#": -1, "-": 0 })[code] ?? Number(code));
const close = (one, other) =>
  one.length === other.length &&
  one.every((chance, i) => (other[i] === null ? Number.isNaN(chance) : Math.abs(chance - other[i]) <= CLOSE));

const CASES = {
  deal: (one) => {
    const { mineMap, click, index, tally, difficulty, score } = kernel.findSolvable(recipeIn(one));
    const measures = Object.values(kernel.measure({ ...sized(one), mineMap, click }));
    return { mines: listOf(mineMap), click, index, tally, difficulty, score, measures };
  },
  board: (one) => {
    const { mineMap, click } = kernel.deal(recipeIn(one));
    return { mines: listOf(mineMap), click };
  },
  neighbours: (one) => ({
    around: Array.from({ length: one.rows * one.cols }, (_, cell) =>
      Grid.fromJSON(one)
        .around(cell)
        .sort((a, b) => a - b),
    ),
  }),
  position: (one) => {
    const view = viewIn(one);
    const { chances, logLayouts } = kernel.probabilities(view);
    const given = Uint8Array.from(one.given);
    const hint = kernel.hint(view, given);
    return {
      known: [...kernel.closure(view)],
      hint: hint && { ...hint, says: undefined },
      chain: kernel.chain(view).map((step) => worded(view, step).words),
      words: hint && worded(view, hint).words,
      chances: close(chances, one.found.chances) && one.found.chances,
      log_layouts:
        Math.abs(logLayouts - one.found.log_layouts) <= CLOSE * Math.max(1, logLayouts) && one.found.log_layouts,
      unavoidable: kernel
        .unavoidable(view)
        .map((guess) => ({
          cells: guess.cells,
          words: unavoidableInWords(view.grid.pairs(guess.cells), true),
          is_proof: proves(view, guess),
        })),
    };
  },
  judged: (one) => {
    const view = viewIn(one);
    const step = (found) => found && { ...found, given: [...found.given] };
    const found = kernel.judge(view, one.clicked);
    const here = {
      ...found,
      chances: found.chances && Array.from(found.chances, (chance) => (Number.isNaN(chance) ? null : chance)),
      step: step(found.step),
      chain: kernel.chain(view, Uint8Array.from(one.flags)).map(step),
      counterexample: one.asked === null ? null : kernel.counterexample(view, one.asked),
    };
    return same(one.found, here);
  },
  kaboom: (one) => ({
    why: kernel.kaboomVerdicts(viewIn(one), one.rules).why,
    granted: listOf(kernel.kaboomVerdicts(viewIn(one), one.rules).granted),
    click: clicked(one),
  }),
  text: (one) => {
    try {
      const position = advise("read", { text: one.text, mines: one.mines });
      if (!position) return { isRefused: true };
      const { cells, ...size } = position;
      return { grid: "", ...size, cells: valuesOf(cells.join("")) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { isRefused: error.message.length > 0 };
    }
  },
  review: (one) =>
    same(one.found, reviewOf({ ...sizeFromJSON(one.board), mineMap: Uint8Array.from(one.mine_map) }, one.entry)),
  game: (one) => {
    const { grid, mines } = sizeFromJSON(one);
    let view = hiddenView(grid, mines);
    const mineMap = Uint8Array.from(one.mine_map);
    const views = [];
    for (const { flags, chord, cell } of one.moves) {
      const cells = chord ? kernel.chorded(view, Uint8Array.from(flags), cell) : [cell];
      ({ view } = kernel.open(view, mineMap, cells));
      views.push([...view.cells].join());
    }
    return { views };
  },
};

/** Click a cell, and check the result against the layout that decided it. */
function clicked(one) {
  const view = viewIn(one);
  const random = { ...one.random, seed: BigInt(one.random.seed) };
  const { why, survived, view: after, layout } = kernel.kaboomClick(view, one.rules, one.cell, random);
  const opened = survived ? kernel.open(view, layout, [one.cell]).view : view;
  return {
    why,
    survived,
    cells: [...after.cells],
    mines: survived ? [] : listOf(layout),
    isFair: fits(view, layout) && `${opened.cells}` === `${after.cells}` && (layout[one.cell] === 1) !== survived,
  };
}

/** Whether a layout fits a view. */
function fits(view, mineMap) {
  const shown = kernel.reveal({ ...view, mineMap });
  return listOf(mineMap).length === view.mines && view.cells.every((clue, cell) => clue < 0 || clue === shown[cell]);
}

/** Whether two layouts fit a view, the first with a mine in the first cell of the guess, and differ only in its cells. */
function proves(view, { cells, layouts }) {
  const [one, other] = layouts.map((mines) => view.cells.map((_, cell) => Number(mines.includes(cell))));
  return (
    fits(view, one) &&
    fits(view, other) &&
    one[cells[0]] === 1 &&
    other[cells[0]] === 0 &&
    one.every((mine, cell) => mine === other[cell] || cells.includes(cell))
  );
}

/** The second value, reduced to what the first has, with its numbers where they are close. */
function same(there, here) {
  if (typeof there === "number" && Math.abs(there - here) <= 1e-9) return there;
  if (there === null || here === null || typeof there !== "object" || typeof here !== "object") return here;
  const keys = Object.keys(there);
  return Array.isArray(there)
    ? keys.length === here.length && keys.map((key) => same(there[key], here[key]))
    : Object.fromEntries(keys.map((key) => [key, same(there[key], here[key])]));
}

let count = 0;
let different = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const one = JSON.parse(line);
  const found = await CASES[one.kind](one);
  count += 1;
  const [here, there] = [found, one.found].map((value) =>
    JSON.stringify(value, Object.keys({ ...flat(value) }).sort()),
  );
  if (here === there) continue;
  different += 1;
  if (different <= 3)
    console.log(`${JSON.stringify({ ...one, found: undefined })}\n  WebAssembly ${here}\n  Python      ${there}`);
}
console.log(`${different} of ${count} cases differ`);
process.exitCode = different ? 1 : 0;

/** All keys of nested objects, so that their order does not matter. */
function flat(value) {
  if (value === null || typeof value !== "object") return {};
  return Object.assign({}, Array.isArray(value) ? {} : value, ...Object.values(value).map(flat));
}
