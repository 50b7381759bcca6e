/** The page of the player's own record: sums and charts by kind of board, and every game with its review. */

import { get, post } from "./api.js";
import { barChart, dotChart } from "./chart.js";
import { exactText } from "./clock.js";
import { $, make } from "./dom.js";
import { linesOf, percent } from "./statistics.js";

const WIDEST = 840;
const UNRANKED = { help: "with help", repeat: "met before" };

const fixed = (value) => value.toFixed(2);
const known = (value, text) => (value == null ? "–" : text(value));
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const days = (count) => `${count} day${count === 1 ? "" : "s"}`;

const COLUMNS = [
  // A narrow phone shows the first three.
  ["Ended (UTC)", (game) => game.ended.slice(0, 16)],
  ["Result", (game) => (game.won ? "won" : "lost")],
  ["Time", (game) => exactText(game.seconds)],
  ["Board", (game) => game.title],
  ["3BV/s", (game) => known(game.bbbv_per_second, fixed)],
  ["3BV a click", (game) => known(game.efficiency, fixed)],
  ["Luck", (game) => known(game.luck, percent)],
  ["Guesses", (game) => known(game.forced, () => `${game.forced} forced, ${game.needless} needless`)],
  ["Aid", (game) => UNRANKED[game.unranked] ?? ""],
];

/** Draw a chart as wide as there is room for, so that its letters keep their size. */
function draw(place, chartOf) {
  new ResizeObserver(() => place.replaceChildren(chartOf(Math.min(place.clientWidth, WIDEST)))).observe(place);
}

function tableOf(games) {
  const table = make("table");
  const headings = [...COLUMNS.map(([name]) => name), "Review"];
  table.createTHead().insertRow().append(...headings.map((name) => make("th", { scope: "col" }, name)));
  const body = table.createTBody();
  for (const game of games) {
    const line = body.insertRow();
    for (const [, value] of COLUMNS) line.insertCell().textContent = value(game);
    line.insertCell().append(make("a", { href: `/review/${game.id}`, "aria-label": `Review the game of ${game.ended}` }, "Review"));
  }
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Your games as a table" }, table);
}

function tile(value, name) {
  return make("div", { class: "panel tile" }, make("b", {}, value), make("span", {}, name));
}

class Record {
  constructor(record) {
    this.record = record;
    const alone = record.kinds.filter((kind) => kind.ranked.games > 0);
    const games = record.kinds.flatMap((kind) => [kind.ranked, kind.help, kind.repeat]);
    const sum = (key, counts) => counts.reduce((total, count) => total + count[key], 0);
    $("#tiles").replaceChildren(
      tile(`${sum("wins", record.kinds.map((kind) => kind.ranked))} of ${sum("games", record.kinds.map((kind) => kind.ranked))}`, "games won, without help"),
      tile(`${sum("games", games)}`, "games in all"),
      tile(days(record.daily.streak), "daily streak"),
      tile(days(record.daily.longest), "longest daily streak"),
    );
    const bars = alone.map((kind) => ({ name: capital(kind.kind), value: (100 * kind.ranked.wins) / kind.ranked.games, low: kind.low, high: kind.high }));
    if (bars.length) draw($("#rates"), (width) => barChart("Share of games won without help, by kind of board", bars, width));
    else $("#rates").textContent = "No game without help yet.";
    $("#kind").replaceChildren(...record.kinds.map(({ kind }) => new Option(capital(kind), kind)));
    $("#kind").addEventListener("change", () => this.#show());
    $("#games").replaceChildren(tableOf(record.games));
    this.times = [];
    this.speeds = [];
    draw($("#times"), (width) => dotChart("Seconds of the games won, oldest first", this.times, width, { best: Math.min }));
    draw($("#speeds"), (width) => dotChart("3BV a second of the games won, oldest first", this.speeds, width, { best: Math.max }));
    this.#show();
  }

  #show() {
    const kind = this.record.kinds.find((one) => one.kind === $("#kind").value);
    const won = this.record.games.filter((game) => game.kind === kind.kind && game.won && !game.unranked).reverse();
    const count = ({ games, wins }) => `${wins} of ${games}`;
    $("#sums").replaceChildren(...linesOf([
      ["Won", count(kind.ranked)],
      ["Won with help", count(kind.help)],
      ["Won on a board met before", count(kind.repeat)],
      ["Best time", known(kind.best_seconds, exactText)],
      ["Mean time", known(kind.mean_seconds, exactText)],
      ["Best 3BV a second", known(kind.best_bbbv_per_second, fixed)],
      ["Mean 3BV a second", known(kind.mean_bbbv_per_second, fixed)],
      ["Best 3BV a click", known(kind.best_efficiency, fixed)],
      ["Mean 3BV a click", known(kind.mean_efficiency, fixed)],
      ["Luck of the wins, mean", known(kind.mean_luck, percent)],
      ["Guesses forced", `${kind.forced}`],
      ["Guesses needless", `${kind.needless}`],
      ["Wins in a row", `${kind.streak}`],
      ["Most wins in a row", `${kind.longest_streak}`],
    ]));
    this.times = won.map((game) => game.seconds);
    this.speeds = won.map((game) => game.bbbv_per_second).filter((value) => value != null);
    for (const [id, values, best, title] of [["times", this.times, Math.min, "Seconds"], ["speeds", this.speeds, Math.max, "3BV a second"]]) {
      const place = $(`#${id}`);
      place.replaceChildren(dotChart(`${title} of the games won, oldest first`, values, Math.min(place.clientWidth, WIDEST), { best }));
    }
  }
}

function bindDelete() {
  $("#delete").addEventListener("click", () => {
    $("#sure").returnValue = "";
    $("#sure").showModal();
  });
  $("#sure").addEventListener("close", async () => {
    if ($("#sure").returnValue !== "delete") return;
    await post("/api/record/delete");
    await load();
  });
}

async function load() {
  const note = (sentence) => {
    $("#nothing").textContent = sentence;
    $("#nothing").hidden = false;
    $("#record").hidden = $("#export").hidden = $("#delete").hidden = true;
  };
  try {
    const record = await get("/api/record");
    if (!record.keeps) note("This server keeps no records: it has to be started with a database, sweep --db FILE.");
    else if (!record.kinds.length) note("Nothing yet: play a game to its end, and come back.");
    else {
      $("#record").hidden = false;
      new Record(record);
    }
  } catch (error) {
    if (!("code" in error)) throw error;
    note(error.message);
  }
}

/** Start the page. */
export async function start() {
  bindDelete();
  await load();
}
