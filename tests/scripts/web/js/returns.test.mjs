// Tests of the rating and of the calendar, for `node --test`.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { monthAfter, squares, weeksOf } from "../../../../scripts/web/static/js/core/calendar.js";
import { kernel, useKernel } from "../../../../scripts/web/static/js/core/kernel.js";
import { today } from "../../../../scripts/web/static/js/core/puzzles.js";
import { expected, ratings, scoreOf } from "../../../../scripts/web/static/js/core/rating.js";
import { calendar, dailyStreak, entryOf } from "../../../../scripts/web/static/js/core/record.js";
import { Grid } from "../../../../scripts/web/static/kernel/grids.js";
import { begun, finish } from "./support.mjs";

await useKernel();

const won = (more) => ({ id: "a", mode: "no-guess", unranked: "", won: true, score: 1000, ...more });
const near = (value, wanted) => assert.ok(Math.abs(value - wanted) < 0.01, `${value} is not ${wanted}`);

test("a rating follows Elo's formula", () => {
  near(expected(1000, 1400), 1 / 11);
  const [first, second, third] = ratings([won(), won({ won: false }), won({ score: 1420 })]);
  // The chances are 1/2, 1 / (1 + 10^(-20/400)) = 0.52875, and 1 / (1 + 10^((1420 - 998.85) / 400)) = 0.08134.
  near(first.change, 20);
  near(second.change, -40 * 0.52875);
  near(third.change, 40 * (1 - 0.08134));
  near(third.rating, 1000 + 20 - 21.15 + 36.746);
});

test("after 20 games the rating moves half as much", () => {
  const rated = ratings(Array.from({ length: 21 }, (_, i) => won({ won: i % 2 === 0 })));
  const { rating } = rated[19];
  near(rated[20].change, 20 * (1 - expected(rating, 1000)));
});

test("games with help, classic games and games without a score do not move the rating", () => {
  const others = [
    { unranked: "help" },
    { unranked: "repeat" },
    { mode: "classic" },
    { mode: "kaboom" },
    { score: undefined },
  ];
  assert.deepEqual(ratings(others.map(won)), []);
});

test("the work in a puzzle counts the cells that need a proof, by what their proof needs", () => {
  const workOf = (grid, mined) => kernel.work({ grid, mines: mined.length, mineMap: grid.marked(mined), click: 0 });
  // 0 1 # 1 0 0: the number of mines proves the last three cells, and the click on the fifth opens the sixth.
  assert.equal(workOf(new Grid(1, 6), [2]), 10);
  // Two clues prove one of the corners safe (2). Then one clue each proves the mine and the other corner (1).
  //   0 0 0
  //   1 1 1
  //   . * .
  assert.equal(workOf(new Grid(3, 3), [7]), 3);
  assert.equal(workOf(new Grid(1, 3), []), 0);
  assert.equal(scoreOf(50), 1000);
  assert.equal(scoreOf(500), 1400);
  assert.equal(scoreOf(0), scoreOf(1));
  assert.ok(scoreOf(1) < scoreOf(2));
});

test("the weeks of a month begin on Monday", () => {
  const weeks = weeksOf("2026-11", {}, "2026-11-23");
  assert.deepEqual(
    weeks[0].map((day) => day && day.date),
    [...Array(6).fill(null), "2026-11-01"],
  );
  assert.equal(weeks.length, 6);
  assert.equal(weeks[5][0].date, "2026-11-30");
  assert.equal(weeks[5][1], null);
  assert.equal(weeksOf("2026-02", {}, "2026-11-23").flat().filter(Boolean).length, 28);
  assert.equal(monthAfter("2026-12", 1), "2027-01");
  assert.equal(monthAfter("2026-01", -1), "2025-12");
});

const ZONES = ["Pacific/Kiritimati", "Pacific/Pago_Pago"];
const MIDNIGHTS = ["2026-02-28T23:59:59Z", "2026-03-01T00:00:01Z"];

for (const zone of ZONES)
  for (const now of MIDNIGHTS)
    test(`days are those of UTC in ${zone} at ${now}`, (context) => {
      const before = process.env.TZ ?? "";
      process.env.TZ = zone;
      mock.timers.enable({ apis: ["Date"], now: Date.parse(now) });
      context.after(() => {
        mock.timers.reset();
        process.env.TZ = before;
      });
      assert.equal(Math.abs(new Date().getTimezoneOffset()) > 600, true, "the zone is far from UTC");
      const day = now.slice(0, 10);
      assert.equal(today(), day);
      const game = finish(begun({ mode: "daily", preset: "beginner" }));
      const entry = entryOf(game);
      assert.deepEqual([entry.day, entry.share], [day, `daily-${day}-beginner`]);
      assert.equal(entry.ended, now.replace("T", " ").replace("Z", ""));
      assert.equal(calendar([entry])[day], entry);
      const earlier = { ...entry, day: "2026-02-27", share: "daily-2026-02-27-beginner" };
      assert.equal(dailyStreak([entry, earlier], day).streak, day === "2026-02-28" ? 2 : 1);
      const weeks = weeksOf("2026-03", {}, day);
      assert.deepEqual([weeks[0].indexOf(null), weeks[0][6].date, weeks.length], [0, "2026-03-01", 6]);
      assert.equal(weeks[0][6].result, day === "2026-03-01" ? "missed" : "future");
      assert.equal(monthAfter("2026-03", -1), "2026-02");
    });

test("a day shows a win on the day, a later win, or a loss", () => {
  const share = (date) => ({ share: `daily-${date}-intermediate`, day: null, unranked: "" });
  const days = calendar([
    { ...share("2026-11-01"), day: "2026-11-01", won: true, seconds: 90 },
    { ...share("2026-11-01"), won: true, seconds: 30, unranked: "repeat" },
    { ...share("2026-11-02"), won: true, seconds: 40 },
    { ...share("2026-11-03"), day: "2026-11-03", won: false, seconds: 5 },
    { ...share("2026-11-04"), day: "2026-11-04", won: true, seconds: 5, unranked: "help" },
  ]);
  assert.equal(days["2026-11-01"].seconds, 90);
  assert.equal(squares(weeksOf("2026-11", days, "2026-11-04").slice(0, 2)), "➖➖➖➖➖➖🟩\n🟨🟥⬜⬜⬜⬜⬜");
});
