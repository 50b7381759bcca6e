// Tests of practice, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { kernel, useKernel } from "../../../../scripts/web/static/js/core/kernel.js";
import { Game } from "../../../../scripts/web/static/js/core/game.js";
import { newLog } from "../../../../scripts/web/static/js/core/games.js";
import {
  countSteps,
  isRight,
  kindOf,
  practicePuzzle,
  weaknesses,
} from "../../../../scripts/web/static/js/core/practice.js";
import { readToken } from "../../../../scripts/web/static/js/core/puzzles.js";

await useKernel();

for (const kind of [1, 2, 3, 4, 5])
  test(`a position to practise kind ${kind} has no easier step to a safe cell`, () => {
    for (const seed of [1, 2]) {
      const { puzzle, opened } = practicePuzzle(kind, seed);
      const log = newLog({ mode: "puzzle", puzzle });
      const { view } = new Game({ ...log, moves: [[0, "h", ...opened]] });
      const known = kernel.closure(view);
      assert.equal(kindOf(view), kind);
      assert.equal(known.includes(1), kind < 5);
      const hidden = [...known.keys()].filter((cell) => view.cells[cell] < 0);
      if (kind < 5) {
        const right = hidden.filter((cell) => isRight(view, cell));
        assert.ok(right.length > 0);
        assert.ok(right.every((cell) => known[cell] === 1 && !puzzle.mineMap[cell]));
      } else {
        const { ratings } = kernel.evaluate(view, known);
        assert.deepEqual(
          [ratings[0], ratings.at(-1)].map(({ cell }) => isRight(view, cell)),
          [true, false],
        );
      }
    }
  });

test("a seed whose board needs no guess has the position of the next seed", () =>
  assert.deepEqual(practicePuzzle(5, 7), practicePuzzle(5, 8)));

test("a game of practice begins at its position", () => {
  const log = newLog(readToken("practice-1"));
  const { view, status } = new Game(log);
  assert.equal(log.title, "Practice, 1 clue");
  assert.equal(status, "playing");
  assert.equal(kindOf(view), 1);
});

test("slow and fatal clicks count by the easiest step that was there", () => {
  const click = { verdict: "certain", survived: true, helped: false, view: ["0###"], thinking_seconds: 1 };
  const judgements = [
    ...Array(18).fill(click),
    { ...click, thinking_seconds: 7 },
    { ...click, verdict: "forced guess", view: ["1#", "##"], survived: false, thinking_seconds: 0.5 },
    { ...click, verdict: "first click", thinking_seconds: 99 },
    { ...click, helped: true, thinking_seconds: 99 },
  ];
  const counts = countSteps({ judgements, mines: 1 });
  const none = [0, 0, 0];
  // The slowest two of twenty, and the loss. No cell of the last view is certain.
  assert.deepEqual(counts, [[2, 0, 8], none, none, none, [1, 1, 0.5]]);
  const sums = weaknesses([{ steps: counts }, { steps: counts }, {}]);
  assert.deepEqual(
    sums.map(({ kind, clicks, losses, seconds }) => [kind, clicks, losses, seconds]),
    [
      [5, 2, 2, 0.5],
      [1, 4, 0, 4],
    ],
  );
});

test("the clock of a practice starts at zero, with its cells open", () => {
  const [[milliseconds, move, ...opened]] = newLog({ mode: "practice", kind: 1 }).moves;
  assert.deepEqual([milliseconds, move], [0, "h"]);
  assert.ok(opened.length > 0);
});
