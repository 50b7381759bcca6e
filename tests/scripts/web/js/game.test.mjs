// Tests of games as lists of moves, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Game } from "../../../../scripts/web/static/js/core/game.js";
import { sameBoard } from "../../../../scripts/web/static/js/core/games.js";
import { kernel } from "../../../../scripts/web/static/js/core/kernel.js";
import { Fault } from "../../../../scripts/web/static/js/core/sizes.js";
import { Clock, begun, finish, gameOn, openCells, playRandomly, randomOf, tokenOf } from "./support.mjs";

const ROW = ["..*..*"];
const SQUARE = ["....", "....", "..*.", "*..."];
const RULES = [
  { opening_start: true },
  { opening_start: false, outside_counts: false },
  { opening_start: false, guess_anywhere: true, mode: "cruelest" },
  { opening_start: true, unavoidable_early: true },
];
const REQUESTS = [
  { mode: "no-guess", preset: "beginner" },
  { mode: "no-guess", preset: "beginner", seed: 5 },
  { mode: "classic", rows: 6, cols: 9, mines: 12 },
  { mode: "classic", rows: 5, cols: 5, mines: 20, start: "safe", seed: 3 },
  ...RULES.map((rules) => ({ mode: "kaboom", rows: 6, cols: 6, mines: 9, rules })),
  { mode: "daily", preset: "beginner", date: "2026-11-01" },
  { mode: "shared", token: tokenOf(SQUARE) },
  { mode: "shared", token: "kaboom-6x6-9-001-uniform" },
  { mode: "puzzle", as: "pack", token: tokenOf(["...*....", "..*....*", "........", "*......*"]), share: "puzzle-1" },
  { mode: "watch", strategy: "champion", preset: "beginner" },
];
const refused = (code) => (error) => error instanceof Fault && error.code === code;
const isConflict = refused("conflict");

/** Everything that the page shows, and what a finished game records. */
const everything = (game) => ({
  ...{ ...game.state(), ticking: null },
  ...{
    recorded: game.recorded,
    counts: game.counts,
    over: game.isOver,
    token: game.status === "playing" ? null : game.token,
  },
});

test("the replay of a log equals the live game, in 300 random games of every mode", () => {
  const met = new Set();
  REQUESTS.forEach((request, kind) => {
    for (let seed = 0; seed < 25; seed++) {
      const clock = new Clock();
      const game = begun(request, clock);
      game.log.seed = seed;
      playRandomly(game, clock, randomOf(1000 * kind + seed));
      const replayed = new Game(JSON.parse(JSON.stringify(game.log)), clock.read);
      assert.deepEqual(everything(replayed), everything(game), JSON.stringify(game.log));
      for (const [, move] of game.log.moves) met.add(move);
      met.add(game.status);
      if (game.guesses.length) met.add("granted");
      const again = new Game(sameBoard(game.log));
      assert.equal(again.log.puzzle, game.log.puzzle);
      assert.ok(again.log.repeat && !again.log.moves.length);
    }
  });
  const all = ["o", "c", "f", "h", "m", "u", "r", "won", "lost", "playing", "granted"];
  assert.deepEqual(
    all.filter((one) => !met.has(one)),
    [],
  );
});

