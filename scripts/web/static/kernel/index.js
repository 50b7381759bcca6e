/**
 * Exact Minesweeper logic, probabilities and no-guess boards: the C++ kernel of the Minesweeper toolkit in WebAssembly.
 *
 * index.d.ts documents the types. A cell is a number, `row * cols + col`.
 */

import { GRIDS, SHORTEST_WRAP, cellCount, holesOf, isGrid, kindOf, withHoles } from "./grids.js";

export { GRIDS, holesOf, isGrid, withHoles };

const HIDDEN = -1;
const MAX_SIDE = 4000;
// Results of the C interface, in the order of minesweeper.h.
const INCONSISTENT = 1;
const TOO_WIDE = 2;
const NONE = 3;
const STRATEGIES = ["safest", "progress", "lookahead", "champion"];
const VERDICTS = ["first click", "certain", "forced guess", "needless guess", "known mine"];
const WHY = ["first_click", "proven_safe", "forced_guess", "proven_mine", "needless_guess", "outside"];
/** A kernel keeps the handles of this many grids. */
const KEPT_GRIDS = 16;
/** Words for the difficulty of a solvable board, easiest first. */
export const DIFFICULTIES = ["easy", "medium", "hard", "expert", "fiendish"];
const EVALUATIONS = ["none", "estimate", "win_probability"];
const SEARCHED = 256;
/** After this many unsolvable boards, boards are repaired, as in the toolkit. */
const CANDIDATES = 20_000;

/** A view that no layout fits. */
export class InconsistentView extends Error {}

/** A position with a part too wide to enumerate. */
export class TooWide extends Error {}

