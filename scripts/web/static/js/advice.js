/**
 * Help with a position, by the kernel in the worker: hints, chances, verdicts, explanations, guesses and analyses.
 *
 * A position is the state of a game: `mines`, `grid`, `cells` as rows of text, `flags`, and for Kaboom its `rules`. No
 * function sees the mines.
 */

import { GRIDS, listOf } from "../kernel/grids.js";
import { InconsistentView, TooWide, hiddenView, viewOf } from "../kernel/index.js";
import { linesOf } from "./codes.js";
import { Game } from "./core/game.js";
import { newLog } from "./core/games.js";
import { kernel } from "./core/kernel.js";
import { Fault, checkSides, isUntouched, orFault, sizeToJSON, unless } from "./core/sizes.js";
import { TIERS, VERDICTS, cellName, explained, unavoidableInWords, worded } from "./wording.js";
import { decimal, language, listed, t } from "./words.js";

const FIRST_CLICK = t("The first click is always safe: open any cell.");
const RATINGS = 8;
/** A double has the number of layouts exactly if it has at most so many digits. */
const DIGITS = 12;
/** The page's links to games. Links to positions have no token, and the page reads them. */
const LINK = /^(?:\S*\/share\/|\S+[?&]id=)?((?:board|daily|kaboom)-[\w.~-]+)$/;
/** The size in a line of text, with its grid. */
const NAME = new RegExp(`\\d+x\\d+/\\d+(?: (?:${GRIDS.filter(Boolean).reverse().join("|")})\\b(?: holes [\\d.#/]+)?)?`);
const HEAD = /^\s*\d+x\d+\/(\d+)(?: +[a-z][a-z .#/\d]*)?\s*?(?:\n|$)/i;
const HIDDEN = /[#?_xhfm]/gi;
const COLUMNS = "0123456789".repeat(10);
/** Blocks, squares and tiles that people paste for hidden cells. */
const SQUARES = /[\u2588\u2591-\u2593\u25a0-\u25a3\u25aa\u25ab\u25fb-\u25fe\u2b1b\u2b1c\u{1f7e6}\u{1f7e9}]/gu;

/** The view of a position, what is known about it, and in Kaboom where a guess is granted. */
class Position {
  /** The best guesses, once `best` has found them. */
  prospects = [];

  constructor({ mines, grid, cells, flags = [], rules = null }) {
    this.view = orFault(() => viewOf(cells.join("\n"), mines, grid));
    this.grid = this.view.grid;
    this.flags = flags.map(this.grid.index);
    this.hidden = this.grid.cells.filter((cell) => this.view.cells[cell] < 0);
    this.isUntouched = isUntouched(this.view);
    this.verdicts = rules && kernel.kaboomVerdicts(this.view, rules);
    this.granted = this.verdicts?.granted;
  }

  #known = null;
  /** What follows of each cell: 1 safe, 2 a mine, 0 neither. */
  get known() {
    return (this.#known ??= kernel.closure(this.view));
  }

  /** Whether a guess is granted in every uncertain cell. */
  get isAnywhere() {
    return this.hidden.every((cell) => Boolean(this.granted[cell]) === (this.known[cell] === 0));
  }

  /** Probabilities of a mine by cell, exactly 0 or 1 in known cells and in no other; null if there are too many layouts. */
  get chances() {
    const counted = unless([TooWide], () => kernel.probabilities(this.view));
    if (!counted) return null;
    const rounded = (chance) => Math.min(Math.max(Math.round(chance * 1e6) / 1e6, 1e-6), 1 - 1e-6);
    this.logLayouts = counted.logLayouts;
    return Array.from(counted.chances, (chance, cell) =>
      this.view.cells[cell] >= 0 ? null : this.known[cell] ? this.known[cell] - 1 : rounded(chance),
    );
  }

  /** The best cell to guess, by such probabilities; null if a cell is safe or none is uncertain. */
  best(found) {
    const uncertain = this.hidden.filter((cell) => this.known[cell] === 0 && (!this.granted || this.granted[cell]));
    if (!found || !uncertain.length || this.known.includes(1)) return null;
    if (this.granted) return uncertain.reduce((one, other) => (found[other] < found[one] ? other : one));
    const rated = kernel.rate(this.view).map(({ cell }) => cell);
    const others = uncertain.sort((one, other) => found[one] - found[other]);
    this.prospects = this.compare([...new Set([...rated, ...others])]);
    return rated[0];
  }

  /** The prospects of the first of some guesses. */
  compare(cells) {
    const compared = kernel.compare(this.view, cells.slice(0, RATINGS), this.known);
    return compared.map((one) => ({ ...one, cell: this.grid.pair(one.cell), mine_probability: 1 - one.safety }));
  }

  /** Why the next best guess is worse; empty without one. */
  get whyNext() {
    const [first, next] = this.prospects;
    if (!next) return "";
    const [cell, better] = [next, first].map((one) => cellName(one.cell));
    const name = next.why;
    const number = name.replace("guess.", "");
    const [less, more] = [next, first].map((one) => decimal(100 * (one[number] ?? 0), 1));
    const why = t(name, { cell, best: better, less, more });
    return t("analysis.next", { why });
  }

  /** The unavoidable guesses; one of the cell `best` had better be made at once. */
  unavoidable(best = null) {
    const { pairs } = this.grid;
    return kernel
      .unavoidable(this.view)
      .map(({ cells, layouts }) => ({
        cells: pairs(cells),
        layouts: layouts.map(pairs),
        words: unavoidableInWords(pairs(cells), cells.includes(best)),
      }));
  }
}

/** The chances, and where no cell is safe the best one to guess. */
function chances(position) {
  const { grid, chances: found } = position;
  if (!found) return { chances: null, best: null, unavoidable: [] };
  const best = position.best(found);
  return {
    chances: grid.rowsOf(found),
    best: best === null ? null : grid.pair(best),
    unavoidable: position.unavoidable(best),
  };
}

/** The best guess with two layouts that differ in it; null if a cell is safe or there are too many layouts. */
function guess(position) {
  const { grid, view, chances: found } = position;
  const best = position.best(found);
  if (best === null) return null;
  return {
    cell: grid.pair(best),
    mine_probability: found[best],
    granted: Boolean(position.granted),
    layouts: kernel.counterexample(view, best).map(grid.pairs),
    unavoidable: position.unavoidable(best),
  };
}

function guessInWords(position) {
  if (!position.granted) return t("Nothing is certain: you must guess here.");
  return position.isAnywhere
    ? t("Nothing is certain: you must guess, and any cell that may be safe is granted.")
    : t("Nothing is certain: you must guess, and only cells next to the clues are granted.");
}

/** The chain of deductions to a safe cell, as a hint; null if no cell is safe. */
function chainOf({ grid, view, flags }) {
  const steps = kernel.chain(view, grid.marked(flags)).map((step) => worded(view, step));
  const last = steps.pop();
  if (!last) return null;
  const because = steps.map(({ words }) => t("since {deduction}", { deduction: words }));
  const clues = [...steps, last].flatMap(({ reason }) => reason.clues);
  const tier = Math.max(...[...steps, last].map((step) => step.tier));
  return {
    found: true,
    safe: last.safe,
    mines: steps.flatMap(({ mines }) => mines),
    tier,
    tier_name: TIERS[tier],
    reason: { ...last.reason, clues: [...new Map(clues.map((clue) => [`${clue}`, clue])).values()] },
    words: [last.words, ...because],
  };
}

/** What to say where no cell is safe: the proof that a guess is needed. */
const needed = (position) =>
  position.isUntouched
    ? { words: FIRST_CLICK, guess: null }
    : { words: guessInWords(position), guess: guess(position) };

/** The easiest way to a safe cell. */
const hint = (position) => (position.isUntouched ? null : chainOf(position)) ?? { found: false, ...needed(position) };

/** All certain cells. */
function certain(position) {
  const [safe, mines] = position.isUntouched ? [[], []] : [1, 2].map((mark) => listOf(position.known, mark));
  const rest = safe.length ? { words: null, guess: null } : needed(position);
  return { safe: position.grid.pairs(safe), mines: position.grid.pairs(mines), ...rest };
}

function mayGuess(position) {
  if (position.isUntouched) return { allowed: true, words: FIRST_CLICK };
  const safe = listOf(position.known).length;
  if (safe && !position.granted?.includes(1))
    return { allowed: false, words: t("No: {count} {count:cell is|cells are} certain to be safe.", { count: safe }) };
  if (!position.granted) return { allowed: true, words: t("Yes: no cell is certain to be safe.") };
  const where = position.isAnywhere ? t("Yes, on any cell that may be safe.") : t("Yes, but only next to the clues.");
  return {
    allowed: true,
    words:
      where +
      (safe ? ` ${t("Certainly safe cells far from the clues do not forbid it; you may open them as well.")}` : ""),
  };
}

function checkFlags(position) {
  const [wrong, unproven] = [1, 0].map((mark) => position.flags.filter((cell) => position.known[cell] === mark));
  const values = { wrong: wrong.length, unproven: unproven.length, count: position.flags.length };
  if (!values.count) return { wrong: [], unproven: [], words: t("There are no flags to check.") };
  const words = wrong.length
    ? t("Certain to be wrong: {wrong} of {count} {count:flag|flags}.", values)
    : t("No flag is certainly wrong. Not certain to be right: {unproven} of {count} {count:flag|flags}.", values);
  return { wrong: position.grid.pairs(wrong), unproven: position.grid.pairs(unproven), words };
}

/** Kaboom: the hidden cells by the result of a click. */
function verdicts(position) {
  const { why } = position.verdicts;
  const cells = (...reasons) => position.grid.pairs([...why.keys()].filter((cell) => reasons.includes(why[cell])));
  return {
    safe: cells("proven_safe"),
    mines: cells("proven_mine"),
    granted: cells("forced_guess", "first_click"),
    refused: cells("needless_guess", "outside"),
  };
}

/** Why a click was fatal, in the position before it; `why` is the verdict of Kaboom. */
function explain(position, { cell: place, why }) {
  const { grid, view, known } = position;
  const cell = grid.index(place);
  const because = known[cell] === 2 ? explained(view).find(({ cells }) => cells.includes(cell)) : null;
  const words = because
    ? because.words
    : known.includes(1)
      ? (VERDICTS[why] ?? t("It was a guess, though other cells were certain to be safe."))
      : why === "outside"
        ? VERDICTS.outside
        : t("Nothing was certain, so you had to guess: bad luck.");
  return {
    safe: grid.pairs(listOf(known)),
    mines: grid.pairs(listOf(known, 2)),
    reason: because?.reason ?? null,
    // The words of a step that finds safe cells, too, name them.
    hint: known.includes(1) && !because?.safe.length ? chainOf(position) : null,
    words,
  };
}

/** The next move of a strategy, unless it is given; at a guess with its options, best first. */
function move(position, { strategy, first, given }) {
  const { grid, view, flags } = position;
  if (given) {
    const all = given.reason === "guess" ? position.chances : null;
    const [cell] = given.cells;
    return {
      ...given,
      ratings: all && [{ cell, mine_probability: all[grid.index(cell)] }],
      chances: all && grid.rowsOf(all),
    };
  }
  if (position.isUntouched) return { reason: TIERS[0], cells: [first], mines: [] };
  const found = kernel.hint(view, grid.marked(flags, 2));
  if (found) {
    const { tier_name: reason, safe: cells, ...step } = worded(view, found);
    return { reason, cells, mines: step.mines, clues: step.reason.clues, words: step.words };
  }
  const ratings = position.compare(kernel.rate(view, strategy).map(({ cell }) => cell));
  const all = position.chances;
  return { reason: "guess", cells: [ratings[0].cell], mines: [], ratings, chances: all && grid.rowsOf(all) };
}

/** A number by its logarithm; a double has it exactly below `most` digits. */
function magnitude(log, most = 6) {
  const power = log / Math.LN10;
  return power < most
    ? Math.round(Math.exp(log)).toLocaleString(language)
    : t("analysis.magnitude", { number: decimal(10 ** (power % 1), 1), power: Math.floor(power) });
}

/** Clues that contradict each other, none of which can be left out. */
function clash(view) {
  const cells = view.cells.slice();
  const clues = view.grid.cells.filter((cell) => cells[cell] >= 0);
  for (const cell of clues) {
    cells[cell] = -1;
    if (unless([InconsistentView], () => kernel.closure({ ...view, cells }))) cells[cell] = view.cells[cell];
  }
  return view.grid.pairs(clues.filter((cell) => cells[cell] >= 0));
}

/** All that follows from a position, step by step. */
function analyse(request) {
  const position = new Position(request);
  const { grid, view } = position;
  checkSides(grid);
  const shown = { ...sizeToJSON(view), view: request.cells };
  const nothing = {
    unavoidable: [],
    guess: null,
    ratings: [],
    explanation: [],
    probabilities: null,
    safe_cells: [],
    mine_cells: [],
  };
  const known = unless([InconsistentView], () => position.known);
  if (!known)
    return {
      ...shown,
      ...nothing,
      consistent: false,
      clash: clash(view),
      words: t("The clues contradict each other: no layout of the mines fits them."),
    };
  const { chances: found } = position;
  const [safe, mined] = [listOf(known), listOf(known, 2)];
  const best = position.best(found);
  const words = [
    t("analysis.certain", { safe: safe.length, mines: mined.length }),
    found
      ? t("analysis.layouts", { number: magnitude(position.logLayouts) })
      : t("There are too many layouts to count, so there are no chances to show."),
    best === null ? "" : t("analysis.guess", { cell: cellName(grid.pair(best)), share: decimal(100 * found[best], 1) }),
    position.whyNext,
  ];
  return {
    ...shown,
    consistent: true,
    safe_cells: grid.pairs(safe),
    mine_cells: grid.pairs(mined),
    probabilities: found && grid.rowsOf(found),
    explanation: explained(view),
    unavoidable: position.unavoidable(best),
    guess: best === null ? null : { cell: grid.pair(best) },
    ratings: position.prospects,
    words: words.filter(Boolean).join(" "),
  };
}

/**
 * The layouts in which a cell has a mine, of all that fit; with `assumed` cells and whether they are mines, of those with
 * them, and all chances there.
 */
function layoutsOf(position, { cell = null, assumed = [] }) {
  const { grid, view } = position;
  const given = grid.marked([]);
  for (const [place, mine] of assumed) given[grid.index(place)] = 1 + Number(mine);
  const counted = unless([InconsistentView], () => kernel.probabilities(view, given));
  const suppose = assumed.map(([place, mine]) =>
    t(mine ? "step.mines" : "step.safe", { cells: cellName(place), count: 1 }),
  );
  const words = assumed.length ? [t("Suppose that {cells}.", { cells: listed(suppose) })] : [];
  if (!counted) return { chances: null, words: [...words, t("That contradicts the clues.")] };
  const { chances: found, logLayouts } = counted;
  const number = (log) => magnitude(log, DIGITS);
  if (cell) {
    const chance = found[grid.index(cell)];
    const values = { cell: cellName(cell), all: number(logLayouts), share: decimal(100 * chance, 4, 0) };
    const mined = chance > 0 ? number(logLayouts + Math.log(chance)) : 0;
    words.push(t("{cell} is a mine in {mined} of {all} layouts: {share} %.", { ...values, mined }));
  } else {
    const count = (chance) => found.filter((one, at) => one === chance && !position.known[at]).length;
    words.push(t("analysis.layouts", { number: number(logLayouts) }));
    words.push(
      t("Certain then: {safe} more safe {safe:cell|cells}, {mines} more {mines:mine|mines}.", {
        safe: count(0),
        mines: count(1),
      }),
    );
  }
  return { chances: grid.rowsOf(Array.from(found, (chance) => (Number.isNaN(chance) ? null : chance))), words };
}

/** A text as rows under ROWSxCOLS/MINES: of JSMinesweeper, or a drawing with numbered rows, as `packs show` prints it. */
function asRows(text) {
  const [other, cols, rows, mines] = /^\s*(\d+)x(\d+)x(\d+)\s*\n/.exec(text) ?? [];
  if (other) return `${rows}x${cols}/${mines}\n${text.slice(other.length)}`;
  const lines = text.split("\n");
  const ruler = lines.findIndex(
    (line, at) => line.trim() && COLUMNS.startsWith(line.replace(/\s/g, "")) && /^\s*0 /.test(lines[at + 1] ?? ""),
  );
  if (ruler < 0) return text;
  const drawn = lines.slice(ruler + 1).map((line, row) => new RegExp(`^\\s*${row} (.*)`).exec(line)?.[1]);
  const body = drawn.slice(0, [...drawn, undefined].indexOf(undefined)).join("\n");
  return `${NAME.exec(text)?.[0] ?? ""}\n${body.replace(/[*sa-f]/gi, "#")}`;
}

/**
 * Read the page's own links to games, and the texts of positions that people write: a view with any marks for its hidden
 * cells, or a board of `*` and clues, which then has no open cell. `mines` is the number of mines if the text lacks it, or
 * null. Returns null for other texts. Throws `Fault`.
 */
function read({ text: written, mines = null }) {
  if (!written.trim())
    throw new Fault(t("There is no text yet: paste a position or a screenshot, or draw a position."));
  const [, token] = LINK.exec(written.trim()) ?? [];
  if (token) {
    const { view } = new Game(newLog({ mode: "shared", token }));
    return { ...sizeToJSON(view), cells: linesOf(view) };
  }
  const text = asRows(written);
  const [head = "", inHead] = HEAD.exec(text) ?? [];
  const body = text
    .slice(head.length)
    .replace(SQUARES, "#")
    .replace(/[^\S\n]|[,;|]|\ufe0f/g, "");
  if (!head && !/^[-#?_xhfm.*0-8\s]+$/i.test(body)) return null;
  const isBoard = !head && body.includes("*");
  const count = isBoard ? body.split("*").length - 1 : inHead === undefined ? mines : Number(inHead);
  if (count === null) throw new Fault(t("no number of mines; expected a first line ROWSxCOLS/MINES, e.g. 16x30/99"));
  if (mines !== null && mines !== count)
    throw new Fault(t("the position has {count} {count:mine|mines}; expected {mines}", { count, mines }));
  const marks = isBoard ? /\*/g : !count || body.search(HIDDEN) >= 0 ? HIDDEN : /\./g;
  const view = orFault(() => viewOf(`${head.toLowerCase()}\n${body.replace(marks, "#")}`, count));
  checkSides(view.grid);
  if (isBoard) checkClues(view);
  return { ...sizeToJSON(view), cells: linesOf(isBoard ? hiddenView(view.grid, count) : view) };
}

/** Throw `Fault` if a clue of a board is wrong; its mines are hidden cells. */
function checkClues({ grid, mines, cells }) {
  const shown = kernel.reveal({ grid, mines, mineMap: Uint8Array.from(cells, (cell) => Number(cell < 0)) });
  const wrong = cells.findIndex((clue, cell) => clue > 0 && clue !== shown[cell]);
  if (wrong < 0) return;
  const values = { clue: `'${cells[wrong]}'`, cell: cellName(grid.pair(wrong)), count: shown[wrong] };
  throw new Fault(t("clue {clue} at {cell} is wrong; the cell touches {count} {count:mine|mines}", values));
}

const OF_POSITIONS = {
  hint,
  chances,
  certain,
  verdicts,
  explain,
  move,
  "may-guess": mayGuess,
  "check-flags": checkFlags,
  layouts: layoutsOf,
};
const OTHER = { analyse, read };

/** Answer a question about a position. */
export function advise(name, position, more = {}) {
  return name in OTHER ? OTHER[name](position) : OF_POSITIONS[name](new Position(position), more);
}
