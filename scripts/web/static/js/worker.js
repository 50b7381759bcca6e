/**
 * The worker: it plays the games of this browser, keeps their record, and answers questions about positions.
 *
 * It cannot reach the storage: each request brings what the page's storage has new, and each answer the changes to store.
 */

import { Grid, listOf } from "../kernel/grids.js";
import { TooWide, hiddenView, loadMore } from "../kernel/index.js";
import { advise } from "./advice.js";
import { addToArchive, clearArchive, readArchive } from "./core/archive.js";
import { dayOf } from "./core/calendar.js";
import { Game } from "./core/game.js";
import { newLog, sameBoard } from "./core/games.js";
import { kernel, useKernel } from "./core/kernel.js";
import { readBoardToken, today } from "./core/puzzles.js";
import { countSteps, isRight, weaknesses } from "./core/practice.js";
import { isRated, ratings, scoreOf } from "./core/rating.js";
import { bestBefore, byEnd, calendar, dailyStreak, entryOf, imported, isEntry, isKnown, sums } from "./core/record.js";
import { Fault, PRESETS, unless } from "./core/sizes.js";
import { reviewOf } from "./judgement.js";
import { GAME, RECORD } from "./storage.js";
import { explained } from "./wording.js";
import { t } from "./words.js";

/** So many unfinished games are kept, and the clicks of so many finished ones. */
const KEPT_GAMES = 32;
const KEPT_CLICKS = 300;
/** So many entries, besides those of daily puzzles, are in the page's storage; if there are more, half of them move. */
const KEPT_ENTRIES = 2000;
/** The calls that need the archive. A click must not wait for it. */
const OF_ARCHIVE = ["stats", "record", "exportRecord", "importRecord", "review", "merge"];
/** So many games get their statistics in one call. */
const REVIEWS = 5;
/** So many games get the scores of their puzzles in one call. */
const SCORES = 50;
const LISTED = 200;
/** The address of this module: a server puts the version of the page into it. */
const VERSION = import.meta.url;

/** The games in use, by their ids. */
const games = new Map();
/** The values in the page's storage by their keys. */
const stored = new Map();
/** The entries in the archive by their ids, once a call has needed them. An entry in the storage is newer. */
let archive = null;
let changes = {};
/** The keys with a prefix, and their values. */
const withPrefix = (prefix) => [...stored].filter(([key]) => key.startsWith(prefix));

function keep(key, value) {
  if (value === null) stored.delete(key);
  else stored.set(key, value);
  changes[key] = value;
}

/* Games. */

const isStored = (game) => !["watch", "practice"].includes(game.log.mode);

/** Store a game, and forget the oldest of too many. */
function store(game) {
  games.set(game.log.id, game);
  if (!isStored(game)) {
    // The page watches one game at a time.
    for (const [id, other] of games) if (other !== game && !isStored(other)) games.delete(id);
    return;
  }
  const isOpen = game.status === "playing" && game.clicks > 0;
  keep(GAME + game.log.id, { ...game.log, stored: Date.now(), isOpen });
  const logs = withPrefix(GAME).sort(([, one], [, other]) => other.stored - one.stored);
  for (const [key, { id }] of logs.slice(KEPT_GAMES)) {
    keep(key, null);
    games.delete(id);
  }
}

/** Return a game by its id, from the storage if necessary. Throws `Fault`. */
function gameOf(id) {
  const log = stored.get(GAME + id);
  const known = games.get(id);
  // Another tab may have gone on with the game, so that the page's storage had other moves.
  const isSame = (moves) => moves === known.log.moves || JSON.stringify(moves) === JSON.stringify(known.log.moves);
  if (known && (!log || isSame(log.moves))) return known;
  const gone = new Fault(t("This game is gone: start a new one."), "not_found");
  if (!log) throw gone;
  try {
    const game = new Game(log);
    game.wake();
    games.set(id, game);
    return game;
  } catch (error) {
    // A stored game may be damaged in any way.
    console.error(error);
    keep(GAME + id, null);
    throw gone;
  }
}

/** Begin a game, and return its state. */
function begin(log) {
  const game = new Game(log);
  store(game);
  return game.state();
}

/** Record a game at its first end. */
function end(game) {
  const entry = entryOf(game);
  if (!entry.unranked && isKnown(entry, entries())) entry.unranked = "repeat";
  keep(RECORD + entry.id, entry);
  for (const { recorded_clicks: _clicks, ...old } of recent().filter(isReplayable).slice(0, -KEPT_CLICKS))
    keep(RECORD + old.id, old);
}

