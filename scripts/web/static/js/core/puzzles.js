/** Puzzles for games: random and solvable ones, the daily puzzle, and the tokens of share links. */

import { listOf } from "../../kernel/grids.js";
import { gridOfToken, gridToken, packed, unpacked } from "../codes.js";
import { TIERS } from "../wording.js";
import { t } from "../words.js";
import { kernel } from "./kernel.js";
import { Fault, PRESETS, checkSides, presetOf } from "./sizes.js";

/**
 * @typedef {import("../../kernel/index.js").Puzzle} Puzzle
 * @typedef {{ difficulty?: string, tier?: string }} Filter
 */

/** Seconds after which a search for a board gives up. */
const SEARCH_SECONDS = 20;
/** The rules of Kaboom that can be switched on and off, in the order of tokens. */
export const SWITCHES = ["opening_start", "guess_anywhere", "outside_counts", "unavoidable_early"];
const DAMAGED = t("This share link is damaged or incomplete.");

/** The date in UTC, on which daily puzzles depend. */
export const today = () => new Date().toISOString().slice(0, 10);

const hardest = ({ tally }) => TIERS[tally.findLastIndex((cells) => cells > 0) + 1];

/** Throw `Fault` if a board has more mines than fit around its first click. */
export function checkRoom(size, place) {
  const most = kernel.room({ ...size, ...place });
  if (size.mines > most && most === 0) throw new Fault(t("This board is too small for a mine."));
  if (size.mines > most) throw new Fault(t("This board has room for 0 to {most} mines.", { most }));
}

/** Whether a solvable board of a size is found without delay. */
export const isSure = (size, { difficulty, tier }) => Boolean(presetOf(size)) && !difficulty && !tier;

/**
 * Find a board that logic solves from a click, by default the centre. Equal clicks and seeds give equal boards. Throws
 * `Fault` if there is none, or the search takes too long.
 *
 * @param {import("./sizes.js").Size} size
 * @param {number} seed
 * @param {Filter} filter
 * @param {(seconds: number) => void} [report] called again and again during the search
 * @returns {Puzzle}
 */
export function solvable(size, seed, { difficulty, tier } = {}, click = size.grid.middle, report = undefined) {
  checkRoom(size, { click });
  const began = Date.now();
  const stops = () => {
    const seconds = (Date.now() - began) / 1000;
    report?.(seconds);
    return seconds > SEARCH_SECONDS;
  };
  const accepts = (puzzle) => (!difficulty || puzzle.difficulty === difficulty) && (!tier || hardest(puzzle) === tier);
  const found = kernel.findSolvable({ ...size, click, seed }, accepts, stops);
  if (found) return found;
  const fix = difficulty || tier ? t("another difficulty or hardest step") : t("fewer mines");
  const values = { seconds: SEARCH_SECONDS, fix };
  throw new Fault(t("No solvable board was found in {seconds} seconds. Try {fix}.", values), "too_slow");
}

/** Return the puzzle of a day. Throws `Fault` for a day that does not exist or has not come. */
export function dailyPuzzle(preset, date) {
  const size = PRESETS.find(({ name }) => name === preset);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(date) && new Date(`${date}T00:00Z`).toJSON()?.startsWith(date);
  if (!size) throw new Fault(DAMAGED);
  if (!isDay) throw new Fault(t("There is no such day: {day}.", { day: date }));
  if (date > today()) throw new Fault(t("The puzzle of {day} comes on that day.", { day: date }));
  return solvable(size, Number(date.replaceAll("-", "")));
}

/* Tokens: text that recreates a puzzle or a game of Kaboom. The server reads and writes the same ones. */

/** Return a token with the whole puzzle, mines included. */
export const boardToken = ({ grid, click, mineMap }) =>
  `board-${gridToken(grid)}-${grid.pair(click).join("x")}-${packed(mineMap)}`;

/**
 * Read a token of `boardToken`. Throws `Fault`.
 *
 * @returns {Puzzle}
 */
export function readBoardToken(token) {
  const [, size = "", row, col, bits] = /^board-([^-]+)-(\d+)x(\d+)-([\w-]+)$/.exec(token) ?? [];
  const grid = gridOfToken(size);
  if (!grid) throw new Fault(DAMAGED);
  checkSides(grid);
  const mineMap = unpacked(bits, grid.size);
  if (!mineMap) throw new Fault(DAMAGED);
  const mined = listOf(mineMap);
  const click = grid.isInside(Number(row), Number(col)) ? grid.index([Number(row), Number(col)]) : null;
  const isFree = [click, ...mined].every((cell) => cell !== null && !grid.holes?.[cell]);
  if (!isFree || mined.includes(click)) throw new Fault(DAMAGED);
  return { grid, mines: mined.length, mineMap, click };
}

/** The token of a Kaboom game: its size and its rules. */
export function kaboomToken({ grid, mines, rules }) {
  const switches = SWITCHES.map((name) => Number(rules[name])).join("");
  return `kaboom-${gridToken(grid)}-${mines}-${switches}-${rules.mode}`;
}

/**
 * Read the token of a share link as a request for a new game. Throws `Fault`.
 *
 * @returns {Record<string, any>}
 */
export function readToken(token) {
  const day = /^daily-(\d{4}-\d\d-\d\d)-([a-z-]+)$/.exec(token);
  if (day) return { mode: "daily", date: day[1], preset: day[2] };
  const step = /^practice-([1-5])$/.exec(token);
  if (step) return { mode: "practice", kind: Number(step[1]) };
  const adversary = /^kaboom-([^-]+)-(\d+)-([01]{3,4})-(uniform|cruelest)$/.exec(token);
  const grid = adversary && gridOfToken(adversary[1]);
  if (grid) {
    const [mines, switches, mode] = adversary.slice(2);
    const chosen = Object.fromEntries(SWITCHES.map((name, i) => [name, switches[i] === "1"]));
    return { mode: "kaboom", ...grid.toJSON(), mines: Number(mines), rules: { ...chosen, mode } };
  }
  return { mode: "puzzle", puzzle: readBoardToken(token), share: token };
}
