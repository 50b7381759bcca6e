/** Values of the kernel as messages between a page and its worker, which cannot carry a grid. */

import { Grid } from "./grids.js";

/** @param {any} value */
const isPlain = (value) => [Object.prototype, Array.prototype].includes(value && Object.getPrototypeOf(value));

/** Change every value in objects and lists. */
function changed(value, change) {
  const made = change(value);
  if (made !== value || !isPlain(made)) return made;
  if (Array.isArray(made)) return made.map((one) => changed(one, change));
  return Object.fromEntries(Object.entries(made).map(([key, one]) => [key, changed(one, change)]));
}

export const packed = (value) =>
  changed(value, (one) => (one instanceof Grid ? { isGrid: true, ...one.toJSON() } : one));

export const unpacked = (value) => changed(value, (one) => (one?.isGrid ? Grid.fromJSON(one) : one));

/** Answer the calls of calls.js by a kernel that is loading: what runs in the worker. */
export function answer(loading) {
  self.onmessage = async ({ data: { id, name, args, difficulty } }) => {
    try {
      const kernel = await loading;
      const accepts = difficulty ? [(puzzle) => puzzle.difficulty === difficulty] : [];
      self.postMessage({ id, value: packed(kernel[name](...unpacked(args), ...accepts)) });
    } catch (error) {
      self.postMessage({ id, error: { name: error.name, message: error.message } });
    }
  };
}
