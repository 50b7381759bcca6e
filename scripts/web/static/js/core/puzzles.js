/** Puzzles for games: random and solvable ones, the daily puzzle, and the tokens of share links. */

import { holesOf } from "../../kernel/grids.js";
import { packed, sizeOfToken, sizeToken, unpacked } from "../codes.js";
import { Grid } from "../grid.js";
import { tierName } from "../wording.js";
import { t } from "../words.js";
import { kernel } from "./kernel.js";
import { Fault, PRESETS, checkSides, listOf, marked, presetOf, sizeIn, sizeOf } from "./sizes.js";

/**
 * @typedef {import("./sizes.js").Size & { mined: number[], click: number }} Puzzle `mined` are the cells with a mine
 * @typedef {{ difficulty?: string, tier?: string }} Filter
 */

/** Seconds after which a search for a board gives up. */
const SEARCH_SECONDS = 20;
/** The rules of Kaboom that can be switched on and off, in the order of tokens. */
export const SWITCHES = ["opening_start", "guess_anywhere", "outside_counts"];
const DAMAGED = t("This share link is damaged or incomplete.");

/** The date in UTC, on which daily puzzles depend. */
export const today = () => new Date().toISOString().slice(0, 10);

export const centre = (size) => new Grid(size).middle;

const hardest = ({ tally }) => tierName(tally.findLastIndex((cells) => cells > 0) + 1);

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
export function solvable(size, seed, { difficulty, tier } = {}, click = centre(size), report = undefined) {
  const board = sizeOf(size);
  checkRoom(size, { click });
  const began = Date.now();
  const stops = () => {
    const seconds = (Date.now() - began) / 1000;
    report?.(seconds);
    return seconds > SEARCH_SECONDS;
  };
  const accepts = (puzzle) => (!difficulty || puzzle.difficulty === difficulty) && (!tier || hardest(puzzle) === tier);
  const found = kernel.findSolvable({ ...board, click, seed }, accepts, Infinity, stops);
  if (found) return { ...board, mined: listOf(found.mineMap), click: found.click };
  const fix = difficulty || tier ? t("another difficulty or hardest step") : t("fewer mines");
  const values = { seconds: SEARCH_SECONDS, fix };
  throw new Fault(t("No solvable board was found in {seconds} seconds. Try {fix}.", values), "too_slow");
}

/** Deal a random board around a click. Equal clicks and seeds give equal boards. */
export function dealt(size, seed, click, start) {
  const board = sizeOf(size);
  const { mineMap } = kernel.deal({ ...board, click, start, seed });
  return { ...board, mined: listOf(mineMap), click };
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
export function boardToken({ click, mined, ...size }) {
  const { rows, cols } = size;
  const place = `${Math.floor(click / cols)}x${click % cols}`;
  return `board-${sizeToken(size)}-${place}-${packed(marked({ rows, cols }, mined))}`;
}

/** Read a token of `boardToken`. Throws `Fault`. */
export function readBoardToken(token) {
  const match = /^board-([^-]+)-(\d+)x(\d+)-([\w-]+)$/.exec(token);
  const size = match && sizeOfToken(match[1]);
  if (!size) throw new Fault(DAMAGED);
  checkSides(size);
  const { rows, cols } = size;
  const [row, col] = match.slice(2, 4).map(Number);
  const marks = unpacked(match[4], rows * cols);
  if (!marks) throw new Fault(DAMAGED);
  const click = row * cols + col;
  const mined = listOf(marks);
  const holes = holesOf(size);
  const isFree = [click, ...mined].every((cell) => !holes?.[cell]);
  if (row >= rows || col >= cols || mined.includes(click) || !isFree) throw new Fault(DAMAGED);
  return { ...size, mines: mined.length, mined, click };
}

/** The token of a Kaboom game: its size and its rules. */
export function kaboomToken({ mines, rules, ...size }) {
  const switches = SWITCHES.map((name) => Number(rules[name])).join("");
  return `kaboom-${sizeToken(size)}-${mines}-${switches}-${rules.mode}`;
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
  const adversary = /^kaboom-([^-]+)-(\d+)-([01])([01])([01])-(uniform|cruelest)$/.exec(token);
  const size = adversary && sizeOfToken(adversary[1]);
  if (size) {
    const [mines, ...switches] = adversary.slice(2, 6).map(Number);
    const chosen = Object.fromEntries(SWITCHES.map((name, i) => [name, switches[i] === 1]));
    return { mode: "kaboom", ...sizeIn({ ...size, mines }), rules: { ...chosen, mode: adversary[6] } };
  }
  return { mode: "puzzle", puzzle: readBoardToken(token), share: token };
}