/** Make a move of a game, and return its state. */
function play(id, move) {
  const game = gameOf(id);
  const { counts } = game;
  try {
    const opened = move(game) ?? [];
    if (counts && !game.counts && isStored(game) && game.status !== "playing") end(game);
    store(game);
    return game.state(opened);
  } catch (error) {
    // A move that failed half-way is not in the log.
    if (!(error instanceof Fault)) games.delete(id);
    throw error;
  }
}

/** Make the next move of a watched game, unless it is given. */
function step(id, strategy, given) {
  const game = gameOf(id);
  const { pair, index } = game.grid;
  const made = advise("move", game.state(), { strategy, first: pair(game.click), given });
  return { game: play(id, () => game.help(made.cells.map(index), made.mines.map(index))), move: made };
}

/* The record. */

const recent = () => byEnd(withPrefix(RECORD).map(([, entry]) => entry));
const entries = () =>
  byEnd(new Map([...(archive ?? []), ...recent().map((entry) => /** @type {const} */ ([entry.id, entry]))]).values());
const entryWith = (id) => stored.get(RECORD + id) ?? archive?.get(id);

async function loadArchive() {
  // A browser may refuse its database.
  archive ??= new Map((await readArchive().catch(() => [])).map((entry) => [entry.id, entry]));
}

/** Move the oldest entries from the page's storage into the archive, if there are too many; `own` are the changes. */
async function moveOld(own) {
  const all = recent().filter((entry) => !dayOf(entry));
  if (all.length <= KEPT_ENTRIES) return;
  const old = all.slice(0, -KEPT_ENTRIES / 2);
  const isDone = await addToArchive(old).then(
    () => true,
    () => false,
  );
  if (!isDone) return;
  for (const entry of old) {
    archive?.set(entry.id, entry);
    if (stored.get(RECORD + entry.id) !== entry) continue;
    stored.delete(RECORD + entry.id);
    own[RECORD + entry.id] = null;
  }
}
const isReplayable = (entry) => Boolean(entry.recorded_clicks?.length && (entry.puzzle || entry.mines));
/** @param {Record<string, any>} entry */
const listed = ({ recorded_clicks: _clicks, puzzle: _puzzle, mines: _mines, seed: _seed, ...entry }) => entry;

/** The board of an entry: of its token, or of the mines in rows of text. */
function boardOf({ puzzle, mines, grid }) {
  if (puzzle) return readBoardToken(puzzle);
  const mineMap = Uint8Array.from(mines.join(""), (mark) => Number(mark === "*"));
  return { grid: new Grid(mines.length, mines[0].length, grid), mines: listOf(mineMap).length, mineMap };
}

/** Review a finished game, of the record or of another program. */
const reviewed = (entry) => reviewOf(boardOf(entry), entry);

/** Add the statistics of an entry of the record; those that depend on the whole board only if it was won. */
function withStatistics(entry) {
  if (isKnownFully(entry) || !isReplayable(entry)) return entry;
  const review = unlessDamaged(() => reviewed(entry));
  if (!review) {
    const { recorded_clicks: _clicks, ...rest } = entry;
    keep(RECORD + entry.id, rest);
    return rest;
  }
  const { verdicts, luck, stuck_seconds, bbbv, solved_bbbv, bbbv_per_second, efficiency, zini_efficiency } = review;
  const steps = entry.mode === "kaboom" ? null : countSteps(review);
  const ofBoard = entry.won ? { bbbv, solved_bbbv, bbbv_per_second, efficiency, zini_efficiency } : {};
  const guesses = {
    forced: verdicts["forced guess"],
    needless: verdicts["needless guess"],
    mistakes: verdicts["known mine"],
  };
  const whole = { ...entry, ...ofBoard, steps, luck, stuck_seconds, ...guesses };
  keep(RECORD + entry.id, whole);
  return whole;
}

/** The best other win on the board of an entry, else on boards of its kind, with the share of safe cells by time. */
function rivalOf(entry) {
  const wins = entries().filter(
    (one) => one.id !== entry.id && one.kind === entry.kind && one.won && one.unranked !== "help" && isReplayable(one),
  );
  const same = wins.filter((one) => one.puzzle && entry.puzzle && isKnown(entry, [one]));
  const [best] = (same.length ? same : wins).sort((one, other) => one.seconds - other.seconds);
  return best && { seconds: best.seconds, isSame: same.length > 0, steps: unlessDamaged(() => stepsOf(best)) ?? [] };
}

