/**
 * Help with a position, by the kernel in the worker: hints, chances, verdicts, explanations, guesses and analyses.
 *
 * A position is the state of a game, of the server or of this browser: `rows`, `cols`, `mines`, `cells` as rows of text,
 * `flags`, and for Kaboom its `rules`. No function sees the mines.
 */

import { InconsistentView, TooWide, loadKernel, viewOf } from "../kernel/index.js";
import { linesOf, rowsOf } from "./codes.js";
import { reviewOf } from "./judgement.js";
import { readPosition } from "./positions.js";
import { VERDICTS, Wording, explained, tierName, unavoidableInWords } from "./wording.js";
import { decimal, language, t } from "./words.js";

export const kernel = await loadKernel();

const FIRST_CLICK = t("The first click is always safe: open any cell.");
const RATINGS = 8;
const MAX_SIDE = 100;
const MAX_CELLS = 3000;
export const LIMITS = { rows: [1, MAX_SIDE], cols: [1, MAX_SIDE], cells: MAX_CELLS };

/** An error with a message for the player. */
export class ApiError extends Error {
  constructor(message, code = "bad_input") {
    super(message);
    this.code = code;
  }
}

export function checkSize({ rows, cols }) {
  const fits = rows >= 1 && cols >= 1 && rows <= MAX_SIDE && cols <= MAX_SIDE && rows * cols <= MAX_CELLS;
  if (!fits) throw new ApiError(t("A board has 1 to {most} rows and columns, and at most {cells} cells.", { most: MAX_SIDE, cells: MAX_CELLS }));
}

export const pairs = ({ cols }, cells) => cells.map((cell) => [Math.floor(cell / cols), cell % cols]);
export const listOf = (marks, mark = 1) => [...marks.keys()].filter((cell) => marks[cell] === mark);
export const marked = (size, cells, mark = 1) => Uint8Array.from({ length: size }, (_, cell) => (cells.includes(cell) ? mark : 0));

/** The view of a position, what is known about it, and in Kaboom where a guess is granted. */
class Position {
  constructor({ mines, cells, flags = [], rules = null }) {
    this.view = viewOf(cells.join("\n"), mines);
    this.flags = flags.map(([row, col]) => row * this.view.cols + col);
    this.known = kernel.closure(this.view);
    this.hidden = [...this.known.keys()].filter((cell) => this.view.cells[cell] < 0);
    this.isUntouched = this.hidden.length === this.known.length;
    this.verdicts = rules && kernel.judge(this.view, rules);
    this.granted = this.verdicts?.granted;
  }

  /** Whether a guess is granted in every uncertain cell. */
  get isAnywhere() {
    return this.hidden.every((cell) => Boolean(this.granted[cell]) === (this.known[cell] === 0));
  }

  /** Cells as pairs of row and column. */
  pairs(cells) {
    return pairs(this.view, cells);
  }

  /** Probabilities of a mine by cell, exactly 0 or 1 in known cells and in no other; null if there are too many layouts. */
  chances() {
    try {
      const { chances, logLayouts } = kernel.probabilities(this.view);
      const rounded = Array.from(chances, (chance, cell) => (this.view.cells[cell] >= 0 ? null : this.known[cell] ? this.known[cell] - 1 : Math.min(Math.max(Math.round(chance * 1e6) / 1e6, 1e-6), 1 - 1e-6)));
      return { chances: rounded, logLayouts };
    } catch (error) {
      if (!(error instanceof TooWide)) throw error;
      return { chances: null };
    }
  }
}

const unavoidable = (view) => kernel.unavoidable(view).map(({ cells, layouts }) => ({ cells: pairs(view, cells), layouts: layouts.map((mines) => pairs(view, mines)), words: unavoidableInWords(pairs(view, cells)) }));

/** The chances, and where no cell is safe the best one to guess. */
function chances(position) {
  const { chances: found } = position.chances();
  if (!found) return { chances: null, best: null, unavoidable: [] };
  const { view, known, granted } = position;
  const uncertain = position.hidden.filter((cell) => known[cell] === 0 && (!granted || granted[cell]));
  let best = null;
  if (uncertain.length && !known.includes(1)) {
    best = granted ? uncertain.reduce((one, other) => (found[other] < found[one] ? other : one)) : kernel.rate(view)[0].cell;
  }
  return { chances: rowsOf(view, found), best: best === null ? null : position.pairs([best])[0], unavoidable: unavoidable(view) };
}

