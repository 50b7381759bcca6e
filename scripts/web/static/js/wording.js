/** Deductions in words: the sentences of player/logic/deduction.py, which a test compares. */

import { kernel } from "./core/kernel.js";
import { pairs } from "./core/sizes.js";
import { around } from "./grid.js";
import { listed, t } from "./words.js";

const TIERS = ["first click", "1 clue", "2 clues", "more clues", "mine count"];

/** The verdicts of Kaboom in words. */
export const VERDICTS = {
  first_click: t("The first click is always safe."),
  proven_safe: t("It was certain to be safe."),
  forced_guess: t("No cell was certain to be safe, so your guess was granted."),
  proven_mine: t("It was certain to be a mine."),
  needless_guess: t("Another cell was certain to be safe, so this guess was not granted."),
  outside: t("A guess was forced, but only next to the clues."),
};

export const tierName = (tier) => TIERS[tier];

/** The words of an unavoidable guess, from its cells; `early` advises to make it now. */
export function unavoidableInWords(cells, early) {
  const names = listed(cells.map((cell) => `(${cell.join(", ")})`));
  return early
    ? t("no further clue can tell which of {cells} hold the mines: guess early", { cells: names })
    : t("no further clue can tell which of {cells} hold the mines", { cells: names });
}

/** A step of a view with its words, added to the cells that are `given`. */
function worded(view, given, step) {
  const hint = { ...new Wording(view, given.slice()).hint(step), cells: [...step.safe, ...step.mines] };
  for (const cell of step.safe) given[cell] = 1;
  for (const cell of step.mines) given[cell] = 2;
  return hint;
}

/** The steps of a view in order with their words, until all certain cells are known. */
export function explained(view) {
  const given = new Uint8Array(view.cells.length);
  return kernel.path(view).map((step) => worded(view, given, step));
}

/** The first safe cell that the easiest steps lead to, as a step with its words; null without one. */
export function easiestSafe(view) {
  const given = new Uint8Array(view.cells.length);
  for (let step = kernel.hint(view, given); step; step = kernel.hint(view, given)) {
    const hint = worded(view, given, step);
    if (hint.safe.length) return hint;
  }
  return null;
}

/** The words of hints on a view; `given` has one byte a cell, 1 for a known safe cell and 2 for a known mine. */
export class Wording {
  constructor(view, given) {
    this.view = view;
    this.given = given;
  }

  #name = (cell) => `(${pairs(this.view, [cell])[0].join(", ")})`;
  #clue = (at) => t("{clue} at {cell}", { clue: this.view.cells[at], cell: this.#name(at) });
  #around = (at) => around(this.view, at);
  #unknown = (at) => this.#around(at).filter((near) => this.view.cells[near] < 0 && !this.given[near]);
  #mines = (at) => this.#around(at).filter((near) => this.given[near] === 2);
  #need = (at) => this.view.cells[at] - this.#mines(at).length;

  because(hint) {
    if (hint.tier === 1) return this.#one(hint.clues[0]);
    if (hint.tier === 2) {
      const at = hint.clues.find((clue) => this.#unknown(clue).includes(hint.cell));
      return this.#two(
        hint.clues.find((clue) => clue !== at),
        at,
        hint.mine,
      );
    }
    return this.#more(hint, hint.safe.length + hint.mines.length > 1);
  }

