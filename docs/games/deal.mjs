// Make a board when the player clicks.
import { Grid, loadKernel } from "minesweeper-kernel";

const kernel = await loadKernel();
const grid = new Grid(16, 30);
const puzzle = kernel.findSolvable({ grid, mines: 99, click: grid.index([3, 20]), seed: 7 });
for (const row of grid.rowsOf(puzzle.mineMap)) console.log([...row].map((mine) => ".*"[mine]).join(""));
