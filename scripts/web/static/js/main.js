/** Choose the page by its path, put its template in place, and start its module. */

const PAGES = { "": "play", share: "play", play: "play", watch: "watch", leaderboard: "leaderboard", analyse: "analyse", record: "record", review: "review" };
const TITLES = { play: "Play", watch: "Watch", leaderboard: "Leaderboard", analyse: "Analyse", record: "Your record", review: "Review" };
const HREFS = { play: "/", watch: "/watch", leaderboard: "/leaderboard", analyse: "/analyse", record: "/record" };

const [first, rest] = location.pathname.split("/").slice(1);
const page = PAGES[first] ?? "play";

document.title = `${TITLES[page]} · Sweep`;
document.querySelector(`nav a[href="${HREFS[page]}"]`)?.setAttribute("aria-current", "page");
document.querySelector("#main").replaceChildren(document.querySelector(`#page-${page}`).content.cloneNode(true));

const { start } = await import(`./${page}.js`);
await start(first === "share" || first === "review" ? rest : null);
