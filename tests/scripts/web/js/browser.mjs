// The parts of a browser that the page's engine needs: storages, workers, files and no document.
import { readFile } from "node:fs/promises";
import { Worker as Thread } from "node:worker_threads";
import { gzipSync } from "node:zlib";

/** A storage of a browser that has room for `room` characters; its keys are its own properties. */
export class FakeStorage {
  #room;

  constructor(room = Infinity) {
    this.#room = room;
  }

  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  }

  setItem(key, text) {
    const others = Object.entries(this).filter(([other]) => other !== key);
    const used = others.reduce((sum, [other, value]) => sum + other.length + value.length, key.length + text.length);
    if (used > this.#room) throw new DOMException("full", "QuotaExceededError");
    this[key] = text;
  }

  removeItem(key) {
    delete this[key];
  }
}

/** The threads that run. */
export const threads = new Set();

class BrowserWorker {
  #thread;

  constructor(url) {
    this.#thread = new Thread(new URL("thread.mjs", import.meta.url), { workerData: url.href });
    threads.add(this);
    this.#thread.on("message", (data) => this.onmessage({ data }));
    this.#thread.on("error", (error) => this.onerror(error));
    this.#thread.unref();
  }

  postMessage(data) {
    this.#thread.postMessage(data);
  }

  terminate() {
    threads.delete(this);
    return this.#thread.terminate();
  }
}

const element = { dataset: {}, classList: { remove() {} } };
const CODES = { 404: "not_found", 422: "bad_input", 429: "too_busy", 500: "broken" };
/** Answers of the server, by `METHOD path`: a function of the body that returns the answer, or a status. */
export const server = {};
/** The requests to the server. */
export const requests = [];

async function fetched(address, { method = "GET", body } = {}) {
  const url = new URL(address, "file:///");
  if (!url.pathname.startsWith("/api/"))
    return new Response(gzipSync(await readFile(url.pathname.replace(/\.gzip$/, ""))));
  requests.push(`${method} ${address}`);
  const answer = server[`${method} ${address}`]?.(body && JSON.parse(body)) ?? 404;
  if (answer === "offline") throw new TypeError("fetch failed");
  return typeof answer === "number"
    ? new Response(JSON.stringify({ error: "No.", code: CODES[answer] }), { status: answer })
    : new Response(JSON.stringify(answer));
}

Object.assign(globalThis, {
  ...{ localStorage: new FakeStorage(), sessionStorage: new FakeStorage(), Worker: BrowserWorker, fetch: fetched },
  document: { documentElement: element, querySelector: () => null },
});

/** Another tab: its own engine and worker, with the storage of all. */
export const newTab = (name) => import(`../../../../scripts/web/static/js/engine.js?tab=${name}`);