/** The share of the safe cells that were open after each click of an entry: `[seconds, share]`. */
function stepsOf(entry) {
  const { grid, mines, mineMap } = boardOf(entry);
  let view = hiddenView(grid, mines);
  const hiddenSafe = () => view.cells.filter((cell) => cell < 0).length - mines;
  const safe = hiddenSafe();
  return entry.recorded_clicks.map(([seconds, , cells]) => {
    ({ view } = kernel.open(view, mineMap, cells.map(grid.index)));
    return [seconds, 1 - hiddenSafe() / safe];
  });
}

/** The result of a function; null for an entry that was imported and does not fit its board. */
const unlessDamaged = (compute) => unless([Fault, RangeError], compute);

const hasNoScore = (entry) => isRated(entry) && !entry.score && entry.puzzle;

/** Add the score of its puzzle to an entry that moves the rating. */
function withScore(entry) {
  const score = unlessDamaged(() => scoreOf(kernel.work(readBoardToken(entry.puzzle))));
  keep(RECORD + entry.id, score ? { ...entry, score } : { ...entry, puzzle: null });
}

const isKnownFully = (entry) => entry.forced !== undefined && entry.forced !== null;

function entryOfId(id) {
  const game = stored.has(GAME + id) && gameOf(id);
  if (game && !game.isOver && !stored.has(RECORD + id))
    throw new Fault(t("This game can still go on: finish it or give it up to review it."), "conflict");
  const entry = entryWith(id);
  if (!entry) throw new Fault(t("There is no such game in your record."), "not_found");
  if (!isReplayable(entry)) throw new Fault(t("The clicks of this game are not in your record."), "not_found");
  return entry;
}

/* Calls, by their names. */

const CALLS = {
  newGame: (request, report) => begin(newLog(request, report)),
  again: (id, more) => begin(sameBoard(gameOf(id).log, more)),
  /** Show a game. Its clock stands where its last move left it. */
  game(id) {
    games.clear();
    return gameOf(id).state();
  },
  /** What the page offers besides a game: the newest unfinished one, and the daily puzzle. */
  offers(id) {
    const logs = withPrefix(GAME).map(([, log]) => log);
    const open = logs.filter((log) => log.isOpen && log.id !== id);
    const unfinished = open.reduce((one, log) => (one?.stored > log.stored ? one : log), null);
    const all = entries();
    return { unfinished, streak: dailyStreak(all, today()).streak, isDone: calendar(all)[today()]?.won ?? false };
  },
  /** Go on with the clock after the board was out of sight. */
  wake(id, seconds) {
    const game = gameOf(id);
    game.wake(seconds);
    return game.state();
  },
  move: (id, name, cell) => play(id, (game) => game.move(name, cell)),
  help: (id, safe, mines) => play(id, (game) => game.help(safe, mines)),
  undo: (id) => play(id, (game) => game.takeBack()),
  reveal: (id) => play(id, (game) => game.giveUp()),
  step,
  /** Judge the answer of a player who practises. */
  practise(id, cell) {
    const game = gameOf(id);
    const own = explained(game.view).find(({ cells }) => cells.includes(cell));
    const shown = own ?? advise("hint", game.state());
    const words = own ? own.words : [t("That cell is not certain."), shown.words];
    const safe = shown.safe ?? [shown.guess?.cell].filter(Boolean);
    const marks = { why: shown.reason?.clues, "is-safe": safe, "is-mine": own?.mines };
    return { isRight: isRight(game.view, cell), words: [words].flat(), marks };
  },
  readPicture: async (module, pixels, width, height) => (await loadMore(module)).readPicture(pixels, width, height),
  /** The moves of a plan that clears the board of a game from its first click: `{ name, cell }`; null for Kaboom. */
  async plan(module, id) {
    const { grid, log, mineMap, click } = gameOf(id);
    if (log.rules) return null;
    const { clicks } = (await loadMore(module)).fewestClicks({ grid, mines: log.mines, mineMap, click });
    return clicks.map(({ kind, cell }) => ({ name: kind === "left" ? "open" : kind, cell }));
  },
  share: (id) => gameOf(id).share,
  puzzle: (id) => gameOf(id).log.puzzle,

  /** The statistics of a game at its first end; empty for a game that did not count. */
  stats(id) {
    const entry = entryWith(id);
    if (!entry) return {};
    // The end of a game does not wait for the archive.
    if (!entry.unranked && entry.puzzle && !archive.has(id) && isKnown(entry, [...archive.values()]))
      keep(RECORD + id, Object.assign(entry, { unranked: "repeat" }));
    const whole = listed(withStatistics(entry));
    [entryWith(id)].filter(hasNoScore).forEach(withScore);
    const rated = ratings(entries()).find((one) => one.id === id);
    return { ...whole, best_before: bestBefore(entry, entries()), rated };
  },
  record() {
    const incomplete = entries().filter((entry) => !isKnownFully(entry) && isReplayable(entry));
    incomplete.slice(-REVIEWS).forEach(withStatistics);
    entries().filter(hasNoScore).slice(0, SCORES).forEach(withScore);
    const all = entries();
    const rated = ratings(all).at(-1);
    const days = Object.entries(calendar(all)).map(([day, entry]) => [
      day,
      { ...listed(entry), hasReview: isReplayable(entry) },
    ]);
    const daily = dailyStreak(all, today());
    return {
      kinds: sums(all),
      steps: weaknesses(all),
      daily,
      days: Object.fromEntries(days),
      rated,
      games: all.reverse().slice(0, LISTED).map(listed),
    };
  },
  exportRecord: () => ({ games: entries() }),
  importRecord(file) {
    for (const entry of imported(file)) keep(RECORD + entry.id, entry);
  },
  deleteRecord() {
    for (const [key] of withPrefix(RECORD)) keep(key, null);
    archive = new Map();
    return clearArchive().catch(() => undefined);
  },
  review(id) {
    const entry = entryOfId(id);
    return { ...reviewed(entry), rival: rivalOf(entry) };
  },
  reviewRecording: reviewed,
  /** Entries that the server does not have and has not refused in this version of the page. */
  unsent: () =>
    entries().filter((entry) => !entry.sent && entry.refused !== VERSION && isReplayable(entry) && entry.puzzle),
  /** Note that the server has refused an entry. */
  refuse(id) {
    if (stored.has(RECORD + id)) keep(RECORD + id, { ...stored.get(RECORD + id), refused: VERSION });
  },
  /** Take the entries of the server, whose values win. */
  merge(found) {
    for (const entry of found.filter(isEntry)) {
      const known = entryWith(entry.id);
      const values = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
      const merged = { ...known, ...values, sent: true };
      if (JSON.stringify(merged) !== JSON.stringify(known)) keep(RECORD + entry.id, merged);
    }
  },
  advise,
};