const HEAD = /^(\d+)x(\d+)\/(\d+)(?: +((?:[a-z ]* )?holes +[\d.#/]+|[a-z ]*[a-z]))?(?=\s|$)/;

/**
 * A view from text: rows of `#`, `0` to `8` or `.`, and `-` for a hole, after a line `ROWSxCOLS/MINES GRID`, or with
 * `mines` and `grid`.
 */
export function viewOf(text, mines = null, grid = "") {
  const head = HEAD.exec(text.trim());
  const lines = text.trim().slice(head?.[0].length).trim().split(/\s+/);
  const rows = lines.length;
  const cols = lines[0]?.length ?? 0;
  if (lines.some((line) => line.length !== cols || /[^-#.0-8]/.test(line)))
    throw new TypeError("expected rows of equal length, of # for a hidden cell and 0 to 8 or . for a clue");
  if (head && (Number(head[1]) !== rows || Number(head[2]) !== cols))
    throw new TypeError(`expected ${head[1]} rows of ${head[2]} cells, got ${rows} of ${cols}`);
  const shape = gridIn(lines, head?.[4] ?? grid);
  const holes = holesOf({ grid: shape });
  const clues = { "#": HIDDEN, ".": 0, "-": 0 };
  const cells = Int8Array.from(lines.join(""), (code, cell) => (holes?.[cell] ? 0 : (clues[code] ?? Number(code))));
  return { rows, cols, mines: mines ?? Number(head?.[3]), ...(shape && { grid: shape }), cells };
}

/** The name of the grid of a text: of the grid `named`, with the holes in the lines. */
function gridIn(lines, named) {
  const size = { rows: lines.length, cols: lines[0].length, grid: named };
  if (!isGrid(size) || !(holesOf(size) || lines.some((line) => line.includes("-")))) return named;
  const drawn = Uint8Array.from(lines.join(""), (code) => Number(code === "-"));
  const grid = withHoles(size, holesOf(size) ?? drawn);
  if (drawn.includes(1) && withHoles(size, drawn) !== grid)
    throw new TypeError("the holes - in the rows are not those of the named grid");
  return grid;
}

const check = (holds, message) => {
  if (!holds) throw new RangeError(typeof message === "function" ? message() : message);
};
const isWhole = (number, least, most) => Number.isInteger(number) && number >= least && number <= most;

function checkSize({ rows, cols, grid = "", mines }) {
  check(
    isWhole(rows, 1, MAX_SIDE) && isWhole(cols, 1, MAX_SIDE),
    `invalid size ${rows}x${cols}; expected 1 to ${MAX_SIDE} rows and columns`,
  );
  check(
    isGrid({ rows, cols, grid: kindOf(grid) }),
    `invalid grid ${rows}x${cols} ${grid.slice(0, 60)}; expected one of GRIDS, with at least ${SHORTEST_WRAP} cells in sides that meet, and an even number of rows of hexagons that meet`,
  );
  check(
    isGrid({ rows, cols, grid }),
    `the holes do not fit a board of ${rows}x${cols}; expected ${rows} rows of ${cols} marks, with at least one cell`,
  );
  const most = cellCount({ rows, cols, grid });
  check(isWhole(mines, 0, most), `invalid number of mines ${mines}; expected 0 to ${most}`);
}

/** The cells with the marks 1 to `most`, a list for each. */
function listed(marks, most) {
  const lists = Array.from({ length: most }, () => []);
  for (let cell = 0; cell < marks.length; ++cell) if (marks[cell]) lists[marks[cell] - 1].push(cell);
  return lists;
}
const marked = (marks) => listed(marks, 1)[0];

/** The methods call the C interface, of which minesweeper.h documents the functions and the structs. */
class Kernel {
  #wasm;
  #kernel;
  #size = 0;
  /** The handles of grids by their sizes and names, the last used one last. */
  #grids = new Map();
  /** Memory of the module by name: its address and bytes. */
  #memory = new Map();

  constructor(wasm) {
    this.#wasm = wasm;
    this.#kernel = wasm.mines_new();
  }

  /** The number of mines that fit around a first click, at most. */
  room(recipe) {
    this.#call("room", this.#recipe({ ...recipe, mines: 0 }), this.#at("number", 4));
    return this.#numbers("number")[0];
  }

  deal(recipe) {
    const at = this.#recipeWithMines(recipe);
    this.#call("sample", at, BigInt(recipe.index ?? 0), this.#marksAt("one"), this.#at("number", 4));
    return this.#puzzle(recipe, this.#numbers("number")[0]);
  }

  findSolvable(recipe, accepts = () => true, most = Infinity, stops = () => false) {
    const index = BigInt(recipe.index ?? 0);
    let found = false;
    let at = index;
    const end = Number(index) + most;
    const next = (size, repaired) => {
      const stop = at + BigInt(size);
      const into = [this.#recipeWithMines(recipe), at, stop, repaired, this.#marksAt("one"), this.#at("solution", 48)];
      if (!this.#call("search", ...into)) {
        at = stop;
        return null;
      }
      const [click, one, two, more, count, atOnce, difficulty] = this.#numbers("solution").slice(2);
      const score = this.#read("solution", Float64Array)[5];
      at = this.#read("solution", BigUint64Array)[0] + 1n;
      found = true;
      return {
        ...this.#puzzle(recipe, click),
        index: Number(at - 1n),
        tally: [one, two, more, count],
        cluesAtOnce: atOnce < 0 ? null : atOnce,
        difficulty: DIFFICULTIES[difficulty],
        score,
      };
    };
    while (Number(at) < end && (found || at < index + BigInt(CANDIDATES))) {
      const puzzle = next(Math.min(SEARCHED, end - Number(at)), 0);
      if (puzzle && accepts(puzzle)) return puzzle;
      if (stops()) return null;
    }
    if (found || most !== Infinity) return null;
    for (at = 0n; !stops();) {
      const puzzle = next(1, 1);
      if (puzzle && accepts(puzzle)) return puzzle;
    }
    return null;
  }

  closure(view) {
    this.#load(view);
    this.#call("closure", this.#marksAt("one"));
    return this.#marks("one");
  }

  probabilities(view, given = null) {
    this.#load(view);
    const into = [this.#at("chances", 8 * this.#size), this.#at("layouts", 8)];
    this.#call("probabilities", this.#given(given), ...into);
    const [logLayouts] = this.#read("layouts", Float64Array);
    return { chances: this.#read("chances", Float64Array).slice(0, this.#size), logLayouts };
  }

  hint(view, given = null) {
    this.#load(view);
    const found = this.#call("find_hint", this.#given(given), this.#at("hint", 16), this.#marksAt("one"));
    return found ? this.#hint(0) : null;
  }

  path(view) {
    this.#load(view);
    this.#call("find_path", this.#at("number", 4));
    return this.#steps();
  }

  chain(view, flags = null) {
    this.#load(view);
    this.#call("find_chain", this.#given(flags), this.#at("number", 4));
    return this.#steps();
  }

  judge(view, cells) {
    this.#load(view);
    return this.#judged(cells, 0);
  }

  review(board, clicks) {
    const mineMap = board.mineMap;
    const holes = holesOf(board);
    this.#load({ ...board, cells: Int8Array.from(mineMap, (_, cell) => (holes?.[cell] ? 0 : HIDDEN)) });
    return clicks.map((cells) => this.#judged(cells, this.#put("mines", mineMap)));
  }

  rate(view, strategy = "champion", known = this.closure(view)) {
    this.#load(view);
    this.#call("rate", this.#strategy(strategy), this.#given(known), ...this.#candidatesAt());
    return this.#ratings();
  }

  evaluate(view, known = this.closure(view)) {
    this.#load(view);
    this.#call("evaluate", this.#given(known), ...this.#candidatesAt(), this.#at("kind", 4));
    return { kind: EVALUATIONS[this.#numbers("kind")[0]], ratings: this.#ratings() };
  }

  play(recipe, count, strategy = "champion") {
    const first = BigInt(recipe.index ?? 0);
    this.#call("play", this.#recipeWithMines(recipe), this.#strategy(strategy), first, count, this.#at("number", 4));
    return this.#numbers("number")[0];
  }

  drawLayout(view, { cell = -1, mine = null, seed = 0, index = 0 } = {}) {
    this.#load(view);
    const value = mine === null ? -1 : Number(mine);
    this.#call("draw_layout", cell, value, BigInt(seed), BigInt(index), this.#marksAt("one"));
    return this.#marks("one");
  }

  counterexample(view, cell) {
    this.#load(view);
    check(view.cells[cell] === HIDDEN, `cell ${cell} is open or off the board; expected a hidden cell`);
    this.#call("counterexample", cell, this.#marksAt("one"), this.#marksAt("other"));
    return [marked(this.#marks("one")), marked(this.#marks("other"))];
  }

  unavoidable(view) {
    this.#load(view);
    this.#call("find_unavoidable", this.#at("number", 4));
    return this.#each((guess) => {
      this.#call("unavoidable_guess", guess, ...["cells", "one", "other"].map((name) => this.#marksAt(name)));
      const [cells, one, other] = ["cells", "one", "other"].map((name) => marked(this.#marks(name)));
      return { cells, layouts: [one, other] };
    });
  }

  measure(board) {
    const from = this.#board(board);
    this.#call("measure", ...from, board.click ?? -1, this.#at("metrics", 28));
    const [bbbv, openings, islands, greedyZini, humanZini, buried, firstOpening] = this.#numbers("metrics");
    return { bbbv, openings, islands, greedyZini, humanZini, buried, firstOpening };
  }

  work(puzzle) {
    const from = this.#board(puzzle);
    this.#call("work", ...from, puzzle.click ?? -1, this.#at("number", 4));
    return this.#numbers("number")[0];
  }

  open(view, mineMap, cell) {
    this.#load(view);
    check(isWhole(cell, 0, view.cells.length - 1), `cell ${cell} is off the board`);
    this.#call("open", this.#put("one", mineMap), cell, this.#marksAt("cells"), this.#at("number", 4));
    return { survived: this.#numbers("number")[0] === 1, cells: this.#cells() };
  }

  reveal(board) {
    const from = this.#board(board);
    this.#call("reveal", ...from, this.#marksAt("cells"));
    return this.#cells();
  }

  chorded(view, flags, cell) {
    this.#load(view);
    this.#call("chord", this.#put("one", flags), cell, this.#marksAt("other"));
    return marked(this.#marks("other"));
  }

  kaboomVerdicts(view, rules) {
    this.#load(view);
    this.#call("kaboom_verdicts", rulesOf(rules), this.#marksAt("one"));
    const why = Array.from(this.#marks("one"), (one) => WHY[one] ?? null);
    return { why, granted: Uint8Array.from(why, (one) => Number(one === "first_click" || one === "forced_guess")) };
  }

  kaboomClick(view, rules, cell, { seed = 0, clicks = 1 } = {}) {
    this.#load(view);
    check(view.cells[cell] === HIDDEN, `cell ${cell} is open or off the board; expected a hidden cell`);
    const into = [this.#marksAt("cells"), this.#marksAt("one"), this.#at("number", 4)];
    this.#call("kaboom_click", rulesOf(rules), cell, BigInt(seed), BigInt(clicks), ...into);
    const [why] = this.#numbers("number");
    return { why: WHY[why], survived: why < 3, cells: this.#cells(), layout: this.#marks("one") };
  }

  /** Call a function; false if there is no result. */
  #call(name, ...values) {
    const code = this.#wasm[`mines_${name}`](this.#kernel, ...values);
    if (code === INCONSISTENT) throw new InconsistentView("no layout of the mines fits this view");
    if (code === TOO_WIDE) throw new TooWide("a part of this position is too wide to enumerate");
    check(code === 0 || code === NONE, () => this.#message());
    return code === 0;
  }

  /** The cause of the last error, and the expected form. */
  #message() {
    const bytes = new Uint8Array(this.#wasm.memory.buffer, this.#wasm.mines_message(this.#kernel) >>> 0);
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)));
  }

  /** The address of memory with a name, which is as large as a call has needed so far. */
  #at(name, bytes) {
    const kept = this.#memory.get(name);
    if (kept?.bytes >= bytes) return kept.at;
    if (kept) this.#wasm.free(kept.at);
    const at = this.#wasm.malloc(bytes) >>> 0;
    check(at !== 0, "the board takes too much memory");
    this.#memory.set(name, { at, bytes });
    return at;
  }

  #read(name, Type) {
    const { at, bytes } = this.#memory.get(name);
    return new Type(this.#wasm.memory.buffer, at, bytes / Type.BYTES_PER_ELEMENT);
  }

  #numbers(name) {
    return Array.from(this.#read(name, Int32Array));
  }

  #marksAt(name) {
    return this.#at(name, this.#size);
  }

  #marks(name) {
    return this.#read(name, Uint8Array).slice(0, this.#size);
  }

  #cells() {
    return this.#read("cells", Int8Array).slice(0, this.#size);
  }

  /** Copy one byte a cell. */
  #put(name, marks) {
    const at = this.#marksAt(name);
    this.#read(name, Uint8Array).set(marks);
    return at;
  }

  #given(known) {
    return known ? this.#put("given", known) : 0;
  }

  #recipe(recipe) {
    this.#checkSize(recipe);
    const { rows, cols, mines, click = -1, start, seed = 0 } = recipe;
    check(isWhole(click, -1, rows * cols - 1), `invalid first click ${click}; expected -1 to ${rows * cols - 1}`);
    check(!holesOf(recipe)?.[click], `first click ${click} is a hole; expected a cell of the grid`);
    const grid = this.#gridOf(recipe);
    const at = this.#at("recipe", 24);
    this.#read("recipe", Int32Array).set([grid, mines, click, start === "safe" ? 0 : 1]);
    this.#read("recipe", BigUint64Array)[2] = BigInt.asUintN(64, BigInt(seed));
    return at;
  }

  #recipeWithMines(recipe) {
    const most = this.room(recipe);
    check(recipe.mines <= most, `invalid number of mines ${recipe.mines}; expected 0 to ${most} around the start`);
    return this.#recipe(recipe);
  }

  #puzzle({ rows, cols, mines, grid = "" }, click) {
    return { rows, cols, mines, grid, click, mineMap: this.#marks("one") };
  }

  #strategy(name) {
    check(STRATEGIES.includes(name), `unknown strategy ${name}; strategies: ${STRATEGIES.join(", ")}`);
    return STRATEGIES.indexOf(name);
  }

  #checkSize(board) {
    checkSize(board);
    this.#size = board.rows * board.cols;
  }

  #board(board) {
    this.#checkSize(board);
    return [this.#gridOf(board), this.#put("one", board.mineMap)];
  }

  #load(view) {
    this.#checkSize(view);
    check(view.cells.length === this.#size, `expected ${this.#size} cells, got ${view.cells.length}`);
    // The module checks their values.
    this.#call("set_view", this.#gridOf(view), view.mines, this.#put("cells", view.cells));
  }

  /** The handle of a grid in the module. */
  #gridOf({ rows, cols, grid = "" }) {
    const name = `${rows}x${cols} ${grid}`;
    let handle = this.#grids.get(name);
    if (!handle) {
      const holes = holesOf({ grid });
      handle = this.#wasm.mines_grid_new(
        rows,
        cols,
        GRIDS.indexOf(kindOf(grid)),
        holes ? this.#put("holes", holes) : 0,
      );
      check(handle !== 0, "the board takes too much memory");
    }
    this.#grids.delete(name);
    this.#grids.set(name, handle);
    if (this.#grids.size > KEPT_GRIDS) {
      const [oldest, unused] = this.#grids.entries().next().value;
      this.#wasm.mines_grid_free(unused);
      this.#grids.delete(oldest);
    }
    return handle;
  }

  /** The results of `read` for 0 up to the number that a call has written. */
  #each(read) {
    return Array.from({ length: this.#numbers("number")[0] }, (_, i) => read(i));
  }

  #hint(step) {
    const [tier, smallest, cell, mine] = this.#numbers("hint");
    const [safe, mines, clues] = listed(this.#marks("one"), 3);
    const says = this.#sentence(step);
    return { tier, smallest: smallest === 1, cell, mine: mine === 1, safe, mines, clues, says };
  }

  #sentence(step) {
    this.#call("explain", step, this.#at("sentence", 60));
    const [at, clue, other, count, need, mines, rest, ...places] = this.#numbers("sentence");
    const letters = new Uint8Array(this.#wasm.memory.buffer, at);
    const name = String.fromCharCode(...letters.subarray(0, letters.indexOf(0)));
    return { name, clue, other, count, need, mines, rest, places: places.slice(0, clue < 0 || other >= 0 ? 0 : mines) };
  }

  #steps() {
    return this.#each((step) => this.#step(step));
  }

  #step(number) {
    this.#call("step", number, this.#at("hint", 16), this.#marksAt("one"), this.#marksAt("other"));
    return { ...this.#hint(number), given: this.#marks("other") };
  }

  /** Judge a click on the view that is loaded, and open its cells if `mines` is the address of a mine map. */
  #judged(cells, mines) {
    const at = this.#at("clicked", 4 * Math.max(cells.length, 1));
    this.#read("clicked", Int32Array).set(cells);
    const into = [this.#at("judgement", 56), this.#at("chances", 8 * this.#size), ...this.#candidatesAt().slice(0, 2)];
    this.#call("judge", at, cells.length, mines, ...into, this.#marksAt("one"), this.#marksAt("other"));
    const [verdict, best, uncertain, hasChances, hasLayouts, hasStep, kind, candidates] = this.#numbers("judgement");
    const [safety, bestSafety, loss] = this.#read("judgement", Float64Array).slice(4);
    const numberOrNull = (number) => (Number.isNaN(number) ? null : number);
    const cellOrNull = (cell) => (cell < 0 ? null : cell);
    const chances = hasChances ? this.#read("chances", Float64Array).slice(0, this.#size) : null;
    const evaluation = kind ? { kind: EVALUATIONS[kind], ratings: this.#ratings(candidates) } : null;
    const layouts = hasLayouts ? [marked(this.#marks("one")), marked(this.#marks("other"))] : null;
    return {
      verdict: VERDICTS[verdict],
      safety: numberOrNull(safety),
      bestCell: cellOrNull(best),
      bestSafety: numberOrNull(bestSafety),
      chances,
      evaluation,
      loss: numberOrNull(loss),
      uncertainCell: cellOrNull(uncertain),
      layouts,
      step: hasStep ? this.#step(0) : null,
    };
  }

  #candidatesAt() {
    return [this.#at("candidates", 32 * this.#size), this.#size, this.#at("number", 4)];
  }

  #ratings(count = this.#numbers("number")[0]) {
    const numbers = this.#read("candidates", Float64Array);
    const cells = this.#read("candidates", Int32Array);
    return Array.from({ length: count }, (_, i) => {
      const [safety, progress, value] = numbers.subarray(4 * i + 1, 4 * i + 4);
      return { cell: cells[8 * i], safety, progress, value };
    });
  }
}

const rulesOf = ({
  opening_start: opening = false,
  guess_anywhere: anywhere = false,
  outside_counts: outside = true,
  mode = "uniform",
} = {}) => Number(opening) + 2 * Number(anywhere) + 4 * Number(outside) + 8 * Number(mode === "cruelest");

/** Load the kernel: from its file beside this module, or from the bytes or the compiled module given. */
export async function loadKernel(source = null) {
  const module =
    source instanceof WebAssembly.Module
      ? source
      : await WebAssembly.compile(source ?? (await bytesOf(new URL("kernel.wasm", import.meta.url))));
  const imports = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0]));
  const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports });
  exports._initialize?.();
  return new Kernel(exports);
}

async function bytesOf(url) {
  if (url.protocol !== "file:") return (await fetch(url)).arrayBuffer();
  const { readFile } = await import("node:fs/promises");
  return readFile(url);
}