/** The best guess with two layouts that differ in it; null if a cell is safe or there are too many layouts. */
function guess(position) {
  const { chances: found, best, unavoidable: guesses } = chances(position);
  if (!best) return null;
  const [row, col] = best;
  const layouts = kernel.counterexample(position.view, row * position.view.cols + col).map((mines) => position.pairs(mines));
  return { cell: best, mine_probability: found[row][col], granted: Boolean(position.granted), layouts, unavoidable: guesses };
}

function guessInWords(position) {
  if (!position.granted) return t("Nothing is certain: you must guess here.");
  return position.isAnywhere ? t("Nothing is certain: you must guess, and any cell that may be safe is granted.") : t("Nothing is certain: you must guess, and only cells next to the clues are granted.");
}

/** The easiest deduction; where nothing is certain, the proof that a guess is needed. */
function hint(position) {
  if (position.isUntouched) return { found: false, words: FIRST_CLICK, guess: null };
  const { view, known, flags } = position;
  const given = known.map((mark, cell) => (mark === 2 && flags.includes(cell) ? 2 : 0));
  const found = kernel.hint(view, given);
  if (found) return { found: true, ...new Wording(view, given).hint(found) };
  if (position.hidden.every((cell) => known[cell])) return { found: false, words: t("All mines are known and flagged."), guess: null };
  return { found: false, words: guessInWords(position), guess: guess(position) };
}

/** All certain cells; if none is safe, the proof that a guess is needed. */
function certain(position) {
  if (position.isUntouched) return { safe: [], mines: [], words: FIRST_CLICK, guess: null };
  const [safe, mines] = [listOf(position.known), listOf(position.known, 2)];
  const needed = safe.length ? null : guess(position);
  return { safe: position.pairs(safe), mines: position.pairs(mines), words: needed && guessInWords(position), guess: needed };
}

function mayGuess(position) {
  if (position.isUntouched) return { allowed: true, words: FIRST_CLICK };
  const safe = listOf(position.known).length;
  if (safe && !position.granted?.includes(1)) return { allowed: false, words: t("No: {count} {count:cell is|cells are} certain to be safe.", { count: safe }) };
  if (!position.granted) return { allowed: true, words: t("Yes: no cell is certain to be safe.") };
  const where = position.isAnywhere ? t("Yes, on any cell that may be safe.") : t("Yes, but only next to the clues.");
  return { allowed: true, words: where + (safe ? ` ${t("Certainly safe cells far from the clues do not forbid it; you may open them as well.")}` : "") };
}

function checkFlags(position) {
  const [wrong, unproven] = [1, 0].map((mark) => position.flags.filter((cell) => position.known[cell] === mark));
  const values = { wrong: wrong.length, unproven: unproven.length, count: position.flags.length };
  const words = wrong.length ? t("Certain to be wrong: {wrong} of {count} {count:flag|flags}.", values) : t("No flag is certainly wrong. Not certain to be right: {unproven} of {count} {count:flag|flags}.", values);
  return { wrong: position.pairs(wrong), unproven: position.pairs(unproven), words };
}

/** Kaboom: the hidden cells by the result of a click. */
function verdicts(position) {
  const { why } = position.verdicts;
  const cells = (...reasons) => position.pairs([...why.keys()].filter((cell) => reasons.includes(why[cell])));
  return { safe: cells("proven_safe"), mines: cells("proven_mine"), granted: cells("forced_guess", "first_click"), refused: cells("needless_guess", "outside") };
}

/** Why a click was fatal, in the position before it; `why` is the verdict of Kaboom. */
function explain(position, { cell: [row, col], why }) {
  const { view, known } = position;
  const cell = row * view.cols + col;
  const steps = explained(kernel, view);
  const because = known[cell] === 2 ? steps.find(({ cells }) => cells.includes(cell)) : null;
  const words = because ? because.words
    : known.includes(1) ? t("It was a guess, though other cells were certain to be safe.")
    : why === "outside" ? VERDICTS.outside
    : t("Nothing was certain, so you had to guess: bad luck.");
  return { safe: position.pairs(listOf(known)), mines: position.pairs(listOf(known, 2)), reason: because?.reason ?? null, hint: steps.find(({ safe }) => safe.length) ?? null, words };
}

