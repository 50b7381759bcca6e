/** Show the page of the current path, and start its module. */

import { showPage, pageOf } from "./pages.js";

const [first, rest] = location.pathname.split("/").slice(1);
const page = pageOf(first);
showPage(page);
const main = document.querySelector("#main");
main.setAttribute("aria-busy", "true");

const { start } = page === "missing" ? { start: async () => undefined } : await import(`./${page}.js`);
await start(first === "share" || first === "review" ? rest : null).finally(() => main.removeAttribute("aria-busy"));
// The page works without a service worker, which browsers allow only over https and on localhost.
await navigator.serviceWorker?.register("/service-worker.js").catch(() => undefined);
