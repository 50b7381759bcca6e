// Tests of the record of finished games, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  bestBefore,
  byEnd,
  calendar,
  dailyStreak,
  entryOf,
  imported,
  isEntry,
  isKnown,
  sums,
  wilson,
} from "../../../../scripts/web/static/js/core/record.js";
import { Fault } from "../../../../scripts/web/static/js/core/sizes.js";
import { begun, finish, gameOn, randomOf, tokenOf } from "./support.mjs";

let made = 0;
/** An entry; each ends a minute after the one before. */
function entry(values = {}) {
  made += 1;
  const ended = new Date(Date.UTC(2026, 0, 1) + 60_000 * made).toISOString().slice(0, 19).replace("T", " ");
  const size = { kind: "classic 9x9/10", mode: "classic", title: "Classic beginner 9x9/10" };
  return { id: `game${made}`, ...size, won: true, seconds: 10, clicks: 20, unranked: "", day: null, ended, ...values };
}
const won = (seconds, more = {}) => entry({ seconds, ...more });
const lost = (more = {}) => entry({ won: false, ...more });
const only = (entries) => {
  const [kind, ...others] = sums(entries);
  assert.deepEqual(others, []);
  return kind;
};

test("a finished game becomes an entry", () => {
  const game = finish(gameOn(["....", "....", "..*.", "*..."]));
  const found = entryOf(game, new Date(Date.UTC(2026, 10, 23, 18, 0, 0, 900)));
  assert.deepEqual([found.kind, found.mode, found.won, found.unranked], ["shared 4x4/2", "shared", true, ""]);
  assert.deepEqual([found.ended, found.puzzle, found.clicks], ["2026-11-23 18:00:00", game.log.puzzle, game.clicks]);
  assert.ok(isEntry(JSON.parse(JSON.stringify(found))));
});

test("an entry of Kaboom has its rules and its seed", () => {
  const game = begun({ mode: "kaboom", rows: 4, cols: 4, mines: 6, rules: { opening_start: false }, seed: 9 });
  const random = randomOf(2);
  while (game.status === "playing") game.move("open", random(16));
  const found = entryOf(game);
  assert.deepEqual([found.rules, found.seed, found.unranked], [game.log.rules, 9, "repeat"]);
  assert.match(found.puzzle, /^board-4x4-/);
  assert.ok(isEntry(JSON.parse(JSON.stringify(found))));
});

test("games with help and on known boards are unranked", () => {
  const helped = gameOn(["....", "....", "..*.", "*..."]);
  helped.help();
  assert.equal(entryOf(finish(helped)).unranked, "help");
  const known = gameOn(["....", "....", "..*.", "*..."]);
  known.log.repeat = true;
  assert.equal(entryOf(finish(known)).unranked, "repeat");
});

test("a board is known by its mines, whatever its first click", () => {
  const rows = ["....", "....", "..*.", "*..."];
  const first = entry({ puzzle: tokenOf(rows, 0) });
  assert.equal(isKnown(entry({ puzzle: tokenOf(rows, 3) }), [first]), true);
  assert.equal(isKnown(first, [first]), false);
  assert.equal(isKnown(entry({ puzzle: tokenOf(["....", "....", ".*..", "*..."]) }), [first, entry()]), false);
  // A `-` is a digit of base64.
  const [one, other] = ["board-4x12-0x0-AA-BAAAA", "board-4x12-0x0-AA-CAAAA"].map((puzzle) => entry({ puzzle }));
  assert.equal(isKnown(one, [other]), false);
});

test("Wilson's interval has the published values", () => {
  // Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
  assert.deepEqual(wilson(81, 263), [25.53, 36.62]);
  assert.deepEqual(wilson(15, 148), [6.24, 16.05]);
  assert.deepEqual(wilson(0, 20), [0, 16.11]);
  assert.deepEqual(wilson(1, 29), [0.61, 17.18]);
  assert.deepEqual(wilson(29, 29), [88.3, 100]);
});

test("sums count ranked games, games with help and repeats apart", () => {
  const games = [won(12), lost(), won(8), won(1, { unranked: "help" }), won(2, { unranked: "repeat" })];
  const found = only([...games, lost({ unranked: "repeat" })]);
  assert.deepEqual(found.ranked, { games: 3, wins: 2 });
  assert.deepEqual(found.help, { games: 1, wins: 1 });
  assert.deepEqual(found.repeat, { games: 2, wins: 1 });
  assert.deepEqual([found.low, found.high], wilson(2, 3));
});

test("a repeat is not ranked", () => {
  const found = only([won(10), won(1, { unranked: "repeat" })]);
  assert.deepEqual([found.best_seconds, found.mean_seconds, found.streak, found.ranked.games], [10, 10, 1, 1]);
});

test("the best time is the shortest, the best speed the highest", () => {
  const speed = (seconds, value) => won(seconds, { bbbv_per_second: value, efficiency: value / 10, luck: 0.5 });
  const found = only([speed(12, 1), speed(8, 2), won(40), lost({ seconds: 1, bbbv_per_second: 9 })]);
  assert.deepEqual([found.best_seconds, found.mean_seconds], [8, 20]);
  assert.deepEqual([found.best_bbbv_per_second, found.mean_bbbv_per_second], [2, 1.5]);
  assert.deepEqual([found.best_efficiency, found.mean_luck], [0.2, 0.5]);
});

test("a kind without ranked games has no figures", () => {
  const found = only([won(3, { unranked: "help" })]);
  assert.deepEqual([found.best_seconds, found.mean_seconds, found.low, found.mean_luck], [null, null, null, null]);
});

