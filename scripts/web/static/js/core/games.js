/**
 * New games from the requests of the page, as logs that `Game` replays.
 *
 * A game of a standard size whose board comes with the first click needs no kernel, so the page shows it at once.
 */

import { DIFFICULTIES, viewOf } from "../../kernel/index.js";
import { capital } from "../format.js";
import { t } from "../words.js";
import { KINDS, practicePuzzle } from "./practice.js";
import { kernel } from "./kernel.js";
import { boardToken, checkRoom, dailyPuzzle, isSure, readBoardToken, readToken, solvable, today } from "./puzzles.js";
import { Fault, presetOf, sizeIn, sizeToJSON, titleOf } from "./sizes.js";

/** @typedef {import("./game.js").Log} Log */

const randomSeed = () => Number(crypto.getRandomValues(new BigUint64Array(1))[0] >> 11n);
const randomId = () => randomSeed().toString(36);

/**
 * The log of a new game. Options that are undefined have their defaults, too.
 *
 * @param {string} mode
 * @param {import("./sizes.js").Size} size
 * @param {Partial<Log>} options
 * @returns {Log}
 */
function blank(mode, size, options = {}) {
  const { title = titleOf(capital(mode), size), puzzle = null, seed = randomSeed(), start = null } = options;
  const { filter = null, rules = null, share = null, repeat = false, day = null, moves = [] } = options;
  const board = { ...sizeToJSON(size), puzzle, seed, start, filter, rules, share };
  return { id: randomId(), mode, title, ...board, repeat, day, moves };
}

const RULES = { opening_start: true, guess_anywhere: false, outside_counts: true, unavoidable_early: false };

function rulesOf({ mode = "uniform", ...chosen } = {}) {
  const rules = Object.entries(RULES).map(([name, usual]) => [name, chosen[name] ?? usual]);
  return { ...Object.fromEntries(rules), mode };
}

/** A game on a puzzle with its first cell open. */
const onPuzzle = (mode, puzzle, more = {}) => blank(mode, puzzle, { puzzle: boardToken(puzzle), ...more });

/** Requests by their mode. */
const MODES = {
  "no-guess": (request, report) => {
    const size = sizeIn(request);
    const { seed, difficulty = null, tier = null } = request;
    if (difficulty && !DIFFICULTIES.includes(difficulty)) throw new Fault(t("There is no such difficulty."));
    const filters = [difficulty, tier && `hardest step: ${tier}`].filter(Boolean);
    const title = [titleOf("No-guess", size), ...filters].join(", ");
    const filter = { difficulty, tier };
    const find = (from) => solvable(size, from, filter, undefined, report);
    if (seed !== undefined) return onPuzzle("no-guess", find(seed), { title, seed, repeat: true });
    const log = blank("no-guess", size, { title, filter });
    // A board may not exist, or take too long to find: that is said before the game, not after its first click.
    if (!isSure(size, filter)) find(log.seed);
    return log;
  },
  classic: (request) => {
    const size = sizeIn(request);
    const { seed, start = "opening" } = request;
    if (!presetOf(size)) checkRoom(size, { start });
    return blank("classic", size, { start, seed, repeat: seed !== undefined });
  },
  kaboom: (request) => {
    const size = sizeIn(request);
    const rules = rulesOf(request.rules);
    if (!presetOf(size)) checkRoom(size, { start: rules.opening_start ? "opening" : "safe" });
    return blank("kaboom", size, { rules, seed: request.seed, repeat: request.seed !== undefined });
  },
  daily: ({ preset = "expert", date = today() }) => {
    const puzzle = dailyPuzzle(preset, date);
    const day = date === today() ? date : null;
    return onPuzzle("daily", puzzle, {
      title: titleOf(`Daily ${date}`, puzzle),
      share: `daily-${date}-${preset}`,
      day,
    });
  },
  /** A puzzle that the page has: of a share link, of the server's database, or of another game. */
  puzzle: ({ puzzle, token, share = null, as = "shared" }) => onPuzzle(as, puzzle ?? readBoardToken(token), { share }),
  practice: ({ kind = 2, tier = KINDS[kind] }) => {
    const { puzzle, opened } = practicePuzzle(KINDS.indexOf(tier), randomSeed());
    return onPuzzle("practice", puzzle, { title: `Practice, ${tier}`, moves: [[0, "h", ...opened]] });
  },
  /** A position to play on from; its mines are drawn among the layouts that fit. */
  position({ mines, grid, cells, flags }) {
    const view = viewOf(cells.join("\n"), mines, grid);
    const mineMap = kernel.drawLayout(view, { seed: randomSeed() });
    const opened = view.grid.cells.filter((cell) => view.cells[cell] >= 0);
    const click = opened[0] ?? view.grid.cells.find((cell) => !mineMap[cell]);
    if (click === undefined) throw new Fault(t("Every cell is a mine: there is nothing to play."));
    const moves = [[0, "h", ...opened], ...flags.map((cell) => [0, "f", view.grid.index(cell)])];
    return onPuzzle("shared", { ...view, mineMap, click }, { title: titleOf("Position", view), moves });
  },
  watch: (request) => {
    const size = sizeIn(request);
    const puzzle = kernel.deal({ ...size, click: size.grid.middle, seed: request.seed ?? randomSeed() });
    return onPuzzle("watch", puzzle, { title: titleOf(request.strategy, size) });
  },
};

/**
 * Return the log of a new game. Throws `Fault`.
 *
 * @param {(seconds: number) => void} [report] called during a search
 */
export function newLog(request, report = undefined) {
  const wanted = request.mode === "shared" ? readToken(request.token) : request;
  if (!Object.hasOwn(MODES, wanted.mode)) throw new Fault(t("This kind of game needs a server."));
  return MODES[wanted.mode](wanted, report);
}

/** A request for another game like that of a request, on another board. */
export function nextRequest({ seed: _seed, date: _date, puzzle: _puzzle, ...request }) {
  if (request.mode !== "daily") return request;
  return { mode: "no-guess", preset: request.preset ?? "expert" };
}

/**
 * Return a game on the board of another one: with the same rules, and for Kaboom the same answers to the same clicks.
 *
 * @param {Log} log
 * @param {{ mode?: string, title?: string }} options
 * @returns {Log}
 */
export function sameBoard(log, { mode = log.mode, title = log.title } = {}) {
  if (!log.puzzle && !log.rules)
    throw new Fault(t("There is no board yet: it comes with the first click."), "conflict");
  return {
    ...log,
    id: randomId(),
    mode,
    title,
    start: null,
    filter: null,
    repeat: true,
    day: null,
    moves: [],
    seconds: 0,
  };
}
