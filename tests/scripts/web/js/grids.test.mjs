// Tests of games on other grids than the rectangle, and of how these are drawn, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { GRIDS, viewOf } from "../../../../scripts/web/static/kernel/index.js";
import { advise } from "../../../../scripts/web/static/js/advice.js";
import { addressOf, positionOf } from "../../../../scripts/web/static/js/codes.js";
import { kernel } from "../../../../scripts/web/static/js/core/kernel.js";
import { kaboomToken, readToken } from "../../../../scripts/web/static/js/core/puzzles.js";
import { entryOf, isEntry, isKnown } from "../../../../scripts/web/static/js/core/record.js";
import { Fault, marked } from "../../../../scripts/web/static/js/core/sizes.js";
import { Grid } from "../../../../scripts/web/static/js/grid.js";
import { begun } from "./support.mjs";

const SIZE = { rows: 12, cols: 12, mines: 20 };

/** Play a no-guess game by hints, to its end. */
function solved(request) {
  const game = begun(request);
  game.move("open", 0);
  while (game.status === "playing") {
    const { found, safe } = advise("hint", game.state());
    assert.ok(found, request.grid);
    for (const [row, col] of safe) if (game.status === "playing") game.move("open", row * SIZE.cols + col);
  }
  return game;
}

test("hints solve a game on every grid, and the record and the link keep its grid", () => {
  for (const grid of GRIDS) {
    const game = solved({ mode: "no-guess", ...SIZE, ...(grid && { grid }) });
    const entry = entryOf(game);
    assert.equal(game.status, "won");
    assert.equal(entry.kind, `no-guess 12x12/20 ${grid}`.trim());
    assert.ok(isEntry(entry));
    const again = begun(readToken(game.token));
    assert.equal(again.state().grid ?? "", grid);
    assert.deepEqual(again.mined, game.mined);
    const other = entryOf(solved({ mode: "no-guess", ...SIZE, grid: grid === "hex" ? "torus" : "hex" }));
    assert.ok(!isKnown(other, [entry]));
  }
});

test("Kaboom on every grid has its link", () => {
  for (const grid of GRIDS.filter(Boolean)) {
    const game = begun({ mode: "kaboom", ...SIZE, grid });
    game.move("open", 40);
    const shared = readToken(kaboomToken(game.state()));
    assert.deepEqual([shared.grid, shared.rows, shared.mines, shared.rules], [grid, 12, 20, game.log.rules]);
    assert.equal(game.status, "playing");
  }
});

test("a size that a grid does not allow is refused", () => {
  for (const size of [
    { rows: 4, cols: 9, mines: 5, grid: "torus" },
    { rows: 9, cols: 4, mines: 5, grid: "hex cylinder" },
    { rows: 9, cols: 9, mines: 5, grid: "hex torus" },
    { rows: 9, cols: 9, mines: 5, grid: "moebius" },
  ])
    assert.throws(() => begun({ mode: "classic", ...size }), Fault);
});

test("addresses and texts of positions keep the grid", () => {
  const position = { rows: 5, cols: 5, grid: "hex cylinder", mines: 3, codes: Array(25).fill("#") };
  assert.deepEqual(positionOf(addressOf(position)), position);
  const view = viewOf("5x5/3 hex cylinder\n#####\n#####\n#####\n#####\n00000");
  assert.equal(view.grid, "hex cylinder");
  assert.equal(advise("read", { text: "5x5/3 torus\n#####\n#####\n#####\n#####\n11111" }).grid, "torus");
});

test("the neighbours of a cell on a torus are on the other side, too, and clues count them", () => {
  const torus = { rows: 5, cols: 5, mines: 1, grid: "torus" };
  assert.deepEqual(
    new Grid(torus).around(0).sort((one, other) => one - other),
    [1, 4, 5, 6, 9, 20, 21, 24],
  );
  const clues = kernel.reveal({ ...torus, mineMap: marked(torus, [0]) });
  assert.deepEqual([clues[24], clues[6], clues[12]], [1, 1, 0]);
});

test("ghost cells surround a torus, and the seam runs around its cells", () => {
  const torus = new Grid({ rows: 5, cols: 6, grid: "torus" });
  const lines = torus.lines(torus.shown);
  assert.deepEqual(
    lines[0].cells.map(({ index }) => index),
    [29, 24, 25, 26, 27, 28, 29, 24],
  );
  assert.equal(lines.flatMap(({ cells }) => cells).filter(({ isGhost }) => !isGhost).length, 30);
  assert.deepEqual(torus.size, { width: 8, height: 7 });
  assert.equal(torus.seam.match(/M/g).length, 2 * (5 + 6));
  // At the top and the bottom a cell has two sides, at the left and the right one or three; two corners share a side.
  const hexagons = new Grid({ rows: 6, cols: 6, grid: "hex torus" });
  assert.equal(hexagons.seam.match(/M/g).length, 2 * (2 * 6) + 2 * (2 * 6) - 2);
  assert.equal(new Grid({ rows: 6, cols: 6 }).seam, "");
});
