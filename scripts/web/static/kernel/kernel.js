/** The kernel in JavaScript: its methods call the C interface of a WebAssembly module, and translate types. */

import { GRIDS, Grid, KINDS, check, isWhole, listOf } from "./grids.js";

export { GRIDS, Grid };

const HIDDEN = -1;
// Results of the C interface, in the order of minesweeper.h.
const INCONSISTENT = 1;
const TOO_WIDE = 2;
const NONE = 3;
/** The strategies, in order of strength. */
export const STRATEGIES = ["safest", "progress", "lookahead", "champion"];
/** The verdicts on clicks, in the order of minesweeper.h. */
export const VERDICTS = ["first click", "certain", "forced guess", "needless guess", "known mine"];
const WHY = ["first_click", "proven_safe", "forced_guess", "proven_mine", "needless_guess", "outside"];
/** A kernel keeps the handles of this many grids. */
const KEPT_GRIDS = 16;
/** Words for the difficulty of a solvable board, easiest first. */
export const DIFFICULTIES = ["easy", "medium", "hard", "expert", "fiendish"];
const EVALUATIONS = ["none", "estimate", "win_probability"];
const SEARCHED = 256n;
/** After this many unsolvable boards, boards are repaired, as in the toolkit. */
const CANDIDATES = 20_000n;
const TOO_LARGE = "the board takes too much memory";

/** A view that no layout fits. */
export class InconsistentView extends Error {}
InconsistentView.prototype.name = "InconsistentView";

/** A position with a part too wide to enumerate. */
export class TooWide extends Error {}
TooWide.prototype.name = "TooWide";

