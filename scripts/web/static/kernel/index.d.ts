/** A cell: `row * cols + col`. */
export type Cell = number;

/**
 * The names of grids without holes: how the cells of a board touch. The empty name is a rectangle, whose cells touch by a
 * side or a corner. On a cylinder the left side meets the right one, on a vertical cylinder the top the bottom. Odd rows
 * of hexagons (`hex`) lie half a cell to the right. Sides that meet have at least 5 cells, and rows of hexagons that meet
 * are even in number.
 *
 * With holes, the rows follow the name: `holes 5./2.#2./5.` or `torus holes 5./2.#2./...`. `#` is a hole and `.` a cell,
 * and a number before a mark repeats it. A hole has no mine and no neighbours, and its value in a view is 0.
 */
export const GRIDS: string[];

/** One byte for each place of the rectangle, 1 for a hole; null without holes. Do not change it. */
export function holesOf(size: { grid?: string }): Uint8Array | null;

/** The name of a grid with these holes, one byte for each place of the rectangle, instead of its own. */
export function withHoles(size: { cols: number; grid?: string }, holes: Uint8Array): string;

/** Whether a board of these sides may have its grid. */
export function isGrid(size: { rows: number; cols: number; grid?: string }): boolean;

/** A position as the player sees it. Each cell is -1 (hidden) or a clue 0 to 8; holes are 0. */
export interface View {
  rows: number;
  cols: number;
  mines: number;
  /** One of `GRIDS`, by default the rectangle, and its holes. */
  grid?: string;
  cells: Int8Array;
}

/** A family of random boards. Equal recipes and indices give equal boards on every machine, also in Python. */
export interface Recipe {
  rows: number;
  cols: number;
  mines: number;
  /** One of `GRIDS`, by default the rectangle, and its holes. */
  grid?: string;
  /** The first click; without it, a random cell of each board. */
  click?: Cell;
  /** `opening`: the first click is a zero; `safe`: it is no mine. */
  start?: "opening" | "safe";
  /** 0 to 2**64 - 1, by default 0. */
  seed?: number | bigint;
  /** The number of the (first) board, by default 0. */
  index?: number | bigint;
}

export interface Puzzle {
  rows: number;
  cols: number;
  mines: number;
  /** One of `GRIDS`, by default the rectangle, and its holes. */
  grid?: string;
  click: Cell;
  /** One byte a cell, 1 for a mine. */
  mineMap: Uint8Array;
}

export type Difficulty = "easy" | "medium" | "hard" | "expert" | "fiendish";
/** The words for a difficulty, easiest first. */
export const DIFFICULTIES: Difficulty[];

export interface SolvablePuzzle extends Puzzle {
  index: number;
  /** The cells that one clue, two clues, more clues and the mine count decide. */
  tally: [number, number, number, number];
  /** The clues that the hardest step needs at once; null if that is unknown. */
  cluesAtOnce: number | null;
  difficulty: Difficulty;
  /** 0 or more, higher is harder. */
  score: number;
}

/** Cells that follow in the same way. `tier` is 1 clue, 2 clues, 3 more clues, or 4 with the mine count. */
export interface Hint {
  tier: 1 | 2 | 3 | 4;
  /** Whether no smaller set of clues decides a cell. */
  smallest: boolean;
  /** One of the cells, and whether it is a mine: the clues are a reason for this cell. */
  cell: Cell;
  mine: boolean;
  safe: Cell[];
  mines: Cell[];
  clues: Cell[];
}

/** A hint, and the cells that count as known for it: 1 safe, 2 a mine. */
export interface Step extends Hint {
  given: Uint8Array;
}

export type Verdict = "first click" | "certain" | "forced guess" | "needless guess" | "known mine";

/** A judged click. Numbers that were not computed are null. */
export interface Judgement {
  verdict: Verdict;
  /** The exact probability that none of the opened cells is a mine. */
  safety: number | null;
  /** The first safe cell, otherwise the best guess, and its safety. */
  bestCell: Cell | null;
  bestSafety: number | null;
  /** The probability of a mine in each cell, NaN for open ones. */
  chances: Float64Array | null;
  /** All uncertain cells where no cell is safe, best first. */
  evaluation: { kind: "win_probability" | "estimate"; ratings: Rating[] } | null;
  /** The value that the click loses. */
  loss: number | null;
  /** The first known mine, otherwise the first cell that is not known to be safe. */
  uncertainCell: Cell | null;
  /** Of a forced guess: the counterexample of `uncertainCell`. */
  layouts: [Cell[], Cell[]] | null;
  /** Of a needless guess: the deduction that would have given a safe cell. */
  step: Step | null;
}

export interface Rating {
  cell: Cell;
  /** The probability that the cell is safe, and that it is safe and logic continues. */
  safety: number;
  progress: number;
  /** The criterion of the strategy. */
  value: number;
}

export type Strategy = "safest" | "progress" | "lookahead" | "champion";

/** The options of Kaboom. */
export interface Rules {
  opening_start?: boolean;
  guess_anywhere?: boolean;
  outside_counts?: boolean;
  mode?: "uniform" | "cruelest";
}

/** The result of a click in Kaboom; the first three survive. */
export type Why = "first_click" | "proven_safe" | "forced_guess" | "proven_mine" | "needless_guess" | "outside";

/** A view that no layout of the mines fits. */
export class InconsistentView extends Error {}

/** A position with a part too wide to enumerate. */
export class TooWide extends Error {}

