/** The calendar of the Record page: the daily puzzles of a month, each with its result and a link to review or play it. */

import { monthAfter, squares, weeksOf } from "./core/calendar.js";
import { today } from "./core/puzzles.js";
import { $, copyText, make } from "./dom.js";
import { clockText } from "./format.js";
import { addressOfPage } from "./place.js";
import { DAILY } from "./startrow.js";
import { locale, t } from "./words.js";

const RESULTS = {
  won: t("won"),
  late: t("won on a later day"),
  lost: t("lost"),
  missed: t("not played"),
  future: t("not yet"),
};
const MARKS = { lost: "✗", missed: "", future: "" };

/** @param {{ date: string, result: string, entry?: import("./core/record.js").Entry }} day */
function dayOf({ date, result, entry }) {
  const name = new Date(date).toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" });
  const text = entry?.won ? clockText(entry.seconds) : MARKS[result];
  const words = `${name}: ${RESULTS[result]}${entry?.won ? `, ${text}` : ""}`;
  const parts = [make("b", {}, `${Number(date.slice(8))}`), make("small", {}, text)];
  const look = { class: `day ${result}`, title: words, "aria-label": words };
  if (result === "future") return make("span", { ...look, role: "img" }, ...parts);
  const href = entry?.hasReview
    ? addressOfPage("review", entry.id)
    : addressOfPage("share", entry?.share ?? `daily-${date}-${DAILY}`);
  return make("a", { ...look, href }, ...parts);
}

/** Show the month of today; `record` has the results by day and the streak. */
export function showCalendar({ days, daily }) {
  let month = today().slice(0, 7);
  const weeks = () => weeksOf(month, days, today());
  const name = () => new Date(month).toLocaleDateString(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  const show = (more) => {
    month = monthAfter(month, more);
    $("#month-name").textContent = name();
    $("#month-on").disabled = month >= today().slice(0, 7);
    $("#days").replaceChildren(...weeks().flatMap((week) => week.map((day) => (day ? dayOf(day) : make("span")))));
  };
  $("#month-back").onclick = () => show(-1);
  $("#month-on").onclick = () => show(1);
  $("#copy-days").onclick = async () => {
    const head = t("Sweep, daily puzzles of {month}. Days won in a row: {streak}", {
      month: name(),
      streak: daily.streak,
    });
    const text = `${head}\n${squares(weeks())}`;
    $("#copied").textContent = (await copyText(text)) ? t("Result copied.") : text;
  };
  show(0);
}
