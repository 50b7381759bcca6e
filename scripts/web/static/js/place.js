/**
 * The pages and their addresses: `/watch` on a server, `./?page=watch` in a folder of static files.
 *
 * Each page has a template in index.html and a module of its name.
 */

import { addressOf } from "./codes.js";
import { $ } from "./dom.js";
import { t } from "./words.js";

/** Whether this page is a folder of static files, so that everything happens in this browser. */
export const isLocal = document.documentElement.dataset.local !== undefined;

/** The address of a page, and of a game or a token on it. */
export function addressOfPage(page, id = "") {
  if (!isLocal) return `/${[page, id].filter(Boolean).join("/")}`;
  if (!page) return "./";
  return `./?${new URLSearchParams({ page, ...(id && { id }) })}`;
}

/** Go to the Analyse page with a position: the state of a game. */
export function goToAnalysis(grid, { mines, cells, flags = [] }) {
  const codes = [...cells.join("")];
  for (const cell of flags.map(grid.index)) codes[cell] = "F";
  location.assign(addressOfPage("analyse") + addressOf(grid, mines, codes));
}

/** The page of this address and what follows it: a game, a token or undefined. */
export function currentPlace() {
  if (!isLocal) return location.pathname.split("/").slice(1);
  const query = new URLSearchParams(location.search);
  return [query.get("page") ?? "", query.get("id") ?? undefined];
}

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
