/** Calls of the engine: the worker that plays the games of this browser and answers questions about positions. */

import { Fault } from "./core/sizes.js";
import { GAME, RECORD, browser } from "./storage.js";
import { language, t } from "./words.js";

const KERNEL = new URL("../kernel/kernel.wasm.gzip", import.meta.url);
const MORE = new URL("../kernel/more.wasm.gzip", import.meta.url);
/** A call that takes longer ends the worker. */
const MOST_SECONDS = 30;

/** @type {Worker | null} */
let worker;
/** Kept when the worker listens: a message before that is lost, because its modules wait for the words of a language. */
let listening = Promise.resolve();
let calls = 0;
/** The calls without an answer, by their numbers. */
const waiting = new Map();
/** The texts in the storage that the worker knows, by their keys. */
const known = new Map();

async function compiledFrom(url) {
  const { body } = await fetch(url);
  const expanded = body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(expanded, { headers: { "Content-Type": "application/wasm" } }));
}

/** The compiled kernel. */
export const compiled = compiledFrom(KERNEL);

/** The calls that need one game: they must not take longer for a player with thousands of games. */
const OF_ONE_GAME = ["move", "help", "undo", "reveal", "wake", "step", "advise"];
/** Whether the worker has had all values. */
let isLearned = false;

/** The values in the storage that a call needs and that have changed since the worker had them, null for removed ones. */
function news(name, id) {
  const found = {};
  const isSmall = isLearned && OF_ONE_GAME.includes(name);
  isLearned = true;
  for (const key of isSmall
    ? [GAME + id]
    : new Set([...known.keys(), ...browser.keys(GAME), ...browser.keys(RECORD)])) {
    const text = browser.text(key);
    if (text === (known.get(key) ?? null)) continue;
    found[key] = browser.read(key);
    if (found[key] === null) known.delete(key);
    else known.set(key, text);
  }
  return found;
}

function store(changes) {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) browser.remove(key);
    else browser.write(key, value);
    if (value === null) known.delete(key);
    else known.set(key, browser.text(key));
  }
}

function start() {
  const made = new Worker(new URL("worker.js", import.meta.url), { type: "module", name: language });
  const needs = t("This browser cannot run the engine: it needs WebAssembly and modules in workers.");
  made.onerror = () => stop(needs, "broken");
  listening = new Promise((resolve) => {
    made.onmessage = ({ data }) => (data.listens ? resolve() : waiting.get(data.id)?.(data));
  });
  listening
    .then(() => compiled)
    .then((module) => made.postMessage({ module }))
    .catch(() => stop(needs, "broken"));
  return made;
}

/** End the worker and all its calls. The next call starts another one, which has the games from the storage. */
function stop(message, code) {
  worker?.terminate();
  worker = null;
  isLearned = false;
  known.clear();
  for (const end of [...waiting.values()]) end({ error: { message, code } });
}

/**
 * Call the engine, see CALLS in worker.js. Throws `Fault`.
 *
 * @param {string} name
 * @param {any[]} args
 * @param {{ signal?: AbortSignal, report?: (seconds: number) => void }} options `signal` ends the worker with all that it
 *   does; `report` is called during a search
 * @returns {Promise<any>}
 */
export function call(name, args, { signal, report } = {}) {
  worker ??= start();
  const id = calls++;
  return new Promise((resolve, reject) => {
    const tooLong = t("This takes more than {seconds} seconds and was stopped.", { seconds: MOST_SECONDS });
    const timer = setTimeout(() => stop(tooLong, "too_slow"), MOST_SECONDS * 1000);
    const cancel = () => stop(t("The search was cancelled."), "cancelled");
    signal?.addEventListener("abort", cancel);
    waiting.set(id, ({ answer, changes = {}, error, progress }) => {
      if (progress !== undefined) {
        report?.(progress);
        return;
      }
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      waiting.delete(id);
      store(changes);
      if (error) reject(new Fault(error.message, error.code));
      else resolve(answer);
    });
    // Another tab may have stored games since the last call.
    const [made, request] = [worker, { id, name, args, news: news(name, args[0]) }];
    listening.then(() => made.postMessage(request));
  });
}

/** Call the engine with arguments. Throws `Fault`. */
export const ask = (name, ...args) => call(name, args);

/** The compiled module for pictures and plans, once a call needs it. */
let rest = null;

/** Call the engine with the module for pictures and plans and with arguments. Throws `Fault`. */
export async function askMore(name, ...args) {
  rest ??= compiledFrom(MORE);
  const module = await rest.catch(() => {
    rest = null;
    throw new Fault(t("A part of this page could not be loaded: try again."));
  });
  return ask(name, module, ...args);
}

/** Answer a question about a position, see advice.js. Throws `Fault`. */
export const advise = (question, position, more = {}) => ask("advise", question, position, more);

// The worker loads while the page does.
worker = start();
