/** Calls of a kernel in a worker, so that none blocks a page. */

import { InconsistentView, TooWide } from "./kernel.js";
import { packed, unpacked } from "./messages.js";

const ERRORS = { InconsistentView, TooWide, RangeError, TypeError };

/** A worker that answers one call after the other. */
export class Calls {
  /** @type {Worker | null} */
  #worker = null;
  /** The calls without an answer, in order. The worker works on the first one. */
  #calls = new Map();
  #count = 0;
  #create;

  /** @param {() => Worker} create */
  constructor(create) {
    this.#create = create;
  }

  /**
   * Call a method of the kernel.
   *
   * @param {string} name
   * @param {any[]} args
   * @param {{ signal?: AbortSignal, difficulty?: string }} options
   * @returns {Promise<any>}
   */
  call(name, args, { signal, difficulty } = {}) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = this.#count++;
    return new Promise((resolve, reject) => {
      const abort = () => {
        const [working] = this.#calls.keys();
        this.#calls.delete(id);
        if (id === working) this.#restart();
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort);
      const end = (settle, value) => {
        signal?.removeEventListener("abort", abort);
        this.#calls.delete(id);
        settle(value);
      };
      const message = { id, name, args: packed(args), difficulty };
      this.#worker ??= this.#start();
      this.#worker.postMessage(message);
      this.#calls.set(id, { message, resolve: (value) => end(resolve, value), reject: (error) => end(reject, error) });
    });
  }

  /** Make a board that logic solves from its first click, if wanted of a difficulty. */
  deal(recipe, options = {}) {
    return this.call("findSolvable", [recipe], options);
  }

  /** End the worker; calls that have no answer never get one. */
  end() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#calls.clear();
  }

  #start() {
    const worker = this.#create();
    worker.onmessage = ({ data: { id, value, error } }) => {
      const call = this.#calls.get(id);
      if (error) call?.reject(new (ERRORS[error.name] ?? Error)(error.message));
      else call?.resolve(unpacked(value));
    };
    worker.onerror = () => {
      this.#worker = null;
      for (const { reject } of [...this.#calls.values()]) reject(new Error("the worker cannot load the kernel"));
    };
    return worker;
  }

  /** End the call that the worker works on, and send the others again. */
  #restart() {
    this.#worker?.terminate();
    this.#worker = this.#calls.size ? this.#start() : null;
    for (const { message } of this.#calls.values()) this.#worker?.postMessage(message);
  }
}
