/** The Leaderboard page: a chart and a table for each kind of board in the database. */

import { get } from "./api.js";
import { barChart, drawChart } from "./chart.js";
import { $, make, makeTable } from "./dom.js";
import { orShowError } from "./messages.js";

// A narrow phone shows the first three columns.
const COLUMNS = [
  ["Player", (row) => row.strategy],
  ["Wins, %", (row) => row.win_rate_percent.toFixed(2)],
  ["95 % interval", (row) => `${row.low.toFixed(2)} – ${row.high.toFixed(2)}`],
  ["Games", (row) => row.games],
  ["Wins", (row) => row.wins],
  ["Guesses a game", (row) => row.guesses_per_game.toFixed(2)],
  ["ms a game", (row) => (row.seconds_per_game * 1000).toFixed(1)],
];

/** Games lost because a program crashed, timed out or gave an invalid answer. Most tables have none. */
const FORFEITS = ["Forfeits", (row) => row.forfeits];

function sectionOf(boards, rows) {
  const sorted = [...rows].sort((a, b) => b.win_rate_percent - a.win_rate_percent);
  const bars = sorted.map((row) => ({ name: row.strategy, value: row.win_rate_percent, low: row.low, high: row.high }));
  const columns = rows.some((row) => row.forfeits) ? [...COLUMNS, FORFEITS] : COLUMNS;
  const chart = make("div");
  drawChart(chart, (width) => barChart(`Share of games won on ${boards}: the table below has the numbers`, bars, width));
  return make("section", { class: "panel standing" }, make("h2", {}, boards), chart, makeTable(`Results on ${boards} as a table`, columns, sorted));
}

/** Start the page. */
export async function start() {
  const place = $("#boards");
  const note = (text) => place.replaceChildren(make("p", { class: "panel" }, text));
  const answer = await orShowError(() => get("/api/leaderboard"), ({ message }) => note(message));
  if (!answer) return;
  const boards = Object.entries(Object.groupBy(answer.rows, (row) => row.boards));
  if (boards.length) place.replaceChildren(...boards.map(([name, rows]) => sectionOf(name, rows)));
  else note("No games are stored yet: the command minesweeper leaderboard plays some. The page Watch shows each player at work.");
}
