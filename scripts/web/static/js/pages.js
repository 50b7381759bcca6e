/** The pages that there are, each a template of the one document and a module with its name. */

import { make } from "./dom.js";

const PAGES = { "": "play", share: "play", play: "play", watch: "watch", leaderboard: "leaderboard", analyse: "analyse", record: "record", review: "review" };
const TITLES = { play: "Play", watch: "Watch", leaderboard: "Leaderboard", analyse: "Analyse", record: "Your record", review: "Review" };
const HREFS = { play: "/", watch: "/watch", leaderboard: "/leaderboard", analyse: "/analyse", record: "/record" };

/** The page that an address begins with. */
export const pageOf = (first) => PAGES[first] ?? "play";

/** Say in the place of a page that it can't be had, and why. */
export function lack(page, sentence) {
  document.querySelector("#main").replaceChildren(make("h1", {}, TITLES[page]), make("p", { class: "panel" }, sentence));
}

/** Put the template of a page in place. */
export function lay(page) {
  document.title = `${TITLES[page]} · Sweep`;
  for (const link of document.querySelectorAll("nav a")) link.removeAttribute("aria-current");
  document.querySelector(`nav a[href="${HREFS[page]}"]`)?.setAttribute("aria-current", "page");
  document.querySelector("#main").replaceChildren(document.querySelector(`#page-${page}`).content.cloneNode(true));
}
