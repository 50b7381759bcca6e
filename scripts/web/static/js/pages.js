/** The list of pages. Each has a template in index.html and a module of its name. */

import { $ } from "./dom.js";
import { addressOfPage, isLocal } from "./place.js";
import { t } from "./words.js";

const TITLES = {
  play: t("Play"),
  watch: t("Watch"),
  leaderboard: t("Leaderboard of automatic players"),
  analyse: t("Analyse"),
  record: t("Your record"),
  review: t("Review"),
  missing: t("No such page"),
};

/** The page of an address, by the first part of its path. The leaderboard needs a server. */
export function pageOf(first) {
  const page = ["", "share"].includes(first) ? "play" : first;
  const isMissing = (isLocal && page === "leaderboard") || !Object.hasOwn(TITLES, page);
  return isMissing ? "missing" : page;
}

export function showPage(page) {
  document.title = `${TITLES[page]} · Sweep`;
  for (const link of document.querySelectorAll("nav a")) link.removeAttribute("aria-current");
  document
    .querySelector(`nav a[href="${addressOfPage(page === "play" ? "" : page)}"]`)
    ?.setAttribute("aria-current", "page");
  $("#main").replaceChildren($(`#page-${page}`).content.cloneNode(true));
}
