/** Calls of the engine, a worker with the kernel, and the storage of this browser's games and record. */

import { language, t } from "./words.js";

const PREFIX = "sweep-local-";
const MOST_SECONDS = 30;

/** The strategies of the engine, in order of strength. */
export const STRATEGIES = ["safest", "progress", "lookahead", "champion"];

let worker = null;
let calls = 0;
const waiting = new Map();

const failure = (message, code = "broken") => Object.assign(new Error(message), { code });

/** The texts in the storage that the worker knows, by their keys. */
const known = new Map();

/** The values that another tab has changed since the last call, null for removed ones; the first time, all values. */
function news() {
  const found = {};
  for (const key of new Set([...known.keys(), ...Object.keys(localStorage)])) {
    const text = key.startsWith(PREFIX) ? localStorage.getItem(key) : undefined;
    if (text === known.get(key)) continue;
    if (text === null) known.delete(key);
    else known.set(key, text);
    found[key.slice(PREFIX.length)] = JSON.parse(text);
  }
  return found;
}

function store(changes) {
  for (const [key, value] of Object.entries(changes)) {
    const text = JSON.stringify(value);
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, text);
    if (value === null) known.delete(PREFIX + key);
    else known.set(PREFIX + key, text);
  }
}

function start() {
  return new Promise((resolve, reject) => {
    const made = new Worker(new URL("engine.js", import.meta.url), { type: "module", name: language });
    made.onerror = () => reject(failure(t("This browser cannot run the engine: it needs WebAssembly and modules in workers.")));
    made.onmessage = ({ data }) => {
      if (data.ready) resolve(made);
      else waiting.get(data.id)?.(data);
    };
  });
}

/** Send a request to the worker. A worker that takes too long is replaced, with all that it was doing. */
async function request(body) {
  worker ??= start();
  const running = await worker;
  const id = calls++;
  const data = await new Promise((resolve) => {
    const timer = setTimeout(() => {
      running.terminate();
      worker = null;
      known.clear();
      const error = { message: t("This takes more than {seconds} seconds and was stopped.", { seconds: MOST_SECONDS }), code: "too_slow" };
      for (const end of waiting.values()) end({ error });
    }, MOST_SECONDS * 1000);
    waiting.set(id, (found) => {
      clearTimeout(timer);
      waiting.delete(id);
      resolve(found);
    });
    running.postMessage({ id, ...body });
  });
  if (data.error) throw failure(data.error.message, data.error.code);
  return data;
}

/** Answer a call as a server does. Throws an error with a message and a code. */
export async function answerLocally(method, path, body) {
  // Another tab may have stored games since the last call.
  const { answer, changes } = await request({ method, path, body, stored: news() });
  try {
    store(changes);
  } catch (full) {
    throw failure(t("The storage of this browser is full; export the record, then delete it ({cause}).", { cause: full.name }));
  }
  return answer;
}

/** Answer a question about a position, see advice.js. Throws an error with a message and a code. */
export const advise = async (question, position, more = {}) => (await request({ question, position, more })).answer;
