/**
 * Keeps the files of the page for the time when the server can't be reached.
 *
 * As long as it can be, all comes from there, as if this were not here: so nothing old is ever shown. The server writes
 * two lines before this text: `FILES`, the digest (SHA-256) of each file by its path, and `VERSION`, which names all of
 * them. Another version is another text, which the browser installs; it is kept whole or not at all.
 */
/* global FILES, VERSION */

const OURS = "sweep-";

/** Take a file from the server, which may just be changing to another version. */
async function taken(path) {
  const response = await fetch(path, { cache: "no-cache" });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer()));
  const told = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (told !== FILES[path]) throw new Error(`${path} is not that of ${VERSION}`);
  return response;
}

async function keep() {
  const responses = await Promise.all(Object.keys(FILES).map(async (path) => [path, await taken(path)]));
  const cache = await caches.open(VERSION);
  await Promise.all(responses.map(([path, response]) => cache.put(path, response)));
  await self.skipWaiting();
}

async function takeOver() {
  const old = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== VERSION);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The server's answer; what is kept if there is none, or only that of a gateway that does not reach the server. */
async function answer(request, path) {
  const response = await fetch(request).catch(() => Response.error());
  if (response.type !== "error" && response.status < 500) return response;
  return (await caches.match(path, { cacheName: VERSION })) ?? response;
}

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  // All pages are one document.
  const isPage = request.mode === "navigate" && !/^\/(api|static)\//.test(pathname);
  const path = isPage ? "/" : pathname;
  if (request.method === "GET" && origin === self.location.origin && path in FILES) event.respondWith(answer(request, path));
});
