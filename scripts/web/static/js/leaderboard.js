/** The Leaderboard page: a chart and a table for each kind of board in the database. */

import { get } from "./api.js";
import { barChart } from "./chart.js";

const COLUMNS = [
  ["Player", (row) => row.strategy],
  ["Games", (row) => row.games],
  ["Wins", (row) => row.wins],
  ["Wins, %", (row) => row.win_rate_percent.toFixed(2)],
  ["95 % interval", (row) => `${row.low.toFixed(2)} – ${row.high.toFixed(2)}`],
  ["Guesses a game", (row) => row.guesses_per_game.toFixed(2)],
  ["ms a game", (row) => (row.seconds_per_game * 1000).toFixed(1)],
];

const WIDEST = 840;

function tableOf(rows) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const [name] of COLUMNS) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const [, value] of COLUMNS) line.insertCell().textContent = value(row);
  }
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Standings as a table");
  scroll.append(table);
  return scroll;
}

function standingOf(boards, rows) {
  const sorted = [...rows].sort((a, b) => b.win_rate_percent - a.win_rate_percent);
  const section = document.createElement("section");
  section.className = "panel standing";
  const title = document.createElement("h2");
  title.textContent = boards;
  const bars = sorted.map((row) => ({ name: row.strategy, value: row.win_rate_percent, low: row.low, high: row.high }));
  const picture = document.createElement("div");
  section.append(title, picture, tableOf(sorted));
  // Drawn as wide as there is room for, so that its letters keep their size.
  new ResizeObserver(() => {
    const width = Math.min(picture.clientWidth, WIDEST);
    picture.replaceChildren(barChart(`Share of games won on ${boards}: the table below has the numbers`, bars, width));
  }).observe(picture);
  return section;
}

/** Start the page. */
export async function start() {
  const place = document.querySelector("#boards");
  const note = (sentence) => {
    const line = document.createElement("p");
    line.className = "panel";
    line.textContent = sentence;
    place.replaceChildren(line);
  };
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
