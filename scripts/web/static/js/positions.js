/** Positions in the page's own text, with the errors of player/board.py. The server reads all other formats. */

import { t } from "./words.js";

const HIDDEN = -1;
const LONGEST_QUOTE = 60;

/** The error of a text that is no position. */
export class PositionError extends RangeError {}

const refuse = (message) => {
  throw new PositionError(message);
};
/** Refuse a text in a format, or in none. */
const fail = (cause) => refuse(t("{cause}; expected ROWSxCOLS/MINES, then the rows.", { cause }));
const sizeName = (rows) => `${rows.length}x${rows[0].length}`;
/** The first row with characters of a pattern, and the first of these, as values of a sentence; null without one. */
function strangeIn(rows, pattern) {
  const at = rows.findIndex((row) => row.search(pattern) >= 0);
  return at < 0 ? null : { char: quote(rows[at].match(pattern).sort()[0]), row: at + 1 };
}
const sum = (marks) => marks.reduce((total, mark) => total + mark, 0);

function quote(text) {
  const shown = text
    .slice(0, LONGEST_QUOTE)
    .replace(/[\\\n\r\t]/g, (char) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" })[char]);
  const mark = shown.includes("'") && !shown.includes('"') ? '"' : "'";
  return `${mark}${shown.replaceAll(mark, `\\${mark}`)}${mark}${text.length > LONGEST_QUOTE ? "..." : ""}`;
}

/** Equally long rows, without blanks and empty lines. */
function rowsOf(text, what) {
  const rows = text
    .split("\n")
    .map((line) => line.replace(/\s/g, ""))
    .filter(Boolean);
  if (!rows.length) refuse(t("no text; expected the rows of a view"));
  const at = rows.findIndex((row) => row.length !== rows[0].length);
  if (at < 0) return rows;
  const values = { row: at + 1, count: rows[at].length, text: quote(rows[at]), first: rows[0].length };
  return refuse(
    what === "view"
      ? t("row {row} of the view has {count} {count:cell|cells}: {text}; row 1 has {first}", values)
      : t("row {row} of the board has {count} {count:cell|cells}: {text}; row 1 has {first}", values),
  );
}

/** A view; `valueOf` gives the value of a character. */
function viewOf(rows, mines, valueOf) {
  const cells = Int8Array.from(rows.join(""), valueOf);
  const hidden = cells.filter((cell) => cell === HIDDEN).length;
  if (mines > hidden)
    refuse(
      t("{count} {count:mine|mines}; expected 0 to {hidden}, the number of hidden cells", { count: mines, hidden }),
    );
  return { rows: rows.length, cols: rows[0].length, mines, cells };
}

function viewOfText(text, mines) {
  const named = /^\s*(\d{1,9})[xX](\d{1,9})\/(\d{1,9})\s*?(\n|$)/.exec(text);
  if (named && mines !== null && mines !== Number(named[3]))
    refuse(
      t("first line {line} contradicts the given number of mines, {mines}", { line: quote(named[0].trim()), mines }),
    );
  const total = named ? Number(named[3]) : mines;
  if (total === null) refuse(t("no number of mines; expected a first line ROWSxCOLS/MINES, e.g. 16x30/99"));
  const rows = rowsOf(named ? text.slice(named[0].length) : text, "view");
  const strange = strangeIn(rows, /[^#?_x.0-8]/g);
  if (strange) refuse(t("{char} in row {row} of the view; expected '#' or a clue 0 to 8", strange));
  const hidden = [..."#?_x"].filter((mark) => rows.some((row) => row.includes(mark)));
  if (hidden.length > 1)
    refuse(
      t("hidden cells are '{one}' and '{other}'; expected one character for all", { one: hidden[0], other: hidden[1] }),
    );
  if (named && (rows.length !== Number(named[1]) || rows[0].length !== Number(named[2])))
    refuse(
      t("the rows make {size}; expected {expected}, as in the first line", {
        size: sizeName(rows),
        expected: `${Number(named[1])}x${Number(named[2])}`,
      }),
    );
  const mark = hidden[0] ?? (total ? "." : "#");
  return viewOf(rows, total, (char) => (char === mark ? HIDDEN : Number(char === "." ? 0 : char)));
}

/** The hidden view of a board. */
function boardOfText(kernel, text) {
  const rows = rowsOf(text, "board");
  const strange = strangeIn(rows, /[^*.0-8]/g);
  if (strange) refuse(t("{char} in row {row} of the board; expected '*', '.' or a clue 0 to 8", strange));
  const [cells, height, width] = [rows.join(""), rows.length, rows[0].length];
  const mineMap = Uint8Array.from(cells, (char) => Number(char === "*"));
  const shown = kernel.reveal({ rows: height, cols: width, mines: sum(mineMap), mineMap });
  const wrong = shown.findIndex((clue, cell) => /\d/.test(cells[cell]) && Number(cells[cell]) !== clue);
  if (wrong >= 0)
    refuse(
      t("clue {clue} at {cell} is wrong; the cell touches {count} {count:mine|mines}", {
        clue: `'${cells[wrong]}'`,
        cell: `(${Math.floor(wrong / width)}, ${wrong % width})`,
        count: shown[wrong],
      }),
    );
  return { rows: height, cols: width, mines: sum(mineMap), cells: new Int8Array(mineMap.length).fill(HIDDEN) };
}

const HEAD = /^\s*\d{1,9}[xX]\d{1,9}\/\d{1,9}\s*?(\n|$)/;

/** Whether a text is a position as the page writes it: rows of cells, by default after a line ROWSxCOLS/MINES. */
export const isPlain = (text) => HEAD.test(text) || (/\S/.test(text) && !/[^#*.0-8\s]/.test(text));

/**
 * Read a view from rows of `#` and clues, or from a board of `*` and clues, which then has no open cell; `mines` is the
 * number of mines if the text lacks it, or null. Throws a `PositionError`.
 */
export function readPosition(kernel, text, mines) {
  const clean = text.replace(/\r\n?/g, "\n");
  if (!clean.trim()) fail(t("no position in empty input"));
  if (!isPlain(clean)) fail(t("unknown format of a position: {text}", { text: quote(clean.trim()) }));
  const isBoard = !HEAD.test(clean) && clean.includes("*");
  const found = isBoard ? boardOfText(kernel, clean) : viewOfText(clean, mines);
  if (mines !== null && mines !== found.mines)
    refuse(t("the position has {count} {count:mine|mines}; expected {mines}", { count: found.mines, mines }));
  return found;
}
