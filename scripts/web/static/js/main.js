/** Show the page of the current path, and start its module. */

import { showPage, pageOf } from "./pages.js";
import { currentPlace, isLocal } from "./place.js";

const [first, rest] = currentPlace();
const page = pageOf(first);
showPage(page);
const main = document.querySelector("#main");
main.setAttribute("aria-busy", "true");

const { start } = page === "missing" ? { start: async () => undefined } : await import(`./${page}.js`);
await start(first === "share" || first === "review" ? rest : null).finally(() => main.removeAttribute("aria-busy"));
// The page works without a service worker, which browsers allow only over https and on localhost.
await navigator.serviceWorker?.register(isLocal ? "./service-worker.js" : "/service-worker.js").catch(() => undefined);
