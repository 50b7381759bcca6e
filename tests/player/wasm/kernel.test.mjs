// Tests of the package minesweeper-kernel, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

// The test of the packed file gives its own.
const source = process.env.MINESWEEPER_KERNEL ?? "../../../scripts/web/static/kernel/index.js";
const { Grid, InconsistentView, TooWide, hiddenView, loadKernel, loadMore, viewOf } = await import(source);
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

test("plans and pictures are in a module of their own", async () => {
  const board = { grid: new Grid(3, 3), mines: 1, mineMap: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0) };
  const more = await loadMore();
  assert.deepEqual(more.fewestClicks({ ...board, click: 8 }), { clicks: [{ kind: "left", cell: 8 }], bound: 1 });
  assert.deepEqual(more.readPicture(new Uint8Array(300), 10, 10), []);
  for (const call of [() => kernel.fewestClicks(board), () => more.measure(board)]) assert.throws(call, /lacks/);
});

test("the module for games finds the same boards, hints and paths", async () => {
  const games = await (await import(source.replace("index.js", "deal.js"))).loadKernel();
  for (const [rows, cols, kind, mines] of [
    [9, 9, "", 10],
    [16, 30, "", 99],
    [12, 12, "hex torus", 25],
    [12, 20, "", 84],
  ]) {
    const grid = new Grid(rows, cols, kind);
    const puzzle = games.findSolvable({ grid, mines, click: grid.middle, seed: 7 });
    assert.deepEqual(puzzle, kernel.findSolvable({ grid, mines, click: grid.middle, seed: 7 }));
    let view = hiddenView(grid, mines);
    for (let safe = [puzzle.click]; safe.length;) {
      ({ view } = games.open(view, puzzle.mineMap, safe));
      const [ours, theirs] = [games, kernel].map((one) => [one.hint(view), one.path(view), one.closure(view)]);
      assert.deepEqual(ours, theirs);
      safe = ours[1].flatMap((step) => step.safe);
    }
    assert.equal(view.cells.filter((cell) => cell < 0).length, mines);
  }
  assert.throws(() => games.probabilities(ONE_TWO_ONE), /lacks/);
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

test("an error has the name of its class", () => {
  for (const [name, kind] of Object.entries({ InconsistentView, TooWide }))
    assert.equal(`${new kind("why")}`, `${name}: why`);
});

test("invalid arguments are errors", () => {
  assert.throws(() => viewOf("2x2/1\n##"), /expected 2 rows/);
  assert.throws(() => kernel.closure({ ...ONE_TWO_ONE, grid: new Grid(2, 6) }), RangeError);
  assert.throws(() => kernel.closure({ rows: 1, cols: 1, mines: 0, cells: Int8Array.of(-1) }), /expected a Grid/);
  assert.throws(() => kernel.deal({ grid: new Grid(3, 3), mines: 1, click: 4 }), /0 to 0 around the start/);
  assert.throws(() => kernel.rate(ONE_TWO_ONE, "chess"), /champion/);
  for (const flags of [[0, 0, 0], new Uint8Array(2)])
    assert.throws(() => kernel.chorded(viewOf("1x3/1\n#1#"), flags, 1), /typed array of 3 bytes/);
});

test("values outside the types were accepted", () => {
  const recipe = { grid: new Grid(4, 4), mines: 3, click: 5, seed: 1 };
  const board = kernel.deal(recipe);
  const view = viewOf("1x6/2\n#1####");
  const none = new Uint8Array(6);
  const clicked = (more) => kernel.kaboomClick(view, {}, 0, more);
  const wrong = [
    [/invalid start "Safe"; expected safe or opening/, kernel.deal, { ...recipe, start: "Safe" }],
    ...[-1, null, 1.5, "5", 16].map((click) => [/first click .*0 to 15/, kernel.room, { ...recipe, click }]),
    ...[-1, 1.5, "7", null, true, 2 ** 53, 2n ** 64n].flatMap((value) => [
      [/invalid seed .*0 to 2\*\*64 - 1/, kernel.deal, { ...recipe, seed: value }],
      [/invalid index .*0 to 2\*\*64 - 1/, kernel.deal, { ...recipe, index: value }],
      [/invalid seed .*0 to 2\*\*64 - 1/, kernel.drawLayout, view, { seed: value }],
      [/invalid number of clicks .*0 to 2\*\*64 - 1/, clicked, { clicks: value }],
    ]),
    [/invalid index .*0 to 9007199254740991/, kernel.findSolvable, { ...recipe, index: 2n ** 64n - 1n }],
    ...[-1, 1.5, "x"].map((count) => [/number of boards .*0 to 2147483647/, kernel.play, recipe, count]),
    ...[-1, 1.5, NaN, "0", 6].flatMap((cell) => [
      [/invalid cell .*0 to 5/, kernel.judge, view, [cell]],
      [/invalid cell .*0 to 5/, kernel.compare, view, [cell]],
      [/invalid cell .*0 to 5/, kernel.open, view, none, [cell]],
      [/invalid cell .*0 to 5/, kernel.chorded, view, none, cell],
      [/invalid cell .*0 to 5/, kernel.counterexample, view, cell],
      [/invalid cell .*0 to 5/, kernel.drawLayout, view, { cell, mine: true }],
    ]),
    [/expected false or true/, kernel.drawLayout, view, { cell: 0, mine: "yes" }],
    [/expected false or true/, kernel.kaboomVerdicts, view, { opening_start: "yes" }],
    [/invalid mode "random"; expected uniform or cruelest/, kernel.kaboomVerdicts, view, { mode: "random" }],
    ...[null, [1, 0], new Uint8Array(15), new Uint16Array(8), new Uint8Array(16).fill(2)].flatMap((mineMap) => [
      [/typed array of 16 bytes/, kernel.reveal, { ...board, mineMap }],
      [/typed array of 16 bytes/, kernel.open, hiddenView(board.grid, 3), mineMap, []],
    ]),
    ...[-1, 1.5, 16].map((click) => [/invalid cell .*0 to 15/, kernel.measure, { ...board, click }]),
    [/invalid cell undefined/, kernel.work, { ...board, click: undefined }],
    [/typed array of 6 bytes/, kernel.probabilities, view, new Uint16Array(3)],
    [/Int8Array of 6/, kernel.closure, { ...view, cells: new Uint8Array(6).fill(255) }],
    [/least number of mines .*expected/, kernel.closure, { ...view, least: 1.5, density: 0.2 }],
    [/invalid view 5; expected a text/, viewOf, 5],
    [/invalid grid 5; expected one of GRIDS/, viewOf, "##", 1, 5],
    ...[[1, 0], "10", Uint8Array.of(2, 0)].map((holes) => [
      /expected a Uint8Array of 0 and 1/,
      () => new Grid(1, 2, "", holes),
    ]),
  ];
  for (const [message, call, ...values] of wrong)
    assert.throws(
      () => call.apply(kernel, values),
      { name: "RangeError", message },
      `${message} ${values.map(String)}`,
    );
  assert.equal(kernel.deal({ ...recipe, seed: 2n ** 64n - 1n, index: 2n ** 64n - 1n }).click, 5);
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
  assert.deepEqual([view.grid.label, view.cells[4]], ["holes 3./.#./3.", 0]);
  assert.deepEqual([...kernel.closure(view)], [0, 0, 0, 1, 0, 0, 0, 1, 0]);
  const size = { grid: new Grid(4, 4, "holes 4./.2#./.2#./4."), mines: 2 };
  for (let index = 0; index < 20; index++) {
    const { mineMap, click } = kernel.deal({ ...size, index });
    assert.ok([5, 6, 9, 10].every((hole) => !mineMap[hole] && click !== hole));
  }
  assert.equal(kernel.room({ ...size, click: 0, start: "safe" }), 11);
});

test("the holes of a grid have a label", () => {
  const grid = new Grid(2, 12, "holes 11.#/12.");
  assert.deepEqual([grid.holes.indexOf(1), grid.cells.length, grid.name], [11, 23, "2x12 holes 11.#/12."]);
  assert.equal(new Grid(2, 12, "hex", grid.holes).label, "hex holes 11.#/12.");
  assert.equal(grid.withHoles(new Uint8Array(24)).label, "");
  assert.equal(new Grid(5, 5, "torus").holes, null);
  assert.ok(Grid.fromJSON(grid.toJSON()).equals(grid));
  assert.deepEqual(new Grid(1, 3).toJSON(), { rows: 1, cols: 3 });
  for (const [rows, label] of [
    [3, grid.label],
    [1, "holes 12#"],
    [2, "torus"],
    [2, "moebius holes 12./12."],
  ])
    // prettier-ignore
    assert.throws(() => new Grid(rows, 12, label), RangeError);
  assert.equal(viewOf("1x3/1 holes ..#\n##.").grid.label, "holes 2.#");
  assert.equal(viewOf("#-#", 1, "hex").grid.label, "hex holes .#.");
  assert.throws(() => viewOf("1x3/1 holes ..#\n-##"), /not those of the named grid/);
  const recipe = { grid: new Grid(1, 3, "holes 2.#"), mines: 0, click: 2 };
  assert.throws(() => kernel.deal(recipe), /click 2 is a hole/);
});

test("a game is reviewed click by click", () => {
  const grid = new Grid(1, 4);
  const { judgements, view } = kernel.review({ grid, mines: 1, mineMap: grid.marked([0]) }, [[3], [0]]);
  assert.deepEqual(
    judgements.map(({ verdict, view: before }) => [verdict, before.cells.join()]),
    [
      ["first click", "-1,-1,-1,-1"],
      ["known mine", "-1,1,0,0"],
    ],
  );
  assert.deepEqual([...view.cells].slice(1), [1, 0, 0]);
  assert.deepEqual(kernel.closure(hiddenView(grid, 4)), Uint8Array.of(2, 2, 2, 2));
});

test("a number of mines that is not known is a range with a density", () => {
  const rows = "1##\n###";
  const known = [
    ["1-3@0.3", 3, 1, 0.3, false, 0.3],
    ["1-3", 3, 1, 1 / 3, true, 1 / 3],
    ["?", 5, 0, 0.2, true, 0.2],
    ["?@0.2", 5, 0, 0.2, false, 0.2],
  ];
  for (const [text, mines, least, density, isAssumed, chance] of known) {
    for (const view of [viewOf(rows, text), viewOf(`2x3/${text}\n${rows}`)]) {
      assert.deepEqual([view.mines, view.least, view.density, view.isAssumed], [mines, least, density, isAssumed]);
      const { chances } = kernel.probabilities(view);
      assert.ok(Math.abs(chances[1] - 1 / 3) < 1e-12);
      assert.ok(Math.abs(chances[5] - chance) < 1e-12);
    }
  }
  assert.deepEqual(kernel.closure(viewOf("2x5/?\n#121#\n#####")), kernel.closure(ONE_TWO_ONE));
  assert.throws(() => kernel.closure(viewOf("2x5/3-5\n#121#\n#####")), InconsistentView);
  assert.throws(() => kernel.rate(viewOf(rows, "?")), /expected a view with one number of mines/);
  for (const wrong of [undefined, "a", NaN, "3-2-1"])
    assert.throws(() => viewOf(rows, wrong), /invalid number of mines .*; expected e.g. 99, 90-110/);
});

test("guesses are compared by what follows them", () => {
  const view = viewOf("1x6/2\n#1##1#");
  assert.deepEqual(kernel.compare(view, [2, 0]), [
    { cell: 2, safety: 0.5, progress: 0.5, second: 0.5, win: 0.5, why: "" },
    { cell: 0, safety: 0.5, progress: 0, second: 0.25, win: 0.25, why: "guess.win" },
  ]);
});