/** The next move of a strategy, unless it is given; at a guess with its options, best first. */
function move(position, { strategy, first, given }) {
  const { view, flags } = position;
  if (given) {
    const { chances: all } = given.reason === "guess" ? position.chances() : {};
    const [row, col] = given.cells[0] ?? [];
    return { ...given, ratings: all && [{ cell: given.cells[0], mine_probability: all[row * view.cols + col] }], chances: all && rowsOf(view, all) };
  }
  if (position.isUntouched) return { reason: tierName(0), cells: [first], mines: [], ratings: null, chances: null };
  const found = kernel.hint(view, marked(view.cells.length, flags, 2));
  if (found) return { reason: tierName(found.tier), cells: position.pairs(found.safe), mines: position.pairs(found.mines), ratings: null, chances: null };
  const ratings = kernel.rate(view, strategy).slice(0, RATINGS).map((one) => ({ cell: position.pairs([one.cell])[0], mine_probability: 1 - one.safety, progress: one.progress }));
  const { chances: all } = position.chances();
  return { reason: "guess", cells: [ratings[0].cell], mines: [], ratings, chances: all && rowsOf(view, all) };
}

function magnitude(log) {
  const power = log / Math.LN10;
  return power < 6 ? Math.round(Math.exp(log)).toLocaleString(language) : t("about {number} × 10^{power}", { number: decimal(10 ** (power % 1), 1), power: Math.floor(power) });
}

/** Clues that contradict each other, none of which can be left out. */
function clash(view) {
  const cells = view.cells.slice();
  for (const [cell, clue] of view.cells.entries()) {
    if (clue < 0) continue;
    cells[cell] = -1;
    try {
      kernel.closure({ ...view, cells });
      cells[cell] = clue;
    } catch (error) {
      if (!(error instanceof InconsistentView)) throw error;
    }
  }
  return pairs(view, [...cells.keys()].filter((cell) => cells[cell] >= 0));
}

/** All that follows from a position, step by step. */
function analyse(request) {
  const { rows, cols, mines, cells } = request;
  checkSize(request);
  const shown = { rows, cols, mines, view: cells, unavoidable: [], guess: null, explanation: [], probabilities: null, safe_cells: [], mine_cells: [] };
  let position;
  try {
    position = new Position(request);
  } catch (error) {
    if (!(error instanceof InconsistentView)) throw error;
    return { ...shown, consistent: false, clash: clash(viewOf(cells.join("\n"), mines)), words: t("The clues contradict each other: no layout of the mines fits them.") };
  }
  const { view, known } = position;
  const { chances: found, logLayouts } = position.chances();
  const [safe, mined] = [listOf(known), listOf(known, 2)];
  const words = [t("Certain: {safe} safe {safe:cell|cells}, {mines} {mines:mine|mines}.", { safe: safe.length, mines: mined.length }), found ? t("Layouts that fit: {number}.", { number: magnitude(logLayouts) }) : t("There are too many layouts to count, so there are no chances to show.")];
  const needed = safe.length ? null : chances(position);
  if (needed?.best) {
    const [row, col] = needed.best;
    words.push(t("The best guess is {cell}: a mine in {share} % of the layouts.", { cell: `(${row}, ${col})`, share: decimal(100 * needed.chances[row][col], 1) }));
  }
  return { ...shown, consistent: true, safe_cells: position.pairs(safe), mine_cells: position.pairs(mined), probabilities: found && rowsOf(view, found), explanation: explained(kernel, view), unavoidable: unavoidable(view), guess: needed?.best ? { cell: needed.best } : null, words: words.join(" ") };
}

/** Read a position from text or, in base64, from a file. */
async function read({ text, base64, mines }) {
  const view = await readPosition(kernel, base64 ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0)) : text, mines ?? null);
  return { rows: view.rows, cols: view.cols, mines: view.mines, cells: linesOf(view) };
}

/** The reasons of a review of the server, which writes English. */
function reasons({ rows, cols, board, judgements }) {
  const mineMap = Uint8Array.from(board.join(""), (code) => Number(code === "*"));
  const clicks = judgements.map(({ seconds, cell, cells, helped }) => [seconds, cell, cells, helped]);
  return reviewOf(kernel, { rows, cols, mineMap, clicks }).judgements.map(({ words }) => words);
}

const OF_POSITIONS = { hint, chances, certain, verdicts, explain, move, "may-guess": mayGuess, "check-flags": checkFlags };
const OTHER = { analyse, read, reasons };

/** Answer a question about a position; the answer of `read` is a promise. */
export function advise(name, position, more = {}) {
  return name in OTHER ? OTHER[name](position) : OF_POSITIONS[name](new Position(position), more);
}
