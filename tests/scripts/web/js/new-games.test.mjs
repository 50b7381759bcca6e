// Tests of new games, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Game } from "../../../../scripts/web/static/js/core/game.js";
import { newLog, nextRequest, sameBoard } from "../../../../scripts/web/static/js/core/games.js";
import { useKernel } from "../../../../scripts/web/static/js/core/kernel.js";

await useKernel();

/** Return the seed of a new game, and its board after a click on the centre; Kaboom has no board. */
function drawn(request) {
  const game = new Game(newLog(request));
  const centre = Math.floor(game.view.cells.length / 2);
  if (!game.log.puzzle) game.move("open", centre);
  return [game.log.seed, game.log.puzzle ?? game.log.seed];
}

test("games without a seed had the same boards in classic and Kaboom", () => {
  for (const mode of ["no-guess", "classic", "kaboom", "practice", "watch"])
    for (const preset of ["intermediate", "expert"])
      for (const more of [{}, { seed: undefined }]) {
        const games = [1, 2, 3].map(() => drawn({ mode, preset, strategy: "safest", ...more }));
        assert.ok(games.every(([seed]) => Number.isSafeInteger(seed)));
        for (const part of [0, 1]) assert.equal(new Set(games.map((game) => game[part])).size, 3, `${mode} ${preset}`);
      }
});

test("every game from a position has other mines", () => {
  const position = { mode: "position", mines: 99, grid: "", cells: Array(16).fill("#".repeat(30)), flags: [] };
  assert.equal(new Set([1, 2, 3].map(() => newLog(position).puzzle)).size, 3);
});

test("an option that is undefined replaces no default", () => {
  const size = { preset: "beginner", seed: undefined, start: undefined };
  const rules = { mode: undefined, opening_start: undefined, outside_counts: false };
  const kaboom = newLog({ mode: "kaboom", ...size, rules });
  assert.deepEqual(kaboom.rules, { ...newLog({ mode: "kaboom", ...size }).rules, outside_counts: false });
  assert.equal(newLog({ mode: "classic", ...size }).start, "opening");
  const classic = newLog({ mode: "classic", ...size, seed: 7 });
  classic.puzzle = drawn({ mode: "classic", ...size, seed: 7 })[1];
  const again = sameBoard(classic, { mode: undefined, title: undefined });
  assert.deepEqual([again.mode, again.title, again.seed], ["classic", classic.title, 7]);
});

test("the next game after one of a day, a seed or an id is on another board", () => {
  assert.deepEqual(nextRequest({ mode: "daily", preset: "beginner", date: "2026-01-02" }), {
    mode: "no-guess",
    preset: "beginner",
  });
  const { mode, seed, preset } = nextRequest({ mode: "classic", preset: "expert", seed: 7 });
  assert.deepEqual([mode, seed, preset], ["classic", undefined, "expert"]);
  assert.deepEqual(nextRequest({ mode: "pack", puzzle: "1234abcd", tier: "2 clues" }), {
    mode: "pack",
    tier: "2 clues",
  });
});

test("days that do not exist or have not come are refused", () => {
  const daily = (date) => () => newLog({ mode: "daily", preset: "beginner", date });
  assert.throws(daily("2026-02-31"), { message: "There is no such day: 2026-02-31." });
  assert.throws(daily("tomorrow"), { message: "There is no such day: tomorrow." });
  assert.throws(daily("2999-01-01"), { message: "The puzzle of 2999-01-01 comes on that day." });
});

test("a board without room for its mines is refused without a search", () => {
  for (const mode of ["no-guess", "classic", "kaboom"]) {
    const wanted = (rows, cols, mines) => () => newLog({ mode, rows, cols, mines });
    assert.throws(wanted(1, 1, 1), { message: "This board is too small for a mine." });
    assert.throws(wanted(3, 3, 2), { message: "This board is too small for a mine." });
    assert.throws(wanted(4, 4, 8), { message: "This board has room for 0 to 7 mines." });
  }
});

test("the smallest board is won by its only click", () => {
  const game = new Game(newLog({ mode: "no-guess", rows: 1, cols: 1, mines: 0 }));
  game.move("open", 0);
  assert.equal(game.status, "won");
});

test("a game goes on from a position, on boards drawn among the layouts that fit it", () => {
  const position = { mode: "position", mines: 2, cells: ["#1##1#"], rows: 1, cols: 6, flags: [[0, 5]] };
  const boards = new Set();
  for (let run = 0; run < 120; run++) {
    const game = new Game(newLog(position));
    const { cells, flags, helped, status } = game.state();
    assert.deepEqual([cells, flags, helped, status], [position.cells, position.flags, true, "playing"]);
    boards.add(game.mineMap.join(""));
  }
  assert.deepEqual([...boards].sort(), ["001001", "001100", "100001", "100100"]);
});
