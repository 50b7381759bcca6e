// Tests of games on other grids than the rectangle, and of how these are drawn, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { GRIDS, Grid, viewOf } from "../../../../scripts/web/static/kernel/index.js";
import { advise } from "../../../../scripts/web/static/js/advice.js";
import { addressOf, positionOf } from "../../../../scripts/web/static/js/codes.js";
import { kernel } from "../../../../scripts/web/static/js/core/kernel.js";
import { boardToken, kaboomToken, readBoardToken, readToken } from "../../../../scripts/web/static/js/core/puzzles.js";
import { entryOf, isEntry, isKnown } from "../../../../scripts/web/static/js/core/record.js";
import { Fault, gridOf, sizeFromJSON } from "../../../../scripts/web/static/js/core/sizes.js";
import { gridOfLines, withPattern } from "../../../../scripts/web/static/js/core/holes.js";
import { reviewOf } from "../../../../scripts/web/static/js/judgement.js";
import { firstFrom } from "../../../../scripts/web/static/js/keyboard.js";
import { Plan } from "../../../../scripts/web/static/js/plan.js";
import { shortTitle } from "../../../../scripts/web/static/js/words.js";
import { begun } from "./support.mjs";

const SIZE = { rows: 12, cols: 12, mines: 20 };
const RING = withPattern("ring", gridOf(SIZE)).label;
const HEX = withPattern("ellipse", gridOf({ ...SIZE, grid: "hex" })).label;
const ALL = [...GRIDS, RING, HEX, RING.replace("holes", "torus holes")];

/** Play a no-guess game by hints, to its end. */
function solved(request) {
  const game = begun(request);
  game.move("open", game.grid.cells[0]);
  while (game.status === "playing") {
    const { found, safe } = advise("hint", game.state());
    assert.ok(found, request.grid);
    for (const cell of safe) if (game.status === "playing") game.move("open", game.grid.index(cell));
  }
  return game;
}

test("hints solve a game on every grid, and the record and the link keep its grid", () => {
  for (const grid of ALL) {
    const game = solved({ mode: "no-guess", ...SIZE, ...(grid && { grid }) });
    const entry = entryOf(game);
    assert.equal(game.status, "won");
    assert.equal(entry.kind, `no-guess 12x12/20 ${grid}`.trim());
    assert.ok(isEntry(entry));
    assert.ok(game.log.title.length < 60);
    const again = begun(readToken(game.token));
    assert.equal(again.state().grid ?? "", grid);
    assert.deepEqual(again.mineMap, game.mineMap);
    const other = entryOf(solved({ mode: "no-guess", ...SIZE, grid: grid === "hex" ? "torus" : "hex" }));
    assert.ok(!isKnown(other, [entry]));
  }
});

test("the token of a board with holes is that of the server, and a damaged one is refused", () => {
  const grid = new Grid(5, 5, "torus holes 5./2.#2./.3#./2.#2./5.");
  const puzzle = { grid, mines: 2, mineMap: grid.marked([0, 24]), click: 2 };
  assert.equal(boardToken(puzzle), "board-5x5~torus~ARxAAA-0x2-gAAAgA");
  const { grid: read, ...more } = readBoardToken(boardToken(puzzle));
  assert.ok(read.equals(grid));
  assert.deepEqual({ ...more, grid }, puzzle);
  for (const token of ["board-1x8~~gA-0x0-AA", "board-1x8~~AQ-0x0-AQ", "board-1x8~~_w-0x0-AA", "board-1x8~~gAA-0x1-AA"])
    assert.throws(() => readBoardToken(token), Fault);
});

test("Kaboom on every grid has its link", () => {
  for (const grid of ALL.filter(Boolean)) {
    const game = begun({ mode: "kaboom", ...SIZE, grid });
    game.move("open", 40);
    const { log } = game;
    const shared = readToken(kaboomToken({ ...sizeFromJSON(log), rules: log.rules }));
    assert.deepEqual([shared.grid, shared.rows, shared.mines, shared.rules], [grid, 12, 20, log.rules]);
    assert.equal(game.status, "playing");
  }
});

test("a size that a grid does not allow is refused", () => {
  for (const size of [
    { rows: 4, cols: 9, mines: 5, grid: "torus" },
    { rows: 9, cols: 4, mines: 5, grid: "hex cylinder" },
    { rows: 9, cols: 9, mines: 5, grid: "hex torus" },
    { rows: 9, cols: 9, mines: 5, grid: "moebius" },
    { rows: 2, cols: 2, mines: 0, grid: "holes 2#/2#" },
    { rows: 3, cols: 2, mines: 0, grid: "holes 2./.#" },
  ])
    assert.throws(() => begun({ mode: "classic", ...size }), Fault);
});

