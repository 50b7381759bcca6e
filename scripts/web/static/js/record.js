/** The Record page: the player's sums and charts by kind of board, and a list of games with their reviews. */

import { options, post } from "./api.js";
import { showCalendar } from "./calendar.js";
import { barChart, dotChart, drawChart } from "./chart.js";
import { $, download, make, makeTable, onClick } from "./dom.js";
import { ask } from "./engine.js";
import { capital, exactText, percent } from "./format.js";
import { orShowError } from "./messages.js";
import { addressOfPage } from "./place.js";
import { termsOf, ratingText } from "./statistics.js";
import { fetchGames } from "./sync.js";
import { decimal, locale, t, translated, translatedTitle } from "./words.js";

/** The time of day and the date of the player, from a time in UTC. */
const localTime = (text) =>
  new Date(`${text.replace(" ", "T")}Z`).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
const ownSpeed = (game, value) => (game.unranked === "help" ? "–" : known(value, fixed));

const UNRANKED = { help: t("with help"), repeat: t("met before") };

const fixed = (value) => decimal(value, 2);
const known = (value, text) => (value == null ? "–" : text(value));

/** The guesses of a game in words, and its clicks on mines that could be deduced. */
function guessesOf(game) {
  const guesses = t("{forced} forced, {needless} needless", game);
  return game.mistakes ? `${guesses}, ${t("{count} {count:mistake|mistakes}", { count: game.mistakes })}` : guesses;
}

// A narrow phone shows the first three columns.
const COLUMNS = [
  [t("Ended"), (game) => localTime(game.ended)],
  [t("Result"), (game) => (game.won ? t("won") : t("lost"))],
  [t("Time"), (game) => exactText(game.seconds)],
  [t("Board"), (game) => translatedTitle(game.title)],
  [t("3BV/s"), (game) => ownSpeed(game, game.bbbv_per_second)],
  [t("3BV a click"), (game) => ownSpeed(game, game.efficiency)],
  [t("Luck"), (game) => known(game.mistakes ? null : game.luck, percent)],
  [t("Guesses"), (game) => known(game.forced, () => guessesOf(game))],
  [t("Unranked"), (game) => UNRANKED[game.unranked] ?? ""],
  [
    t("Review"),
    (game) =>
      make(
        "a",
        {
          href: addressOfPage("review", game.id),
          "aria-label": t("Review the game of {time}", { time: localTime(game.ended) }),
        },
        t("Review"),
      ),
  ],
];

const STEPS = [
  [t("Kind of step"), ({ name }) => capital(translated(name))],
  [t("Practice"), ({ kind }) => make("a", { href: addressOfPage("share", `practice-${kind}`) }, t("Practise"))],
  [t("Slow clicks"), ({ clicks }) => `${clicks}`],
  [t("Games lost"), ({ losses }) => `${losses}`],
  [t("Seconds a click"), ({ seconds }) => fixed(seconds)],
];

