/** The Record page: the player's sums and charts by kind of board, and a list of games with their reviews. */

import { get, post } from "./api.js";
import { barChart, dotChart, drawChart } from "./chart.js";
import { $, make, makeTable } from "./dom.js";
import { capital, counted, exactText, percent } from "./format.js";
import { orShowError } from "./messages.js";
import { addressOfPage, isLocal } from "./place.js";
import { linesOf } from "./statistics.js";

/** The time of day and the date of the player, from a time in UTC. */
const localTime = (text) => new Date(`${text.replace(" ", "T")}Z`).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
const ownSpeed = (game, value) => (game.unranked === "help" ? "–" : known(value, fixed));

const UNRANKED = { help: "with help", repeat: "met before" };

const fixed = (value) => value.toFixed(2);
const known = (value, text) => (value == null ? "–" : text(value));

// A narrow phone shows the first three columns.
const COLUMNS = [
  ["Ended", (game) => localTime(game.ended)],
  ["Result", (game) => (game.won ? "won" : "lost")],
  ["Time", (game) => exactText(game.seconds)],
  ["Board", (game) => game.title],
  ["3BV/s", (game) => ownSpeed(game, game.bbbv_per_second)],
  ["3BV a click", (game) => ownSpeed(game, game.efficiency)],
  ["Luck", (game) => known(game.luck, percent)],
  ["Guesses", (game) => known(game.forced, () => `${game.forced} forced, ${game.needless} needless`)],
  ["Unranked", (game) => UNRANKED[game.unranked] ?? ""],
  ...(isLocal ? [] : [["Review", (game) => make("a", { href: addressOfPage("review", game.id), "aria-label": `Review the game of ${localTime(game.ended)}` }, "Review")]]),
];

function tile(value, name) {
  return make("div", { class: "panel tile" }, make("b", {}, value), make("span", {}, name));
}

class Record {
  constructor(record) {
    this.record = record;
    const ranked = record.kinds.map((kind) => kind.ranked);
    const games = record.kinds.flatMap((kind) => [kind.ranked, kind.help, kind.repeat]);
    const sum = (key, counts) => counts.reduce((total, count) => total + count[key], 0);
    $("#tiles").replaceChildren(
      tile(`${sum("wins", ranked)} of ${sum("games", ranked)}`, "games won, without help"),
      tile(`${sum("games", games)}`, "games in all"),
      tile(counted(record.daily.streak, "day"), "daily streak"),
      tile(counted(record.daily.longest, "day"), "longest daily streak"),
    );
    const bars = record.kinds.filter((kind) => kind.ranked.games > 0)
      .map((kind) => ({ name: capital(kind.kind), value: (100 * kind.ranked.wins) / kind.ranked.games, low: kind.low, high: kind.high }));
    if (bars.length) drawChart($("#rates"), (width) => barChart("Share of games won without help, by kind of board", bars, width));
    else $("#rates").textContent = "No game without help yet.";
    $("#kind").replaceChildren(...record.kinds.map(({ kind }) => new Option(capital(kind), kind)));
    $("#kind").addEventListener("change", () => this.#show());
    $("#games").replaceChildren(makeTable("Your games as a table", COLUMNS, record.games));
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
      ["Mean luck of the wins", known(kind.mean_luck, percent)],
      ["Forced guesses", `${kind.forced}`],
      ["Needless guesses", `${kind.needless}`],
      ["Wins in a row", `${kind.streak}`],
      ["Most wins in a row", `${kind.longest_streak}`],
    ]));
    const times = won.map((game) => game.seconds);
    const speeds = won.map((game) => game.bbbv_per_second).filter((value) => value != null);
    for (const [id, values, best, title] of [["times", times, Math.min, "Seconds"], ["speeds", speeds, Math.max, "3BV a second"]]) {
      const place = make("div");
      $(`#${id}`).replaceChildren(place);
      drawChart(place, (width) => dotChart(`${title} of the games won, oldest first`, values, width, { best }));
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

/** Without a server, the file of the export is written here, and a file can be imported. */
function bindFiles() {
  $("#export").addEventListener("click", async (event) => {
    event.preventDefault();
    const address = URL.createObjectURL(new Blob([JSON.stringify(await get("/api/record/export"))], { type: "application/json" }));
    make("a", { href: address, download: "sweep-record.json" }).click();
    URL.revokeObjectURL(address);
  });
  const file = make("input", { type: "file", accept: ".json", id: "import" });
  $("#nothing").before(make("p", { class: "panel" }, make("label", { class: "stacked" }, "Import a record that was exported here: ", file)));
  file.addEventListener("change", async () => {
    const show = ({ message }) => { $("#import-error").textContent = message; };
    $("#import-error").textContent = "";
    const games = await file.files[0].text().then(JSON.parse).catch(() => ({}));
    if (await orShowError(() => post("/api/record/import", games), show)) await load();
  });
  file.parentElement.after(make("span", { id: "import-error", role: "alert" }));
}

async function load() {
  const note = (text) => {
    $("#nothing").textContent = text;
    $("#nothing").hidden = false;
    $("#record").hidden = $("#export").hidden = $("#delete").hidden = true;
  };
  const record = await orShowError(() => get("/api/record"), ({ message }) => note(message));
  if (!record) return;
  if (record.offline) $("#nothing").after(make("p", { class: "panel" }, "The server can't be reached: these are the games that this browser has dealt."));
  if (!record.keeps) note("This server keeps no records: start it with sweep --db FILE.");
  else if (!record.kinds.length) note("Nothing yet: finish a game, then come back.");
  else {
    $("#nothing").hidden = true;
    $("#record").hidden = false;
    $("#export").hidden = $("#delete").hidden = record.offline === true;
    new Record(record);
  }
}

/** Start the page. */
export async function start() {
  bindDelete();
  if (isLocal) bindFiles();
  await load();
}