test("addresses and texts of positions keep the grid", () => {
  const codes = Array(25).fill("#");
  const position = positionOf(addressOf(new Grid(5, 5, "hex cylinder"), 3, codes));
  assert.deepEqual([position.grid.name, position.mines, position.codes], ["5x5 hex cylinder", 3, codes]);
  const view = viewOf("5x5/3 hex cylinder\n#####\n#####\n#####\n#####\n00000");
  assert.equal(view.grid.label, "hex cylinder");
  assert.equal(advise("read", { text: "5x5/3 torus\n#####\n#####\n#####\n#####\n11111" }).grid, "torus");
});

test("addresses and texts of positions keep the holes", () => {
  const codes = [..."####-####"].map((code) => (code === "-" ? "#" : code));
  const grid = new Grid(3, 3, "holes 3./.#./3.");
  const position = positionOf(addressOf(grid, 2, codes));
  assert.deepEqual([position.grid.name, position.mines, position.codes], [grid.name, 2, codes]);
  const read = advise("read", { text: "3x3/2\n###\n1-1\n.1#" });
  assert.deepEqual([read.grid, read.cells], [grid.label, ["###", "1-1", "01#"]]);
  assert.deepEqual(advise("read", { text: "*2-\n*2-" }).cells, ["##-", "##-"]);
  const { safe_cells: safe, clash, consistent } = advise("analyse", read);
  assert.deepEqual([consistent, safe.length, clash], [true, 2, undefined]);
  const wrong = advise("analyse", { ...read, cells: ["###", "1-3", "01#"] });
  assert.ok(!wrong.consistent && wrong.clash.every(([row, col]) => row !== 1 || col !== 1));
});

test("holes are no cells of a grid: they touch nothing, and arrows skip them", () => {
  const grid = new Grid(3, 4, "holes 4./.2#./4.");
  const plan = new Plan(grid);
  const first = (...from) => firstFrom(grid, ...from);
  assert.deepEqual(grid.cells, [0, 1, 2, 3, 4, 7, 8, 9, 10, 11]);
  assert.deepEqual([grid.around(0), grid.around(5)], [[1, 4], []]);
  assert.deepEqual([grid.at(1, 1), first(1, 1, 0, 1), first(1, 2, 1, 0), first(1, 4, 0, 1)], [null, 7, 10, null]);
  assert.equal(grid.middle, 2);
  assert.deepEqual(
    plan
      .lines([
        [1, 1],
        [0, 3],
      ])[0]
      .cells.map(({ index }) => index),
    [4, null, null, 7],
  );
  // 14 sides around the board, and 6 around the hole.
  assert.equal(plan.rim.match(/M/g).length, 20);
});

test("a player writes holes in rows", () => {
  assert.equal(gridOfLines(["#.#", "..."], "hex").name, "2x3 hex holes #.#/3.");
  assert.equal(gridOfLines(["..."], "").name, "1x3");
  for (const lines of [[], ["..", "."], ["x."], ["##"]]) assert.throws(() => gridOfLines(lines, ""), Fault);
  assert.equal(shortTitle("Classic 5x5/4 torus holes 5./2.#2./.3#./2.#2./5."), "Classic 5x5/4 torus, 5 holes");
  assert.equal(shortTitle("16x30/99 torus"), "16x30/99 torus");
});

test("a review of a game with holes counts cells only", () => {
  const game = solved({ mode: "no-guess", ...SIZE, grid: RING });
  const { bbbv, solved_bbbv: done, last_view: last, won } = reviewOf(readBoardToken(game.token), entryOf(game));
  assert.deepEqual([won, done], [true, bbbv]);
  assert.deepEqual(last, game.state().cells);
});

test("the neighbours of a cell on a torus are on the other side, too, and clues count them", () => {
  const torus = new Grid(5, 5, "torus");
  assert.deepEqual(
    torus.around(0).sort((one, other) => one - other),
    [1, 4, 5, 6, 9, 20, 21, 24],
  );
  const clues = kernel.reveal({ grid: torus, mines: 1, mineMap: torus.marked([0]) });
  assert.deepEqual([clues[24], clues[6], clues[12]], [1, 1, 0]);
});

test("ghost cells surround a torus, and the seam runs around its cells", () => {
  const torus = new Plan(new Grid(5, 6, "torus"));
  const lines = torus.lines(torus.shown);
  assert.deepEqual(
    lines[0].cells.map(({ index }) => index),
    [29, 24, 25, 26, 27, 28, 29, 24],
  );
  assert.equal(lines.flatMap(({ cells }) => cells).filter(({ isGhost }) => !isGhost).length, 30);
  assert.deepEqual(torus.size, { width: 8, height: 7 });
  assert.equal(torus.seam.match(/M/g).length, 2 * (5 + 6));
  // At the top and the bottom a cell has two sides, at the left and the right one or three; two corners share a side.
  const hexagons = new Plan(new Grid(6, 6, "hex torus"));
  assert.equal(hexagons.seam.match(/M/g).length, 2 * (2 * 6) + 2 * (2 * 6) - 2);
  assert.equal(new Plan(new Grid(6, 6)).seam, "");
});
