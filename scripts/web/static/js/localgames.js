/**
 * The page without a server: games and the record of this browser, answering the calls that a server answers.
 *
 * The kernel has the rules; this module only keeps the states.
 */

import { DIFFICULTIES } from "../kernel/index.js";
import { ApiError, LIMITS, advise, checkSize, kernel, listOf, marked, pairs } from "./advice.js";
import { linesOf, rowsOf } from "./codes.js";
import { reviewOf } from "./judgement.js";
import { STRATEGIES } from "./local.js";
import { kaboomToken } from "./position.js";
import { tierName } from "./wording.js";
import { t, translated } from "./words.js";

const PRESETS = [["beginner", 9, 9, 10], ["intermediate", 16, 16, 40], ["expert", 16, 30, 99], ["super-expert", 30, 50, 300]].map(([name, rows, cols, mines]) => ({ name, rows, cols, mines, standard: true }));
const REVIEWS = 5;
/** The clicks of so many games are kept, which fits the storage of browsers. */
const KEPT_CLICKS = 300;
const SEARCH_MS = 20_000;
const KEPT_GAMES = 32;
const GAME = "game-";
const RECORD = "record-";
const DAMAGED = t("This share link is damaged or incomplete.");

/** What the browser stores: games and records by their keys. */
const stored = new Map();
let changes = {};

function keep(key, value) {
  if (value === null) stored.delete(key);
  else stored.set(key, value);
  changes[key] = value;
}

const today = () => new Date().toISOString().slice(0, 10);
const randomSeed = () => Number(crypto.getRandomValues(new BigUint64Array(1))[0] >> 11n);
const newId = () => `local-${randomSeed().toString(36)}`;
const sizeName = ({ rows, cols, mines }) => `${rows}x${cols}/${mines}`;

/* States of games. */

const sizeOf = (game) => game.rows * game.cols;
const viewOfGame = (game) => ({ rows: game.rows, cols: game.cols, mines: game.mines, cells: Int8Array.from(game.cells) });
const isUntouched = (game) => game.cells.every((cell) => cell < 0);
const hiddenOf = (game) => [...game.cells.keys()].filter((cell) => game.cells[cell] < 0);

function statusOf(game) {
  if (game.exploded.length) return "lost";
  if (hiddenOf(game).length === game.mines && (game.mined || game.rules)) return "won";
  return "playing";
}

const isOver = (game) => statusOf(game) === "won" || (statusOf(game) === "lost" && game.revealed);
const mayUndo = (game) => statusOf(game) === "lost" || (game.rules && statusOf(game) === "playing" && game.earlier.length > 0);
const secondsOf = (game) => game.seconds + (game.since === null ? 0 : (Date.now() - game.since) / 1000);

function setClock(game) {
  const runs = statusOf(game) === "playing" && !isUntouched(game);
  if (runs && game.since === null) game.since = Date.now();
  if (!runs && game.since !== null) [game.seconds, game.since] = [secondsOf(game), null];
}

function minesShown(game) {
  if (game.rules) return statusOf(game) === "won" ? hiddenOf(game) : statusOf(game) === "lost" ? game.mined : null;
  return isOver(game) ? game.mined : null;
}

function stateOf(game, changed = []) {
  const status = statusOf(game);
  const mines = minesShown(game);
  const { verdict = null } = game;
  if (status !== "lost") game.verdict = null;
  return {
    id: game.id, mode: game.mode, title: game.title, rows: game.rows, cols: game.cols, mines: game.mines,
    cells: linesOf(game, game.cells), before: status === "lost" && game.before ? linesOf(game, game.before) : null,
    flags: pairs(game, game.flags), status: status === "playing" && isUntouched(game) ? "ready" : status,
    exploded: pairs(game, game.exploded), mine_map: mines && pairs(game, mines), seconds: secondsOf(game), ticking: game.since !== null,
    can_undo: Boolean(mayUndo(game)), undos: game.undos, helped: game.helped, flagged: game.flagged, clicks: game.clicks, rules: game.rules, changed: pairs(game, changed), turn: game.turn,
    guesses: game.rules && { count: game.guesses.length, luck: game.guesses.includes(null) ? null : game.guesses.reduce((all, one) => all * one, 1) },
    verdict: verdict && { why: verdict, survived: !game.exploded.length },
  };
}

