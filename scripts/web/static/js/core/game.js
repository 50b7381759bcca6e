/**
 * A game: how it began and the list of its moves. Everything else follows from these two, so only they are stored.
 *
 * The kernel has the rules of the board; this module has the flags, the clock, the undos and the end. It needs no page.
 */

import { listOf } from "../../kernel/grids.js";
import { hiddenView } from "../../kernel/index.js";
import { linesOf } from "../codes.js";
import { t, translated } from "../words.js";
import { kernel } from "./kernel.js";
import { boardToken, kaboomToken, readBoardToken, solvable } from "./puzzles.js";
import { Fault, gridOf, isUntouched, sizeToJSON } from "./sizes.js";

/**
 * @typedef {object} Log A game as it is stored.
 * @property {string} id
 * @property {string} mode `no-guess`, `classic`, `kaboom`, `daily`, `pack`, `shared`, `practice` or `watch`
 * @property {string} title
 * @property {number} rows
 * @property {number} cols
 * @property {number} mines
 * @property {string} [grid] without it, the board is a rectangle
 * @property {string | null} puzzle the token of the board; null before it is dealt, and in Kaboom
 * @property {number} seed
 * @property {"opening" | "safe" | null} start how classic boards are dealt
 * @property {import("./puzzles.js").Filter | null} filter
 * @property {Record<string, any> | null} rules the rules of Kaboom
 * @property {string | null} share the token from which the game was made
 * @property {boolean} repeat whether the player may know the board
 * @property {string | null} day the date of a daily puzzle
 * @property {[milliseconds: number, kind: string, ...cells: number[]][]} moves see `MOVES`
 * @property {number} [seconds] the clock when the board was last seen
 */

/** What a move does, by its letter. Some return the cells that they opened. */
const MOVES = {
  /** Open a cell. */
  o: (game, [cell]) => (game.flags.has(cell) ? [] : game.open([cell], cell)),
  /** Open the unflagged cells around a clue. */
  c: (game, [cell]) => game.open(kernel.chorded(game.view, game.grid.marked(game.flags), cell), cell),
  /** Set or remove a flag. */
  f: (game, [cell]) => {
    if (game.view.cells[cell] >= 0) return;
    game.flagged = true;
    if (!game.flags.delete(cell)) game.flags.add(cell);
  },
  /** Help: open cells, flagged or not; without cells the player has seen something. */
  h: (game, cells) => {
    for (const cell of cells) game.flags.delete(cell);
    const opened = game.open(cells, null);
    game.helped = true;
    return opened;
  },
  /** Help: flag mines. */
  m: (game, cells) => {
    game.helped = true;
    for (const cell of cells) game.flags.add(cell);
  },
  /** Undo the fatal click; in Kaboom any click. */
  u: (game) => game.undo(),
  /** Give a lost game up. */
  r: (game) => {
    game.revealed = true;
  },
};
const BY_NAME = { open: "o", chord: "c", flag: "f" };

export class Game {
  #seconds = 0;
  /** When the clock started, null while it stands. */
  #since = null;
  /** What Kaboom can undo: the view and the guesses before each click. */
  #earlier = [];
  #clicks = 0;

  /**
   * Replay a game. The clock of a running game stands until the next move or `wake`. Throws `Fault`.
   *
   * @param {Log} log
   * @param {() => number} clock returns milliseconds that never go back
   */
  constructor(log, clock = () => performance.now()) {
    this.clock = clock;
    this.log = log;
    // A damaged log may ask for any amount of memory.
    this.grid = gridOf(log);
    this.view = hiddenView(this.grid, log.mines);
    this.flags = new Set();
    this.exploded = [];
    /** The mines, null before they are fixed. */
    this.mineMap = null;
    /** The view before the last click. */
    this.before = null;
    this.undos = 0;
    this.clicks = 0;
    this.helped = this.flagged = this.revealed = false;
    /** The chance of each guess that Kaboom granted, null if unknown. */
    this.guesses = [];
    this.verdict = null;
    /** The clicks until the first end: `[seconds, cell, cells, helped]`, cells as pairs. */
    this.recorded = [];
    /** Whether the game still counts: until its first end. */
    this.counts = true;
    this.#begin();
    for (const move of log.moves) this.#apply(move);
    if (this.status === "playing") this.#seconds = Math.max(this.#seconds, log.seconds ?? 0);
  }

