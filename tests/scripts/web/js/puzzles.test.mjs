// Tests of new games, of their puzzles and of the tokens of share links, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { newLog, sameBoard } from "../../../../scripts/web/static/js/core/games.js";
import {
  boardToken,
  dailyPuzzle,
  isSure,
  readBoardToken,
  readToken,
  solvable,
  today,
} from "../../../../scripts/web/static/js/core/puzzles.js";
import { Grid, listOf } from "../../../../scripts/web/static/kernel/grids.js";
import { kernel } from "../../../../scripts/web/static/js/core/kernel.js";
import { Fault, PRESETS, sizeIn, sizeToJSON, titleOf } from "../../../../scripts/web/static/js/core/sizes.js";
import { begun, gameOn, tokenOf } from "./support.mjs";

const [BEGINNER, INTERMEDIATE, EXPERT] = PRESETS;
/** Values of the library: `board_token` of scripts/web/share_links.py on boards of scripts/web/boards.py. */
const DAILY = {
  beginner: "board-9x9-4x4-ASAIKAACEAAEIIA",
  expert: "board-16x30-8x15-CUGAZWCwUEQEJAwAQAgAAD4QSCAaFIEAKAVYBQAiKMAIBAvAAABgEABKRQFQCCGDAAMCIAhgAQoCOCwB",
};
const OPENING = "board-9x9-4x4-RAAoMAAACIFAAAA";
const SAFE = "board-16x30-0x0-JB6igSDwgADVBmQhEAAFaUgNAZE0ACgABIAAAlATAAAAAMAQAAQgLocAQARBgQCcggAAQgBgAAZeAEii";
const SOLVABLE = "board-16x16-8x8-AEYCAFFAAIAACnCIgQQKAgQAAABgIRSDAgIIAIRYAAA";
/** Several bytes of 63 and 62 become `_` and `-`. */
const SIGNS = "board-4x12-0x0-D_-_--_7";

test("equal seeds give the boards of the library", () => {
  assert.equal(boardToken(kernel.deal({ ...BEGINNER, seed: 7, click: 40 })), OPENING);
  assert.equal(boardToken(kernel.deal({ ...EXPERT, seed: 123, click: 0, start: "safe" })), SAFE);
  assert.equal(boardToken(solvable(INTERMEDIATE, 42)), SOLVABLE);
});

test("the daily puzzle is that of the library", () => {
  for (const [preset, token] of Object.entries(DAILY))
    assert.equal(boardToken(dailyPuzzle(preset, "2026-11-01")), token);
});

test("there is a daily puzzle for past days only", () => {
  for (const day of ["2026-02-30", "9999-01-01", "today", "", "2026-11-1"])
    assert.throws(() => dailyPuzzle("beginner", day), Fault);
  assert.throws(() => dailyPuzzle("giant", "2026-11-01"), Fault);
});

test("a search goes on after puzzles that a filter rejects, and reports its seconds", () => {
  const seconds = [];
  const { difficulty } = solvable(BEGINNER, 1, { difficulty: "fiendish" }, undefined, (passed) => seconds.push(passed));
  assert.equal(difficulty, "fiendish");
  assert.ok(seconds.length > 0 && seconds.every((passed) => passed >= 0));
});

test("only presets without a condition are found at once", () => {
  assert.equal(isSure(EXPERT, {}), true);
  assert.equal(isSure({ ...EXPERT, mines: 98 }, {}), false);
  assert.equal(isSure(EXPERT, { difficulty: "hard" }), false);
  assert.equal(isSure(EXPERT, { tier: "2 clues" }), false);
});

test("tokens of boards keep every mine and the first click", () => {
  for (const token of [
    OPENING,
    SAFE,
    SOLVABLE,
    SIGNS,
    ...Object.values(DAILY),
    tokenOf(["..*.", "....", "*...", "..*."], 5),
  ])
    assert.equal(boardToken(readBoardToken(token)), token);
  const { grid, mines, click, mineMap } = readBoardToken("board-3x7-0x0-AgAg");
  assert.deepEqual([grid.name, mines, click, listOf(mineMap)], ["3x7", 2, 0, [6, 18]]);
});