/** A game whose board comes with the first click needs no kernel. */
const isEarly = ({ name, args: [request] }) =>
  name === "newGame" &&
  ["classic", "kaboom", "no-guess"].includes(request.mode) &&
  PRESETS.some((preset) => preset.name === request.preset) &&
  ["seed", "difficulty", "tier", "grid"].every((filter) => request[filter] === undefined);

function messageOf(error) {
  if (error instanceof TooWide) return t("This position is too large for the engine of this browser.");
  if (error instanceof Fault || error instanceof RangeError) return error.message;
  console.error(error);
  return t("The engine failed: {cause}.", { cause: error.message });
}

/** Take what is new in the page's storage, and remove what is damaged. */
function learn(news) {
  for (const [key, value] of Object.entries(news)) {
    if (value === null) {
      stored.delete(key);
      // Another tab may have moved it.
      if (key.startsWith(RECORD)) archive = null;
    } else if (key.startsWith(RECORD) && !isEntry(value)) keep(key, null);
    else stored.set(key, value);
  }
}

let loaded;
const ready = new Promise((resolve, reject) => {
  loaded = (module) => useKernel(module).then(resolve, reject);
});

self.onmessage = async ({ data }) => {
  if (data.module) {
    loaded(data.module);
    return;
  }
  const { id, name, args, news } = data;
  // Other requests may come before the answer.
  const made = {};
  try {
    if (!isEarly(data)) await ready;
    changes = made;
    learn(news);
    if (OF_ARCHIVE.includes(name)) await loadArchive();
    changes = made;
    const report = (seconds) => self.postMessage({ id, progress: seconds });
    const answer = await CALLS[name](...args, ...(name === "newGame" ? [report] : []));
    if (Object.keys(made).some((key) => key.startsWith(RECORD))) await moveOld(made);
    self.postMessage({ id, answer, changes: made });
  } catch (error) {
    self.postMessage({ id, error: { message: messageOf(error), code: error.code ?? "bad_input" }, changes: made });
  }
};

self.postMessage({ listens: true });
