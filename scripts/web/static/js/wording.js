/** Deductions in words: the sentences of player/why/wording.py, which a test compares. */

import { around } from "./codes.js";

const TIERS = ["first click", "1 clue", "2 clues", "more clues", "mine count"];
export const tierName = (tier) => TIERS[tier];
export const counted = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
const listed = (parts) => [parts.slice(0, -1).join(", "), ...parts.slice(-1)].filter(Boolean).join(" and ");

/** The words of hints on a view; `given` has one byte a cell, 1 for a known safe cell and 2 for a known mine. */
export class Wording {
  constructor(view, given) {
    this.view = view;
    this.given = given;
  }

  #name = (cell) => `(${Math.floor(cell / this.view.cols)}, ${cell % this.view.cols})`;
  #clue = (at) => `${this.view.cells[at]} at ${this.#name(at)}`;
  #around = (at) => around(this.view.rows, this.view.cols, at);
  #unknown = (at) => this.#around(at).filter((near) => this.view.cells[near] < 0 && !this.given[near]);
  #mines = (at) => this.#around(at).filter((near) => this.given[near] === 2);
  #need = (at) => this.view.cells[at] - this.#mines(at).length;

  /** The reason of a hint. */
  because(hint) {
    if (hint.tier === 1) return this.#one(hint.clues[0]);
    if (hint.tier === 2) {
      const at = hint.clues.find((clue) => this.#unknown(clue).includes(hint.cell));
      return this.#two(hint.clues.find((clue) => clue !== at), at, hint.mine);
    }
    return this.#more(hint, hint.safe.length + hint.mines.length > 1);
  }

  /** The hint as the server writes it. */
  hint(hint) {
    const cells = (list) => list.map((cell) => [Math.floor(cell / this.view.cols), cell % this.view.cols]);
    const because = this.because(hint);
    const kinds = [[hint.safe, "is safe", "are safe"], [hint.mines, "is a mine", "are mines"]];
    const decided = kinds.filter(([list]) => list.length).map(([list, one, many]) => `${list.map(this.#name).join(", ")} ${list.length === 1 ? one : many}`);
    const reason = { cell: cells([hint.cell])[0], mine: hint.mine, clues: cells(hint.clues), mine_count: hint.tier === 4, smallest: hint.smallest, words: `${this.#name(hint.cell)} is ${hint.mine ? "a mine" : "safe"}: ${because}` };
    return { safe: cells(hint.safe), mines: cells(hint.mines), tier: hint.tier, tier_name: tierName(hint.tier), reason, words: `${decided.join(" and ")}: ${because}` };
  }

  #one(at) {
    const name = `the clue ${this.#clue(at)}`;
    const [unknown, need, mines] = [this.#unknown(at).length, this.#need(at), this.#mines(at)];
    const places = listed(mines.map(this.#name));
    if (need === 0) {
      if (!mines.length) return `${name} touches no mine`;
      const clue = this.view.cells[at];
      return `${name} already touches its ${clue === 1 ? "mine" : `${clue} mines`} at ${places}`;
    }
    if (!mines.length) return `${name} touches only ${counted(unknown, "cell")} where a mine can be`;
    return `${name} touches ${counted(mines.length, "known mine")} at ${places} and needs ${need} more, with ${counted(unknown, "cell")} left`;
  }

  #two(other, at, mine) {
    const [first, second] = [this.#unknown(other), this.#unknown(at)];
    const [a, b] = [this.#need(other), this.#need(at)];
    const shared = first.filter((cell) => second.includes(cell)).length;
    const rest = second.length - shared;
    const share = `the clues ${this.#clue(other)} and ${this.#clue(at)} share ${counted(shared, "cell")}, which ${shared === 1 ? "holds" : "hold"}`;
    if (!mine) return `${share} at least ${counted(Math.max(0, a - (first.length - shared)), "mine")}, all that the clue at ${this.#name(at)} needs`;
    const most = Math.min(shared, a);
    return `${share} ${most < shared ? "at most " : ""}${counted(most, "mine")}; the clue at ${this.#name(at)} needs ${b}, so ${rest === 1 ? "its other cell" : `each of its other ${rest} cells`} must be a mine`;
  }

  #more({ clues, cell, mine, tier }, many) {
    const known = this.given.filter((mark) => mark > 0).length;
    const left = this.view.mines - this.given.filter((mark) => mark === 2).length;
    const unknown = this.view.cells.filter((clue) => clue < 0).length - known;
    if (tier === 4 && !clues.length) {
      if (left === 0) return known ? `all ${counted(this.view.mines, "mine")} are found` : "there is no mine";
      return `${counted(unknown, "cell")} and ${counted(left, "mine")} are left`;
    }
    const said = [`the clue${clues.length > 1 ? "s" : ""} ${listed(clues.map(this.#clue))}`];
    if (tier === 4) said.push(known ? `the ${left} mines left` : `the number of mines, ${this.view.mines},`);
    const supposed = many ? "any of them were otherwise" : `${this.#name(cell)} were ${mine ? "safe" : "a mine"}`;
    return `if ${supposed}, ${listed(said)} could not ${clues.length + said.length - 1 === 2 ? "both" : "all"} be true`;
  }
}