  /** The hint as the server writes it. */
  hint(hint) {
    const cells = (list) => pairs(this.view, list);
    const because = this.because(hint);
    const named = (list) => ({ cells: list.map(this.#name).join(", "), count: list.length });
    const safe = (list) => t("{cells} {count:is|are} safe", named(list));
    const mines = (list) => t("{cells} {count:is a mine|are mines}", named(list));
    const decided = [...(hint.safe.length ? [safe(hint.safe)] : []), ...(hint.mines.length ? [mines(hint.mines)] : [])];
    const reason = {
      cell: cells([hint.cell])[0],
      mine: hint.mine,
      clues: cells(hint.clues),
      mine_count: hint.tier === 4,
      smallest: hint.smallest,
      words: `${(hint.mine ? mines : safe)([hint.cell])}: ${because}`,
    };
    return {
      safe: cells(hint.safe),
      mines: cells(hint.mines),
      tier: hint.tier,
      tier_name: tierName(hint.tier),
      reason,
      words: `${listed(decided)}: ${because}`,
    };
  }

  #one(at) {
    const mines = this.#mines(at);
    const values = {
      clue: this.#clue(at),
      count: this.#unknown(at).length,
      need: this.#need(at),
      mines: mines.length,
      places: listed(mines.map(this.#name)),
    };
    if (!mines.length)
      return values.need === 0
        ? t("the clue {clue} touches no mine", values)
        : t("the clue {clue} touches only {count} {count:cell|cells} where a mine can be", values);
    if (values.need > 0)
      return t(
        "the clue {clue} touches {mines} known {mines:mine|mines} at {places} and needs {need} more, with {count} {count:cell|cells} left",
        values,
      );
    return mines.length === 1
      ? t("the clue {clue} already touches its mine at {places}", values)
      : t("the clue {clue} already touches its {mines} mines at {places}", values);
  }

  #two(other, at, mine) {
    const [first, second] = [this.#unknown(other), this.#unknown(at)];
    const [a, b] = [this.#need(other), this.#need(at)];
    const shared = first.filter((cell) => second.includes(cell)).length;
    const rest = second.length - shared;
    const most = Math.min(shared, a);
    const values = {
      first: this.#clue(other),
      second: this.#clue(at),
      count: shared,
      cell: this.#name(at),
      mines: mine ? most : Math.max(0, a - (first.length - shared)),
      need: b,
      rest,
    };
    if (!mine)
      return t(
        "the clues {first} and {second} share {count} {count:cell|cells}, which {count:holds|hold} at least {mines} {mines:mine|mines}, all that the clue at {cell} needs",
        values,
      );
    const share =
      most < shared
        ? t(
            "the clues {first} and {second} share {count} {count:cell|cells}, which {count:holds|hold} at most {mines} {mines:mine|mines}",
            values,
          )
        : t(
            "the clues {first} and {second} share {count} {count:cell|cells}, which {count:holds|hold} {mines} {mines:mine|mines}",
            values,
          );
    return `${share}; ${rest === 1 ? t("the clue at {cell} needs {need}, so its other cell must be a mine", values) : t("the clue at {cell} needs {need}, so each of its other {rest} cells must be a mine", values)}`;
  }

  #more({ clues, cell, mine, tier }, many) {
    const known = this.given.filter((mark) => mark > 0).length;
    const left = this.view.mines - this.given.filter((mark) => mark === 2).length;
    const unknown = this.view.cells.filter((clue) => clue < 0).length - known;
    if (tier === 4 && !clues.length) {
      if (left === 0)
        return known
          ? t("all {count} {count:mine|mines} are found", { count: this.view.mines })
          : t("there is no mine");
      return t("{count} {count:cell|cells} and {mines} {mines:mine|mines} are left", { count: unknown, mines: left });
    }
    const said = [t("the {count:clue|clues} {clues}", { count: clues.length, clues: listed(clues.map(this.#clue)) })];
    if (tier === 4)
      said.push(
        known
          ? t("the {count} mines left", { count: left })
          : t("the number of mines, {count},", { count: this.view.mines }),
      );
    const one = { cell: this.#name(cell) };
    const values = {
      supposition: many
        ? t("any of them were otherwise")
        : mine
          ? t("{cell} were safe", one)
          : t("{cell} were a mine", one),
      reasons: listed(said),
    };
    return clues.length + said.length - 1 === 2
      ? t("if {supposition}, {reasons} could not both be true", values)
      : t("if {supposition}, {reasons} could not all be true", values);
  }
}