function store(game) {
  const games = [...stored].filter(([key, { mode }]) => key.startsWith(GAME) && (mode === "watch") === (game.mode === "watch"));
  if (game.mode === "watch") {
    // The page watches one game at a time, which the browser does not store.
    for (const [key] of games) stored.delete(key);
    stored.set(GAME + game.id, game);
    return game;
  }
  keep(GAME + game.id, { ...game, stored: Date.now() });
  const old = games.filter(([key]) => key !== GAME + game.id).sort(([, one], [, other]) => other.stored - one.stored).slice(KEPT_GAMES - 1);
  for (const [key] of old) keep(key, null);
  return game;
}

function gameOf(id) {
  const game = stored.get(GAME + id);
  if (!game) throw new ApiError(t("This game is gone: start a new one."), "not_found");
  return game;
}

/* New games. */

function nameOf(name, size) {
  const preset = PRESETS.find((one) => sizeName(one) === sizeName(size));
  return [name, preset?.name, sizeName(size)].filter(Boolean).join(" ");
}

const titleOf = (name, size) => `${nameOf(name, size)}, in this browser`;

function blank(mode, size, more) {
  const game = { id: newId(), mode, ...size, cells: Array(size.rows * size.cols).fill(-1), flags: [], exploded: [], mined: null, click: null, share: null, turn: 0, seconds: 0, since: null, undos: 0, helped: false, flagged: false, repeat: false, counts: true, clicks: 0, rules: null, guesses: [], earlier: [], revealed: false, before: null, clicksMade: 0, recorded: [], ...more };
  return { ...game, title: more.title ?? titleOf(mode[0].toUpperCase() + mode.slice(1), size) };
}

/** A game on a puzzle with its first cell open. */
function onPuzzle(mode, { rows, cols, mines, mined, click }, more = {}) {
  const game = blank(mode, { rows, cols, mines }, { mined, click, ...more });
  if (mode === "watch") return game;
  const [cell] = pairs(game, [click]);
  game.cells = [...kernel.open(viewOfGame(game), marked(sizeOf(game), mined), click).cells];
  game.recorded = [[0, cell, [cell], 0]];
  return game;
}

function sizeIn(request) {
  const { rows, cols, mines } = request.preset ? PRESETS.find(({ name }) => name === request.preset) ?? {} : request;
  checkSize({ rows, cols });
  if (!(Number.isInteger(mines) && mines >= 0)) throw new ApiError(t("The number of mines is missing."));
  return { rows, cols, mines };
}

function checkRoom(size, start) {
  const room = kernel.room({ ...size, start });
  if (size.mines > room) throw new ApiError(t("This board has room for 0 to {most} mines.", { most: room }));
}

const centre = ({ rows, cols }) => Math.floor(rows / 2) * cols + Math.floor(cols / 2);

const hardest = ({ tally }) => tierName(tally.findLastIndex((cells) => cells > 0) + 1);

function solvable(size, seed, { difficulty = null, tier = null } = {}, click = centre(size)) {
  const most = kernel.room({ ...size, click });
  if (size.mines > most) throw new ApiError(t("This board has room for 0 to {most} mines.", { most }));
  const end = Date.now() + SEARCH_MS;
  const accepts = (puzzle) => (!difficulty || puzzle.difficulty === difficulty) && (!tier || hardest(puzzle) === tier);
  const found = kernel.findSolvable({ ...size, click, seed }, accepts, Infinity, () => Date.now() > end);
  if (!found) throw new ApiError(t("No solvable board was found in {seconds} seconds. Try {fix}.", { seconds: SEARCH_MS / 1000, fix: difficulty || tier ? t("another difficulty or hardest step") : t("fewer mines") }), "too_slow");
  return { ...size, mined: listOf(found.mineMap), click: found.click };
}

