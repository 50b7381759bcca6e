/**
 * The board as an ARIA grid. It draws codes and marks, and redraws only cells that change.
 *
 * A code is one character: "#" hidden, "F" flag, "?" question mark, "0" to "8" a clue, "*" mine, "X" the opened mine,
 * "W" a wrong flag, "-" a hole. A mark is a CSS class of a cell. A cell is [row, col]; its index counts cells row by row.
 */

import { isClue } from "./codes.js";
import { make, makeSvg } from "./dom.js";
import { placeName } from "./format.js";
import { Plan, numbersIn } from "./plan.js";
import { t, translatedTitle } from "./words.js";

const CLASSES = {
  "#": "hidden-cell",
  "?": "hidden-cell question",
  F: "hidden-cell flag",
  "*": "mine",
  X: "exploded",
  W: "hidden-cell flag wrong-flag",
};
const SPOKEN = {
  "#": t("hidden"),
  "?": t("question mark"),
  F: t("flag"),
  "*": t("mine"),
  X: t("exploded mine"),
  W: t("wrong flag"),
  0: t("empty"),
};
const SPOKEN_MARKS = {
  why: t("clue of the reason"),
  "is-safe": t("safe"),
  "is-mine": t("mine"),
  asked: t("the guess"),
  fresh: t("just opened"),
  settled: t("known before"),
  zone: t("look here"),
  granted: t("a guess is granted"),
  refused: t("a guess is not granted"),
};

/** An uncertain chance in whole percent. */
function percentOf(chance) {
  const share = Math.round(chance * 100);
  if (share === 0) return "<1";
  return share === 100 ? ">99" : String(share);
}

/** Most chances are low, so the colour scale is finer there. */
const heatOf = (chance) => Math.min(100, Math.round(chance * 160));

/** Numbers along an edge of the board, from the first to the last one shown of `count` in all; CSS shows them. */
function ruler(ends, count, name) {
  const numbers = numbersIn(ends).map((number) => make("span", {}, `${(number + count) % count}`));
  return make("div", { class: name, "aria-hidden": true }, ...numbers);
}

/** Lines along the sides of cells, the `seam` or the `rim` of a plan, as a picture over the board. */
function linesAlong(plan, name) {
  const { width, height } = plan.size;
  const look = { class: `sides ${name}`, viewBox: `0 0 ${width} ${height}`, "aria-hidden": true };
  const svg = makeSvg("svg", look, makeSvg("path", { d: plan[name] }));
  svg.style.setProperty("--wide", width);
  svg.style.setProperty("--high", height);
  return svg;
}

