/**
 * Exact Minesweeper logic, probabilities and no-guess boards: the C++ kernel of the Minesweeper toolkit in WebAssembly.
 *
 * index.d.ts documents the types. A cell is a number, `row * cols + col`.
 */

const HIDDEN = -1;
const MAX_SIDE = 4000;
const INCONSISTENT = 1;
const TOO_WIDE = 2;
const STRATEGIES = ["safest", "progress", "lookahead", "champion"];
const WHY = ["first_click", "proven_safe", "forced_guess", "proven_mine", "needless_guess", "outside"];
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

/** A view from text: rows of `#`, `0` to `8` or `.`, after a line `ROWSxCOLS/MINES`, or with `mines`. */
export function viewOf(text, mines = null) {
  const lines = text.trim().split(/\s+/);
  const head = /^(\d+)x(\d+)\/(\d+)$/.exec(lines[0]);
  if (head) lines.shift();
  const rows = lines.length;
  const cols = lines[0]?.length ?? 0;
  if (lines.some((line) => line.length !== cols || /[^#.0-8]/.test(line)))
    throw new TypeError("expected rows of equal length, of # for a hidden cell and 0 to 8 or . for a clue");
  if (head && (Number(head[1]) !== rows || Number(head[2]) !== cols))
    throw new TypeError(`expected ${head[1]} rows of ${head[2]} cells, got ${rows} of ${cols}`);
  const cells = Int8Array.from(lines.join(""), (code) => (code === "#" ? HIDDEN : code === "." ? 0 : Number(code)));
  return { rows, cols, mines: mines ?? Number(head?.[3]), cells };
}

const check = (holds, message) => {
  if (!holds) throw new RangeError(message);
};
const isWhole = (number, least, most) => Number.isInteger(number) && number >= least && number <= most;

function checkSize({ rows, cols, mines }) {
  check(
    isWhole(rows, 1, MAX_SIDE) && isWhole(cols, 1, MAX_SIDE),
    `invalid size ${rows}x${cols}; expected 1 to ${MAX_SIDE} rows and columns`,
  );
  check(isWhole(mines, 0, rows * cols), `invalid number of mines ${mines}; expected 0 to ${rows * cols}`);
}

class Kernel {
  #wasm;

  constructor(wasm) {
    this.#wasm = wasm;
  }

  /** The number of mines that fit around a first click, at most. */
  room({ rows, cols, click, start = "opening" }) {
    return rows * cols - (start === "opening" ? this.#zone(rows, cols, click) : 1);
  }

  deal(recipe) {
    const { click, start, seed, index } = this.#recipe(recipe);
    this.#wasm.deal(click, start, seed, index);
    return this.#puzzle(recipe, this.#list()[0]);
  }

  findSolvable(recipe, accepts = () => true, most = Infinity, stops = () => false) {
    const { click: from, start, seed, index } = this.#recipe(recipe);
    let found = false;
    let at = index;
    const end = Number(index) + most;
    const next = (size, repaired) => {
      this.#wasm.search(from, start, seed, at, at + BigInt(size), repaired);
      const [place, click, one, two, more, count, atOnce, difficulty] = this.#list();
      if (place === undefined) {
        at += BigInt(size);
        return null;
      }
      at += BigInt(place) + 1n;
      found = true;
      return {
        ...this.#puzzle(recipe, click),
        index: Number(at - 1n),
        tally: [one, two, more, count],
        cluesAtOnce: atOnce < 0 ? null : atOnce,
        difficulty: DIFFICULTIES[difficulty],
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
    this.#check(this.#wasm.closure());
    return this.#marks();
  }

  probabilities(view, given = null) {
    this.#load(view, given ?? new Uint8Array(view.cells.length));
    this.#check(this.#wasm.probabilities());
    const size = view.cells.length;
    const numbers = new Float64Array(this.#wasm.memory.buffer, this.#wasm.numbers(), size + 1);
    return { chances: numbers.slice(0, size), logLayouts: numbers[size] };
  }

  hint(view, given = null) {
    this.#load(view, given ?? new Uint8Array(view.cells.length));
    this.#check(this.#wasm.hint());
    return this.#hints()[0] ?? null;
  }

  path(view) {
    this.#load(view);
    this.#check(this.#wasm.path());
    return this.#hints();
  }

  rate(view, strategy = "champion", known = this.closure(view)) {
    this.#load(view, known);
    this.#wasm.rate(this.#strategy(strategy));
    return this.#ratings();
  }

  evaluate(view, known = this.closure(view)) {
    this.#load(view, known);
    return { kind: EVALUATIONS[this.#wasm.evaluate()], ratings: this.#ratings() };
  }

  play(recipe, count, strategy = "champion") {
    const { click, start, seed, index } = this.#recipe(recipe);
    return this.#wasm.play(this.#strategy(strategy), click, start, seed, index, count);
  }

  drawLayout(view, { cell = -1, mine = null, seed = 0, index = 0 } = {}) {
    this.#load(view);
    this.#check(this.#wasm.draw(cell, mine === null ? -1 : Number(mine), BigInt(seed), BigInt(index)));
    return this.#marks();
  }

  counterexample(view, cell) {
    this.#load(view);
    check(view.cells[cell] === HIDDEN, `cell ${cell} is open or off the board; expected a hidden cell`);
    this.#check(this.#wasm.counterexample(cell));
    return this.#lists();
  }

  unavoidable(view) {
    this.#load(view);
    this.#check(this.#wasm.unavoidable());
    const lists = this.#lists();
    return Array.from({ length: lists.length / 3 }, (_, i) => ({
      cells: lists[3 * i],
      layouts: lists.slice(3 * i + 1, 3 * i + 3),
    }));
  }

  measure(board) {
    this.#size(board);
    this.#marks(board.mineMap);
    this.#wasm.measure();
    const [bbbv, openings, islands, greedyZini, humanZini] = this.#list();
    return { bbbv, openings, islands, greedyZini, humanZini };
  }

  open(view, mineMap, cell) {
    this.#load(view, mineMap);
    check(isWhole(cell, 0, view.cells.length - 1), `cell ${cell} is off the board`);
    const survived = this.#wasm.open(cell) === 1;
    return { survived, cells: this.#cells() };
  }

  reveal(board) {
    this.#load({ ...board, cells: new Int8Array(board.mineMap.length).fill(HIDDEN) }, board.mineMap);
    this.#wasm.reveal();
    return this.#cells();
  }

  chorded(view, flags, cell) {
    this.#load(view, flags);
    this.#wasm.chorded(cell);
    return this.#list();
  }

  judge(view, rules) {
    this.#load(view);
    this.#check(this.#wasm.judge(rulesOf(rules)));
    const granted = this.#marks();
    return { why: this.#list().map((why, cell) => (view.cells[cell] === HIDDEN ? WHY[why] : null)), granted };
  }

  click(view, rules, cell, { seed = 0, clicks = 1 } = {}) {
    this.#load(view);
    check(view.cells[cell] === HIDDEN, `cell ${cell} is open or off the board; expected a hidden cell`);
    this.#check(this.#wasm.click(rulesOf(rules), cell, BigInt(seed), BigInt(clicks)));
    const why = WHY[this.#list()[0]];
    return { why, survived: WHY.indexOf(why) < 3, cells: this.#cells(), layout: this.#marks() };
  }

  #zone(rows, cols, click = null) {
    if (click === null || click < 0) return Math.min(3, rows) * Math.min(3, cols);
    const span = (at, size) => Math.min(at + 1, size - 1) - Math.max(at - 1, 0) + 1;
    return span(Math.floor(click / cols), rows) * span(click % cols, cols);
  }

  #recipe(recipe) {
    this.#size(recipe);
    const { rows, cols, mines, click = -1 } = recipe;
    check(isWhole(click, -1, rows * cols - 1), `invalid first click ${click}; expected -1 to ${rows * cols - 1}`);
    check(
      mines <= this.room(recipe),
      `invalid number of mines ${mines}; expected 0 to ${this.room(recipe)} around the start`,
    );
    const { start, seed = 0, index = 0 } = recipe;
    return { click, start: start === "safe" ? 0 : 1, seed: BigInt.asUintN(64, BigInt(seed)), index: BigInt(index) };
  }

  #puzzle({ rows, cols, mines }, click) {
    return { rows, cols, mines, click, mineMap: this.#marks() };
  }

  #strategy(name) {
    check(STRATEGIES.includes(name), `unknown strategy ${name}; strategies: ${STRATEGIES.join(", ")}`);
    return STRATEGIES.indexOf(name);
  }

  #size(board) {
    checkSize(board);
    this.#wasm.resize(board.rows, board.cols, board.mines);
  }

  #load(view, marks = null) {
    this.#size(view);
    check(
      view.cells.length === view.rows * view.cols && view.cells.every((cell) => isWhole(cell, HIDDEN, 8)),
      `expected ${view.rows * view.cols} cells, each -1 (hidden) or a clue 0 to 8`,
    );
    new Int8Array(this.#wasm.memory.buffer, this.#wasm.cells(), view.cells.length).set(view.cells);
    if (marks) this.#marks(marks);
  }

  /** A copy of the marks, after `marks` have been written to them. */
  #marks(marks = null) {
    const found = new Uint8Array(this.#wasm.memory.buffer, this.#wasm.marks(), this.#wasm.size());
    if (marks) found.set(marks);
    return found.slice();
  }

  #cells() {
    return new Int8Array(this.#wasm.memory.buffer, this.#wasm.cells(), this.#wasm.size()).slice();
  }

  #list() {
    return Array.from(new Int32Array(this.#wasm.memory.buffer, this.#wasm.list(), this.#wasm.list_size()));
  }

  #lists() {
    const list = this.#list();
    const lists = [];
    for (let at = 0; at < list.length; at += list[at] + 1) lists.push(list.slice(at + 1, at + 1 + list[at]));
    return lists;
  }

  #ratings() {
    const cells = this.#list();
    const numbers = new Float64Array(this.#wasm.memory.buffer, this.#wasm.numbers(), 3 * cells.length);
    return cells.map((cell, i) => ({
      cell,
      safety: numbers[3 * i],
      progress: numbers[3 * i + 1],
      value: numbers[3 * i + 2],
    }));
  }

  #hints() {
    const list = this.#list();
    const hints = [];
    for (let at = 0; at < list.length;) {
      const [tier, smallest, cell, mine] = list.slice(at, at + 4);
      at += 4;
      const [safe, mines, clues] = Array.from({ length: 3 }, () => {
        const part = list.slice(at + 1, at + 1 + list[at]);
        at += 1 + part.length;
        return part;
      });
      hints.push({ tier, smallest: smallest === 1, cell, mine: mine === 1, safe, mines, clues });
    }
    return hints;
  }

  #check(code) {
    if (code === INCONSISTENT) throw new InconsistentView("no layout of the mines fits this view");
    if (code === TOO_WIDE) throw new TooWide("a part of this position is too wide to enumerate");
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
