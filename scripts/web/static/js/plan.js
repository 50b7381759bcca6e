/** The drawing of grids: where each cell lies, and the lines along sides of cells. */

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

/** The numbers from the first to the last one. */
export const numbersIn = (/** @type {number[]} */ [first, last]) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

export class Plan {
  constructor(grid) {
    this.grid = grid;
  }

  /** The CSS classes of the drawing. */
  get classes() {
    return `board${this.grid.isHexagonal ? " hexagons" : ""}${this.grid.holes ? " has-holes" : ""}`;
  }

  /** The first and the last row to draw, and the first and the last column; ghost cells included. */
  get shown() {
    const { rows, cols, wrapsRows, wrapsCols } = this.grid;
    const ends = (size, wraps) => (wraps ? [-GHOSTS, size - 1 + GHOSTS] : [0, size - 1]);
    return [ends(rows, wrapsRows), ends(cols, wrapsCols)];
  }

  /** Such ends of the rows and columns at most `radius` from a cell. A small grid is not shown twice. */
  near(cell, radius) {
    const { rows, cols, wrapsRows, wrapsCols } = this.grid;
    const [row, col] = this.grid.pair(cell);
    const ends = (middle, size, wraps) => {
      const reach = wraps ? Math.min(radius, Math.floor((size - 1) / 2)) : radius;
      const [first, last] = wraps ? [-Infinity, Infinity] : [0, size - 1];
      return [Math.max(first, middle - reach), Math.min(last, middle + reach)];
    };
    return [ends(row, rows, wrapsRows), ends(col, cols, wrapsCols)];
  }

  /**
   * The places of a part of the grid, row by row: `isShifted` if the row lies half a cell to the right, and for each
   * place the `index` of its cell, null for a hole, which has its number in `hole`.
   *
   * @param {number[][]} part the ends of its rows and columns
   */
  lines([rows, cols]) {
    const { grid } = this;
    return numbersIn(rows).map((row) => ({
      isShifted: grid.isHexagonal && (row & 1) === 1,
      cells: numbersIn(cols).map((col) => {
        const [index, isGhost] = [grid.at(row, col), !grid.isInside(row, col)];
        return { index, isGhost, hole: index === null && !isGhost ? grid.index([row, col]) : null };
      }),
    }));
  }

  /** The size of the drawing in widths of a cell. */
  get size() {
    const [height, width] = this.shown.map(([first, last]) => last - first + 1);
    return this.grid.isHexagonal ? { width: width + 0.5, height: (height - 1) * PITCH + TALL } : { width, height };
  }

  /** The sides of cells where sides of the grid meet, as the path of an SVG in widths of a cell. */
  get seam() {
    return this.#sides((row, col) => this.grid.at(row, col) !== null && !this.grid.isInside(row, col));
  }

  /** The sides of cells behind which there is no cell, as such a path. */
  get rim() {
    return this.#sides((row, col) => this.grid.at(row, col) === null);
  }

  /** The path of sides of cells, by the row and the column behind them. */
  #sides(isDrawn) {
    const { grid } = this;
    const { corners, behind } = grid.isHexagonal ? HEXAGON : SQUARE;
    const [[top], [left]] = this.shown;
    const sides = [];
    for (const [row, col] of grid.pairs(grid.cells)) {
      const [x, y] = grid.isHexagonal ? [col - left + (row & 1) / 2, (row - top) * PITCH] : [col - left, row - top];
      behind(row).forEach(([down, right], side) => {
        if (!isDrawn(row + down, col + right)) return;
        const ends = [corners[side], corners[(side + 1) % corners.length]];
        sides.push(`M${ends.map(([a, b]) => `${x + a} ${y + b}`).join("L")}`);
      });
    }
    return sides.join("");
  }
}
