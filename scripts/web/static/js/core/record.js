/** The record: finished games, and what follows from them. It needs no page and no kernel. */

import { t } from "../words.js";
import { dayOf } from "./calendar.js";
import { sizeName } from "../format.js";
import { Fault } from "./sizes.js";

/**
 * @typedef {object} Entry A finished game, from its start to its first end.
 * @property {string} id
 * @property {string} kind the mode and the size: `classic 9x9/10`, `classic 9x9/10 torus`
 * @property {string} mode
 * @property {string} title
 * @property {boolean} won
 * @property {number} seconds
 * @property {number} clicks all clicks, those for flags included
 * @property {"" | "help" | "repeat"} unranked why the game does not count: help, or a board met before
 * @property {string | null} day the date of a daily puzzle that was played on its day
 * @property {string} ended the time of the end in UTC, `2026-11-23 18:00:00`
 * @property {string} [puzzle] the token of the board
 * @property {string} [grid] the grid of a board without a token
 * @property {string | null} [share] the token from which the game was made
 * @property {Record<string, any> | null} [rules] the rules of Kaboom
 * @property {number} [seed] the seed of its log
 * @property {[number, number[], number[][], number][]} [recorded_clicks] `[seconds, cell, cells, helped]`
 * @property {number | null} [luck]
 * @property {number} [forced] forced guesses
 * @property {number} [needless] needless guesses
 * @property {[clicks: number, losses: number, seconds: number][]} [steps] by the kind of step, see practice.js
 * @property {number} [score] the score of its puzzle, see rating.js
 * @property {boolean} [sent] whether the server has it
 * @property {boolean} [hasReview] whether its clicks are kept; in lists of days
 * @property {string} [refused] the version of the page whose request for it the server refused
 */

/** Quantile of the normal distribution for an interval of 95%. */
const Z = 1.959964;
const DAY_MS = 86_400_000;

/** Return a finished game as an entry. */
export function entryOf(game, ended = new Date()) {
  const { log } = game;
  return {
    id: log.id,
    kind: `${log.mode} ${sizeName(game.view)}`,
    mode: log.mode,
    title: log.title,
    won: game.status === "won",
    seconds: Math.round(game.seconds * 1000) / 1000,
    clicks: game.clicks,
    unranked: game.helped ? "help" : log.repeat ? "repeat" : "",
    day: log.day,
    ended: ended.toISOString().slice(0, 19).replace("T", " "),
    puzzle: game.token,
    share: log.share,
    ...(log.rules && { rules: log.rules }),
    seed: log.seed,
    recorded_clicks: game.recorded,
  };
}

const isValue = (value) => value != null;
const isText = (value) => typeof value === "string";
const isDay = (value) => isText(value) && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
const isClick = (value) =>
  Array.isArray(value) && Number.isFinite(value[0]) && Array.isArray(value[2]) && [value[1], ...value[2]].every(isPair);
const isPair = (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isInteger);
const isListOf = (test) => (value) => Array.isArray(value) && value.every(test);