export class Board {
  /** Draw a grid inside `root`; `label` is its name for screen readers. */
  constructor(root, grid, label) {
    this.root = root;
    this.grid = grid;
    this.plan = new Plan(grid);
    /** The ghost cells of an element: they look like it. */
    this.ghosts = new Map();
    /** @type {string[]} */
    this.codes = Array.from({ length: grid.size }, (_, index) => (grid.holes?.[index] ? "-" : "#"));
    this.marks = new Map();
    this.left = new Map();
    this.shares = new Map();
    this.best = null;
    this.unavoidable = new Set();
    this.pending = new Set();
    [this.current] = grid.cells;
    root.className = this.plan.classes;
    const spoken = {
      role: "grid",
      "aria-label": [label, grid.label && translatedTitle(grid.label)].filter(Boolean).join(", "),
      "aria-busy": false,
      "aria-rowcount": grid.rows,
      "aria-colcount": grid.cols,
    };
    for (const [name, value] of Object.entries(spoken)) root.setAttribute(name, value);
    /** The element of each cell. Holes have none, and `forEach` skips them. */
    this.cells = [];
    for (const index of grid.cells)
      this.cells[index] = make("div", { role: "gridcell", tabindex: -1, "data-index": index });
    const [down, right] = this.plan.shown;
    const rulers = [ruler(right, grid.cols, "ruler"), ruler(down, grid.rows, "ruler rows")];
    root.replaceChildren(...this.plan.lines([down, right]).map((line) => this.#rowOf(line)), ...rulers);
    this.cells.forEach((_, index) => this.#paint(index));
    this.cells[this.current].tabIndex = 0;
    if (grid.holes) root.append(linesAlong(this.plan, "rim"));
    if (!this.ghosts.size) return;
    root.append(linesAlong(this.plan, "seam"));
    this.#watchGhosts();
  }

  #rowOf({ isShifted, cells }) {
    const shown = cells.map(({ index, isGhost, hole }) =>
      index === null
        ? make("div", { class: "cell hole", "data-index": hole })
        : isGhost
          ? this.#ghostOf(index)
          : this.cells[index],
    );
    const role = cells.every(({ isGhost }) => isGhost) ? { "aria-hidden": true } : { role: "row" };
    return make("div", { class: isShifted ? "board-row shifted" : "board-row", ...role }, ...shown);
  }

  /** A copy of a cell, on which a click is a click on the cell. */
  #ghostOf(index) {
    const ghost = make("div", { "aria-hidden": true, "data-index": index });
    const cell = this.cells[index];
    this.ghosts.set(cell, [...(this.ghosts.get(cell) ?? []), ghost]);
    return ghost;
  }

  /** Let ghost cells follow all changes of their cells. */
  #watchGhosts() {
    const copy = ({ target }) => {
      for (const ghost of this.ghosts.get(target) ?? []) {
        ghost.className = `${target.className} ghost`;
        ghost.replaceChildren(...[...target.childNodes].map((part) => part.cloneNode(true)));
      }
    };
    for (const target of this.ghosts.keys()) copy({ target });
    const observer = new MutationObserver((changes) => changes.forEach(copy));
    // The root outlives this board, but its cells do not.
    for (const cell of this.ghosts.keys())
      observer.observe(cell, { childList: true, attributes: true, attributeFilter: ["class"] });
  }

  /** Draw a whole board of codes. */
  show(codes) {
    codes.forEach((code, index) => this.set(index, code));
  }

  /** Look as the end of a game looks, or not, by its status. */
  showEnd(status) {
    for (const end of ["won", "lost"]) this.root.classList.toggle(`is-${end}`, status === end);
  }

  set(index, code) {
    if (this.codes[index] === code || !this.cells[index]) return;
    this.codes[index] = code;
    this.#paint(index);
  }

  /** Show cells as pending: clicked, but not yet answered by the server. */
  pend(cells) {
    for (const index of this.pending) this.cells[index].classList.remove("pending");
    for (const index of cells) this.cells[index].classList.add("pending");
    this.pending = cells;
  }

  /** Run a wave over the board from a cell; CSS defines how it looks. */
  wave(from) {
    const [row, col] = this.grid.pair(from);
    this.cells.forEach((cell, index) => {
      const [r, c] = this.grid.pair(index);
      cell.style.setProperty("--far", Math.round(Math.hypot(r - row, c - col)));
    });
    this.root.dataset.wave = from;
  }

  /** Replace all marks; `groups` maps a mark to its cells or indices. A later mark replaces an earlier one. */
  mark(groups = {}) {
    const marks = new Map();
    for (const [mark, cells] of Object.entries(groups)) {
      for (const cell of cells ?? []) marks.set(typeof cell === "number" ? cell : this.grid.index(cell), mark);
    }
    this.#swap("marks", marks);
  }

  /** Replace clues by other numbers (countdown clues): a Map from index to number. */
  countDown(left) {
    this.#swap("left", left);
  }

