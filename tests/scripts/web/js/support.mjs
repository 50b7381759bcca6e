// Parts of the tests: the kernel, a clock, random numbers and games.
import { Game } from "../../../../scripts/web/static/js/core/game.js";
import { newLog } from "../../../../scripts/web/static/js/core/games.js";
import { useKernel } from "../../../../scripts/web/static/js/core/kernel.js";
import { boardToken } from "../../../../scripts/web/static/js/core/puzzles.js";
import { Grid, listOf } from "../../../../scripts/web/static/kernel/grids.js";

await useKernel();

/** Milliseconds that pass only when a test says so. */
export class Clock {
  now = 1000;
  read = () => this.now;
}

/** Return a function that returns random whole numbers from 0 to `most` - 1, equal for equal seeds. */
export function randomOf(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** The token of a board of rows of text; `*` is a mine. */
export function tokenOf(rows, click = 0) {
  const mineMap = Uint8Array.from(rows.join(""), (mark) => Number(mark === "*"));
  return boardToken({ grid: new Grid(rows.length, rows[0].length), mineMap, click });
}

/** Return a new game of a request. */
export const begun = (request, clock = new Clock()) => new Game(newLog(request), clock.read);

/** Return a game on a board of rows of text whose first cell is open. */
export const gameOn = (rows, { click = 0, clock = new Clock(), as = "shared" } = {}) =>
  begun({ mode: "puzzle", token: tokenOf(rows, click), as }, clock);

/** Make up to `count` random moves of every kind, with random pauses. */
export function playRandomly(game, clock, random, count = 60) {
  const size = game.view.cells.length;
  for (let i = 0; i < count; i++) {
    clock.now += random(3000);
    const [safe, mines] = game.mineMap ? [0, 1].map((mark) => listOf(game.mineMap, mark)) : [[random(size)], []];
    const near = safe.filter((cell) => game.view.cells[cell] < 0);
    if (game.status === "lost") {
      if (random(3) === 0) game.giveUp();
      if (random(2) === 0) game.takeBack();
      else if (game.revealed) return;
    } else if (game.status === "won") return;
    else if (random(12) === 0) game.help(near.slice(0, random(3)), random(2) ? mines.slice(0, random(3)) : []);
    else if (random(15) === 0 && game.mayUndo) game.takeBack();
    else if (random(4) === 0) game.move("flag", random(size));
    else if (random(3) === 0) game.move("chord", random(size));
    // A safe cell, so that some games are won; else any cell.
    else game.move("open", random(8) && near.length ? near[random(near.length)] : random(size));
  }
}

/** Play a game to its end: win it, or lose it by its last click. */
export function finish(game, { lose = false } = {}) {
  if (lose) game.move("open", game.mineMap.indexOf(1));
  else for (const cell of game.hidden) if (!game.mineMap[cell] && game.view.cells[cell] < 0) game.move("open", cell);
  return game;
}

/** The cells of a view that are open. */
export const openCells = ({ view }) => view.grid.cells.filter((cell) => view.cells[cell] >= 0);
