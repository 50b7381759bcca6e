/**
 * The rating of a player: Elo's formula, with the puzzles as opponents.
 *
 * A puzzle wins when the player loses the game. Only ranked games on solvable boards count, because luck is no skill.
 */

const MODES = ["no-guess", "daily", "pack"];
const FIRST = 1000;
/** So many points move in a game at most: more in the first games, so that the rating finds its place. */
const [EARLY_STEP, STEP, EARLY_GAMES] = [40, 20, 20];
/** The work in a puzzle with a score of 1000. */
const UNIT = 50;

/** Whether a game of the record moves the rating. */
export const isRated = (entry) => !entry.unranked && MODES.includes(entry.mode);

/** The score of a puzzle whose cells need some work: ten times the work is 400 points more. */
export const scoreOf = (work) => Math.round(FIRST + 400 * Math.log10(Math.max(work, 1) / UNIT));

/** The chance to win that the ratings promise. */
export const expected = (rating, score) => 1 / (1 + 10 ** ((score - rating) / 400));

/**
 * The rating after each rated game, from entries in the order of their ends: `{ id, rating, change }`.
 *
 * @param {import("./record.js").Entry[]} entries
 */
export function ratings(entries) {
  const counted = entries.filter((entry) => isRated(entry) && entry.score);
  let rating = FIRST;
  return counted.map(({ id, won, score }, i) => {
    const change = (i < EARLY_GAMES ? EARLY_STEP : STEP) * (Number(won) - expected(rating, score));
    rating += change;
    return { id, rating, change };
  });
}
