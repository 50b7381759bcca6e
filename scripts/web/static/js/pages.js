/** The list of pages. Each has a template in index.html and a module of its name. */

import { make } from "./dom.js";
import { addressOfPage, isLocal } from "./place.js";
import { t } from "./words.js";

const PAGES = { "": "play", share: "play", play: "play", watch: "watch", leaderboard: "leaderboard", analyse: "analyse", record: "record", review: "review" };
const TITLES = { play: t("Play"), watch: t("Watch"), leaderboard: t("Leaderboard of automatic players"), analyse: t("Analyse"), record: t("Your record"), review: t("Review"), missing: t("No such page") };

/** The page of an address, by the first part of its path. The leaderboard needs a server. */
export const pageOf = (first) => (isLocal && first === "leaderboard" ? "missing" : PAGES[first] ?? "missing");

/** Show a message instead of a page that is unavailable. */
export function showUnavailable(page, message) {
  document.querySelector("#main").replaceChildren(make("h1", {}, TITLES[page]), make("p", { class: "panel" }, message));
}

/** Show the template of a page. */
export function showPage(page) {
  document.title = `${TITLES[page]} · Sweep`;
  for (const link of document.querySelectorAll("nav a")) link.removeAttribute("aria-current");
  document.querySelector(`nav a[href="${addressOfPage(page === "play" ? "" : page)}"]`)?.setAttribute("aria-current", "page");
  document.querySelector("#main").replaceChildren(document.querySelector(`#page-${page}`).content.cloneNode(true));
}