const HEAD = /^(\d+)x(\d+)\/([-\d?@.e]+)(?: +((?:[a-z ]* )?holes +[\d.#/]+|[a-z ]*[a-z]))?(?=\s|$)/;

const MINES = /^(?:(\d+)-)?(\d+|\?)(?:@([\d.e-]+))?$/;
const ASSUMED_DENSITY = 0.2;

/** What a text says of the number of mines of a view, see `MinesText` in index.d.ts. */
function minesOf(text, grid, cells) {
  const [, from, to, given] = MINES.exec(`${text}`) ?? [];
  check(to !== undefined, `invalid number of mines ${text}; expected e.g. 99, 90-110, ? or ?@0.2`);
  if ((from ?? given) === undefined && to !== "?") return { mines: Number(to) };
  const hidden = cells.filter((cell) => cell === HIDDEN).length;
  const least = Number(from ?? (to === "?" ? 0 : to));
  const middle = to === "?" ? ASSUMED_DENSITY : (least + Number(to)) / 2 / grid.cells.length;
  const density = Number(given ?? Math.min(Math.max(middle, 0.01), 0.99));
  return { mines: to === "?" ? hidden : Math.min(Number(to), hidden), least, density, isAssumed: given === undefined };
}

export const hiddenView = (grid, mines) => ({
  ...{ grid, mines },
  cells: Int8Array.from({ length: grid.size }, (_, cell) => (grid.holes?.[cell] ? 0 : HIDDEN)),
});

export function viewOf(text, mines = null, label = "") {
  check(typeof text === "string", `invalid view ${text}; expected a text with rows of #, 0 to 8 and .`);
  const head = HEAD.exec(text.trim());
  const lines = text.trim().slice(head?.[0].length).trim().split(/\s+/);
  const [height, width] = [lines.length, lines[0].length];
  if (!width || lines.some((line) => line.length !== width || /[^-#.0-8]/.test(line)))
    throw new RangeError("expected rows of equal length, of # for a hidden cell and 0 to 8 or . for a clue");
  if (head && (Number(head[1]) !== height || Number(head[2]) !== width))
    throw new RangeError(`expected ${head[1]} rows of ${head[2]} cells, got ${height} of ${width}`);
  const named = new Grid(height, width, head?.[4] ?? label);
  const codes = [...lines.join("")];
  const grid = codes.includes("-") ? named.withHoles(Uint8Array.from(codes, (code) => Number(code === "-"))) : named;
  if (named.holes && !grid.equals(named))
    throw new RangeError("the holes - in the rows are not those of the named grid");
  const clues = { "#": HIDDEN, ".": 0, "-": 0 };
  const cells = Int8Array.from(codes, (code, cell) => (grid.holes?.[cell] ? 0 : (clues[code] ?? Number(code))));
  return { grid, cells, ...minesOf(mines ?? head?.[3], grid, cells) };
}

const marks = ({ grid }) => new Uint8Array(grid.size);
const number = () => new Int32Array(1);
const bytesOf = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

function checkBoard({ grid, mines }) {
  check(grid instanceof Grid, "invalid grid; expected a Grid, such as new Grid(16, 30)");
  whole("number of mines", mines, grid.holes ? grid.cells.length : grid.size);
}

/** Return a number of the caller. */
function whole(what, value, most = 2 ** 31 - 1) {
  check(isWhole(value, 0, most), `invalid ${what} ${shown(value)}; expected a whole number from 0 to ${most}`);
  return value;
}

const cellIn = ({ grid }, cell, what = "cell") => whole(what, cell, grid.size - 1);
const cellOrNone = (board, cell, what) => (cell === undefined ? -1 : cellIn(board, cell, what));
const cellsIn = (view, cells) => Int32Array.from([...cells], (cell) => cellIn(view, cell));

/** Return a seed or the number of a board for C. */
function wide(what, value = 0) {
  const fits = typeof value === "bigint" ? BigInt.asUintN(64, value) === value : Number.isSafeInteger(value);
  const expected = "expected a whole number from 0 to 2**64 - 1, from 2**53 on as a BigInt";
  check(fits && value >= 0, `invalid ${what} ${shown(value)}; ${expected}`);
  return BigInt(value);
}

/** Return the place of a value of the caller among those that C knows. */
function choice(what, values, value) {
  check(values.includes(value), `invalid ${what} ${shown(value)}; expected ${values.join(" or ")}`);
  return values.indexOf(value);
}
const bit = (value) => choice("value", [false, true], value);

/** Return an array of the caller with one byte a cell. */
function marksIn({ grid }, array, most = 1) {
  const isArray = array?.BYTES_PER_ELEMENT === 1 && array.length === grid.size;
  const fits = isArray && array.every((mark) => mark >= 0 && mark <= most);
  check(fits, `expected a typed array of ${grid.size} bytes, one for each cell, 0 to ${most}`);
  return array;
}

function checkHidden(view, cell) {
  check(view.cells[cellIn(view, cell)] === HIDDEN, `cell ${cell} is open; expected a hidden cell`);
}

const knownIn = (view, known) => marksIn(view, known, 2);
const shown = (value) => (typeof value === "string" ? `"${value}"` : value);
/** A text for C. */
const chars = (text) => new TextEncoder().encode(`${text}\0`);
const orNull = (one) => (Number.isNaN(one) ? null : one);

/** Read an array of mines_candidate. */
function ratingsOf(candidates, count) {
  const cells = new Int32Array(candidates.buffer);
  return Array.from({ length: count }, (_, i) => {
    const [safety, progress, value] = candidates.subarray(4 * i + 1, 4 * i + 4);
    return { cell: cells[8 * i], safety, progress, value };
  });
}

/** The methods call the C interface, of which minesweeper.h documents the functions and the structs. */
class Kernel {
  #wasm;
  #kernel;
  /** The handles of grids by their names, the last used one last. */
  #grids = new Map();
  /** The memory of the module for the arrays of a call. */
  #memory = { at: 0, bytes: 0 };

  constructor(wasm) {
    this.#wasm = wasm;
    this.#kernel = wasm.mines_new();
  }

  room(recipe) {
    const [, [most]] = this.#call("room", this.#recipe({ ...recipe, mines: 0 }), number());
    return most;
  }

  deal(recipe) {
    const index = wide("index", recipe.index);
    const [, , mineMap, [click]] = this.#call("sample", this.#withMines(recipe), index, marks(recipe), number());
    return { grid: recipe.grid, mines: recipe.mines, click, mineMap };
  }

  findSolvable(recipe, accepts = () => true, stops = () => false) {
    const first = BigInt(whole("index", Number(wide("index", recipe.index)), Number.MAX_SAFE_INTEGER));
    let [at, repaired, isSolvable] = [first, 0, false];
    do {
      const stop = at + (repaired ? 1n : SEARCHED);
      const puzzle = this.#search(recipe, at, stop, repaired);
      if (puzzle && accepts(puzzle)) return puzzle;
      at = puzzle ? BigInt(puzzle.index) + 1n : stop;
      isSolvable ||= puzzle !== null;
      if (!repaired && !isSolvable && at >= first + CANDIDATES) [at, repaired] = [0n, 1];
    } while (!stops());
    return null;
  }

  #search(recipe, start, stop, repaired) {
    const solution = new Float64Array(6);
    const found = this.#call("search", this.#withMines(recipe), start, stop, repaired, marks(recipe), solution);
    if (!found) return null;
    const [, , click, one, two, more, count, atOnce, difficulty] = new Int32Array(solution.buffer);
    return {
      ...{ grid: recipe.grid, mines: recipe.mines, click, mineMap: found[4] },
      index: Number(new BigUint64Array(solution.buffer)[0]),
      tally: [one, two, more, count],
      cluesAtOnce: atOnce < 0 ? null : atOnce,
      difficulty: DIFFICULTIES[difficulty],
      score: solution[5],
    };
  }

  closure(view) {
    const [known] = this.#load(view).#call("closure", marks(view));
    return known;
  }

  probabilities(view, known = null) {
    const into = [new Float64Array(view.cells.length), new Float64Array(1)];
    const [, chances, [logLayouts]] = this.#load(view).#call("probabilities", known && knownIn(view, known), ...into);
    return { chances, logLayouts };
  }

  hint(view, known = null) {
    const found = this.#load(view).#call("find_hint", known && knownIn(view, known), new Int32Array(4), marks(view));
    return found && this.#hint(0, found[1], found[2]);
  }

  path(view) {
    const [[count]] = this.#load(view).#call("find_path", number());
    return this.#steps(view, count);
  }

  chain(view, flags = null) {
    const [, [count]] = this.#load(view).#call("find_chain", flags && knownIn(view, flags), number());
    return this.#steps(view, count);
  }

  judge(view, cells) {
    this.#load(view);
    const { length } = view.cells;
    const [judgement, all] = [new Float64Array(7), new Float64Array(length)];
    const ratings = [new Float64Array(4 * length), length];
    const layouts = [marks(view), marks(view)];
    this.#call("judge", cellsIn(view, cells), cells.length, null, judgement, all, ...ratings, ...layouts);
    const [verdict, best, uncertain, hasChances, hasLayouts, hasStep, kind, count] = new Int32Array(judgement.buffer);
    const [safety, bestSafety, loss] = Array.from(judgement.subarray(4), orNull);
    const cellOrNull = (cell) => (cell < 0 ? null : cell);
    return {
      ...{ verdict: VERDICTS[verdict], safety, bestCell: cellOrNull(best), bestSafety, loss },
      chances: hasChances ? all : null,
      evaluation: kind ? { kind: EVALUATIONS[kind], ratings: ratingsOf(ratings[0], count) } : null,
      uncertainCell: cellOrNull(uncertain),
      layouts: hasLayouts ? layouts.map((layout) => listOf(layout)) : null,
      step: hasStep ? this.#step(view, 0) : null,
    };
  }

  review({ grid, mines, mineMap }, clicks) {
    let after = hiddenView(grid, mines);
    const judgements = clicks.map((cells) => {
      const view = after;
      after = this.open(view, mineMap, cells).view;
      return { ...this.judge(view, cells), view };
    });
    return { judgements, view: after };
  }

  rate(view, strategy = "champion", known = this.closure(view)) {
    const into = [new Float64Array(4 * view.cells.length), view.cells.length, number()];
    const [, , candidates, , [count]] = this.#load(view).#call("rate", chars(strategy), knownIn(view, known), ...into);
    return ratingsOf(candidates, count);
  }

  evaluate(view, known = this.closure(view)) {
    const into = [new Float64Array(4 * view.cells.length), view.cells.length, number(), number()];
    const [, candidates, , [count], [kind]] = this.#load(view).#call("evaluate", knownIn(view, known), ...into);
    return { kind: EVALUATIONS[kind], ratings: ratingsOf(candidates, count) };
  }

  compare(view, cells, known = this.closure(view)) {
    const found = new Float64Array(5 * cells.length);
    this.#load(view).#call("compare", knownIn(view, known), cellsIn(view, cells), cells.length, found);
    const names = new Int32Array(found.buffer);
    return cells.map((cell, i) => {
      const [safety, progress, second, win] = Array.from(found.subarray(5 * i + 1, 5 * i + 5), orNull);
      return { cell, safety, progress, second, win, why: this.#text(names[10 * i + 1]) };
    });
  }

  play(recipe, count, strategy = "champion") {
    const first = wide("index", recipe.index);
    const values = [this.#withMines(recipe), chars(strategy), first, whole("number of boards", count)];
    return this.#call("play", ...values, number())[4][0];
  }

  drawLayout(view, { cell, mine, seed, index } = {}) {
    const place = [cellOrNone(view, cell), mine === undefined ? -1 : bit(mine)];
    const stream = [wide("seed", seed), wide("index", index)];
    return this.#load(view).#call("draw_layout", ...place, ...stream, marks(view))[4];
  }

  counterexample(view, cell) {
    checkHidden(view, cell);
    const [, safe, mined] = this.#load(view).#call("counterexample", cell, marks(view), marks(view));
    return [listOf(safe), listOf(mined)];
  }

  unavoidable(view) {
    const [[count]] = this.#load(view).#call("find_unavoidable", number());
    return Array.from({ length: count }, (_, guess) => {
      const [, ...found] = this.#call("unavoidable_guess", guess, marks(view), marks(view), marks(view));
      const [cells, ...layouts] = found.map((one) => listOf(one));
      return { cells, layouts };
    });
  }

  measure(board) {
    const found = this.#call("measure", ...this.#board(board), cellOrNone(board, board.click), new Int32Array(7))[3];
    const [bbbv, openings, islands, greedyZini, humanZini, buried, firstOpening] = found;
    return { bbbv, openings, islands, greedyZini, humanZini, buried, firstOpening };
  }

  fewestClicks(board, mostWork = -1) {
    const capacity = 2 * board.mineMap.length;
    const into = [new Int32Array(2 * capacity), capacity, number(), number()];
    const given = [...this.#board(board), cellOrNone(board, board.click), mostWork];
    const [clicks, , [count], [bound]] = this.#call("fewest_clicks", ...given, ...into).slice(given.length);
    const kinds = ["left", "flag", "chord"];
    const nameOf = (_, i) => ({ kind: kinds[clicks[2 * i]], cell: clicks[2 * i + 1] });
    return { clicks: Array.from({ length: count }, nameOf), bound };
  }

  work(puzzle) {
    return this.#call("work", ...this.#board(puzzle), cellIn(puzzle, puzzle.click), number())[3][0];
  }

  open(view, mineMap, cells) {
    this.#load(view);
    marksIn(view, mineMap);
    let [survived, after] = [true, view.cells];
    for (const cell of cellsIn(view, cells)) {
      const [, , opened, [isSafe]] = this.#call("open", mineMap, cell, after.slice(), number());
      [survived, after] = [survived && isSafe === 1, opened];
    }
    return { survived, view: { ...view, cells: after } };
  }

  reveal(board) {
    return this.#call("reveal", ...this.#board(board), new Int8Array(board.grid.size))[2];
  }

  chorded(view, flags, cell) {
    return listOf(this.#load(view).#call("chord", marksIn(view, flags), cellIn(view, cell), marks(view))[2]);
  }

  kaboomVerdicts(view, rules) {
    const [, found] = this.#load(view).#call("kaboom_verdicts", rulesOf(rules), marks(view));
    const why = Array.from(found, (one) => WHY[one] ?? null);
    return { why, granted: Uint8Array.from(why, (one) => Number(one === "first_click" || one === "forced_guess")) };
  }

  kaboomClick(view, rules, cell, { seed, clicks = 1 } = {}) {
    checkHidden(view, cell);
    const random = [wide("seed", seed), wide("number of clicks", clicks)];
    const values = [rulesOf(rules), cell, ...random, view.cells.slice(), marks(view), number()];
    const [, , , , cells, layout, [why]] = this.#load(view).#call("kaboom_click", ...values);
    return { why: WHY[why], survived: why < 3, view: { ...view, cells }, layout };
  }

  readPicture(pixels, width, height) {
    check(pixels.length === 3 * width * height, `expected ${3 * width * height} bytes, three for each pixel`);
    const found = this.#call("read_picture", pixels, width, height, 3 * width, number());
    return Array.from({ length: found?.[4][0] ?? 0 }, (_, board) => {
      const struct = new Float64Array(7);
      this.#call("board_read", board, struct, null, null, null);
      const [rows, cols, leastMines, mostMines] = new Int32Array(struct.buffer, 32);
      const cells = { meanings: new Uint8Array(rows * cols), doubtful: new Uint8Array(rows * cols) };
      this.#call("board_read", board, struct, cells.meanings, cells.doubtful, null);
      const [left, top, across, down] = struct;
      return { rows, cols, leastMines, mostMines, left, top, width: across, height: down, ...cells };
    });
  }

  /**
   * Call a function with numbers, null and arrays. The arrays lie in the memory of the module during the call, and get
   * what the function writes. Returns the values after the call; null if there is no result.
   */
  #call(name, ...values) {
    const called = this.#wasm[`mines_${name}`];
    if (!called) throw new TypeError(`this module lacks ${name}; expected another one of the package`);
    const code = this.#run((...inputs) => called(this.#kernel, ...inputs), values);
    if (code === INCONSISTENT) throw new InconsistentView("no layout of the mines fits this view");
    if (code === TOO_WIDE) throw new TooWide("a part of this position is too wide to enumerate");
    if (code === NONE) return null;
    if (code) throw new RangeError(this.#text(this.#wasm.mines_message(this.#kernel)));
    return values;
  }

  #run(call, values) {
    const places = new Map();
    let bytes = 0;
    for (const array of values.filter(ArrayBuffer.isView)) {
      places.set(array, bytes);
      bytes += 8 * Math.ceil(array.byteLength / 8);
    }
    const start = this.#reserve(bytes);
    const inModule = (array) => new Uint8Array(this.#wasm.memory.buffer, start + places.get(array), array.byteLength);
    for (const array of places.keys()) inModule(array).set(bytesOf(array));
    const result = call(...values.map((value) => (places.has(value) ? start + places.get(value) : (value ?? 0))));
    for (const array of places.keys()) bytesOf(array).set(inModule(array));
    return result;
  }

  /** The address of memory of the module for the arrays of a call. */
  #reserve(bytes) {
    if (bytes > this.#memory.bytes) {
      this.#wasm.free(this.#memory.at);
      const at = this.#wasm.malloc(bytes) >>> 0;
      this.#memory = { at, bytes: at && bytes };
      check(at !== 0, TOO_LARGE);
    }
    return this.#memory.at;
  }

  /** A text in the memory of the module, which a zero ends. */
  #text(at) {
    const letters = new Uint8Array(this.#wasm.memory.buffer, at >>> 0);
    return String.fromCharCode(...letters.subarray(0, letters.indexOf(0)));
  }

  /** The struct of a recipe. */
  #recipe(recipe) {
    checkBoard(recipe);
    const { grid, mines, start = "opening", seed } = recipe;
    const click = cellOrNone(recipe, recipe.click, "first click");
    check(!grid.holes?.[click], `first click ${click} is a hole; expected a cell of the grid`);
    const struct = new BigUint64Array(3);
    new Int32Array(struct.buffer).set([this.#gridOf(grid), mines, click, choice("start", ["safe", "opening"], start)]);
    struct[2] = wide("seed", seed);
    return struct;
  }

  #withMines(recipe) {
    const most = this.room(recipe);
    check(recipe.mines <= most, `invalid number of mines ${recipe.mines}; expected 0 to ${most} around the start`);
    return this.#recipe(recipe);
  }

  #board(board) {
    checkBoard(board);
    return [this.#gridOf(board.grid), marksIn(board, board.mineMap)];
  }

  #load(view) {
    checkBoard(view);
    const { grid, mines, cells } = view;
    check(cells instanceof Int8Array && cells.length === grid.size, `expected cells in an Int8Array of ${grid.size}`);
    // The module checks the values of the cells.
    this.#call("set_view", this.#gridOf(grid), mines, cells);
    if (view.least !== undefined) this.#call("set_range", whole("least number of mines", view.least), view.density);
    return this;
  }

  /** The handle of a grid in the module. */
  #gridOf({ name, rows, cols, kind, holes }) {
    const create = (...values) => this.#wasm.mines_grid_new(...values);
    const handle = this.#grids.get(name) ?? this.#run(create, [rows, cols, KINDS[kind], holes]);
    check(handle !== 0, TOO_LARGE);
    this.#grids.delete(name);
    this.#grids.set(name, handle);
    if (this.#grids.size > KEPT_GRIDS) {
      const [oldest, unused] = this.#grids.entries().next().value;
      this.#wasm.mines_grid_free(unused);
      this.#grids.delete(oldest);
    }
    return handle;
  }

  #hint(step, [tier, smallest, cell, mine], parts) {
    const [safe, mines, clues] = [1, 2, 3].map((part) => listOf(parts, part));
    return { tier, smallest: smallest === 1, cell, mine: mine === 1, safe, mines, clues, says: this.#sentence(step) };
  }

  #sentence(step) {
    const [, struct] = this.#call("explain", step, new Int32Array(15));
    const [name, clue, other, count, need, mines, rest, ...places] = struct;
    const isAlone = clue >= 0 && other < 0;
    return {
      name: this.#text(name),
      clue,
      other,
      count,
      need,
      mines,
      rest,
      places: places.slice(0, isAlone ? mines : 0),
    };
  }

  #steps(view, count) {
    return Array.from({ length: count }, (_, step) => this.#step(view, step));
  }

  #step(view, step) {
    const [, hint, parts, given] = this.#call("step", step, new Int32Array(4), marks(view), marks(view));
    return { ...this.#hint(step, hint, parts), given };
  }
}

const rulesOf = ({
  opening_start: opening = false,
  guess_anywhere: anywhere = false,
  outside_counts: outside = true,
  unavoidable_early: early = false,
  mode = "uniform",
} = {}) =>
  [opening, anywhere, outside, choice("mode", ["uniform", "cruelest"], mode) === 1, early].reduce(
    (bits, option, place) => bits + (bit(option) << place),
    0,
  );

/** Make a kernel from the bytes or the compiled module given, or from the file at an address. */
export async function loadFrom(source, url) {
  const module =
    source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source ?? (await fileAt(url)));
  const imports = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0]));
  const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports });
  exports._initialize?.();
  return new Kernel(exports);
}

/** The bytes of a file. Bundlers for browsers fail on an import of a module of Node. */
async function fileAt(url) {
  if (url.protocol === "file:") return process.getBuiltinModule("node:fs").readFileSync(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`found no ${url}; serve it there, or give its bytes`);
  return response.arrayBuffer();
}
