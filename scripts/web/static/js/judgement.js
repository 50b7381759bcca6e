/** Reviews of games, as player/play/recorded_games.py defines them: every click judged by what logic could deduce before it. */

import { InconsistentView, TooWide } from "../kernel/index.js";
import { drawnRows, linesOf, rowsOf } from "./codes.js";
import { kernel, viewAfter } from "./core/kernel.js";
import { hiddenView, isUntouched, marked, pairs, sizeOf, unless } from "./core/sizes.js";
import { around } from "./grid.js";
import { openBbbv } from "./statistics.js";
import { cellName, chainToSafe } from "./wording.js";
import { t } from "./words.js";

const FIRST = "first click";
const CERTAIN = "certain";
const FORCED = "forced guess";
const NEEDLESS = "needless guess";
const MINE = "known mine";
/** Values of guesses that differ by less are equal. */
const SAME = 2e-9;

const rounded = (number, digits) => Math.round(number * 10 ** digits) / 10 ** digits;

const boardOf = (view, mines) =>
  drawnRows(
    view,
    Array.from(view.cells, (_, cell) => (mines.includes(cell) ? "*" : ".")),
  );

/** The probability that no cell of a list is a mine. */
function safetyOf(view, cells, logLayouts) {
  const counted = unless([InconsistentView], () => kernel.probabilities(view, marked(view, cells)));
  return counted ? Math.exp(counted.logLayouts - logLayouts) : 0;
}

/** A forced guess of one cell, compared with the cells that are best. */
function guessOf(view, known, cell, chances, place) {
  const { kind, ratings } = kernel.evaluate(view, known);
  const isCounted = kind !== "none";
  const uncertain = [...known.keys()].filter((one) => view.cells[one] < 0 && known[one] === 0);
  const rated = isCounted
    ? ratings
    : uncertain.map((one) => ({ cell: one, safety: 1 - chances[one], value: 1 - chances[one] }));
  const options = rated.map((one) => ({
    cell: one.cell,
    safety: rounded(Math.min(one.safety, 1), 9),
    value: rounded(Math.min(one.value, 1), 9),
  }));
  options.sort((one, other) => other.value - one.value || other.safety - one.safety || one.cell - other.cell);
  const [best] = options;
  const chosen = options.find((one) => one.cell === cell);
  const loss = Math.max(0, best.value - chosen.value);
  return {
    cell: place(cell),
    safety: chosen.safety,
    value: chosen.value,
    kind: isCounted ? kind : "survival",
    best_safety: best.safety,
    best_value: best.value,
    best_cells: options
      .filter((one) => one.value === best.value && one.safety === best.safety)
      .map((one) => place(one.cell)),
    rating: loss < SAME ? "best" : `-${(100 * loss).toFixed(1)}%`,
  };
}

/** Judge a click that opens hidden cells of a view. */
function judge(view, cells, isFair) {
  const place = (cell) => pairs(view, [cell])[0];
  const known = kernel.closure(view);
  const counted = unless([TooWide], () => kernel.probabilities(view));
  const chances = counted && [...counted.chances].map((chance, cell) => (known[cell] ? known[cell] - 1 : chance));
  const verdict = isUntouched(view)
    ? FIRST
    : cells.some((cell) => known[cell] === 2)
      ? MINE
      : cells.every((cell) => known[cell] === 1)
        ? CERTAIN
        : known.includes(1)
          ? NEEDLESS
          : FORCED;
  const risky = cells.filter((cell) => known[cell] !== 1);
  const safety =
    chances &&
    (risky.length > 1 ? safetyOf(view, risky, counted.logLayouts) : 1 - (risky.length ? chances[risky[0]] : 0));
  const isSure = verdict === FIRST || verdict === CERTAIN;
  const uncertain = isSure ? null : (cells.find((cell) => known[cell] === 2) ?? risky[0]);
  const best = known.includes(1) ? known.indexOf(1) : (kernel.rate(view, "champion", known)[0]?.cell ?? null);
  const step = verdict === NEEDLESS ? chainToSafe(view).pop() : null;
  const layouts =
    verdict === FORCED ? kernel.counterexample(view, uncertain).map((mines) => boardOf(view, mines)) : null;
  const where = uncertain === null ? "" : cellName(place(uncertain));
  return {
    cells: pairs(view, cells),
    view: linesOf(view),
    verdict,
    safety,
    best_cell: best === null ? null : place(best),
    best_safety: chances && best !== null ? 1 - chances[best] : null,
    words: step
      ? t("judgement.needless", { step: step.words })
      : verdict === FORCED
        ? t("judgement.forced", { cell: where })
        : verdict === MINE
          ? t("judgement.mine", { cell: where })
          : "",
    uncertain_cell: uncertain === null ? null : place(uncertain),
    step,
    layouts,
    probabilities:
      isSure || !chances
        ? null
        : rowsOf(
            view,
            chances.map((chance, cell) => (view.cells[cell] < 0 ? rounded(chance, 6) : null)),
          ),
    guess:
      verdict === FORCED && cells.length === 1 && chances && isFair
        ? guessOf(view, known, cells[0], chances, place)
        : null,
  };
}