test("opening, flags and chords", () => {
  const game = gameOn(SQUARE);
  assert.deepEqual(openCells(game), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  game.move("flag", 10);
  assert.deepEqual(game.move("open", 10), [], "a flag protects its cell");
  assert.deepEqual(game.move("chord", 7), [11], "a chord opens the cells without a flag");
  game.move("flag", 10);
  assert.deepEqual([...game.flags], []);
  game.move("flag", 0);
  assert.deepEqual([...game.flags], [], "an open cell takes no flag");
  assert.deepEqual([game.clicks, game.recorded.length], [5, 2], "the first cell and the chord opened cells");
  assert.deepEqual([game.flagged, gameOn(SQUARE).flagged], [true, false]);
  assert.deepEqual(game.recorded[1].slice(1), [[1, 3], [[2, 3]], 0]);
});

test("a chord over several mines opens all its cells and shows every mine", () => {
  const game = gameOn(["*.*", "...", "..."], { click: 4 });
  for (const wrong of [1, 3]) game.move("flag", wrong);
  assert.deepEqual(game.move("chord", 4), [3, 5, 6, 7, 8], "an opening opens flagged cells, too");
  assert.deepEqual([game.exploded, game.status], [[0, 2], "lost"]);
  assert.equal(game.recorded.at(-1)[2].length, 6, "the record has all cells of the chord");
});

test("a loss on a board is undone: what was opened stays, and the game counts no more", () => {
  const game = gameOn(ROW);
  game.move("open", 2);
  assert.deepEqual([game.status, game.isOver, game.counts, game.mayUndo], ["lost", false, false, true]);
  assert.throws(() => game.move("open", 4), isConflict);
  assert.equal(game.state().mine_map, null, "the mines are secret until the game is given up");
  game.takeBack();
  assert.deepEqual([game.status, game.undos, game.helped, game.exploded], ["playing", 1, true, []]);
  assert.throws(() => game.takeBack(), isConflict);
  const recorded = game.recorded.length;
  finish(game);
  assert.deepEqual([game.status, game.recorded.length], ["won", recorded], "only the first end counts");
});

test("an undo in Kaboom goes back click by click, and the game counts no more", () => {
  const game = begun({ mode: "kaboom", rows: 8, cols: 8, mines: 10, rules: { opening_start: true }, seed: 4 });
  assert.deepEqual([game.mayUndo, game.state().guesses], [false, { count: 0, luck: 1 }]);
  game.move("open", 27);
  const [first, opened] = [openCells(game), game.state()];
  const safe = game.hidden.find((cell) => {
    const copy = new Game(structuredClone(game.log));
    copy.move("open", cell);
    return copy.status === "playing";
  });
  game.move("open", safe);
  assert.equal(game.counts, true);
  game.takeBack();
  assert.deepEqual([openCells(game), game.counts, game.helped], [first, false, true]);
  assert.equal(game.state().guesses.count, opened.guesses.count);
  game.takeBack();
  assert.equal(game.state().status, "ready");
  assert.throws(() => game.takeBack(), isConflict);
});

test("a lost game of Kaboom is undone, and its mines move again", () => {
  const game = begun({ mode: "kaboom", rows: 5, cols: 5, mines: 8, rules: { opening_start: false }, seed: 1 });
  const random = randomOf(8);
  while (game.status !== "lost") game.move("open", random(25));
  assert.equal(game.state().mine_map.length, 8, "the layout that killed is shown");
  assert.match(game.token, /^board-5x5-/);
  game.takeBack();
  assert.deepEqual([game.status, game.mineMap, game.verdict], ["playing", null, null]);
});

test("help is noted, opens flagged cells, and unranks the game", () => {
  const game = gameOn(SQUARE);
  game.move("flag", 11);
  assert.equal(game.helped, false);
  assert.deepEqual(game.help([11], [10]), [11]);
  assert.deepEqual([game.helped, [...game.flags], game.clicks], [true, [10], 1]);
  assert.deepEqual(game.recorded.at(-1).slice(1), [[2, 3], [[2, 3]], 1]);
  const seen = gameOn(SQUARE);
  assert.deepEqual(seen.help(), []);
  assert.deepEqual([seen.helped, seen.recorded.length], [true, 1]);
});

test("an undo is help", () => {
  const game = gameOn(ROW);
  game.move("open", 2);
  assert.equal(game.helped, false);
  game.takeBack();
  assert.equal(game.helped, true);
  assert.equal(new Game(game.log).helped, true);
});

test("help on cells that opened meanwhile is no click", () => {
  const game = gameOn(SQUARE);
  game.move("open", 11);
  assert.deepEqual(game.help([11, 13]), [13]);
  assert.deepEqual(game.recorded.at(-1)[2], [[3, 1]]);
  const { length } = game.recorded;
  assert.deepEqual([game.help([11]), game.move("open", 11)], [[], []]);
  assert.equal(game.recorded.length, length);
});

test("the clock starts after the first click and stops at the end", () => {
  const clock = new Clock();
  const game = begun({ mode: "no-guess", preset: "beginner" }, clock);
  clock.now += 5000;
  for (let i = 0; i < 2; i++) game.move("flag", 0);
  clock.now += 5000;
  assert.equal(game.seconds, 0, "a flag before the first click starts no clock");
  game.move("open", 40);
  clock.now += 1500;
  assert.equal(game.seconds, 1.5);
  finish(game);
  clock.now += 9000;
  assert.deepEqual([game.seconds, game.state().ticking], [1.5, false]);
});

test("the clock stands between a loss and its undo", () => {
  const clock = new Clock();
  const game = gameOn(ROW, { clock });
  game.wake();
  clock.now += 2000;
  game.move("open", 2);
  clock.now += 60_000;
  assert.equal(game.seconds, 2);
  game.takeBack();
  assert.equal(game.seconds, 2);
  clock.now += 1000;
  assert.equal(game.seconds, 3);
  assert.equal(new Game(game.log).seconds, 2, "the last move was made after 2 seconds");
});

test("the clock goes on from the time that was seen last", () => {
  const clock = new Clock();
  const game = gameOn(ROW, { clock });
  game.move("open", 1);
  clock.now += 60_000;
  game.wake(7);
  clock.now += 1000;
  assert.equal(game.seconds, 8, "not from the time while nobody saw the board");
  game.move("open", 3);
  game.wake(2);
  assert.equal(game.seconds, 8, "it never goes back");
  assert.equal(new Game({ ...game.log, seconds: 12.5 }, clock.read).seconds, 12.5);
  assert.equal(new Game(sameBoard({ ...game.log, seconds: 12.5 }), clock.read).seconds, 0);
});

test("the clock stands while the page is closed", () => {
  const clock = new Clock();
  const game = begun({ mode: "classic", preset: "beginner", seed: 1 }, clock);
  game.move("open", 40);
  clock.now += 3000;
  game.move("flag", game.hidden[0]);
  clock.now += 86_400_000;
  const later = new Game(JSON.parse(JSON.stringify(game.log)), clock.read);
  assert.equal(later.seconds, 3);
  later.wake();
  clock.now += 500;
  assert.equal(later.seconds, 3.5);
});

test("a board is won once all its safe cells are open", () => {
  const game = finish(gameOn(SQUARE));
  assert.deepEqual([game.status, game.isOver, game.counts, game.mayUndo], ["won", true, false, false]);
  assert.deepEqual(game.state().mine_map, [
    [2, 2],
    [3, 0],
  ]);
  assert.throws(() => game.help(), isConflict);
  assert.throws(() => game.giveUp(), isConflict);
  assert.equal(game.share, game.log.puzzle);
});

test("a lost game shows its mines and its link once it is given up", () => {
  const game = finish(gameOn(SQUARE), { lose: true });
  assert.throws(() => game.share, isConflict);
  game.giveUp();
  assert.deepEqual(game.state().mine_map, [
    [2, 2],
    [3, 0],
  ]);
  assert.equal(game.share, game.log.puzzle);
});

test("moves off the board are refused, live and in a stored game", () => {
  const game = gameOn(SQUARE);
  for (const cell of [-1, 16, 1.5, "3", null, undefined, NaN])
    assert.throws(() => game.move("open", cell), refused("bad_input"));
  assert.deepEqual([game.log.moves, game.clicks, game.status], [[], 0, "playing"]);
  for (const moves of [
    [[0, "o", 16]],
    [[0, "h", 1, -4]],
    [[0, "x", 1]],
    [
      [0, "u"],
      [0, "u"],
    ],
    [null],
    7,
  ])
    assert.throws(() => new Game({ ...game.log, rules: {}, puzzle: null, moves }));
});

test("a lost game shows the position before the fatal click, and no other game does", () => {
  const game = gameOn(ROW);
  const shown = () => game.state().before;
  game.move("open", 3);
  const { cells } = game.state();
  assert.equal(shown(), null);
  game.move("open", 2);
  assert.deepEqual([game.status, shown()], ["lost", cells]);
});

test("Kaboom grants an unavoidable guess early only if its rules say so", () => {
  let early = 0;
  for (let seed = 1; early < 3; seed++) {
    for (const unavoidable_early of [true, false]) {
      const game = begun({ mode: "kaboom", rows: 6, cols: 6, mines: 9, seed, rules: { unavoidable_early } });
      game.move("open", 14);
      while (game.status === "playing") {
        const known = kernel.closure(game.view);
        const [guess] = kernel.unavoidable(game.view);
        if (guess && known.includes(1)) {
          early += 1;
          game.move("open", guess.cells[0]);
          assert.equal(game.status === "lost", !unavoidable_early);
          assert.equal(game.verdict, unavoidable_early ? "forced_guess" : "needless_guess");
          break;
        }
        const { why } = kernel.kaboomVerdicts(game.view, game.log.rules);
        game.move("open", known.includes(1) ? known.indexOf(1) : why.indexOf("forced_guess"));
      }
    }
  }
});