const kindName = (kind) => translatedTitle(capital(kind));

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
      tile(
        t("{wins} of {games}", { wins: sum("wins", ranked), games: sum("games", ranked) }),
        t("games won, without help"),
      ),
      tile(`${sum("games", games)}`, t("games in all")),
      tile(t("{count} {count:day|days}", { count: record.daily.streak }), t("daily streak")),
      tile(t("{count} {count:day|days}", { count: record.daily.longest }), t("longest daily streak")),
      ...(record.rated ? [tile(ratingText(record.rated), t("rating, and its last change"))] : []),
    );
    showCalendar(record);
    $("#practice").hidden = !record.steps.length;
    $("#steps").replaceChildren(makeTable(t("Your clicks by the kind of step"), STEPS, record.steps));
    const bars = record.kinds
      .filter((kind) => kind.ranked.games > 0)
      .map((kind) => ({
        name: kindName(kind.kind),
        value: (100 * kind.ranked.wins) / kind.ranked.games,
        low: kind.low,
        high: kind.high,
      }));
    if (bars.length)
      drawChart($("#rates"), (width) => barChart(t("Share of games won without help, by kind of board"), bars, width));
    else $("#rates").textContent = t("No game without help yet.");
    $("#kind").replaceChildren(...record.kinds.map(({ kind }) => new Option(kindName(kind), kind)));
    $("#kind").addEventListener("change", () => this.#show());
    $("#games").replaceChildren(makeTable(t("Your games as a table"), COLUMNS, record.games));
    this.#show();
  }

  #show() {
    const kind = this.record.kinds.find((one) => one.kind === $("#kind").value);
    const won = this.record.games.filter((game) => game.kind === kind.kind && game.won && !game.unranked).reverse();
    const count = (sums) => t("{wins} of {games}", sums);
    $("#sums").replaceChildren(
      ...termsOf([
        [t("Won"), count(kind.ranked)],
        [t("Won with help"), count(kind.help)],
        [t("Won on a board met before"), count(kind.repeat)],
        [t("Best time"), known(kind.best_seconds, exactText)],
        [t("Mean time"), known(kind.mean_seconds, exactText)],
        [t("Best 3BV a second"), known(kind.best_bbbv_per_second, fixed)],
        [t("Mean 3BV a second"), known(kind.mean_bbbv_per_second, fixed)],
        [t("Best 3BV a click"), known(kind.best_efficiency, fixed)],
        [t("Mean 3BV a click"), known(kind.mean_efficiency, fixed)],
        [t("Mean luck of the wins"), known(kind.mean_luck, percent)],
        [t("Forced guesses"), `${kind.forced}`],
        [t("Needless guesses"), `${kind.needless}`],
        [t("Wins in a row"), `${kind.streak}`],
        [t("Most wins in a row"), `${kind.longest_streak}`],
      ]),
    );
    const times = won.map((game) => game.seconds);
    const speeds = won.map((game) => game.bbbv_per_second).filter((value) => value != null);
    for (const [id, values, best, title] of [
      ["times", times, Math.min, t("Seconds of the games won, oldest first")],
      ["speeds", speeds, Math.max, t("3BV a second of the games won, oldest first")],
    ]) {
      const place = make("div");
      $(`#${id}`).replaceChildren(place);
      drawChart(place, (width) => dotChart(title, values, width, { best }));
    }
  }
}

function bindDelete(keeps) {
  onClick("delete", () => {
    $("#sure").returnValue = "";
    $("#sure").showModal();
  });
  $("#sure").addEventListener("close", async () => {
    if ($("#sure").returnValue !== "delete") return;
    await orShowError(async () => {
      if (keeps) await post("/api/record/delete");
      await ask("deleteRecord");
      await load(keeps);
    }, note);
  });
}

function bindFiles(keeps) {
  onClick("export", async () => {
    const file = new Blob([JSON.stringify(await ask("exportRecord"))], { type: "application/json" });
    download(file, "sweep-record.json");
  });
  $("#import").addEventListener("change", async ({ target }) => {
    const show = ({ message }) => {
      $("#import-error").textContent = message;
    };
    show({ message: "" });
    const file = await target.files[0].text();
    const parsed = await new Response(file).json().catch(() => null);
    await orShowError(async () => {
      await ask("importRecord", parsed);
      await load(keeps);
    }, show);
  });
}

function note({ message }) {
  $("#nothing").textContent = message;
  $("#nothing").hidden = false;
}

/** Show the record; `keeps` says whether the server has one, too. */
async function load(keeps) {
  $("#nothing").hidden = true;
  if (keeps) await orShowError(fetchGames, note);
  const record = await ask("record");
  const isEmpty = !record.kinds.length;
  $("#record").hidden = $("#export").hidden = $("#delete").hidden = isEmpty;
  if (isEmpty) note({ message: t("Nothing yet: finish a game, then come back.") });
  else new Record(record);
}

export async function start() {
  const { keeps, offline } = await options();
  if (offline) $("#unreachable").hidden = false;
  bindDelete(keeps);
  bindFiles(keeps);
  await load(keeps);
}
