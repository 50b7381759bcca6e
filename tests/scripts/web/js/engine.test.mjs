// Tests of the engine with its worker in a thread: games, storage, other tabs and stops, for `node --test`.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";

import { newTab, threads } from "./browser.mjs";
import { tokenOf } from "./support.mjs";

const { GAME, RECORD } = await import("../../../../scripts/web/static/js/storage.js");
const { ask, call } = await newTab("first");
const other = await newTab("other");
const TOKEN = tokenOf(["....", "....", "..*.", "*..."]);
const PUZZLE = { mode: "puzzle", token: TOKEN, as: "pack" };
/** Its hidden safe cells, in an order that logic finds. */
const SAFE = [11, 14, 15, 13];
const keys = (prefix) => Object.keys(localStorage).filter((key) => key.startsWith(prefix));
const stored = (key) => JSON.parse(localStorage.getItem(key));
const isFault = (code) => (error) => error.code === code && error.message.length > 0;

beforeEach(() => Object.keys(localStorage).forEach((key) => localStorage.removeItem(key)));
after(() => Promise.all([...threads].map((thread) => thread.terminate())));

async function play(game, cells = SAFE) {
  let state;
  for (const cell of cells) state = await ask("move", game.id, "open", cell);
  return state;
}

test("moves are stored, and a won game is in the record once", async () => {
  const game = await ask("newGame", PUZZLE);
  assert.deepEqual([game.status, keys(GAME).length], ["playing", 1]);
  const end = await play(game);
  assert.equal(end.status, "won");
  assert.equal(stored(GAME + game.id).moves.length, 4);
  const entry = stored(RECORD + game.id);
  assert.deepEqual([entry.won, entry.puzzle, entry.recorded_clicks.length, entry.clicks], [true, TOKEN, 5, 4]);
  const stats = await ask("stats", game.id);
  assert.deepEqual([stats.best_before, stats.needless, stats.unranked], [null, 0, ""]);
  assert.equal((await ask("record")).games.length, 1);
  assert.equal((await ask("review", game.id)).judgements.length, 5);
});

test("only the first end counts, and a second game on the board is a repeat", async () => {
  const game = await ask("newGame", PUZZLE);
  await ask("move", game.id, "open", 10);
  const entry = stored(RECORD + game.id);
  await ask("undo", game.id);
  assert.equal((await play(game)).status, "won");
  assert.deepEqual(stored(RECORD + game.id), entry);
  const again = await ask("newGame", PUZZLE);
  await play(again);
  assert.equal(stored(RECORD + again.id).unranked, "repeat");
});

test("the record has the clicks of the last 300 games", async () => {
  const old = { kind: "classic 1x3/1", title: "Old", mode: "classic", won: false, seconds: 1, clicks: 1, unranked: "" };
  const clicks = { recorded_clicks: [[0.5, [0, 0], [[0, 0]], 0]], mines: ["*.."], ended: "2026-01-01 00:00:00" };
  const games = Array.from({ length: 301 }, (_, number) => ({ id: `old-${number}`, ...old, ...clicks }));
  await ask("importRecord", { games });
  await play(await ask("newGame", PUZZLE));
  const exported = (await ask("exportRecord")).games;
  assert.deepEqual([exported.length, exported.filter((game) => game.recorded_clicks).length], [302, 300]);
});

test("a watched game is not stored", async () => {
  const game = await ask("newGame", { mode: "watch", strategy: "champion", preset: "beginner" });
  const { move } = await ask("step", game.id, "champion");
  assert.ok(move.cells.length);
  assert.deepEqual(keys("sweep"), []);
});

test("the finished games and 32 others are kept", async () => {
  for (let i = 0; i < 40; i++) await play(await ask("newGame", PUZZLE), [SAFE[0]]);
  assert.equal(keys(GAME).length, 32);
});

test("a move that another tab made is part of the game", async () => {
  const game = await ask("newGame", PUZZLE);
  await ask("move", game.id, "open", 11);
  const theirs = await other.ask("move", game.id, "open", 13);
  assert.deepEqual([theirs.clicks, theirs.cells[2][3]], [2, "1"]);
  const state = await ask("move", game.id, "flag", 10);
  assert.deepEqual(state.cells, theirs.cells);
  assert.deepEqual(
    stored(GAME + game.id).moves.map(([, kind, cell]) => kind + cell),
    ["o11", "o13", "f10"],
  );
});

test("a click reads one game, however many the player has finished", async (context) => {
  // It read them all: 27 ms with 4,000 games.
  const game = await ask("newGame", PUZZLE);
  for (let i = 0; i < 50; i++) localStorage.setItem(`${RECORD}${i}`, "{}");
  const read = context.mock.method(localStorage, "getItem");
  await ask("move", game.id, "open", 11);
  assert.deepEqual(new Set(read.mock.calls.map((one) => one.arguments[0])), new Set([GAME + game.id]));
});

test("tabs that moved at the same time agree on the moves of the one that stored last", async () => {
  const game = await ask("newGame", PUZZLE);
  await ask("move", game.id, "flag", 10);
  // Another tab has stored as many moves.
  const log = stored(GAME + game.id);
  localStorage.setItem(GAME + game.id, JSON.stringify({ ...log, moves: [[0, "f", 12]] }));
  const [mine, theirs] = [await ask("move", game.id, "flag", 15), await other.ask("game", game.id)];
  assert.deepEqual(
    [mine.flags, theirs.flags],
    Array(2).fill([
      [3, 0],
      [3, 3],
    ]),
  );
});

