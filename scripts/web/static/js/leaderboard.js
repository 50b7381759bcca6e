/** The Leaderboard page: a chart and a table for each kind of board in the database. */

import { get } from "./api.js";
import { barChart } from "./chart.js";
import { $, make } from "./dom.js";

const COLUMNS = [
  ["Player", (row) => row.strategy],
  // A narrow phone shows the first three.
  ["Wins, %", (row) => row.win_rate_percent.toFixed(2)],
  ["95 % interval", (row) => `${row.low.toFixed(2)} – ${row.high.toFixed(2)}`],
  ["Games", (row) => row.games],
  ["Wins", (row) => row.wins],
  ["Guesses a game", (row) => row.guesses_per_game.toFixed(2)],
  ["ms a game", (row) => (row.seconds_per_game * 1000).toFixed(1)],
];

// Lost because a program broke off, was too slow or answered nonsense, or out of time: most tables have none.
const FORFEITS = ["Forfeits", (row) => row.forfeits];

const WIDEST = 840;

function tableOf(boards, rows) {
  const table = make("table");
  const columns = rows.some((row) => row.forfeits) ? [...COLUMNS, FORFEITS] : COLUMNS;
  table.createTHead().insertRow().append(...columns.map(([name]) => make("th", { scope: "col" }, name)));
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const [, value] of columns) line.insertCell().textContent = value(row);
  }
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Standings on ${boards} as a table` }, table);
}

function standingOf(boards, rows) {
  const sorted = [...rows].sort((a, b) => b.win_rate_percent - a.win_rate_percent);
  const bars = sorted.map((row) => ({ name: row.strategy, value: row.win_rate_percent, low: row.low, high: row.high }));
  const picture = make("div");
  // Drawn as wide as there is room for, so that its letters keep their size.
  new ResizeObserver(() => {
    const width = Math.min(picture.clientWidth, WIDEST);
    picture.replaceChildren(barChart(`Share of games won on ${boards}: the table below has the numbers`, bars, width));
  }).observe(picture);
  return make("section", { class: "panel standing" }, make("h2", {}, boards), picture, tableOf(boards, sorted));
}

/** Start the page. */
export async function start() {
  const place = $("#boards");
  const note = (sentence) => place.replaceChildren(make("p", { class: "panel" }, sentence));
  try {
    const { rows } = await get("/api/leaderboard");
    if (!rows.length) {
      note("No games are stored yet: let players play with scripts/leaderboard.py, and come back.");
      return;
    }
    place.replaceChildren(...Object.entries(Object.groupBy(rows, (row) => row.boards)).map(([boards, own]) => standingOf(boards, own)));
  } catch (error) {
    if (!("code" in error)) throw error;
    note(error.message);
  }
}