  /** Open the first cell of a given puzzle. */
  #begin() {
    if (!this.log.puzzle) return;
    const { mineMap, click } = readBoardToken(this.log.puzzle);
    this.mineMap = mineMap;
    this.click = click;
    if (this.log.filter || this.log.start || this.log.mode === "watch") return;
    ({ view: this.view } = kernel.open(this.view, mineMap, [click]));
    const cell = this.grid.pair(click);
    this.recorded.push([0, cell, [cell], 0]);
  }

  get hidden() {
    return this.grid.cells.filter((cell) => this.view.cells[cell] < 0);
  }

  get isUntouched() {
    return isUntouched(this.view);
  }

  get status() {
    if (this.exploded.length) return "lost";
    const isDealt = this.mineMap || this.log.rules;
    return isDealt && this.hidden.length === this.log.mines ? "won" : "playing";
  }

  /** Whether the player may see the mines. */
  get isOver() {
    return this.status === "won" || (this.status === "lost" && this.revealed);
  }

  get mayUndo() {
    return this.status === "lost" || (this.log.rules !== null && this.status === "playing" && this.#earlier.length > 0);
  }

  /** The seconds played: not those between a loss and its undo, nor those while nobody saw the board. */
  get seconds() {
    return this.#seconds + (this.#since === null ? 0 : (this.clock() - this.#since) / 1000);
  }

  /** Let the clock run while the game is played; with the seconds that the player saw last, on from there. */
  wake(seen = null) {
    if (seen !== null) {
      this.#seconds = Math.max(this.#seconds, seen);
      this.#since = null;
    }
    const runs = this.status === "playing" && !this.isUntouched;
    this.#since = runs ? (this.#since ?? this.clock()) : null;
  }

  /** Make a move on a cell: "open", "chord" or "flag". Returns the cells that opened. Throws `Fault`. */
  move(name, cell) {
    this.#mustGoOn();
    return this.#make(BY_NAME[name], [cell]);
  }

  /** Note help, and make the moves that the engine found. Returns the cells that opened. Throws `Fault`. */
  help(safe = [], mines = []) {
    this.#mustGoOn();
    const opened = safe.length || !mines.length ? this.#make("h", safe) : [];
    if (mines.length && this.status === "playing") this.#make("m", mines);
    return opened;
  }

  /** Undo the last click. Throws `Fault`. */
  takeBack() {
    if (!this.mayUndo) throw new Fault(t("There is no move to undo."), "conflict");
    this.#make("u", []);
  }

  /** Give a lost game up. Throws `Fault`. */
  giveUp() {
    if (this.status !== "lost") throw new Fault(t("Only a lost game can be given up."), "conflict");
    this.#make("r", []);
  }

  #mustGoOn() {
    const { status } = this;
    if (status !== "playing") throw new Fault(t("This game is {status}.", { status: translated(status) }), "conflict");
  }

  #make(kind, cells) {
    const now = this.clock();
    /** @type {Log["moves"][number]} */
    const move = [Math.round(this.seconds * 1000), kind, ...cells];
    const opened = this.#apply(move);
    this.log.moves.push(move);
    if (this.#since !== null) this.#since = now;
    // The clock starts after the first click, because the search for its board may take long.
    this.wake();
    return opened;
  }

  #apply([milliseconds, kind, ...cells]) {
    const isOff = (cell) => !(Number.isInteger(cell) && cell >= 0 && cell < this.view.cells.length);
    if (cells.some(isOff)) throw new Fault(t("There is no cell {cell} on this board.", { cell: cells.find(isOff) }));
    this.#seconds = milliseconds / 1000;
    if (kind !== "r") this.verdict = null;
    const opened = MOVES[kind](this, cells) ?? [];
    if ("ocf".includes(kind)) this.clicks += 1;
    return opened;
  }

  #dealAround(cell) {
    const { seed, filter, start } = this.log;
    const puzzle = filter
      ? solvable(this.view, seed, filter, cell)
      : kernel.deal({ ...this.view, click: cell, start, seed });
    this.log.puzzle = boardToken(puzzle);
    this.mineMap = puzzle.mineMap;
    this.click = cell;
  }

  /**
   * Open the hidden ones of a list of cells in order, by a click on `clicked` or, without it, by the program. Returns the
   * cells that opened.
   */
  open(wanted, clicked) {
    const { view: before } = this;
    const cells = wanted.filter((cell) => before.cells[cell] < 0);
    if (!cells.length) return [];
    const isChord = clicked !== null && clicked !== cells[0];
    if (!this.log.rules && !this.mineMap) this.#dealAround(cells[0]);
    this.before = before;
    const earlier = { view: before, guesses: [...this.guesses] };
    for (const cell of cells) {
      const goesOn = this.status === "playing" || (isChord && !this.log.rules);
      if (this.view.cells[cell] >= 0 || !goesOn) continue;
      if (this.log.rules) this.#openAgainstKaboom(cell);
      else {
        const { survived, view } = kernel.open(this.view, this.mineMap, [cell]);
        this.view = view;
        if (!survived) this.exploded.push(cell);
      }
    }
    const opened = this.grid.cells.filter((cell) => before.cells[cell] < 0 && this.view.cells[cell] >= 0);
    if (this.log.rules && opened.length) this.#earlier.push(earlier);
    for (const cell of opened) this.flags.delete(cell);
    if (this.counts) {
      const [at, ...targets] = this.grid.pairs([clicked ?? cells[0], ...cells]);
      this.recorded.push([this.#seconds, at, targets, Number(clicked === null)]);
      if (this.status !== "playing") this.counts = false;
    }
    return opened;
  }

  #openAgainstKaboom(cell) {
    const { view, log } = this;
    const random = { seed: log.seed, clicks: ++this.#clicks };
    const { why, survived, view: after, layout } = kernel.kaboomClick(view, log.rules, cell, random);
    if (why === "forced_guess") this.guesses.push(1 - kernel.probabilities(view).chances[cell]);
    this.verdict = why;
    this.view = after;
    if (!survived) [this.exploded, this.mineMap] = [[cell], layout];
    else if (this.status === "won") this.mineMap = this.grid.marked(this.hidden);
  }

  undo() {
    if (this.exploded.length) {
      this.exploded = [];
      if (this.log.rules) this.mineMap = null;
    } else {
      ({ view: this.view, guesses: this.guesses } = this.#earlier.pop());
      this.counts = false;
    }
    this.undos += 1;
    this.helped = true;
  }

  /** The token of the board of a game that has ended. */
  get token() {
    if (!this.log.rules) return this.log.puzzle;
    const [, first] = this.recorded[0];
    return boardToken({ grid: this.grid, mineMap: this.mineMap, click: this.grid.index(first) });
  }

  /** The token of a share link. Throws `Fault` if it would show where the mines are. */
  get share() {
    if (this.log.rules) return kaboomToken({ ...this.view, rules: this.log.rules });
    const token = this.log.share ?? (this.isOver ? this.log.puzzle : null);
    if (token) return token;
    throw new Fault(t("The link would show where the mines are: win the game or give it up first."), "conflict");
  }

  /** Everything that the page shows; `changed` are the cells that the last move opened. */
  state(changed = []) {
    const { log, status, view } = this;
    const { pairs } = this.grid;
    const isShown = log.rules ? status !== "playing" : this.isOver;
    return {
      ...{ id: log.id, mode: log.mode, title: log.title, ...sizeToJSON(view) },
      cells: linesOf(view),
      before: status === "lost" && this.before ? linesOf(this.before) : null,
      flags: pairs(this.flags),
      status: status === "playing" && this.isUntouched ? "ready" : status,
      exploded: pairs(this.exploded),
      mine_map: isShown ? pairs(listOf(this.mineMap)) : null,
      seconds: this.seconds,
      ticking: this.#since !== null,
      can_undo: this.mayUndo,
      ...{ undos: this.undos, helped: this.helped, flagged: this.flagged, clicks: this.clicks },
      rules: log.rules,
      changed: pairs(changed),
      guesses: log.rules && {
        count: this.guesses.length,
        luck: this.guesses.includes(null) ? null : this.guesses.reduce((all, one) => all * one, 1),
      },
      verdict: this.verdict && { why: this.verdict, survived: !this.exploded.length },
    };
  }
}
