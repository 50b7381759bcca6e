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

/** The cells of a board, numbered row by row, and their neighbours. A grid never changes. */
export class Grid {
  /**
   * `label` is one of `GRIDS`, by default the rectangle, and its holes. `holes` replaces those of the label: one byte for each
   * place of the rectangle, 1 for a hole. Throws `RangeError` if the sides do not allow the grid.
   */
  constructor(rows: number, cols: number, label?: string, holes?: Uint8Array | null);
  readonly rows: number;
  readonly cols: number;
  /** One of `GRIDS`: the label without its holes. */
  readonly kind: string;
  readonly label: string;
  /** The size and the label: `12x12 torus`. */
  readonly name: string;
  /** One byte for each place of the rectangle, 1 for a hole; null without holes. Do not change it. */
  readonly holes: Uint8Array | null;
  /** Whether the first row touches the last one, and the first column. */
  readonly wrapsRows: boolean;
  readonly wrapsCols: boolean;
  readonly isHexagonal: boolean;
  /** The number of places, holes included: the length of arrays with a value for each cell. */
  readonly size: number;
  /** All cells, row by row. */
  readonly cells: Cell[];
  /** The cell in the middle, or the nearest cell if that is a hole. */
  readonly middle: Cell;
  /** A grid of plain data, and back. A rectangle has no `grid` there. */
  static fromJSON(data: { rows: number; cols: number; grid?: string }): Grid;
  toJSON(): { rows: number; cols: number; grid?: string };
  /** The grid of these sides and this kind with other holes. */
  withHoles(holes: Uint8Array): Grid;
  equals(other: Grid): boolean;
  /** Cells from their row and column, and back. */
  index(pair: number[]): Cell;
  pair(cell: Cell): number[];
  pairs(cells: Iterable<Cell>): number[][];
  /** An array with a mark, by default 1, for some cells, and 0 for all others. */
  marked(cells: Iterable<Cell>, mark?: number): Uint8Array;
  /** An array or text with a value for each cell, by rows. */
  rowsOf<T extends { slice(start: number, end: number): T }>(list: T): T[];
  /** Whether a place is in the rectangle. */
  isInside(row: number, col: number): boolean;
  /** The cell in a row and a column, counted on across sides that meet; null if it is a hole or off the board. */
  at(row: number, col: number): Cell | null;
  /** The cells that touch a cell, row by row on a rectangle. */
  around(cell: Cell): Cell[];
}

/**
 * A position as the player sees it. Each cell is -1 (hidden) or a clue 0 to 8; holes are 0.
 *
 * If the number of mines is not known, `mines` is the largest one and `least` the smallest, and each hidden cell is a mine
 * with probability `density`; `isAssumed` says that the text named no density. Only `closure`, `probabilities`, `hint`,
 * `path`, `chain` and `drawLayout` take such a view.
 */
export interface View {
  grid: Grid;
  mines: number;
  cells: Int8Array;
  least?: number;
  density?: number;
  isAssumed?: boolean;
}

/** A number of mines; `90-110`, `90-?` or `?` if it is not known; and after an `@` the density: `?@0.2`. */
export type MinesText = number | string;

/** The prospects of a guess. Numbers that are not known are null. */
export interface Prospect {
  cell: Cell;
  /** The probabilities that it is safe, that logic then continues, to survive this guess and the next one, and to win. */
  safety: number;
  progress: number | null;
  second: number | null;
  win: number | null;
  /** The template of player/logic/words that says why it is worse than the first one, for which it is empty. */
  why: string;
}

/** A family of random boards. Equal recipes and indices give equal boards on every machine, also in Python. */
export interface Recipe {
  grid: Grid;
  mines: number;
  /** The first click; without it, a random cell of each board. */
  click?: Cell;
  /** `opening`: the first click is a zero; `safe`: it is no mine. */
  start?: "opening" | "safe";
  /** 0 to 2**64 - 1, by default 0. */
  seed?: number | bigint;
  /** The number of the (first) board, by default 0. `findSolvable` takes numbers below 2**53. */
  index?: number | bigint;
}

export interface Board {
  grid: Grid;
  mines: number;
  /** One byte a cell, 1 for a mine. */
  mineMap: Uint8Array;
}

export interface Puzzle extends Board {
  click: Cell;
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
  says: Sentence;
}

/** Why cells follow: the name of a template of player/logic/words, and its values; see mines_sentence in minesweeper.h. */
export interface Sentence {
  name: string;
  clue: Cell;
  other: Cell;
  count: number;
  need: number;
  mines: number;
  rest: number;
  /** The known mines at the clue, if it decides alone. */
  places: Cell[];
}

/** A hint, and the cells that count as known for it: 1 safe, 2 a mine. */
export interface Step extends Hint {
  given: Uint8Array;
}

export type Verdict = "first click" | "certain" | "forced guess" | "needless guess" | "known mine";

export const VERDICTS: Verdict[];

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
  evaluation: { kind: "win_probability" | "estimate"; ratings: Candidate[] } | null;
  /** The value that the click loses. */
  loss: number | null;
  /** The first known mine, otherwise the first cell that is not known to be safe. */
  uncertainCell: Cell | null;
  /** Of a forced guess: the counterexample of `uncertainCell`. */
  layouts: [Cell[], Cell[]] | null;
  /** Of a needless guess: the last step of the chain to a safe cell. */
  step: Step | null;
}

export interface Candidate {
  cell: Cell;
  /** The probability that the cell is safe, and that it is safe and logic continues. */
  safety: number;
  progress: number;
  /** The criterion of the strategy. */
  value: number;
}

export type Strategy = "safest" | "progress" | "lookahead" | "champion";
/** The strategies, in order of strength. */
export const STRATEGIES: Strategy[];