function daily(preset, date) {
  const size = PRESETS.find(({ name }) => name === preset);
  if (!size || !/^\d{4}-\d\d-\d\d$/.test(date)) throw new ApiError(DAMAGED);
  const { rows, cols, mines } = size;
  return onPuzzle("daily", solvable({ rows, cols, mines }, Number(date.replaceAll("-", ""))), { title: titleOf(`Daily ${date}`, size), share: `daily-${date}-${preset}` });
}

function kaboom(size, rules, seed) {
  checkRoom(size, rules.opening_start ? "opening" : "safe");
  return blank("kaboom", size, { rules, seed: seed ?? randomSeed(), repeat: seed !== undefined });
}

const MODES = {
  "no-guess": (request) => {
    const filters = [request.difficulty, request.tier && `hardest step: ${request.tier}`].filter(Boolean);
    const size = sizeIn(request);
    const seed = request.seed ?? randomSeed();
    // Without a seed, the game begins with the player's first click. A board may not exist, or take too long to find:
    // that is said before the game.
    const isSure = PRESETS.some((one) => sizeName(one) === sizeName(size)) && !filters.length;
    const found = isSure && request.seed === undefined ? null : solvable(size, seed, request);
    const { difficulty, tier } = request;
    const game = request.seed === undefined ? blank("no-guess", size, { seed, wanted: { difficulty, tier } }) : onPuzzle("no-guess", found, { repeat: true });
    game.title = [game.title, ...filters].join(", ");
    return game;
  },
  classic: (request) => {
    const size = sizeIn(request);
    checkRoom(size, request.start ?? "opening");
    return blank("classic", size, { start: request.start ?? "opening", seed: request.seed ?? randomSeed(), repeat: request.seed !== undefined });
  },
  daily: (request) => daily(request.preset ?? "expert", request.date ?? today()),
  kaboom: (request) => kaboom(sizeIn(request), { opening_start: true, guess_anywhere: false, outside_counts: true, mode: "uniform", ...request.rules }, request.seed),
  shared: ({ token }) => shared(token),
  again: ({ game: id }) => again(gameOf(id)),
  watch: watched,
};

/** The same board again. */
function again(game) {
  if (game.rules) {
    game.repeat = true;
    store(game);
    return kaboom({ rows: game.rows, cols: game.cols, mines: game.mines }, game.rules, game.seed);
  }
  if (!game.mined) throw new ApiError(t("There is no board yet: it comes with the first click."), "conflict");
  return onPuzzle(game.mode === "watch" ? "shared" : game.mode, game, { title: game.title, share: game.share, repeat: true });
}

function watched(request) {
  const { strategy } = request;
  if (request.game) return onPuzzle("watch", gameOf(request.game), { strategy, title: nameOf(strategy, gameOf(request.game)) });
  const size = sizeIn(request);
  const puzzle = kernel.deal({ ...size, click: centre(size), seed: request.seed ?? randomSeed() });
  return onPuzzle("watch", { ...size, mined: listOf(puzzle.mineMap), click: puzzle.click }, { strategy, title: nameOf(strategy, size) });
}

/* Share links: the tokens of scripts/web/share_links.py. */

function boardToken({ rows, cols, click, mined }) {
  const bytes = new Uint8Array(Math.ceil((rows * cols) / 8));
  for (const mine of mined) bytes[mine >> 3] |= 128 >> (mine & 7);
  const packed = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `board-${rows}x${cols}-${Math.floor(click / cols)}x${click % cols}-${packed}`;
}

