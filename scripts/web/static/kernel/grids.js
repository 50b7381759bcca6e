/** Grids by their names: how the cells of a board touch, and which places of its rectangle are holes. */

/** The kinds of grids. The index of a name is the kind of minesweeper.h; the empty one is the rectangle. */
export const GRIDS = [
  "",
  "vertical cylinder",
  "cylinder",
  "torus",
  "hex",
  "hex vertical cylinder",
  "hex cylinder",
  "hex torus",
];
export const [WRAPS_ROWS, WRAPS_COLS, HEXAGONS] = [1, 2, 4];
export const SHORTEST_WRAP = 5;
/** A kind, then the rows of the holes: `torus holes 5./2.#2./5.`. A number before a mark repeats it. */
const WITH_HOLES = /^([a-z ]*?) ?\bholes ((?:\d{0,4}[.#])+(?:\/(?:\d{0,4}[.#])+)*)$/;

/** The last name that was read: mostly, the next one is the same. */
let last = readName("");

function readName(grid) {
  const [, kind = grid, rows = null] = WITH_HOLES.exec(grid) ?? [];
  const lines = rows?.split("/").map((row) => row.replace(/(\d+)(.)/g, (_, count, mark) => mark.repeat(count)));
  const holes = lines && Uint8Array.from(lines.join(""), (mark) => Number(mark === "#"));
  return { grid, kind, lines, holes };
}

function read(grid) {
  if (last.grid !== grid) last = readName(grid);
  return last;
}

/** The name of a grid without its holes. */
export const kindOf = (grid = "") => read(grid).kind;

/** One byte for each place of the rectangle, 1 for a hole; null without holes. */
export function holesOf({ grid = "" }) {
  const { holes } = read(grid);
  return holes?.includes(1) ? holes : null;
}

/** The name of the grid with these holes, one byte for each place, and no others. */
export function withHoles({ cols, grid = "" }, holes) {
  const marks = Array.from(holes, (hole) => (hole ? "#" : "."));
  if (!marks.includes("#")) return kindOf(grid);
  const rows = Array.from({ length: marks.length / cols }, (_, row) =>
    marks.slice(row * cols, (row + 1) * cols).join(""),
  );
  const runs = rows.map((row) => row.replace(/(.)\1+/g, (run, mark) => `${run.length}${mark}`));
  return `${kindOf(grid)} holes ${runs.join("/")}`.trim();
}

/** The number of cells, without holes. */
export const cellCount = ({ rows, cols, grid = "" }) =>
  rows * cols - (holesOf({ grid })?.reduce((count, hole) => count + hole, 0) ?? 0);

/** Whether a board of these sides may have its grid. */
export function isGrid({ rows, cols, grid = "" }) {
  const { kind, lines } = read(grid);
  const holes = holesOf({ grid });
  const shape = GRIDS.indexOf(kind);
  const isLong = (wraps, side) => !(shape & wraps) || side >= SHORTEST_WRAP;
  const isEven = !(shape & WRAPS_ROWS && shape & HEXAGONS) || rows % 2 === 0;
  const fits = !lines || (lines.length === rows && lines.every((line) => line.length === cols));
  const hasCells = !holes || holes.includes(0);
  return shape >= 0 && isLong(WRAPS_ROWS, rows) && isLong(WRAPS_COLS, cols) && isEven && fits && hasCells;
}