  #swap(name, next) {
    const before = this[name];
    this[name] = next;
    for (const index of new Set([...before.keys(), ...next.keys()])) {
      if (before.get(index) !== next.get(index)) this.#paint(index);
    }
  }

  /**
   * Show the chance of a mine in cells: a Map from index to 0..1, empty to hide them. Certain cells get a shape instead
   * of a number, the cell `best` a star, and the cells `unavoidable` a frame.
   */
  chances(chances = new Map(), best = null, unavoidable = []) {
    const before = this.shares;
    this.shares = chances;
    this.best = best && this.grid.index(best);
    this.unavoidable = new Set(unavoidable.map(this.grid.index));
    for (const index of before.keys()) {
      this.cells[index].querySelector(".chance")?.remove();
      this.cells[index].setAttribute("aria-label", this.spoken(index));
    }
    for (const [index, chance] of chances) {
      const kind = chance === 0 ? " sure-safe" : chance === 1 ? " sure-mine" : index === this.best ? " best" : "";
      const layer = make(
        "span",
        { class: `chance${kind}${this.unavoidable.has(index) ? " unavoidable" : ""}` },
        chance > 0 && chance < 1 ? percentOf(chance) : "",
      );
      layer.style.setProperty("--share", Math.round(chance * 100));
      layer.style.setProperty("--heat", heatOf(chance));
      this.cells[index].append(layer);
      this.cells[index].setAttribute("aria-label", this.spoken(index));
    }
  }

  #spokenChance(index) {
    const chance = this.shares.get(index);
    if (chance === undefined) return "";
    if (chance === 0 || chance === 1) return chance ? `, ${t("certainly a mine")}` : `, ${t("certainly safe")}`;
    const more = [index === this.best && t("the best guess"), this.unavoidable.has(index) && t("an unavoidable guess")];
    return ["", t("{share} % a mine", { share: percentOf(chance) }), ...more.filter(Boolean)].join(", ");
  }

  /** Move the roving tab stop to a cell, and by default the focus. */
  moveTo(index, focus = true) {
    this.cells[this.current].tabIndex = -1;
    this.current = index;
    this.cells[index].tabIndex = 0;
    if (focus) this.cells[index].focus({ preventScroll: false });
  }

  /** Move the tab stop to a cell, and scroll it into view. */
  reveal(cell) {
    const index = this.grid.index(cell);
    this.moveTo(index, false);
    this.cells[index].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** The cell under an event, or null; a hole if the page shows holes. */
  indexOf(target) {
    /** @type {HTMLElement | null} */
    const cell = target instanceof Element ? target.closest("[data-index]") : null;
    return cell && this.root.contains(cell) ? Number(cell.dataset.index) : null;
  }

  /** The spoken name and content of a cell. */
  spoken(index) {
    const code = this.codes[index];
    const shown = this.left.get(index);
    const state =
      SPOKEN[code] ?? (shown === undefined ? code : t("{clue}, {count} left", { clue: code, count: shown }));
    const mark = SPOKEN_MARKS[this.marks.get(index)];
    return `${placeName(this.grid.pair(index))}: ${state}${this.#spokenChance(index)}${mark ? `, ${mark}` : ""}`;
  }

  relabel() {
    this.cells.forEach((cell, index) => cell.setAttribute("aria-label", this.spoken(index)));
  }

  #paint(index) {
    const cell = this.cells[index];
    const code = this.codes[index];
    const hasClue = isClue(code);
    let classes = CLASSES[code] ?? `open n${code}`;
    let text = (hasClue && code !== "0") || code === "?" ? code : "";
    const left = this.left.get(index);
    if (hasClue && left !== undefined) {
      text = left === 0 ? "·" : String(Math.abs(left));
      classes = left > 0 ? `open n${left}` : left === 0 ? "open done" : "open n3 over";
    }
    const mark = this.marks.get(index);
    cell.className = `cell ${classes}${mark ? ` ${mark}` : ""}`;
    // A cell has at most one text node, in front of the layer with its chance.
    const layer = cell.querySelector?.(".chance");
    cell.textContent = text;
    if (layer) cell.append(layer);
    cell.setAttribute("aria-label", this.spoken(index));
  }
}
