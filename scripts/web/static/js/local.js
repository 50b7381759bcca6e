/** Calls of the worker that answers without a server, and the storage of its games and records in this browser. */

import { language, t } from "./words.js";

const PREFIX = "sweep-local-";

let worker = null;
let calls = 0;
const waiting = new Map();

function storedValues() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  return Object.fromEntries(keys.map((key) => [key.slice(PREFIX.length), JSON.parse(localStorage.getItem(key))]));
}

function store(changes) {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  }
}

function start() {
  return new Promise((resolve, reject) => {
    const made = new Worker(new URL("localgames.js", import.meta.url), { type: "module", name: language });
    made.onerror = () => reject(Object.assign(new Error(t("This browser cannot run the engine: it needs WebAssembly and modules in workers.")), { code: "broken" }));
    made.onmessage = ({ data }) => {
      if (data.ready) {
        resolve(made);
        return;
      }
      const { id, answer, error, changes } = data;
      const call = waiting.get(id);
      waiting.delete(id);
      try {
        store(changes);
      } catch (full) {
        call.reject(Object.assign(new Error(t("The storage of this browser is full; export the record, then delete it ({cause}).", { cause: full.name })), { code: "broken" }));
        return;
      }
      if (error) call.reject(Object.assign(new Error(error.message), { code: error.code }));
      else call.resolve(answer);
    };
  });
}

/** Answer a call as a server does. Throws an error with a message and a code. */
export async function answerLocally(method, path, body) {
  worker ??= start();
  const running = await worker;
  const id = calls++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    // Another tab may have stored games since the last call.
    running.postMessage({ id, method, path, body, stored: storedValues() });
  });
}
