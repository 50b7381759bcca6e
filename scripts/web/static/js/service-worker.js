/**
 * A service worker that answers from a cache of the page's files, so that a slow or missing server delays nothing.
 *
 * The server adds two lines before this script: `FILES`, the start of the SHA-256 of each file in base64 by path, and
 * `VERSION`, the name of the cache. The browser fetches the script behind each page that it shows, and installs one that
 * has changed; a version is cached completely or not at all, and main.js says that it is there.
 */
/* global FILES, VERSION */

const PREFIX = "sweep-";
/** The folder of this script, without the slash at its end. */
const FOLDER = new URL(".", self.location).pathname.slice(0, -1);

/** Fetch a file from the server. Throws if the server has another version by now. */
async function fetched(path) {
  const response = await fetch(FOLDER + path, { cache: "no-cache" });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer()));
  if (!btoa(String.fromCharCode(...digest)).startsWith(FILES[path]))
    throw new Error(`${path} does not belong to ${VERSION}`);
  return response;
}

async function install() {
  const responses = await Promise.all(Object.keys(FILES).map(async (path) => [path, await fetched(path)]));
  const cache = await caches.open(VERSION);
  await Promise.all(responses.map(([path, response]) => cache.put(FOLDER + path, response)));
  await self.skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== VERSION);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The cached file; the server's response if the browser has deleted it. */
const answer = async (request, path) => (await caches.match(FOLDER + path, { cacheName: VERSION })) ?? fetch(request);

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname: whole } = new URL(request.url);
  const pathname = whole.startsWith(`${FOLDER}/`) ? whole.slice(FOLDER.length) : "";
  // All pages are one document.
  const isPage = request.mode === "navigate" && !/^\/(api|static)\//.test(pathname);
  const path = isPage ? "/" : pathname;
  if (request.method === "GET" && origin === self.location.origin && path in FILES)
    event.respondWith(answer(request, path));
});