/** The part of the 3BV of a board that was solved: its open openings, and the open clues that border no opening. */
function solvedBbbv(view, clues) {
  const codes = [...linesOf(view).join("")];
  const near = (cell) => around(view, cell);
  const counts = (cell) => codes[cell] === "0" || !near(cell).some((one) => clues[one] === 0);
  return openBbbv({ codes: codes.map((code, cell) => (counts(cell) ? code : "#")), around: near });
}

/**
 * Review a game: `mineMap` has a byte a cell, and `clicks` are `[seconds, [row, col], cells, helped]`, as db/people.py
 * stores them. A game against an adversary is not fair: probabilities do not apply to its guesses.
 */
export function reviewOf({ rows, cols, grid, mineMap, clicks, seconds, clickCount, isFair = true }) {
  const mines = [...mineMap.keys()].filter((cell) => mineMap[cell]);
  let view = hiddenView({ rows, cols, grid, mines: mines.length });
  let before = 0;
  const judgements = clicks.map(([at, cell, listed, helped], i) => {
    const cells = listed.map(([row, col]) => row * cols + col);
    const thinking = Math.max(0, at - before);
    before = at;
    const judged = {
      click: i + 1,
      seconds: at,
      thinking_seconds: thinking,
      cell,
      helped: Boolean(helped),
      survived: !cells.some((one) => mineMap[one]),
      ...judge(view, cells, isFair),
    };
    view = viewAfter(view, mineMap, cells);
    return judged;
  });
  const won =
    judgements.every(({ survived }) => survived) && view.cells.filter((cell) => cell < 0).length === mines.length;
  const { bbbv, greedyZini, humanZini } = kernel.measure({ ...view, mineMap });
  const solved = solvedBbbv(view, kernel.reveal({ ...view, mineMap }));
  const zini = Math.min(greedyZini, humanZini);
  const count = (verdict) => judgements.filter((one) => one.verdict === verdict).length;
  const chances = judgements.filter(({ verdict }) => verdict !== FIRST).map(({ safety }) => safety);
  return {
    ...sizeOf(view),
    board: boardOf(view, mines),
    won,
    seconds,
    clicks: clickCount,
    bbbv,
    solved_bbbv: solved,
    zini,
    bbbv_per_second: seconds > 0 ? solved / seconds : null,
    efficiency: clickCount ? solved / clickCount : null,
    zini_efficiency: clickCount && won ? zini / clickCount : null,
    luck: isFair && !chances.includes(null) ? chances.reduce((all, one) => all * one, 1) : null,
    stuck_seconds: judgements
      .filter(({ verdict }) => verdict === FORCED)
      .reduce((sum, one) => sum + one.thinking_seconds, 0),
    verdicts: Object.fromEntries([FIRST, CERTAIN, FORCED, NEEDLESS, MINE].map((verdict) => [verdict, count(verdict)])),
    last_view: linesOf(view),
    judgements,
  };
}
