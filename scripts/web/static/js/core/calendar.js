/** Months of daily puzzles with the player's results, also as squares of text. */

const DAY_MS = 86_400_000;
const SQUARES = { won: "🟩", late: "🟨", lost: "🟥", missed: "⬜", future: "⬜" };

/** The day of a daily puzzle, whenever it was played; null for other games. */
export const dayOf = ({ day, share }) => day ?? /^daily-(\d{4}-\d\d-\d\d)-/.exec(share ?? "")?.[1] ?? null;

/** The month `more` months after one: `2026-11` and 2 give `2027-01`. */
export function monthAfter(month, more) {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + more, 1)).toISOString().slice(0, 7);
}

/** What became of a day: `won` on the day, won `late`, `lost`, `missed` or `future`. */
function resultOf(date, entry, today) {
  if (entry) return entry.won ? (entry.day ? "won" : "late") : "lost";
  return date > today ? "future" : "missed";
}

/**
 * The weeks of a month, Monday first; null fills the first week and the last.
 *
 * @param {string} month `2026-11`
 * @param {Record<string, import("./record.js").Entry>} days see `calendar` in record.js
 * @returns {({ date: string, result: string, entry?: import("./record.js").Entry } | null)[][]}
 */
export function weeksOf(month, days, today) {
  const first = Date.parse(`${month}-01`);
  const length = (Date.parse(`${monthAfter(month, 1)}-01`) - first) / DAY_MS;
  const before = (new Date(first).getUTCDay() + 6) % 7;
  return Array.from({ length: Math.ceil((before + length) / 7) }, (_, week) =>
    [0, 1, 2, 3, 4, 5, 6].map((at) => {
      const number = 7 * week + at - before;
      if (number < 0 || number >= length) return null;
      const date = new Date(first + number * DAY_MS).toISOString().slice(0, 10);
      return { date, entry: days[date], result: resultOf(date, days[date], today) };
    }),
  );
}

/** Weeks as lines of squares. */
export const squares = (weeks) =>
  weeks.map((week) => week.map((day) => (day ? SQUARES[day.result] : "➖")).join("")).join("\n");