test("a loss ends a streak of wins", () => {
  assert.deepEqual(only([won(1), won(1), won(1), lost(), won(1)]).longest_streak, 3);
  assert.deepEqual(only([won(1), won(1), won(1), lost(), won(1)]).streak, 1);
  assert.deepEqual(only([won(1), lost()]).streak, 0);
  assert.deepEqual(only([won(1), lost({ unranked: "help" }), won(1)]).streak, 2, "an unranked game does not");
});

test("streaks follow the time, not the order in the storage", () => {
  const games = [won(1), lost(), won(1), won(1)];
  assert.equal(only(games.toReversed()).streak, 2);
  assert.deepEqual(byEnd(games.toReversed()), games);
});

test("kinds are sorted by their ranked games", () => {
  const kinds = ["a 1x1/0", "b 1x1/0", "b 1x1/0", "c 1x1/0"].map((kind) => won(1, { kind }));
  assert.deepEqual(
    sums(kinds).map(({ kind }) => kind),
    ["b 1x1/0", "a 1x1/0", "c 1x1/0"],
  );
});

test("the best time before a game is that of earlier ranked wins of its kind", () => {
  const earlier = [won(20), won(15), won(1, { unranked: "help" }), lost({ seconds: 2 }), won(3, { kind: "x 1x1/0" })];
  const game = won(9);
  const later = won(4);
  assert.equal(bestBefore(game, [...earlier, game, later]), 15);
  assert.equal(bestBefore(earlier[0], [...earlier, game]), null);
});

const daily = (day, more = {}) => entry({ mode: "daily", day, ...more });

test("a streak of daily puzzles ends with the first day without a win", () => {
  const days = ["2026-10-30", "2026-10-31", "2026-11-01", "2026-11-03", "2026-11-04"].map((day) => daily(day));
  assert.deepEqual(dailyStreak(days, "2026-11-04"), { streak: 2, longest: 3, days: 5 });
  assert.equal(dailyStreak(days, "2026-11-05").streak, 2, "today's puzzle can still be won");
  assert.equal(dailyStreak(days, "2026-11-06").streak, 0, "a day was missed");
  assert.deepEqual(dailyStreak([], "2026-11-04"), { streak: 0, longest: 0, days: 0 });
});

test("a day counts once, and only by a ranked win on the day", () => {
  const games = [
    ...[daily("2026-11-03"), daily("2026-11-03"), daily("2026-11-04", { won: false })],
    ...[daily("2026-11-04", { unranked: "help" }), daily(null)],
  ];
  assert.deepEqual(dailyStreak(games, "2026-11-04"), { streak: 1, longest: 1, days: 1 });
});

test("the calendar has the best result of each day", () => {
  const games = [
    ...[daily("2026-11-01", { won: false, seconds: 5 }), daily("2026-11-01", { seconds: 21 })],
    ...[daily("2026-11-01", { seconds: 20 }), daily("2026-11-01", { won: false, seconds: 1 })],
    ...[daily("2026-11-02", { unranked: "help" }), daily("2026-11-03", { won: false, seconds: 7 }), daily(null)],
  ];
  const results = Object.entries(calendar(games)).map(([day, game]) => [day, game.won, game.seconds]);
  assert.deepEqual(results, [
    ["2026-11-01", true, 20],
    ["2026-11-03", false, 7],
  ]);
});

test("only entries are entries", () => {
  const good = entry({ puzzle: "board-3x7-0x0-AgAg", recorded_clicks: [[0.5, [0, 1], [[0, 1]], 0]], luck: null });
  assert.ok(isEntry(good));
  for (const value of [null, undefined, 7, "x", [], {}, [good]]) assert.ok(!isEntry(value), JSON.stringify(value));
  const wrong = {
    ...{ id: 7, kind: "classic", mode: null, title: {}, won: 1, seconds: "9" },
    ...{ ended: "yesterday", day: "2026-13-77", unranked: 1, clicks: "20", puzzle: 5, mines: "***", luck: "high" },
    ...{ forced: 0.5, needless: "none", bbbv_per_second: {}, efficiency: [], share: 1, stuck_seconds: "long" },
  };
  for (const [name, value] of Object.entries(wrong)) assert.ok(!isEntry({ ...good, [name]: value }), name);
  for (const seconds of [NaN, Infinity, -Infinity]) assert.ok(!isEntry({ ...good, seconds }), `${seconds}`);
  for (const name of ["id", "kind", "mode", "title", "won", "seconds", "clicks", "unranked", "ended"]) {
    const { [name]: _missing, ...rest } = good;
    assert.ok(!isEntry(rest), `no ${name}`);
  }
  const clicks = [
    7,
    "x",
    {},
    [null],
    [[0]],
    [["0", [0, 0], [[0, 0]], 0]],
    [[0, [0], [[0, 0]], 0]],
    [[0, [0, 0], 3, 0]],
  ];
  for (const recorded of [...clicks, [[0, [0, 0], [[0, 0.5]], 0]], [[0, [0, 0], [["0", 1]], 0]]])
    assert.ok(!isEntry({ ...good, recorded_clicks: recorded }), JSON.stringify(recorded));
});

test("an exported record is imported, anything else is refused as a whole", () => {
  const games = [daily("2026-11-04"), lost({ unranked: "help" })];
  assert.deepEqual(imported(JSON.parse(JSON.stringify({ games }))), games);
  for (const file of [
    null,
    7,
    [],
    {},
    { games: 7 },
    { games: [...games, null] },
    { games: [{ ...games[0], ended: "" }] },
  ])
    assert.throws(() => imported(file), Fault, JSON.stringify(file));
});