test("an unknown and a damaged game are gone, and the damaged one is removed", async (context) => {
  await assert.rejects(ask("game", "nothing"), isFault("not_found"));
  const game = await ask("newGame", PUZZLE);
  const log = stored(GAME + game.id);
  context.mock.method(console, "error", () => undefined);
  for (const damage of [5, [], {}, { ...log, moves: [[0, "o", 99]] }, { ...log, rows: 1e9 }, { ...log, puzzle: "x" }]) {
    localStorage.setItem(`${GAME}bad`, JSON.stringify(damage));
    await assert.rejects(ask("game", "bad"), isFault("not_found"), JSON.stringify(damage));
    assert.deepEqual(keys(`${GAME}bad`), []);
  }
  assert.equal((await ask("game", game.id)).status, "playing");
});

test("a failed move changes nothing", async () => {
  const game = await ask("newGame", PUZZLE);
  for (const [name, cell] of [
    ["open", 99],
    ["open", -1],
    ["jump", 3],
  ])
    await assert.rejects(ask("move", game.id, name, cell));
  const state = await ask("game", game.id);
  assert.deepEqual([state.status, state.clicks, stored(GAME + game.id).moves], ["playing", 0, []]);
});

test("a stopped search ends all calls, and the games go on", async () => {
  const game = await ask("newGame", PUZZLE);
  await ask("move", game.id, "open", 11);
  const running = threads.size;
  const search = new AbortController();
  const request = { mode: "no-guess", rows: 30, cols: 30, mines: 400 };
  const report = (seconds) => {
    assert.ok(seconds >= 0);
    search.abort();
  };
  const searching = call("newGame", [request], { signal: search.signal, report });
  const waiting = ask("game", game.id);
  await assert.rejects(searching, isFault("cancelled"));
  await assert.rejects(waiting, isFault("cancelled"));
  assert.equal((await ask("game", game.id)).clicks, 1);
  assert.equal(threads.size, running, "the thread that searched has ended");
  assert.equal(keys(GAME).length, 1);
});

test("damaged entries of the record are removed, and the page works", async () => {
  await play(await ask("newGame", PUZZLE));
  for (const [i, value] of [5, {}, [], { id: "x" }].entries())
    localStorage.setItem(`${RECORD}bad${i}`, JSON.stringify(value));
  localStorage.setItem(`${RECORD}text`, "{{");
  assert.equal((await ask("record")).games.length, 1);
  assert.equal(keys(RECORD).length, 1);
});

test("imported clicks off the board or on open cells are dropped, and the record works", async () => {
  const game = await ask("newGame", PUZZLE);
  await play(game);
  const file = await ask("exportRecord");
  const [entry] = file.games;
  const impossible = {
    ...{
      off: [
        [0, [0, 0], [[0, 0]], 0],
        [1, [9, 9], [[9, 9]], 0],
      ],
      negative: [[0, [-1, 0], [[-1, 0]], 0]],
    },
    open: Array(3).fill([0, [0, 0], [[0, 0]], 0]),
  };
  const games = Object.entries(impossible).map(([id, clicks]) => ({
    ...entry,
    id,
    recorded_clicks: clicks,
    forced: null,
  }));
  await ask("importRecord", { games: [...games, { ...entry, id: "damaged", puzzle: "board-1x1", forced: null }] });
  assert.equal((await ask("record")).games.length, 5);
  for (const id of ["off", "negative", "damaged"]) {
    assert.equal(stored(RECORD + id).recorded_clicks, undefined, id);
    await assert.rejects(ask("review", id), isFault("not_found"));
  }
  await assert.rejects(ask("importRecord", { games: [{ ...entry, seconds: "long" }] }), isFault("bad_input"));
});

test("a deleted record is gone from the storage", async () => {
  await play(await ask("newGame", PUZZLE));
  assert.equal(keys(RECORD).length, 1);
  await ask("deleteRecord");
  assert.deepEqual(keys(RECORD), []);
  assert.deepEqual((await ask("record")).kinds, []);
});

test("values of the server win, but its gaps do not", async () => {
  const game = await ask("newGame", PUZZLE);
  await play(game);
  const { luck } = await ask("stats", game.id);
  const { recorded_clicks: _clicks, ...entry } = stored(RECORD + game.id);
  await ask("merge", [
    { ...entry, unranked: "repeat", luck: null },
    { ...entry, id: "theirs" },
    { id: "no entry" },
    null,
  ]);
  const mine = stored(RECORD + game.id);
  assert.deepEqual([mine.unranked, mine.luck, mine.sent, mine.recorded_clicks.length], ["repeat", luck, true, 5]);
  assert.equal(stored(`${RECORD}theirs`).sent, true);
  assert.equal(keys(RECORD).length, 2);
  assert.deepEqual(await ask("unsent"), []);
});

test("a running game is not reviewed before it is over", async () => {
  const game = await ask("newGame", PUZZLE);
  await assert.rejects(ask("review", game.id), isFault("conflict"));
});