function shared(token) {
  const damaged = new ApiError(DAMAGED);
  const day = /^daily-(\d{4}-\d\d-\d\d)-([a-z-]+)$/.exec(token);
  if (day) return daily(day[2], day[1]);
  const adversary = /^kaboom-(\d+)x(\d+)-(\d+)-([01])([01])([01])-(uniform|cruelest)$/.exec(token);
  if (adversary) {
    const [rows, cols, mines, opening, anywhere, outside] = adversary.slice(1, 7).map(Number);
    return kaboom(sizeIn({ rows, cols, mines }), { opening_start: opening === 1, guess_anywhere: anywhere === 1, outside_counts: outside === 1, mode: adversary[7] });
  }
  const board = /^board-(\d+)x(\d+)-(\d+)x(\d+)-([\w-]+)$/.exec(token);
  if (!board) throw token.startsWith("puzzle-") ? new ApiError(t("This link needs the database of a server.")) : damaged;
  const [rows, cols, row, col] = board.slice(1, 5).map(Number);
  sizeIn({ rows, cols, mines: 0 });
  let bytes;
  try {
    bytes = atob(board[5].replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw damaged;
  }
  const click = row * cols + col;
  const mined = Array.from({ length: rows * cols }, (_, cell) => cell).filter((cell) => bytes.charCodeAt(cell >> 3) & (128 >> (cell & 7)));
  if (bytes.length !== Math.ceil((rows * cols) / 8) || row >= rows || col >= cols || mined.includes(click)) throw damaged;
  return onPuzzle("shared", { rows, cols, mines: mined.length, mined, click }, { share: token });
}

function shareOf(game) {
  const token = game.rules ? kaboomToken(game) : game.share ?? (isOver(game) ? boardToken(game) : null);
  if (!token) throw new ApiError(t("The link would show where the mines are: win the game or give it up first."), "conflict");
  return token;
}

/* Moves. */

/** Open cells in order, by a click on `clicked` or by the program, and return those that opened. */
function openAll(game, cells, clicked = null) {
  const isChord = clicked !== null && clicked !== cells[0];
  const [at, ...targets] = pairs(game, [clicked ?? cells[0], ...cells]);
  const click = [Math.round(secondsOf(game) * 1000) / 1000, at, targets, Number(clicked === null)];
  game.before = game.cells;
  const earlier = { cells: game.cells, guesses: [...game.guesses] };
  if (!game.rules && !game.mined) {
    const size = { rows: game.rows, cols: game.cols, mines: game.mines };
    const mined = game.wanted ? solvable(size, game.seed, game.wanted, cells[0]).mined : listOf(kernel.deal({ ...size, click: cells[0], start: game.start, seed: game.seed }).mineMap);
    [game.mined, game.click] = [mined, cells[0]];
  }
  const mineMap = game.mined && marked(sizeOf(game), game.mined);
  for (const cell of cells) {
    if (game.cells[cell] >= 0 || (statusOf(game) !== "playing" && !(isChord && !game.rules))) continue;
    if (game.rules) clickKaboom(game, cell);
    else {
      const { survived, cells: after } = kernel.open(viewOfGame(game), mineMap, cell);
      game.cells = [...after];
      if (!survived) game.exploded.push(cell);
    }
  }
  const opened = [...game.cells.keys()].filter((cell) => game.cells[cell] >= 0 && game.before[cell] < 0);
  if (game.counts && (opened.length || statusOf(game) !== "playing")) game.recorded.push(click);
  if (game.rules && opened.length) game.earlier.push(earlier);
  game.flags = game.flags.filter((cell) => game.cells[cell] < 0);
  setClock(game);
  if (game.counts && game.mode !== "watch" && statusOf(game) !== "playing") end(game);
  return opened;
}

function clickKaboom(game, cell) {
  const view = viewOfGame(game);
  const { why, survived, cells, layout } = kernel.click(view, game.rules, cell, { seed: game.seed, clicks: ++game.clicksMade });
  if (why === "forced_guess") game.guesses.push(1 - kernel.probabilities(view).chances[cell]);
  game.verdict = why;
  game.cells = [...cells];
  if (!survived) [game.exploded, game.mined] = [[cell], listOf(layout)];
}

function end(game) {
  game.counts = false;
  const won = statusOf(game) === "won";
  const mined = game.rules && won ? hiddenOf(game) : game.mined;
  const seconds = Math.round(secondsOf(game) * 1000) / 1000;
  const day = game.mode === "daily" && game.share?.startsWith(`daily-${today()}-`) ? today() : null;
  const unranked = game.helped ? "help" : game.repeat ? "repeat" : "";
  const ended = new Date().toISOString().slice(0, 19).replace("T", " ");
  const kind = `${game.mode} ${sizeName(game)}`;
  const mines = rowsOf(game, Array.from(marked(sizeOf(game), mined), (mine) => (mine ? "*" : ".")).join(""));
  keep(RECORD + game.id, { id: game.id, kind, seconds, mode: game.mode, title: game.title, won, clicks: game.clicks, unranked, day, ended, recorded_clicks: game.recorded, mines });
  for (const { recorded_clicks: _clicks, mines: _mines, ...old } of records().filter(hasClicks).slice(0, -KEPT_CLICKS)) keep(RECORD + old.id, old);
}

const hasClicks = (one) => Boolean(one.recorded_clicks?.length && one.mines);

/** The review of a game of the record, which then has its statistics. */
function reviewed(one) {
  const mineMap = Uint8Array.from(one.mines.join(""), (code) => Number(code === "*"));
  const found = reviewOf(kernel, { rows: one.mines.length, cols: one.mines[0].length, mineMap, clicks: one.recorded_clicks, seconds: one.seconds, clickCount: one.clicks, isFair: one.mode !== "kaboom" });
  const { bbbv, solved_bbbv, bbbv_per_second, efficiency, zini_efficiency, luck, stuck_seconds, verdicts } = found;
  // These depend on the whole board, which a lost game may not show.
  const ofBoard = one.won ? { bbbv, solved_bbbv, bbbv_per_second, efficiency, zini_efficiency } : {};
  if (one.forced == null) keep(RECORD + one.id, { ...one, ...ofBoard, luck, stuck_seconds, forced: verdicts["forced guess"], needless: verdicts["needless guess"] });
  return { ...found, title: one.title, id: one.id };
}

function review(id) {
  const game = stored.get(GAME + id);
  if (game && !isOver(game)) throw new ApiError(t("This game can still go on: finish it or give it up to review it."), "conflict");
  const one = stored.get(RECORD + id);
  if (!one) throw new ApiError(t("There is no such game in your record."), "not_found");
  if (!hasClicks(one)) throw new ApiError(t("The clicks of this game are not in your record."), "not_found");
  return reviewed(one);
}

function mustGoOn(game) {
  if (statusOf(game) !== "playing") throw new ApiError(t("This game is {status}.", { status: translated(statusOf(game)) }), "conflict");
}

function undo(game) {
  if (!mayUndo(game)) throw new ApiError(t("There is no move to undo."), "conflict");
  if (game.exploded.length) {
    game.exploded = [];
    if (game.rules) game.mined = null;
  } else {
    ({ cells: game.cells, guesses: game.guesses } = game.earlier.pop());
    game.counts = false;
  }
  game.undos += 1;
  game.helped = true;
  setClock(game);
  return stateOf(game);
}

function reveal(game) {
  if (statusOf(game) !== "lost") throw new ApiError(t("Only a lost game can be given up."), "conflict");
  game.revealed = true;
  return stateOf(game);
}

const MOVES = {
  open: (game, cell) => (game.flags.includes(cell) ? [] : openAll(game, [cell], cell)),
  chord: (game, cell) => {
    const cells = kernel.chorded(viewOfGame(game), marked(sizeOf(game), game.flags), cell);
    return cells.length ? openAll(game, cells, cell) : [];
  },
  flag: (game, cell) => {
    if (game.cells[cell] >= 0) return [];
    game.flagged = true;
    game.flags = game.flags.includes(cell) ? game.flags.filter((flag) => flag !== cell) : [...game.flags, cell];
    return [];
  },
};

function move(game, name, { row, col, turn }) {
  mustGoOn(game);
  if (!(row >= 0 && row < game.rows && col >= 0 && col < game.cols)) throw new ApiError(t("There is no cell {cell} on this board.", { cell: `(${row}, ${col})` }));
  game.turn = Math.max(game.turn, (turn ?? game.turn) + 1);
  game.clicks += 1;
  return stateOf(game, MOVES[name](game, row * game.cols + col));
}

/** Note help, and make the moves that the engine found. */
function help(game, { safe = [], mines = [] }) {
  mustGoOn(game);
  game.helped = true;
  game.flags = game.flags.filter((cell) => !safe.includes(cell));
  const changed = safe.length ? openAll(game, safe) : [];
  game.flags = [...new Set([...game.flags, ...mines])];
  return stateOf(game, changed);
}

/** Make the next move of a watched game, unless it is given. */
function step(game, { move: given }) {
  const [first] = pairs(game, [game.click]);
  const made = advise("move", stateOf(game), { strategy: game.strategy, first, given });
  const cells = (list) => list.map(([row, col]) => row * game.cols + col);
  const changed = made.cells.length ? openAll(game, cells(made.cells)) : [];
  game.flags = [...new Set([...game.flags, ...cells(made.mines)])];
  return { game: stateOf(game, changed), move: made };
}

/* The record. */

const records = () => [...stored].filter(([key]) => key.startsWith(RECORD)).map(([, one]) => one).sort((one, other) => (one.ended < other.ended ? -1 : 1));

/** The sums of db/people.py. */
function record() {
  records().filter((one) => one.forced == null && hasClicks(one)).slice(-REVIEWS).forEach(reviewed);
  const games = records().map(({ recorded_clicks: _clicks, mines: _mines, ...game }) => game);
  const kinds = [...new Set(games.map(({ kind }) => kind))].map((kind) => {
    const own = games.filter((game) => game.kind === kind);
    const counts = (unranked) => {
      const among = own.filter((game) => game.unranked === unranked);
      return { games: among.length, wins: among.filter(({ won }) => won).length };
    };
    const ranked = own.filter((game) => !game.unranked);
    const wins = ranked.filter(({ won }) => won);
    const values = (name) => wins.map((game) => game[name]).filter((value) => value != null);
    const sum = (name) => ranked.reduce((all, game) => all + (game[name] ?? 0), 0);
    const mean = (list) => (list.length ? list.reduce((sum, value) => sum + value, 0) / list.length : null);
    const most = (list, pick) => (list.length ? pick(...list) : null);
    let streak = 0;
    let longest = 0;
    for (const { won } of ranked) {
      streak = won ? streak + 1 : 0;
      longest = Math.max(longest, streak);
    }
    const [low, high] = ranked.length ? wilson(wins.length, ranked.length) : [null, null];
    return {
      kind, ranked: counts(""), help: counts("help"), repeat: counts("repeat"), low, high, streak, longest_streak: longest, forced: sum("forced"), needless: sum("needless"),
      best_seconds: most(values("seconds"), Math.min), mean_seconds: mean(values("seconds")), mean_luck: mean(values("luck")),
      best_bbbv_per_second: most(values("bbbv_per_second"), Math.max), mean_bbbv_per_second: mean(values("bbbv_per_second")),
      best_efficiency: most(values("efficiency"), Math.max), mean_efficiency: mean(values("efficiency")),
    };
  });
  kinds.sort((one, other) => other.ranked.games - one.ranked.games || (one.kind < other.kind ? -1 : 1));
  return { kinds, daily: dailyStreak(games), keeps: true, games: games.reverse().slice(0, 200) };
}

/** The 95% interval of a share, in percent. */
function wilson(wins, games) {
  const [z, share] = [1.959964, wins / games];
  const middle = (share + (z * z) / (2 * games)) / (1 + (z * z) / games);
  const half = (z / (1 + (z * z) / games)) * Math.sqrt((share * (1 - share)) / games + (z * z) / (4 * games * games));
  return [middle - half, middle + half].map((bound) => Math.round(10_000 * bound) / 100);
}

function dailyStreak(games) {
  const days = [...new Set(games.filter((game) => game.won && game.day && !game.unranked).map(({ day }) => day))].sort();
  const number = (day) => Date.parse(day) / 86_400_000;
  let streak = 0;
  let longest = 0;
  days.forEach((day, i) => {
    streak = i && number(day) - number(days[i - 1]) === 1 ? streak + 1 : 1;
    longest = Math.max(longest, streak);
  });
  const lasts = days.length && number(today()) - number(days.at(-1)) <= 1;
  return { streak: lasts ? streak : 0, longest, days: days.length };
}

function importRecord({ games }) {
  const isRecord = (game) => game && typeof game.id === "string" && typeof game.kind === "string" && typeof game.ended === "string" && typeof game.seconds === "number" && typeof game.won === "boolean" && typeof game.title === "string";
  if (!Array.isArray(games) || !games.every(isRecord)) throw new ApiError(t("This file is no record; expected a file that Export has written."));
  for (const game of games) keep(RECORD + game.id, { unranked: "", day: null, ...game });
  return { imported: games.length };
}

function stats(game) {
  const ended = stored.get(RECORD + game.id);
  if (!ended) return {};
  if (ended.forced == null && hasClicks(ended)) reviewed(ended);
  const { recorded_clicks: _clicks, mines: _mines, ...found } = stored.get(RECORD + game.id);
  const before = records().filter((one) => one.id !== game.id && one.kind === found.kind && one.won && !one.unranked && one.ended <= found.ended);
  return { ...found, best_before: before.length ? Math.min(...before.map(({ seconds }) => seconds)) : null };
}

/* Calls. */

const options = () => ({
  presets: PRESETS, begins_with: null, limits: LIMITS, difficulties: DIFFICULTIES, strategies: STRATEGIES,
  default_strategy: "champion", database: false, packs: [], puzzles: 0, today: today(), formats: [{ name: "text", title: "text, as here", ending: ".txt", mines: false }],
});

const OTHER = { help, undo, reveal, stats, step, puzzle: (game) => ({ token: boardToken(game) }), share: (game) => ({ token: shareOf(game) }) };

function answerGame(id, action, body) {
  const game = structuredClone(gameOf(id));
  if (!action) return stateOf(game);
  const answer = action in MOVES ? move(game, action, body) : OTHER[action](game, body);
  store(game);
  return answer;
}

function newGame(request) {
  if (!(request.mode in MODES)) throw new ApiError(t("This kind of game needs a server."));
  return stateOf(store(MODES[request.mode](request)));
}

function respond(method, path, body) {
  const [, , what, id, action] = path.split("/");
  const calls = {
    options,
    games: () => (id ? answerGame(decodeURIComponent(id), action, body) : newGame(body)),
    record: () => {
      if (id === "export") return { games: records() };
      if (id === "import") return importRecord(body);
      if (action === "review") return review(decodeURIComponent(id));
      if (id === "delete") for (const [key] of [...stored]) if (key.startsWith(RECORD)) keep(key, null);
      return record();
    },
  };
  if (!(what in calls)) throw new ApiError(t("This needs a server."), "not_found");
  return calls[what]();
}

/** Answer a call, and return the answer and the changes of what the browser stores. */
export function answer({ method, path, body, stored: given }) {
  for (const [key, value] of Object.entries(given)) keep(key, value);
  changes = {};
  return { answer: respond(method, path, body), changes };
}
