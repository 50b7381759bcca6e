/**
 * The board by keyboard: arrows, Home, End and Page keys move; space or Enter opens, f flags, c chords.
 *
 * Arrows go along rows and columns, past holes to the next cell, and on across sides that meet. A column of hexagons is a
 * zigzag, so up and down go to the right and to the left by turns.
 */

import { isClue } from "./codes.js";
import { isTurned } from "./format.js";

const TURNED = { ArrowLeft: "ArrowUp", ArrowRight: "ArrowDown", ArrowUp: "ArrowLeft", ArrowDown: "ArrowRight" };
/** @type {Record<string, string>} */
const ACTIONS = { " ": "open", Enter: "open", f: "flag", c: "chord" };

/** The first cell of a grid from a place on, that place included, by steps down and to the right; null if there is none. */
export function firstFrom(grid, row, col, down, right) {
  for (let step = 0; step < Math.max(grid.rows, grid.cols); step++) {
    const cell = grid.at(row + step * down, col + step * right);
    if (cell !== null) return cell;
  }
  return null;
}

/**
 * Listen on `root` until `signal` aborts, and call `act(name, index)` with the action of a key. If `root` is the document,
 * keys also act while no field has the focus; on a button, space and Enter press the button.
 */
export function listenToKeyboard(board, act, signal, { root = board.root, actions = ACTIONS } = {}) {
  const moved = (event, index) => {
    const { grid } = board;
    const [row, col] = grid.pair(index);
    const first = (...from) => firstFrom(grid, ...from);
    const key = isTurned() ? (TURNED[event.key] ?? event.key) : event.key;
    const targets = {
      ArrowLeft: first(row, col - 1, 0, -1) ?? index,
      ArrowRight: first(row, col + 1, 0, 1) ?? index,
      ArrowUp: first(row - 1, col, -1, 0) ?? index,
      ArrowDown: first(row + 1, col, 1, 0) ?? index,
      Home: event.ctrlKey ? grid.cells[0] : first(row, 0, 0, 1),
      End: event.ctrlKey ? grid.cells.at(-1) : first(row, grid.cols - 1, 0, -1),
      PageUp: first(0, col, 1, 0),
      PageDown: first(grid.rows - 1, col, -1, 0),
    };
    return targets[key] ?? null;
  };

  const isMeant = ({ target, key }) =>
    board.root.contains(target) ||
    target === document.body ||
    (target.closest("button, summary, a") && key !== " " && key !== "Enter");

  root.addEventListener(
    "keydown",
    (event) => {
      if (event.altKey || event.metaKey || !isMeant(event) || document.querySelector("dialog[open]")) return;
      const index = board.indexOf(event.target) ?? board.current;
      const next = moved(event, index);
      if (next !== null) {
        event.preventDefault();
        board.root.classList.add("keys");
        board.moveTo(next);
        return;
      }
      const name = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!name || event.ctrlKey) return;
      event.preventDefault();
      board.root.classList.add("keys");
      act(name === "open" && isClue(board.codes[index]) ? "chord" : name, index);
    },
    { signal },
  );
  board.root.addEventListener("pointerdown", () => board.root.classList.remove("keys"), { signal });
}
