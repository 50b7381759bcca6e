/** Choose the page by its path, put its template in place, and start its module. */

import { lay, pageOf } from "./pages.js";

const [first, rest] = location.pathname.split("/").slice(1);
const page = pageOf(first);
lay(page);

const { start } = await import(`./${page}.js`);
await start(first === "share" || first === "review" ? rest : null);
// Browsers have it over https and on the machine itself; where they refuse it, as in private windows, all goes on as ever.
await navigator.serviceWorker?.register("/service-worker.js").catch(() => undefined);