test("damaged tokens of boards are refused", () => {
  const wrong = [
    ...[
      "",
      "board",
      "board-3x7-0x0-",
      "board-3x7-0x0-Ag",
      "board-3x7-0x0-AgAgAg",
      "board-3x7-3x0-AgAg",
      "board-3x7-0x7-AgAg",
    ],
    ...["board-0x7-0x0-AgAg", "board-101x7-0x0-AgAg", "board-3x7-0x6-AgAg", "board-3x7-0x0-A", "board-3x7-0x0-Ag=="],
    ...["board-99999999x99999999-0x0-AgAg", "board--1x7-0x0-AgAg", `${OPENING} `, OPENING.slice(0, -2)],
  ];
  for (const token of wrong) assert.throws(() => readBoardToken(token), Fault, token);
});

test("tokens of Kaboom keep the size and the rules", () => {
  for (const token of ["kaboom-16x30-99-1010-uniform", "kaboom-8x8-8-0101-cruelest"])
    assert.equal(begun(readToken(token)).share, token);
  assert.equal(begun(readToken("kaboom-8x8-8-010-uniform")).share, "kaboom-8x8-8-0100-uniform", "an older link");
  for (const token of ["kaboom-16x30-99-10-uniform", "kaboom-16x30-99-101-kind", "kaboom-0x30-99-101-uniform"])
    assert.throws(() => readToken(token), Fault, token);
});

test("the token of a day begins that day's puzzle", () => {
  const log = newLog({ mode: "shared", token: "daily-2026-11-01-beginner" });
  assert.deepEqual(
    [log.mode, log.day, log.share, log.puzzle],
    ["daily", null, "daily-2026-11-01-beginner", DAILY.beginner],
  );
});

test("a daily puzzle counts for its day only on that day", () => {
  const days = [today(), newLog({ mode: "daily", preset: "beginner" }).day, today()];
  assert.ok(days[1] === days[0] || days[1] === days[2]);
  assert.equal(newLog({ mode: "daily", preset: "beginner", date: "2026-11-01" }).day, null);
});

test("a game with a seed may be known, and so may the same board", () => {
  for (const mode of ["classic", "no-guess", "kaboom"]) {
    assert.equal(newLog({ mode, preset: "beginner" }).repeat, false, mode);
    assert.equal(newLog({ mode, preset: "beginner", seed: 1 }).repeat, true, mode);
  }
  const { log } = gameOn(["...", "..*"]);
  const again = sameBoard({ ...log, day: "2026-11-01" });
  assert.deepEqual([again.repeat, again.day, again.puzzle, again.moves], [true, null, log.puzzle, []]);
  assert.notEqual(again.id, log.id);
  assert.throws(() => sameBoard(newLog({ mode: "no-guess", preset: "beginner" })), Fault);
});

test("the first click of a no-guess game opens a board of its seed", () => {
  const game = begun({ mode: "no-guess", preset: "beginner", difficulty: "easy" });
  game.move("open", 0);
  assert.equal(game.log.puzzle, boardToken(solvable(BEGINNER, game.log.seed, { difficulty: "easy" }, 0)));
  assert.equal(game.recorded.length, 1);
});

test("impossible requests are refused", () => {
  for (const request of [
    ...[{}, { mode: "chess" }, { mode: "constructor" }, { mode: "classic" }, { mode: "shared", token: "" }],
    { mode: "classic", rows: 3, cols: 3, mines: 1, start: "opening" },
    ...[{ rows: 0 }, { cols: 101 }, { mines: -1 }, { mines: 1.5 }, { mines: NaN }].map((part) => ({
      ...{ mode: "kaboom", rows: 5, cols: 5, mines: 5 },
      ...part,
    })),
    { mode: "no-guess", preset: "beginner", difficulty: "unfair" },
    { mode: "classic", preset: "giant" },
  ])
    assert.throws(() => newLog(request), Fault, JSON.stringify(request));
});

test("sizes have names", () => {
  assert.deepEqual(sizeToJSON(sizeIn({ preset: "expert" })), { rows: 16, cols: 30, mines: 99 });
  assert.equal(titleOf("Classic", EXPERT), "Classic expert 16x30/99");
  assert.equal(titleOf("Kaboom", { grid: new Grid(8, 8), mines: 8 }), "Kaboom 8x8/8");
});
