// Tests of hints, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { advise } from "../../../../scripts/web/static/js/advice.js";
import { kernel, useKernel } from "../../../../scripts/web/static/js/core/kernel.js";
import { PRESETS } from "../../../../scripts/web/static/js/core/sizes.js";
import { linesOf } from "../../../../scripts/web/static/js/codes.js";
import { listOf } from "../../../../scripts/web/static/kernel/grids.js";
import { InconsistentView, hiddenView } from "../../../../scripts/web/static/kernel/index.js";

await useKernel();

const EXPERT = PRESETS[2];
const hintOf = (view, flags = []) =>
  advise("hint", { mines: view.mines, cells: linesOf(view), flags: view.grid.pairs(flags) });

/** Positions of expert games in which a cell is certain to be safe. */
function* positions(games) {
  for (let seed = 1; seed <= games; seed++) {
    const { mineMap, click } = kernel.deal({ ...EXPERT, seed });
    let { view } = kernel.open(hiddenView(EXPERT.grid, EXPERT.mines), mineMap, [click]);
    while (view.cells.some((cell, at) => cell < 0 && !mineMap[at])) {
      const known = kernel.closure(view);
      if (known.includes(1)) yield { view, known };
      const safe = [...known.keys()].filter((cell) => view.cells[cell] < 0 && !mineMap[cell]);
      const certain = safe.filter((cell) => known[cell] === 1);
      ({ view } = kernel.open(view, mineMap, (certain.length ? certain : safe).slice(0, 8)));
    }
  }
}

test("a hint without flags ends in a safe cell, and names few mines", () => {
  let [count, mines] = [0, 0];
  for (const { view, known } of positions(4)) {
    const hint = hintOf(view);
    assert.ok(hint.safe.length > 0);
    for (const cell of hint.safe) assert.equal(known[view.grid.index(cell)], 1);
    for (const cell of hint.mines) assert.equal(known[view.grid.index(cell)], 2);
    [count, mines] = [count + 1, mines + hint.mines.length];
  }
  assert.ok(count > 50);
  assert.ok(mines / count < 2.5, `${mines / count}`);
});

test("each step of a chain follows from its clues and the mines before it", () => {
  let steps = 0;
  for (const { view, known } of positions(2)) {
    const found = new Set();
    for (const step of kernel.chain(view)) {
      // A step by the mine count counts all mines.
      const given = view.grid.marked(step.tier === 4 ? listOf(known, 2) : [...found], 2);
      for (const cell of [...step.safe, ...step.mines]) given[cell] = 0;
      const cells = view.cells.map((clue, cell) => (step.clues.includes(cell) ? clue : -1));
      for (const [cell, clue] of view.cells.entries()) if (clue >= 0 && cells[cell] < 0) given[cell] = 1;
      for (const cell of [...step.safe, ...step.mines]) {
        const otherwise = Uint8Array.from(given, (mark, at) => (at === cell ? 3 - known[cell] : mark));
        assert.throws(() => kernel.probabilities({ ...view, cells }, otherwise), InconsistentView);
      }
      for (const mine of step.mines) found.add(mine);
      steps += 1;
    }
  }
  assert.ok(steps > 50);
});

test("a hint does not prove mines with flags", () => {
  for (const { view, known } of positions(1)) {
    const flags = [...known.keys()].filter((cell) => known[cell] === 2);
    assert.deepEqual(hintOf(view, flags).mines, []);
  }
});

test("a hint where nothing is safe offers a guess, though mines are known", () => {
  // The cells 0 and 4 are mines, and one of the last two.
  const { found, guess } = advise("hint", { mines: 3, cells: ["#101###"] });
  assert.equal(found, false);
  assert.ok(guess.cell[1] >= 5);
});

test("only the best guess is to be made early", () => {
  const position = { mines: 6, cells: ["#####", "#####", "#22##", "1113#", "0001#"] };
  const { best, unavoidable } = advise("chances", position);
  assert.deepEqual(
    [best, unavoidable.map(({ words }) => words)],
    [[1, 0], ["no further clue can tell which of (3, 4) and (4, 4) hold the mines"]],
  );
  const [pair] = advise("chances", { mines: 1, cells: ["#1#"] }).unavoidable;
  assert.equal(pair.words, "no further clue can tell which of (0, 0) and (0, 2) hold the mines: guess early");
});

test("a move of a watched player says why", () => {
  const { words, cells } = advise(
    "move",
    { mines: 1, cells: ["1#", "1#", "11"], flags: [[1, 1]] },
    { strategy: "champion", first: [0, 0] },
  );
  assert.deepEqual(cells, [[0, 1]]);
  assert.match(words, /^\(0, 1\) is safe: /);
});

test("no sentence comes twice after a loss", () => {
  for (const { view, known } of positions(1)) {
    const mine = known.indexOf(2);
    if (mine < 0) continue;
    const cell = view.grid.pair(mine);
    const { words, hint } = advise("explain", { mines: view.mines, cells: linesOf(view) }, { cell });
    const reasons = [words, ...(hint?.words.slice(0, 1) ?? [])].map((line) => line.slice(line.indexOf(": ")));
    assert.equal(new Set(reasons).size, reasons.length, reasons.join("; "));
  }
});

test("an analysis says why the next guess is worse", () => {
  const { guess, words } = advise("analyse", { mines: 2, cells: ["#1##1#"] });
  assert.deepEqual(guess, { cell: [0, 2] });
  assert.ok(
    words.endsWith("The next one: with (0, 0), perfect play wins in 25.0 % of the layouts, with (0, 2) in 50.0 %."),
    words,
  );
});