/** What the values of an entry must be. */
const NEEDED = {
  ...{ id: isText, mode: isText, title: isText, unranked: isText, seconds: Number.isFinite, clicks: Number.isFinite },
  kind: (value) => isText(value) && /^\S+ \d+x\d+\/\d+( [a-z]+)*( [\d.#/]+)?$/.test(value),
  ended: (value) => isText(value) && !Number.isNaN(Date.parse(`${value.replace(" ", "T")}Z`)),
  won: (value) => typeof value === "boolean",
};
/** What other values must be unless they are missing. */
const POSSIBLE = {
  ...{ day: isDay, puzzle: isText, share: isText, grid: isText, mines: isListOf(isText) },
  recorded_clicks: isListOf(isClick),
  ...{ luck: Number.isFinite, forced: Number.isInteger, needless: Number.isInteger, stuck_seconds: Number.isFinite },
  score: Number.isFinite,
  steps: isListOf(isListOf(Number.isFinite)),
  ...{ bbbv_per_second: Number.isFinite, efficiency: Number.isFinite, zini_efficiency: Number.isFinite },
};

/** Whether a value can be an entry; a file or a storage may hold anything. */
export const isEntry = (value) =>
  isValue(value) &&
  Object.entries(NEEDED).every(([name, test]) => test(value[name])) &&
  Object.entries(POSSIBLE).every(([name, test]) => !isValue(value[name]) || test(value[name]));

/** Return the entries in a file that Export has written. Throws `Fault`. */
export function imported(file) {
  if (!Array.isArray(file?.games) || !file.games.every(isEntry))
    throw new Fault(t("This file is no record; expected a file that Export has written."));
  return file.games;
}

/** Entries by the time of their end, oldest first. */
export const byEnd = (entries) => [...entries].sort((one, other) => (one.ended < other.ended ? -1 : 1));

/** The part of a token that tells the board: not its first click. */
function boardIn(token) {
  const [, size, , ...bits] = token.split("-");
  return `${size} ${bits.join("-")}`;
}

/** Whether the player has finished a game on the board of an entry before. */
export function isKnown(entry, entries) {
  const board = boardIn(entry.puzzle);
  return entries.some((one) => one.id !== entry.id && one.puzzle && boardIn(one.puzzle) === board);
}

/** The best time of the ranked wins before an entry on boards of its kind; null without one. */
export function bestBefore(entry, entries) {
  const wins = entries.filter((one) => one.id !== entry.id && one.kind === entry.kind && one.won && !one.unranked);
  return extreme(
    wins.filter((one) => one.ended <= entry.ended).map(({ seconds }) => seconds),
    Math.min,
  );
}

const mean = (list) => (list.length ? list.reduce((sum, value) => sum + value, 0) / list.length : null);
const extreme = (list, pick) => (list.length ? list.reduce((one, other) => pick(one, other)) : null);

/** The 95% interval of a share by Wilson's score, in percent. */
export function wilson(wins, games) {
  const share = wins / games;
  const middle = (share + (Z * Z) / (2 * games)) / (1 + (Z * Z) / games);
  const half = (Z / (1 + (Z * Z) / games)) * Math.sqrt((share * (1 - share)) / games + (Z * Z) / (4 * games * games));
  return [Math.max(0, middle - half), middle + half].map((bound) => Math.round(10_000 * bound) / 100);
}

/** The sums of one kind of game; games oldest first. */
function sumsOf(kind, games) {
  const entries = games.filter((one) => one.kind === kind);
  const count = (unranked) => {
    const among = entries.filter((entry) => entry.unranked === unranked);
    return { games: among.length, wins: among.filter(({ won }) => won).length };
  };
  const ranked = entries.filter((entry) => !entry.unranked);
  const wins = ranked.filter(({ won }) => won);
  const values = (name) => wins.map((entry) => entry[name]).filter(isValue);
  const sum = (name) => ranked.reduce((all, entry) => all + (entry[name] ?? 0), 0);
  let streak = 0;
  let longest = 0;
  for (const { won } of ranked) {
    streak = won ? streak + 1 : 0;
    longest = Math.max(longest, streak);
  }
  const [low, high] = ranked.length ? wilson(wins.length, ranked.length) : [null, null];
  return {
    ...{ kind, ranked: count(""), help: count("help"), repeat: count("repeat"), low, high },
    ...{ streak, longest_streak: longest, forced: sum("forced"), needless: sum("needless") },
    best_seconds: extreme(values("seconds"), Math.min),
    mean_seconds: mean(values("seconds")),
    mean_luck: mean(values("luck")),
    best_bbbv_per_second: extreme(values("bbbv_per_second"), Math.max),
    mean_bbbv_per_second: mean(values("bbbv_per_second")),
    best_efficiency: extreme(values("efficiency"), Math.max),
    mean_efficiency: mean(values("efficiency")),
  };
}

/** The sums by kind of game, those with most ranked games first. */
export function sums(entries) {
  const games = byEnd(entries);
  return [...new Set(games.map(({ kind }) => kind))]
    .map((kind) => sumsOf(kind, games))
    .sort((one, other) => other.ranked.games - one.ranked.games || (one.kind < other.kind ? -1 : 1));
}

/** The current and the longest streak of days with a ranked win of the daily puzzle, and the number of such days. */
export function dailyStreak(entries, today) {
  const won = entries.filter((entry) => entry.won && entry.day && !entry.unranked);
  const days = [...new Set(won.map(({ day }) => day))].sort();
  const number = (day) => Date.parse(day) / DAY_MS;
  let streak = 0;
  let longest = 0;
  days.forEach((day, i) => {
    streak = i && number(day) - number(days[i - 1]) === 1 ? streak + 1 : 1;
    longest = Math.max(longest, streak);
  });
  const lasts = days.length > 0 && number(today) - number(days.at(-1)) <= 1;
  return { streak: lasts ? streak : 0, longest, days: days.length };
}

/** The results of the daily puzzles by day: a win on the day, else a later one, else a loss. */
export function calendar(entries) {
  /** @type {Record<string, Entry>} */
  const days = {};
  const rank = ({ won, day }) => Number(won) + Number(won && Boolean(day));
  const isBetter = (one, other) => rank(one) - rank(other) || other.seconds - one.seconds;
  for (const entry of entries) {
    const day = dayOf(entry);
    if (!day || entry.unranked === "help") continue;
    if (!days[day] || isBetter(entry, days[day]) > 0) days[day] = entry;
  }
  return days;
}
