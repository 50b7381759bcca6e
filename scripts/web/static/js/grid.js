/** Grids: which cells exist, which of them touch, and where they are drawn. */

import { holesOf, kindOf } from "../kernel/grids.js";

const STEPS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right])).filter(([d, r]) => d || r);
/** The height of a hexagon, and the distance of two rows of them, in widths of a cell. */
const TALL = 2 / Math.sqrt(3);
const PITCH = Math.sqrt(3) / 2;
/** So many rows and columns are repeated where sides meet. */
const GHOSTS = 1;

const SQUARE = {
  corners: [[0, 0], [1, 0], [1, 1], [0, 1]], // prettier-ignore
  /** The cell behind each side of a cell, as steps down and to the right. */
  behind: () => [[-1, 0], [0, 1], [1, 0], [0, -1]], // prettier-ignore
};
/** Hexagons stand on a corner; odd rows lie half a cell to the right. */
const HEXAGON = {
  corners: [[0.5, 0], [1, TALL / 4], [1, 0.75 * TALL], [0.5, TALL], [0, 0.75 * TALL], [0, TALL / 4]], // prettier-ignore
  behind: (row) => [[-1, row & 1], [0, 1], [1, row & 1], [1, (row & 1) - 1], [0, -1], [-1, (row & 1) - 1]], // prettier-ignore
};

export class Grid {
  /**
   * @param {{ rows: number, cols: number, grid?: string }} size `grid` is the name of the shape, such as "hex torus" or
   *   "holes 5./2.#2./5."; see GRIDS of the kernel
   */
  constructor({ rows, cols, grid = "" }) {
    this.rows = rows;
    this.cols = cols;
    this.name = grid;
    /** Its name without the holes. */
    this.kind = kindOf(grid);
    this.holes = holesOf({ grid });
    this.isHexagonal = grid.startsWith("hex");
    this.wrapsRows = /vertical|torus/.test(grid);
    this.wrapsCols = /^(hex )?cylinder|torus/.test(grid);
  }

  /** The CSS classes of its drawing. */
  get classes() {
    return `board${this.isHexagonal ? " hexagons" : ""}${this.holes ? " has-holes" : ""}`;
  }

  /** All cells, row by row. */
  get cells() {
    const places = Array.from({ length: this.rows * this.cols }, (_, place) => place);
    return this.holes ? places.filter((place) => !this.holes[place]) : places;
  }

  /** The cell in the middle, or the nearest cell if that is a hole. */
  get middle() {
    const [row, col] = [Math.floor(this.rows / 2), Math.floor(this.cols / 2)];
    if (!this.holes?.[row * this.cols + col]) return row * this.cols + col;
    const far = (cell) => (Math.floor(cell / this.cols) - row) ** 2 + ((cell % this.cols) - col) ** 2;
    return this.cells.reduce((best, cell) => (far(cell) < far(best) ? cell : best));
  }

  /** The cell in a row and a column, counted on across sides that meet; null if it is a hole or off the board. */
  at(row, col) {
    if (this.wrapsRows) row = (row + this.rows) % this.rows;
    if (this.wrapsCols) col = (col + this.cols) % this.cols;
    const isInside = row >= 0 && row < this.rows && col >= 0 && col < this.cols;
    return isInside && !this.holes?.[row * this.cols + col] ? row * this.cols + col : null;
  }

  /** The first cell from a place on, that place included, by steps down and to the right; null if there is none. */
  first(row, col, down, right) {
    for (let step = 0; step < Math.max(this.rows, this.cols); step++) {
      const cell = this.at(row + step * down, col + step * right);
      if (cell !== null) return cell;
    }
    return null;
  }

  /** The cells that touch a cell, row by row on a rectangle. */
  around(index) {
    const [row, col] = [Math.floor(index / this.cols), index % this.cols];
    if (this.at(row, col) === null) return [];
    const apart = 1 - 2 * (row & 1);
    const steps = this.isHexagonal ? STEPS.filter(([down, right]) => !down || right !== apart) : STEPS;
    return steps.map(([down, right]) => this.at(row + down, col + right)).filter((near) => near !== null);
  }

  /** The first and the last row and column to draw, ghost cells included. */
  get shown() {
    const [down, right] = [this.wrapsRows, this.wrapsCols].map((wraps) => (wraps ? GHOSTS : 0));
    return { rows: [-down, this.rows - 1 + down], cols: [-right, this.cols - 1 + right] };
  }

  /** The rows and columns at most `radius` from a cell. A small grid is not shown twice. */
  near(index, radius) {
    const span = (middle, size, wraps) => {
      const reach = wraps ? Math.min(radius, Math.floor((size - 1) / 2)) : radius;
      return wraps
        ? [middle - reach, middle + reach]
        : [Math.max(0, middle - reach), Math.min(size - 1, middle + reach)];
    };
    return {
      rows: span(Math.floor(index / this.cols), this.rows, this.wrapsRows),
      cols: span(index % this.cols, this.cols, this.wrapsCols),
    };
  }

  /**
   * The places of a part of the grid, row by row: `isShifted` if the row lies half a cell to the right, and for each
   * place the `index` of its cell, null for a hole.
   *
   * @param {{ rows: number[], cols: number[] }} part the first and the last row and column
   */
  lines({ rows: [top, bottom], cols: [left, right] }) {
    const from = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
    return from(top, bottom).map((row) => ({
      isShifted: this.isHexagonal && (row & 1) === 1,
      cells: from(left, right).map((col) => ({
        index: this.at(row, col),
        isGhost: row < 0 || row >= this.rows || col < 0 || col >= this.cols,
      })),
    }));
  }

  /** The size of the drawing in widths of a cell. */
  get size() {
    const [rows, cols] = [this.shown.rows, this.shown.cols].map(([first, last]) => last - first + 1);
    return this.isHexagonal ? { width: cols + 0.5, height: (rows - 1) * PITCH + TALL } : { width: cols, height: rows };
  }

  /** The sides of cells where sides of the grid meet, as the path of an SVG in widths of a cell. */
  get seam() {
    const isInside = (row, col) => row >= 0 && row < this.rows && col >= 0 && col < this.cols;
    return this.#sides((row, col) => this.at(row, col) !== null && !isInside(row, col));
  }

  /** The sides of cells behind which there is no cell, as such a path. */
  get rim() {
    return this.#sides((row, col) => this.at(row, col) === null);
  }

  /** The path of sides of cells, by the row and the column behind them. */
  #sides(isDrawn) {
    const { corners, behind } = this.isHexagonal ? HEXAGON : SQUARE;
    const [top, left] = [this.shown.rows[0], this.shown.cols[0]];
    const sides = [];
    for (const index of this.cells) {
      const [row, col] = [Math.floor(index / this.cols), index % this.cols];
      const [x, y] = this.isHexagonal ? [col - left + (row & 1) / 2, (row - top) * PITCH] : [col - left, row - top];
      behind(row).forEach(([down, right], side) => {
        if (!isDrawn(row + down, col + right)) return;
        const ends = [corners[side], corners[(side + 1) % corners.length]];
        sides.push(`M${ends.map(([a, b]) => `${x + a} ${y + b}`).join("L")}`);
      });
    }
    return sides.join("");
  }
}

/** The cells that touch a cell of a board. */
export const around = (size, index) => new Grid(size).around(index);
