/** Positions in text and in MBF, recognised by their content as db/formats/positions.py recognises them, with its errors. */

import { t } from "./words.js";

const HIDDEN = -1;
const LONGEST_QUOTE = 60;
const SHORT_SIZES = { 1: [9, 9], 2: [16, 16], 3: [16, 30] };

/** The error of a text that is no position. */
export class PositionError extends RangeError {}

const refuse = (message) => {
  throw new PositionError(message);
};
/** Refuse a text in a format, or in none. */
const fail = (cause) => refuse(t("{cause}; expected ROWSxCOLS/MINES, then the rows.", { cause }));
const sizeName = (rows) => `${rows.length}x${rows[0].length}`;
/** The first character of those that do not belong into a row. */
const strange = (row, pattern) => quote(row.match(pattern).sort()[0]);
const sum = (marks) => marks.reduce((total, mark) => total + mark, 0);

function quote(text) {
  const shown = text.slice(0, LONGEST_QUOTE).replace(/[\\\n\r\t]/g, (char) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" })[char]);
  const mark = shown.includes("'") && !shown.includes('"') ? '"' : "'";
  return `${mark}${shown.replaceAll(mark, `\\${mark}`)}${mark}${text.length > LONGEST_QUOTE ? "..." : ""}`;
}

/** Equally long rows, without blanks and empty lines. */
function rowsOf(text, what) {
  const rows = text.split("\n").map((line) => line.replace(/\s/g, "")).filter(Boolean);
  if (!rows.length) refuse(t("no text; expected the rows of a view"));
  const at = rows.findIndex((row) => row.length !== rows[0].length);
  if (at < 0) return rows;
  const values = { row: at + 1, count: rows[at].length, text: quote(rows[at]), first: rows[0].length };
  return refuse(what === "view" ? t("row {row} of the view has {count} {count:cell|cells}: {text}; row 1 has {first}", values) : t("row {row} of the board has {count} {count:cell|cells}: {text}; row 1 has {first}", values));
}

/** A view; `valueOf` gives the value of a character. */
function viewOf(rows, mines, valueOf) {
  const cells = Int8Array.from(rows.join(""), valueOf);
  const hidden = cells.filter((cell) => cell === HIDDEN).length;
  if (mines > hidden) refuse(t("{count} {count:mine|mines}; expected 0 to {hidden}, the number of hidden cells", { count: mines, hidden }));
  return { rows: rows.length, cols: rows[0].length, mines, cells };
}

function viewOfText(text, mines) {
  const named = /^\s*(\d{1,9})[xX](\d{1,9})\/(\d{1,9})\s*?(\n|$)/.exec(text);
  if (named && mines !== null && mines !== Number(named[3])) refuse(t("first line {line} contradicts the given number of mines, {mines}", { line: quote(named[0].trim()), mines }));
  const total = named ? Number(named[3]) : mines;
  if (total === null) refuse(t("no number of mines; expected a first line ROWSxCOLS/MINES, e.g. 16x30/99"));
  const rows = rowsOf(named ? text.slice(named[0].length) : text, "view");
  rows.forEach((row, i) => /[^#?_x.0-8]/.test(row) && refuse(t("{char} in row {row} of the view; expected '#' or a clue 0 to 8", { char: strange(row, /[^#?_x.0-8]/g), row: i + 1 })));
  const hidden = [..."#?_x"].filter((mark) => rows.some((row) => row.includes(mark)));
  if (hidden.length > 1) refuse(t("hidden cells are '{one}' and '{other}'; expected one character for all", { one: hidden[0], other: hidden[1] }));
  if (named && (rows.length !== Number(named[1]) || rows[0].length !== Number(named[2]))) refuse(t("the rows make {size}; expected {expected}, as in the first line", { size: sizeName(rows), expected: `${Number(named[1])}x${Number(named[2])}` }));
  const mark = hidden[0] ?? (total ? "." : "#");
  return viewOf(rows, total, (char) => (char === mark ? HIDDEN : Number(char === "." ? 0 : char)));
}

/** The view of a board after its first click, if it has one. */
function viewOfBoard(kernel, rows, cols, mineMap, click = null) {
  const view = { rows, cols, mines: sum(mineMap), cells: new Int8Array(rows * cols).fill(HIDDEN) };
  if (!click) return view;
  const [row, col] = click;
  if (!(row >= 0 && row < rows && col >= 0 && col < cols)) refuse(t("first click {cell} is off the board; expected a cell of {size}", { cell: `(${row}, ${col})`, size: `${rows}x${cols}` }));
  if (mineMap[row * cols + col]) refuse(t("first click {cell} is a mine; expected a safe cell", { cell: `(${row}, ${col})` }));
  return { ...view, cells: kernel.open(view, mineMap, row * cols + col).cells };
}

function boardOfText(kernel, text, click = null) {
  const rows = rowsOf(text, "board");
  rows.forEach((row, i) => /[^*.0-8]/.test(row) && refuse(t("{char} in row {row} of the board; expected '*', '.' or a clue 0 to 8", { char: strange(row, /[^*.0-8]/g), row: i + 1 })));
  const [cells, height, width] = [rows.join(""), rows.length, rows[0].length];
  const mineMap = Uint8Array.from(cells, (char) => Number(char === "*"));
  const shown = kernel.reveal({ rows: height, cols: width, mines: sum(mineMap), mineMap });
  const wrong = shown.findIndex((clue, cell) => /\d/.test(cells[cell]) && Number(cells[cell]) !== clue);
  if (wrong >= 0) refuse(t("clue {clue} at {cell} is wrong; the cell touches {count} {count:mine|mines}", { clue: `'${cells[wrong]}'`, cell: `(${Math.floor(wrong / width)}, ${wrong % width})`, count: shown[wrong] }));
  return viewOfBoard(kernel, height, width, mineMap, click);
}

/** A board from digits that hold the bits of so many cells each. */
function boardOfBits(kernel, rows, cols, digits, bits, click = null) {
  const needed = Math.ceil((rows * cols) / bits);
  // Whole bytes have an even number of digits.
  if (!needed || (digits.length !== needed && (bits === 5 || digits.length !== needed + 1 || needed % 2 === 0))) refuse("another size");
  const bit = (cell) => (parseInt(digits[Math.floor(cell / bits)], 2 ** bits) >> (bits - 1 - (cell % bits))) & 1;
  return viewOfBoard(kernel, rows, cols, Uint8Array.from({ length: rows * cols }, (_, cell) => bit(cell)), click);
}

const bytesOfHex = (digits) => Uint8Array.from(digits.match(/..?/g), (pair) => parseInt(pair.padEnd(2, "0"), 16));

/** The value of a character: a clue, or a hidden cell for those in `hidden`. */
const valueIn = (hidden) => (char) => (hidden.includes(char) ? HIDDEN : /[0-8]/.test(char) ? Number(char) : refuse(`invalid character ${quote(char)}`));

function checkSize(view, rows, cols, mines = view.mines) {
  if (view.rows !== rows || view.cols !== cols || view.mines !== mines) refuse("another size");
}

/* Formats of packs. Whatever is wrong in their texts, the error names the format. */

function json(kernel, text, head) {
  let found = null;
  try {
    found = JSON.parse(text);
  } catch {
    // Lines with a puzzle each.
  }
  if (Array.isArray(found?.view) && Number.isInteger(found.mines)) return viewOfText(found.view.join("\n"), found.mines);
  const { board: rows, first_click: click } = JSON.parse(head);
  return boardOfText(kernel, rows.join("\n"), click);
}

function csv(kernel, text) {
  const fields = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) => (quoted ?? bare).trim());
  const [names, values] = text.trim().split("\n").map(fields);
  const value = (name) => values[names.indexOf(name)];
  return boardOfBits(kernel, Number(value("rows")), Number(value("cols")), value("board"), 4, [Number(value("first_row")), Number(value("first_col"))]);
}

/** A game ID or a saved game of Simon Tatham's Mines. */
async function sgt(kernel, text, head) {
  const field = (name) => new RegExp(`^${name} *:\\d+:(.*)$`, "m").exec(text)?.[1].trim();
  const id = head.startsWith("SAVEFILE:") ? `${field("PARAMS")}:${field("PRIVDESC") ?? field("DESC")}` : head;
  const [, cols, rows, col, row, kind, digits] = /^(\d+)x(\d+)(?:n\d+)?a?:(\d+),(\d+),([mu]?)([0-9a-f]+)$/i.exec(id).map((part, i) => (i < 5 ? Number(part) : part));
  const bytes = bytesOfHex(digits);
  const half = bytes.length >> 1;
  // The mask of each half is a hash of the other one. The bits after the last cell are zeros.
  for (const isFirst of kind === "m" ? [false, true] : []) {
    const [part, seed] = isFirst ? [bytes.subarray(0, half), bytes.subarray(half)] : [bytes.subarray(half), bytes.subarray(0, half)];
    for (let at = 0; at < part.length; at += 20) {
      const mask = new Uint8Array(await crypto.subtle.digest("SHA-1", Uint8Array.of(...seed, ...new TextEncoder().encode(at / 20))));
      part.subarray(at, at + 20).forEach((byte, i) => { part[at + i] = byte ^ mask[i]; });
    }
    bytes[bytes.length - 1] &= 255 << (8 * bytes.length - rows * cols);
  }
  return boardOfBits(kernel, rows, cols, [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, Math.ceil((rows * cols) / 4)), 4, [row, col]);
}

/** A text of JSMinesweeper: a view, or a board if all mines are marked and all other cells open. */
function mine(kernel, text, head) {
  const [cols, rows, mines] = head.split("x").map(Number);
  const view = viewOf(rowsOf(text.slice(text.indexOf("\n")), "view"), mines, valueIn("HhFMm?"));
  const mineMap = Uint8Array.from(text.replace(/^.*\n|\s/g, ""), (char) => Number(/[FMm]/.test(char)));
  checkSize(view, rows, cols);
  const isBoard = mines && sum(mineMap) === mines && `${kernel.reveal({ ...view, mineMap })}` === `${view.cells}`;
  return isBoard ? viewOfBoard(kernel, rows, cols, mineMap) : view;
}

/** A board URL of PTT's Minesweeper. */
function ptt(kernel, text, head) {
  const value = (name) => new RegExp(`(?:^|[?&#])${name}=([0-9a-v]*)(?=&|$)`, "i").exec(head)[1].toLowerCase();
  const size = value("b");
  const half = size.length / 2;
  const [rows, cols] = SHORT_SIZES[size] ?? [Number(size.slice(half)), Number(size.slice(0, half))];
  return boardOfBits(kernel, rows, cols, value("m"), 5);
}

/** MINESWEEPER-BOARD: its view, or its board. */
function board(kernel, text) {
  const key = (name) => new RegExp(`^\\s*${name} *: *(.*?)\\s*$`, "m").exec(text)?.[1];
  const section = (name) => new RegExp(`^\\s*\\[${name}\\]\\s*$([^[]*)`, "m").exec(text)?.[1];
  const view = section("view") === undefined ? boardOfText(kernel, section("real"), key("first_click")?.split(",").map(Number)) : viewOf(rowsOf(section("view"), "view"), Number(key("mines")), valueIn("UF?X@#*"));
  checkSize(view, Number(key("rows")), Number(key("columns")), Number(key("mines")));
  return view;
}

/** The first drawing with rulers; other lines have the mines or the first click. */
function drawing(kernel, text, mines) {
  const lines = text.split("\n");
  const isRuler = (digits) => digits && [...digits].every((digit, i) => Number(digit) === i % 10);
  for (const [i, line] of lines.entries()) {
    const width = line.replace(/\s/g, "").length;
    if (!isRuler(line.replace(/\s/g, ""))) continue;
    const grid = [];
    for (const below of lines.slice(i + 1)) {
      const row = /^\s*(\d{1,4}) (.*)$/.exec(below);
      const cells = row?.[2].replace(/\s/g, "");
      if (!row || Number(row[1]) !== grid.length || cells.length !== width) break;
      grid.push(cells);
    }
    if (!grid.length) continue;
    grid.forEach((row, at) => /[^#s*X?a-f.0-8]/.test(row) && fail(t("invalid {char} in row {row} of the drawing", { char: strange(row, /[^#s*X?a-f.0-8]/g), row: at })));
    const around = [...lines.slice(0, i), ...lines.slice(i + 1 + grid.length)].join("\n");
    const click = /^first click\s+(\d{1,4}),(\d{1,4})\s*$/m.exec(around);
    if (click && !/[^*.0-8]/.test(grid.join(""))) return boardOfText(kernel, grid.join("\n"), [Number(click[1]), Number(click[2])]);
    const named = /\b(\d{1,4})x(\d{1,4})\/(\d{1,7})\b/.exec(around);
    const told = /^mines\s+(\d{1,7})\s*$/m.exec(around);
    if (named && (Number(named[1]) !== grid.length || Number(named[2]) !== width)) fail(t("the drawing shows {size} cells", { size: sizeName(grid) }));
    const total = named ? Number(named[3]) : told ? Number(told[1]) : mines ?? fail(t("the drawing lacks the number of mines"));
    return viewOf(grid, total, (char) => (/[.0-8]/.test(char) ? Number(char.replace(".", "0")) : HIDDEN));
  }
  return null;
}

/** A grid of Gem Hunter; its traps and gems are hidden cells. */
function gems(kernel, text, mines) {
  const lines = text.split("\n").filter((line) => line.trim());
  if (!text.includes(",") || lines.some((line) => /[^0-8_TG, \t]/.test(line))) return null;
  if (/^\s*\d+\s+\d+\s*$/.test(lines[0])) lines.shift();
  const rows = lines.map((line) => line.split(",").map((cell) => cell.trim()));
  rows.forEach((row, i) => row.length === rows[0].length && row.every((cell) => /^[0-8_TG]$/.test(cell)) || fail(t("line {row} of the Gem Hunter grid is invalid", { row: i + 1 })));
  const all = rows.flat();
  if (mines === null && all.includes("_")) fail(t("a Gem Hunter grid with unknown cells lacks the number of traps"));
  return viewOf(rows.map((row) => row.join("")), mines ?? all.filter((cell) => cell === "T").length, (char) => (/\d/.test(char) ? Number(char) : HIDDEN));
}

function plain(kernel, text, mines) {
  if (/^\s*\d{1,9}[xX]\d{1,9}\/\d{1,9}\s*?(\n|$)/.test(text)) return viewOfText(text, mines);
  const cells = text.replace(/\s/g, "");
  if (cells.includes("*") && !/[^*.0-8]/.test(cells)) return boardOfText(kernel, text);
  return /[^#.0-8]/.test(cells) ? null : viewOfText(text, mines);
}

/** Formats of packs: the name, a test of the first line, and the reader. */
const PACKS = [
  ["JSON lines", (head) => head.startsWith("{"), json],
  ["CSV", (head) => ["rows", "cols", "board"].every((name) => head.split(",").some((one) => one.replace(/[ "]/g, "") === name)), csv],
  ["Simon Tatham's game IDs", (head) => /^\d{1,9}x\d{1,9}(n\d{1,9})?a?[:#]/.test(head) || head.startsWith("SAVEFILE:"), sgt],
  ["JSMinesweeper text", (head) => /^\d{1,9}x\d{1,9}x\d{1,9}$/.test(head), mine],
  ["PTT board URLs", (head) => /(^|[?&#])b=\d{1,8}(?=&|$)/.test(head) && /(^|[?&#])m=[0-9a-v]*(?=&|$)/i.test(head), ptt],
  ["MINESWEEPER-BOARD text", (head) => head.startsWith("# MINESWEEPER-BOARD"), board],
];

/** A board in MBF, the binary files of Minesweeper Arbiter; null for other data. */
function mbf(kernel, bytes) {
  const [cols, rows, high, low] = bytes;
  const places = bytes.subarray(4);
  if (bytes.length < 4 || places.length !== 2 * (256 * high + low) || places.some((place, i) => place >= (i % 2 ? rows : cols))) return null;
  const mineMap = new Uint8Array(rows * cols);
  for (let i = 0; i < places.length; i += 2) mineMap[places[i + 1] * cols + places[i]] = 1;
  return viewOfBoard(kernel, rows, cols, mineMap);
}

/** Read a view from text or bytes; `mines` is the number of mines if the text lacks it, or null. Throws a `PositionError`. */
export async function readPosition(kernel, data, mines) {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const binary = mbf(kernel, bytes);
  if (binary) return binary;
  const text = new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n").replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "").trimStart();
  const head = text.split("\n")[0].trim();
  if (!head) fail(t("no position in empty input"));
  const [name, , read] = PACKS.find(([, recognises]) => recognises(head)) ?? [];
  let found = null;
  try {
    found = read ? await read(kernel, text, head) : null;
  } catch {
    fail(t("this is no correct text of the format {name}", { name }));
  }
  // Puzzles have a mine count of their own.
  if (found && read !== board && read !== mine) return found;
  found ??= drawing(kernel, text, mines) ?? gems(kernel, text, mines) ?? plain(kernel, text, mines) ?? fail(t("unknown format of a position: {text}", { text: quote(text.trim()) }));
  if (mines !== null && mines !== found.mines) refuse(t("the position has {count} {count:mine|mines}; expected {mines}", { count: found.mines, mines }));
  return found;
}