/**
 * Read a view from text: rows of `#`, `0` to `8` or `.`, and `-` for a hole, after a line `ROWSxCOLS/MINES GRID`, or with
 * `mines` and `grid`. Throws `TypeError` for anything else, and for holes that are not those of the named grid.
 */
export function viewOf(text: string, mines?: number, grid?: string): View;

/** The methods throw `RangeError` for invalid arguments, `InconsistentView` and `TooWide`. */
export interface Kernel {
  /** The largest number of mines around a first click. */
  room(recipe: { rows: number; cols: number; grid?: string; click?: Cell; start?: "opening" | "safe" }): number;
  /** Sample board `index` of a recipe. */
  deal(recipe: Recipe): Puzzle;
  /**
   * Find the first solvable board from `index` on that `accepts` accepts; null if there is none among `most` boards.
   * Without `most`, boards are repaired after 20,000 unsolvable ones. The search ends with null once `stops` returns true.
   */
  findSolvable(
    recipe: Recipe,
    accepts?: (puzzle: SolvablePuzzle) => boolean,
    most?: number,
    stops?: () => boolean,
  ): SolvablePuzzle | null;
  /** All cells whose value follows from the clues and the mine count: 1 safe, 2 a mine, 0 otherwise. */
  closure(view: View): Uint8Array;
  /**
   * The exact probability of a mine in each hidden cell, NaN for open ones, and the natural logarithm of the number of
   * layouts. `given` are cells that count as known: 1 safe, 2 a mine.
   */
  probabilities(view: View, given?: Uint8Array): { chances: Float64Array; logLayouts: number };
  /** The easiest deduction, with a smallest set of clues; null if nothing follows. `given` are known cells: 1 safe, 2 a mine. */
  hint(view: View, given?: Uint8Array): Hint | null;
  /** All deductions of a view in order, each from the earlier ones, without opening cells. */
  path(view: View): Step[];
  /**
   * The shortest chain of deductions to a safe cell: those of the mines that it rests on, then its own. Mines in `flagged`
   * (2) need no step. The chain is empty if no cell is safe.
   */
  chain(view: View, flagged?: Uint8Array): Step[];
  /** Judge a click that opens hidden cells. */
  judge(view: View, cells: Cell[]): Judgement;
  /** Judge the clicks of a game, each of which opens some cells, one after the other. */
  review(
    board: { rows: number; cols: number; mines: number; grid?: string; mineMap: Uint8Array },
    clicks: Cell[][],
  ): Judgement[];
  /** The cells that a strategy considers where no safe cell is known, best first. */
  rate(view: View, strategy?: Strategy, known?: Uint8Array): Rating[];
  /**
   * All uncertain cells where no safe cell is known, best first. `value` is the probability to win under perfect play
   * (`win_probability`) or the estimate of `champion`; `none` if the layouts cannot be counted. `known` is the closure.
   */
  evaluate(view: View, known?: Uint8Array): { kind: "win_probability" | "estimate" | "none"; ratings: Rating[] };
  /** The unavoidable guesses: cells that no further clue can decide, and the mines of two layouts that differ only there. */
  unavoidable(view: View): { cells: Cell[]; layouts: [Cell[], Cell[]] }[];
  /** Play `count` boards of a recipe; returns the number of games won. */
  play(recipe: Recipe, count: number, strategy?: Strategy): number;
  /** Draw a layout uniformly, if requested with or without a mine in a cell: one byte a cell. */
  drawLayout(
    view: View,
    options?: { cell?: Cell; mine?: boolean; seed?: number | bigint; index?: number | bigint },
  ): Uint8Array;
  /** Two lists of mines that fit and differ around a cell: it is safe in the first and a mine in the second. Always the same. */
  counterexample(view: View, cell: Cell): [Cell[], Cell[]];
  /** Measure a board. `firstOpening`, the cells that the first click opens, is 0 without one. */
  measure(board: { rows: number; cols: number; mines: number; grid?: string; mineMap: Uint8Array; click?: Cell }): {
    bbbv: number;
    openings: number;
    islands: number;
    greedyZini: number;
    humanZini: number;
    buried: number;
    firstOpening: number;
  };
  /** The work to prove the safe cells of a solvable puzzle: 1 for a cell by one clue, 2 by two clues, 5 by more. */
  work(puzzle: Puzzle): number;
  /** Open a cell with its opening: the cells after it, and whether it was safe. */
  open(view: View, mineMap: Uint8Array, cell: Cell): { survived: boolean; cells: Int8Array };
  /** The clues of a board, and -1 for its mines. */
  reveal(board: { rows: number; cols: number; mines: number; grid?: string; mineMap: Uint8Array }): Int8Array;
  /** The cells that a chord opens. `flags` has one byte a cell. */
  chorded(view: View, flags: Uint8Array, cell: Cell): Cell[];
  /** Kaboom: the result of a click on each hidden cell, null for open ones, and where a guess is granted. */
  kaboomVerdicts(view: View, rules: Rules): { why: (Why | null)[]; granted: Uint8Array };
  /** Kaboom: click a hidden cell. `seed` and the number of clicks so far determine the random layout. */
  kaboomClick(
    view: View,
    rules: Rules,
    cell: Cell,
    random?: { seed?: number | bigint; clicks?: number | bigint },
  ): {
    why: Why;
    survived: boolean;
    cells: Int8Array;
    layout: Uint8Array;
  };
}

/** Load the kernel: from its file beside the module, or from its bytes or the compiled module. */
export function loadKernel(source?: BufferSource | WebAssembly.Module): Promise<Kernel>;
