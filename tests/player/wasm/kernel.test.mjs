// Tests of the package minesweeper-kernel, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

// The test of the packed file gives its own.
const source = process.env.MINESWEEPER_KERNEL ?? "../../../scripts/web/static/kernel/index.js";
const { InconsistentView, holesOf, isGrid, loadKernel, viewOf, withHoles } = await import(source);
const kernel = await loadKernel();
const ONE_TWO_ONE = viewOf("2x5/2\n#121#\n#####");

test("the closure has the safe cells and the mines", () => {
  assert.deepEqual([...kernel.closure(viewOf("3x3/1\n###\n#1#\n###"))], Array(9).fill(0));
  assert.deepEqual([...kernel.closure(viewOf("1x3/1\n01#"))], [0, 0, 2]);
});

test("probabilities are exact", () => {
  const { chances, logLayouts } = kernel.probabilities(viewOf("1x4/1\n#1##"));
  assert.deepEqual([...chances], [0.5, NaN, 0.5, 0]);
  assert.ok(Math.abs(logLayouts - Math.log(2)) < 1e-12);
});

test("a hint names the clues that prove it", () => {
  const { tier, safe, mines, clues } = kernel.hint(ONE_TWO_ONE);
  assert.equal(tier, 2);
  assert.deepEqual([safe, mines, clues.length], [[0, 5], [], 2]);
  assert.equal(kernel.hint(viewOf("1x3/1\n#1#")), null);
});

test("two layouts prove that a cell is uncertain", () => {
  const [safe, mine] = kernel.counterexample(viewOf("1x3/1\n#1#"), 0);
  assert.deepEqual([safe, mine], [[2], [0]]);
});

test("a view without a layout is an error", () => {
  const view = viewOf("1x3/1\n#3#");
  for (const ask of [kernel.closure, kernel.probabilities])
    assert.throws(() => ask.call(kernel, view), InconsistentView);
});

test("invalid arguments are errors", () => {
  assert.throws(() => viewOf("2x2/1\n##"), /expected 2 rows/);
  assert.throws(() => kernel.closure({ ...ONE_TWO_ONE, cols: 6 }), RangeError);
  assert.throws(() => kernel.deal({ rows: 3, cols: 3, mines: 1, click: 4 }), /0 to 0 around the start/);
  assert.throws(() => kernel.rate(ONE_TWO_ONE, "chess"), /champion/);
});

test("a guess is rated", () => {
  const [best] = kernel.rate(viewOf("1x6/2\n#1####"));
  assert.ok(best.safety > 0.5);
  const { kind, ratings } = kernel.evaluate(viewOf("1x3/1\n#1#"));
  assert.deepEqual(
    [kind, ratings.map(({ cell, value }) => [cell, value])],
    [
      "win_probability",
      [
        [0, 0.5],
        [2, 0.5],
      ],
    ],
  );
});

test("an unavoidable guess has two layouts", () => {
  assert.deepEqual(kernel.unavoidable(viewOf("1x3/1\n#1#")), [{ cells: [0, 2], layouts: [[0], [2]] }]);
  assert.deepEqual(kernel.unavoidable(ONE_TWO_ONE), []);
});

test("known cells count as such in probabilities", () => {
  assert.deepEqual([...kernel.probabilities(viewOf("1x3/1\n#1#"), Uint8Array.of(1, 0, 0)).chances], [0, NaN, 1]);
});

test("a chord opens the cells around a satisfied clue", () => {
  const flags = Uint8Array.of(1, 0, 0);
  assert.deepEqual(kernel.chorded(viewOf("1x3/1\n#1#"), flags, 1), [2]);
  assert.deepEqual(kernel.chorded(viewOf("1x3/1\n#1#"), new Uint8Array(3), 1), []);
});

test("holes are left out of views and boards", () => {
  const view = viewOf("3x3/1\n###\n#-#\n0##");
  assert.deepEqual([view.grid, view.cells[4]], ["holes 3./.#./3.", 0]);
  assert.deepEqual([...kernel.closure(view)], [0, 0, 0, 1, 0, 0, 0, 1, 0]);
  const size = { rows: 4, cols: 4, mines: 2, grid: "holes 4./.2#./.2#./4." };
  for (let index = 0; index < 20; index++) {
    const { mineMap, click } = kernel.deal({ ...size, index });
    assert.ok([5, 6, 9, 10].every((hole) => !mineMap[hole] && click !== hole));
  }
  assert.equal(kernel.room({ ...size, click: 0, start: "safe" }), 11);
});

test("the holes of a grid have a name", () => {
  const size = { rows: 2, cols: 12, grid: "holes 11.#/12." };
  assert.deepEqual(holesOf(size).indexOf(1), 11);
  assert.equal(withHoles({ ...size, grid: "hex cylinder holes #" }, holesOf(size)), "hex cylinder holes 11.#/12.");
  assert.equal(withHoles(size, new Uint8Array(24)), "");
  assert.equal(holesOf({ grid: "torus" }), null);
  assert.ok(isGrid(size) && !isGrid({ ...size, rows: 3 }) && !isGrid({ rows: 1, cols: 1, grid: "holes #" }));
  assert.equal(viewOf("1x3/1 holes ..#\n##.").grid, "holes 2.#");
  assert.equal(viewOf("#-#", 1, "hex").grid, "hex holes .#.");
  assert.throws(() => viewOf("1x3/1 holes ..#\n-##"), /not those of the named grid/);
  assert.throws(() => kernel.deal({ rows: 1, cols: 3, mines: 0, grid: "holes 2.#", click: 2 }), /click 2 is a hole/);
  assert.throws(() => kernel.deal({ rows: 2, cols: 3, mines: 0, grid: "holes 2.#" }), /expected 2 rows of 3 marks/);
  assert.throws(() => kernel.room({ rows: 5, cols: 5, grid: "moebius holes 5./5./5./5./4.#" }), /invalid grid/);
});
