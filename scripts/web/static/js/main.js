/** Show the page of the current path, and start its module. */

import { showLeaderboard } from "./api.js";
import { makeButton } from "./dom.js";
import { compiled } from "./engine.js";
import { appendMessage } from "./messages.js";
import { currentPlace, isLocal, pageOf, showPage } from "./place.js";
import { applyLook } from "./settings.js";
import { t } from "./words.js";

const [first, rest] = currentPlace();
const page = pageOf(first);
applyLook();
showPage(page);
showLeaderboard();

const { start } = page === "missing" ? { start: async () => undefined } : await import(`./${page}.js`);
await start(["share", "review", "watch"].includes(first) ? rest : null).finally(() =>
  document.querySelector("#main").removeAttribute("aria-busy"),
);
// The page works without a service worker, which browsers allow only over https and on localhost.
const { serviceWorker } = navigator;
if (serviceWorker?.controller)
  serviceWorker.addEventListener("controllerchange", () =>
    appendMessage(t("There is a new version of this page."), [makeButton(t("Reload"), () => location.reload())]),
  );
// The first click waits for the kernel, which must not share the network with the files of other pages.
await compiled.catch(() => undefined);
await serviceWorker?.register(isLocal ? "./service-worker.js" : "/service-worker.js").catch(() => undefined);
