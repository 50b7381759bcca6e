/** Reviews of games, as player/play/recorded_games.py defines them: every click judged by what logic could deduce before it. */

import { listOf } from "../kernel/grids.js";
import { VERDICTS } from "../kernel/index.js";
import { drawnRows, linesOf } from "./codes.js";
import { kernel } from "./core/kernel.js";
import { sizeToJSON } from "./core/sizes.js";
import { openBbbv } from "./statistics.js";
import { cellName, worded } from "./wording.js";
import { t } from "./words.js";

const [FIRST, CERTAIN, FORCED] = VERDICTS;
/** The sentences about clicks that were not certain. */
const names = {
  "needless guess": "judgement.needless",
  "forced guess": "judgement.forced",
  "known mine": "judgement.mine",
};

const boardOf = (grid, mines) =>
  drawnRows(
    grid,
    Array.from(grid.marked(mines), (mine) => (mine ? "*" : ".")),
  );

/** A judgement by the rule of a mode, which decides about guesses of some verdicts. */
function ruled(judged, safe, lost) {
  if (safe.includes(judged.verdict) && judged.safety !== 0)
    return { ...judged, verdict: CERTAIN, safety: 1, loss: 0, layouts: null, step: null };
  return lost.includes(judged.verdict) ? { ...judged, safety: 0 } : judged;
}

/** What the kernel found about a click. In a game that is not fair, probabilities do not apply to guesses. */
function judgementOf({ view, ...judged }, cells, isFair) {
  const { grid } = view;
  const { verdict, chances, evaluation, loss } = judged;
  const place = (cell) => (cell === null ? null : grid.pair(cell));
  const uncertain = place(judged.uncertainCell);
  const step = judged.step && worded(view, judged.step);
  const isSure = !(verdict in names);
  const best = evaluation?.ratings[0].value;
  const rating = loss === 0 ? "best" : `-${(100 * loss).toFixed(1)}%`;
  return {
    cells: grid.pairs(cells),
    view: linesOf(view),
    verdict,
    safety: judged.safety,
    best_cell: place(judged.bestCell),
    best_safety: judged.bestSafety,
    words: isSure ? "" : t(names[verdict], { cell: cellName(uncertain), step: step?.words }),
    uncertain_cell: uncertain,
    step,
    layouts: judged.layouts && judged.layouts.map((mines) => boardOf(grid, mines)),
    probabilities:
      isSure || !chances
        ? null
        : grid.rowsOf(Array.from(chances, (chance) => (Number.isNaN(chance) ? null : Math.round(chance * 1e6) / 1e6))),
    guess:
      verdict === FORCED && isFair && loss !== null
        ? { kind: evaluation.kind, value: best - loss, best_value: best, rating }
        : null,
  };
}

/** The part of the 3BV of a board that was solved: its open openings, and the open clues that border no opening. */
function solvedBbbv(view, clues) {
  const counts = (cell) => view.cells[cell] === 0 || !view.grid.around(cell).some((near) => clues[near] === 0);
  const codes = [...linesOf(view).join("")].map((code, cell) => (counts(cell) ? code : "#"));
  return openBbbv(codes, view.grid);
}

/**
 * Review a game on a board: an entry of the record, see core/record.js. Its clicks are `[seconds, [row, col], cells,
 * helped]`, as db/people.py stores them. A recording of another program may say which guesses its mode decides.
 */
export function reviewOf(board, entry) {
  const { recorded_clicks: clicks, seconds, clicks: clickCount, mode, title, id } = entry;
  const { safe_guesses: safe = [], lost_guesses: lost = [] } = entry;
  const { grid, mines, mineMap } = board;
  const isFair = mode !== "kaboom";
  const opened = clicks.map(([, , cells]) => cells.map(grid.index));
  const { judgements: judged, view } = kernel.review(board, opened);
  const judgements = clicks.map(([at, cell, , helped], i) => ({
    seconds: at,
    thinking_seconds: Math.max(0, at - (clicks[i - 1]?.[0] ?? 0)),
    cell,
    helped: Boolean(helped),
    survived: !opened[i].some((one) => mineMap[one]),
    ...judgementOf(ruled(judged[i], safe, lost), opened[i], isFair),
  }));
  const won = judgements.every(({ survived }) => survived) && view.cells.filter((cell) => cell < 0).length === mines;
  const { bbbv, greedyZini, humanZini } = kernel.measure(board);
  const solved = solvedBbbv(view, kernel.reveal(board));
  const ofVerdict = (verdict) => judgements.filter((one) => one.verdict === verdict);
  const chances = judgements.filter(({ verdict }) => verdict !== FIRST).map(({ safety }) => safety);
  return {
    ...{ title, id, ...sizeToJSON(view) },
    board: boardOf(grid, listOf(mineMap)),
    won,
    seconds,
    clicks: clickCount,
    bbbv,
    solved_bbbv: solved,
    bbbv_per_second: seconds > 0 ? solved / seconds : null,
    efficiency: clickCount ? solved / clickCount : null,
    zini_efficiency: clickCount && won ? Math.min(greedyZini, humanZini) / clickCount : null,
    luck: isFair && !chances.includes(null) ? chances.reduce((all, one) => all * one, 1) : null,
    stuck_seconds: ofVerdict(FORCED).reduce((sum, one) => sum + one.thinking_seconds, 0),
    verdicts: Object.fromEntries(VERDICTS.map((verdict) => [verdict, ofVerdict(verdict).length])),
    last_view: linesOf(view),
    judgements,
  };
}
