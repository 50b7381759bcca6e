/** Reviews of games, as player/play/recorded_games.py defines them: every click judged by what logic could deduce before it. */

import { drawnRows, linesOf, rowsOf } from "./codes.js";
import { kernel, viewAfter } from "./core/kernel.js";
import { hiddenView, pairs, sizeOf } from "./core/sizes.js";
import { around } from "./grid.js";
import { openBbbv } from "./statistics.js";
import { cellName, worded } from "./wording.js";
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

/** A forced guess of one cell, which the kernel judged, compared with the cells that are best. */
function guessOf({ evaluation: { kind, ratings }, loss }, cell, place) {
  const [best] = ratings;
  const chosen = ratings.find((one) => one.cell === cell);
  return {
    cell: place(cell),
    safety: chosen.safety,
    value: chosen.value,
    kind,
    best_safety: best.safety,
    best_value: best.value,
    best_cells: ratings
      .filter((one) => one.value === best.value && one.safety === best.safety)
      .map((one) => place(one.cell)),
    rating: loss < SAME ? "best" : `-${(100 * loss).toFixed(1)}%`,
  };
}

/** Judge a click that opens hidden cells of a view. */
function judge(view, cells, isFair) {
  const place = (cell) => (cell === null ? null : pairs(view, [cell])[0]);
  const judged = kernel.judge(view, cells);
  const { verdict, chances } = judged;
  const uncertain = place(judged.uncertainCell);
  const step = judged.step && worded(view, judged.step);
  const isSure = verdict === FIRST || verdict === CERTAIN;
  const names = { [NEEDLESS]: "judgement.needless", [FORCED]: "judgement.forced", [MINE]: "judgement.mine" };
  return {
    cells: pairs(view, cells),
    view: linesOf(view),
    verdict,
    safety: judged.safety,
    best_cell: place(judged.bestCell),
    best_safety: judged.bestSafety,
    words: isSure ? "" : t(names[verdict], { cell: cellName(uncertain), step: step?.words }),
    uncertain_cell: uncertain,
    step,
    layouts: judged.layouts && judged.layouts.map((mines) => boardOf(view, mines)),
    probabilities:
      isSure || !chances
        ? null
        : rowsOf(
            view,
            Array.from(chances, (chance) => (Number.isNaN(chance) ? null : rounded(chance, 6))),
          ),
    guess:
      verdict === FORCED && cells.length === 1 && judged.evaluation && isFair ? guessOf(judged, cells[0], place) : null,
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