/** The options of Kaboom. */
export interface Rules {
  opening_start?: boolean;
  guess_anywhere?: boolean;
  outside_counts?: boolean;
  /** A guess that `unavoidable` finds is granted while other cells are safe, too. */
  unavoidable_early?: boolean;
  mode?: "uniform" | "cruelest";
}

/** The result of a click in Kaboom; the first three survive. */
export type Why = "first_click" | "proven_safe" | "forced_guess" | "proven_mine" | "needless_guess" | "outside";

/** A view that no layout of the mines fits. */
export class InconsistentView extends Error {}

/** A position with a part too wide to enumerate. */
export class TooWide extends Error {}

/** A view without an open cell. */
export function hiddenView(grid: Grid, mines: number): View;

/**
 * Read a view from text: rows of `#`, `0` to `8` or `.`, and `-` for a hole, after a line `ROWSxCOLS/MINES GRID`, or with
 * `mines` and the label of a grid. Throws `RangeError` for anything else, and for holes that are not those of the label.
 */
export function viewOf(text: string, mines?: MinesText, label?: string): View;

/**
 * A board in a picture. The cell in a row and column has its corner at `left + col * width` and `top + row * height`, in
 * pixels. `meanings` are clues 0 to 8, 9 for a hidden cell, 10 for a flag, 11 for a mine, 12 for a question mark.
 * `doubtful` is 1 for cells that may show something else. `leastMines` to `mostMines` fit the clues.
 */
export interface SeenBoard {
  rows: number;
  cols: number;
  left: number;
  top: number;
  width: number;
  height: number;
  leastMines: number;
  mostMines: number;
  meanings: Uint8Array;
  doubtful: Uint8Array;
}

/** The methods throw `RangeError` for arguments outside these types, `InconsistentView` and `TooWide`. */
export interface Kernel {
  /** The largest number of mines around a first click. */
  room(recipe: { grid: Grid; click?: Cell; start?: "opening" | "safe" }): number;
  /** Sample board `index` of a recipe. */
  deal(recipe: Recipe): Puzzle;
  /**
   * Find the first solvable board from `index` on that `accepts` accepts. Boards are repaired after 20,000 unsolvable
   * ones. The search ends with null once `stops` returns true; it is called again and again.
   */
  findSolvable(
    recipe: Recipe,
    accepts?: (puzzle: SolvablePuzzle) => boolean,
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
   * The shortest way to a safe cell: the steps of the mines that it rests on, then its own; empty if no cell is safe. Flags on
   * mines, one byte a cell, 1 or 2 for a flag, spare their steps.
   */
  chain(view: View, flags?: Uint8Array | null): Step[];
  /** Judge a click that opens hidden cells. */
  judge(view: View, cells: Cell[]): Judgement;
  /** Judge the clicks of a game, each of which opens some cells, in the view before each; `view` is the last one. */
  review(board: Board, clicks: Cell[][]): { judgements: (Judgement & { view: View })[]; view: View };
  /** The cells that a strategy considers where no safe cell is known, best first. */
  rate(view: View, strategy?: Strategy, known?: Uint8Array): Candidate[];
  /** The prospects of some guesses, the best one first. `known` is the closure. */
  compare(view: View, cells: Cell[], known?: Uint8Array): Prospect[];
  /**
   * All uncertain cells where no safe cell is known, best first. `value` is the probability to win under perfect play
   * (`win_probability`) or the estimate of `champion`; `none` if the layouts cannot be counted. `known` is the closure.
   */
  evaluate(view: View, known?: Uint8Array): { kind: "win_probability" | "estimate" | "none"; ratings: Candidate[] };
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
  measure(board: Board & { click?: Cell }): {
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
  /** Open cells with their openings, one after the other: the view after them, and whether all were safe. */
  open(view: View, mineMap: Uint8Array, cells: Cell[]): { survived: boolean; view: View };
  /** The clues of a board, and -1 for its mines. */
  reveal(board: Board): Int8Array;
  /** The cells that a chord opens. `flags` has one byte a cell, 1 for a flag. */
  chorded(view: View, flags: Uint8Array, cell: Cell): Cell[];
  /** Kaboom: the result of a click on each hidden cell, null for open ones, and where a guess is granted. */
  kaboomVerdicts(view: View, rules: Rules): { why: (Why | null)[]; granted: Uint8Array };
  /** Kaboom: click a hidden cell. `seed` and `clicks`, by default 0 and 1, determine the random layout. */
  kaboomClick(
    view: View,
    rules: Rules,
    cell: Cell,
    random?: { seed?: number | bigint; clicks?: number | bigint },
  ): { why: Why; survived: boolean; view: View; layout: Uint8Array };
}

/** What few games need, so that pages load it later or not at all. */
export interface More {
  /** The boards in a picture, largest first; it has red, green and blue of each pixel, row by row. */
  readPicture(pixels: Uint8Array, width: number, height: number): SeenBoard[];
  /**
   * Plan few clicks that clear a board, from a left click on its `click` or from the best one. More `mostWork`, in
   * comparisons of states, finds better plans; without it, an expert board takes some 30 ms. No plan goes below `bound`.
   */
  fewestClicks(
    board: Board & { click?: Cell },
    mostWork?: number,
  ): { clicks: { kind: "left" | "flag" | "chord"; cell: Cell }[]; bound: number };
}

/** Load the kernel: from its file beside the module, or from its bytes or the compiled `WebAssembly.Module`. */
export function loadKernel(source?: ArrayBuffer | ArrayBufferView | object): Promise<Kernel>;
/** Load the functions of `More` in the same way, from `more.wasm`. */
export function loadMore(source?: ArrayBuffer | ArrayBufferView | object): Promise<More>;
