/** The Leaderboard page: a chart and a table for each kind of board in the database. */

import { get } from "./api.js";
import { barChart, drawChart } from "./chart.js";
import { $, make, makeTable } from "./dom.js";
import { orShowError } from "./messages.js";
import { decimal, t, translatedTitle } from "./words.js";

// A narrow phone shows the first three columns.
const COLUMNS = [
  [t("Player"), (row) => row.strategy],
  [t("Wins, %"), (row) => decimal(row.win_rate_percent, 2)],
  [t("95 % interval"), (row) => `${decimal(row.low, 2)} – ${decimal(row.high, 2)}`],
  [t("Games"), (row) => row.games],
  [t("Wins"), (row) => row.wins],
  [t("Guesses a game"), (row) => decimal(row.guesses_per_game, 2)],
  [t("ms a game"), (row) => decimal(row.seconds_per_game * 1000, 1)],
];

/** Games lost because a program crashed, timed out or gave an invalid answer. Most tables have none. */
const FORFEITS = [t("Forfeits"), (row) => row.forfeits];

function sectionOf(name, rows) {
  const boards = translatedTitle(name);
  const sorted = [...rows].sort((a, b) => b.win_rate_percent - a.win_rate_percent);
  const bars = sorted.map((row) => ({ name: row.strategy, value: row.win_rate_percent, low: row.low, high: row.high }));
  const columns = rows.some((row) => row.forfeits) ? [...COLUMNS, FORFEITS] : COLUMNS;
  const chart = make("div");
  drawChart(chart, (width) =>
    barChart(t("Share of games won on {boards}: the table below has the numbers", { boards }), bars, width),
  );
  return make(
    "section",
    { class: "panel standing" },
    make("h2", {}, boards),
    chart,
    makeTable(t("Results on {boards} as a table", { boards }), columns, sorted),
  );
}

export async function start() {
  const place = $("#boards");
  const note = (text) => place.replaceChildren(make("p", { class: "panel" }, text));
  const answer = await orShowError(
    () => get("/api/leaderboard"),
    ({ message }) => note(message),
  );
  if (!answer) return;
  const boards = Object.entries(Object.groupBy(answer.rows, (row) => row.boards));
  if (boards.length) place.replaceChildren(...boards.map(([name, rows]) => sectionOf(name, rows)));
  else
    note(
      t(
        "There are no results yet. This page shows how often each automatic player wins on the same boards. The owner of the server fills it by a comparison of players, whose games the server's database keeps.",
      ),
    );
}
