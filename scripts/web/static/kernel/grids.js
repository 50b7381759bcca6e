/** Grids: which cells a board has, and which of them touch. */

/** The kinds of grids, with their numbers in minesweeper.h; the empty one is the rectangle. */
export const KINDS = {
  "": 0,
  "vertical cylinder": 1,
  cylinder: 2,
  torus: 3,
  hex: 4,
  "hex vertical cylinder": 5,
  "hex cylinder": 6,
  "hex torus": 7,
};
export const GRIDS = Object.keys(KINDS);
const [WRAPS_ROWS, WRAPS_COLS, HEXAGONS, LACKING] = [1, 2, 4, 256];
const MAX_SIDE = 4000;
const SHORTEST_WRAP = 5;
const STEPS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right])).filter(([d, r]) => d || r);
/** A kind, then the rows of the holes: `torus holes 5./2.#2./5.`. A number before a mark repeats it. */
const WITH_HOLES = /^([a-z ]*?) ?\bholes ((?:\d{0,4}[.#])+(?:\/(?:\d{0,4}[.#])+)*)$/;

export const check = (holds, message) => {
  if (!holds) throw new RangeError(message);
};
export const isWhole = (number, least, most) => Number.isInteger(number) && number >= least && number <= most;

/** The cells that have a mark, by default 1. */
export function listOf(marks, mark = 1) {
  const cells = [];
  for (let cell = 0; cell < marks.length; ++cell) if (marks[cell] === mark) cells.push(cell);
  return cells;
}

/** Read rows of marks as a byte for each place; none if a row has another length than `cols`. */
function readHoles(marks, cols) {
  const rows = marks.split("/").map((row) => row.replace(/(\d+)(.)/g, (_, count, mark) => mark.repeat(count)));
  const fits = rows.every((row) => row.length === cols);
  return Uint8Array.from(fits ? rows.join("") : "", (mark) => Number(mark === "#"));
}

/** The label of a kind with holes, by rows. */
function labelOf(kind, rows) {
  const marks = rows.map((row) => Array.from(row, (hole) => (hole ? "#" : ".")).join(""));
  const runs = marks.map((row) => row.replace(/(.)\1+/g, (run, mark) => `${run.length}${mark}`));
  return `${kind} holes ${runs.join("/")}`.trim();
}

/** The cells of a board, numbered row by row, and their neighbours: a value. index.d.ts documents it. */
export class Grid {
  constructor(rows, cols, label = "", holes = null) {
    const isSize = isWhole(rows, 1, MAX_SIDE) && isWhole(cols, 1, MAX_SIDE);
    check(isSize, `invalid size ${rows}x${cols}; expected 1 to ${MAX_SIDE} rows and columns`);
    const [, kind = label, marks] = WITH_HOLES.exec(label) ?? [];
    const shape = KINDS[kind];
    if (!GRIDS.includes(kind)) throw new RangeError(`invalid grid ${`${kind}`.slice(0, 60)}; expected one of GRIDS`);
    this.rows = rows;
    this.cols = cols;
    this.kind = kind;
    this.wrapsRows = (shape & WRAPS_ROWS) > 0;
    this.wrapsCols = (shape & WRAPS_COLS) > 0;
    this.isHexagonal = (shape & HEXAGONS) > 0;
    this.steps = STEPS.filter((_, k) => ((shape / LACKING) & (1 << k)) === 0);
    const isLong = (wraps, side) => !wraps || side >= SHORTEST_WRAP;
    const isEven = !(this.wrapsRows && this.isHexagonal) || rows % 2 === 0;
    if (!(isLong(this.wrapsRows, rows) && isLong(this.wrapsCols, cols) && isEven))
      throw new RangeError("Sides that meet have at least 5 cells. Rows of hexagons that meet are even in number.");
    const given = marks ? readHoles(marks, cols) : holes;
    const isArray = given === null || (given instanceof Uint8Array && given.every((hole) => hole <= 1));
    check(isArray, "invalid holes; expected a Uint8Array of 0 and 1");
    const fits = given === null || (given.length === this.size && given.includes(0));
    check(fits, "The holes must fit the board and leave a cell.");
    this.holes = given?.includes(1) ? given : null;
    this.label = this.holes ? labelOf(kind, this.rowsOf(this.holes)) : kind;
  }

  static fromJSON({ rows, cols, grid = "" }) {
    return new Grid(rows, cols, grid);
  }

  /** @returns {{ rows: number, cols: number, grid?: string }} */
  toJSON() {
    return { rows: this.rows, cols: this.cols, ...(this.label && { grid: this.label }) };
  }

  withHoles(holes) {
    return new Grid(this.rows, this.cols, this.kind, holes);
  }

  get name() {
    return `${this.rows}x${this.cols} ${this.label}`.trimEnd();
  }

  equals(other) {
    return this.name === other.name;
  }

  get size() {
    return this.rows * this.cols;
  }

  get cells() {
    const places = Array.from({ length: this.size }, (_, place) => place);
    return this.holes ? places.filter((place) => !this.holes[place]) : places;
  }

  get middle() {
    const middle = this.index([Math.floor(this.rows / 2), Math.floor(this.cols / 2)]);
    if (!this.holes?.[middle]) return middle;
    const [row, col] = this.pair(middle);
    const far = (cell) => (this.pair(cell)[0] - row) ** 2 + (this.pair(cell)[1] - col) ** 2;
    return this.cells.reduce((best, cell) => (far(cell) < far(best) ? cell : best));
  }

  index = (/** @type {number[]} */ [row, col]) => row * this.cols + col;
  pair = (cell) => [Math.floor(cell / this.cols), cell % this.cols];
  pairs = (/** @type {Iterable<number>} */ cells) => Array.from(cells, this.pair);

  marked(cells, mark = 1) {
    const marks = new Uint8Array(this.size);
    for (const cell of cells) marks[cell] = mark;
    return marks;
  }

  rowsOf(list) {
    return Array.from({ length: this.rows }, (_, row) => list.slice(row * this.cols, (row + 1) * this.cols));
  }

  isInside(row, col) {
    return row >= 0 && row < this.rows && col >= 0 && col < this.cols;
  }

  at(row, col) {
    if (this.wrapsRows) row = (row + this.rows) % this.rows;
    if (this.wrapsCols) col = (col + this.cols) % this.cols;
    const cell = this.index([row, col]);
    return this.isInside(row, col) && !this.holes?.[cell] ? cell : null;
  }

  around(cell) {
    if (this.holes?.[cell]) return [];
    const [row, col] = this.pair(cell);
    const apart = 1 - 2 * (row & 1);
    const steps = this.isHexagonal ? STEPS.filter(([down, right]) => !down || right !== apart) : this.steps;
    return steps.map(([down, right]) => this.at(row + down, col + right)).filter((near) => near !== null);
  }
}
