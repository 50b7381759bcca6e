// Find the easiest deduction: the cells that follow, and the clues that show why.
import { loadKernel, viewOf } from "minesweeper-kernel";

const kernel = await loadKernel();
const view = viewOf("2x5/2\n#121#\n#####");
const hint = kernel.hint(view);
const marks = view.grid.cells.map((cell) =>
  hint.safe.includes(cell) ? "s" : hint.mines.includes(cell) ? "m" : hint.clues.includes(cell) ? "*" : ".",
);
for (const row of view.grid.rowsOf(marks)) console.log(row.join(""));
console.log(hint.says.name, hint.says.clue, hint.says.other);
