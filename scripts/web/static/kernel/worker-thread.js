/** What runs in the worker of worker.js. */

import { loadKernel } from "./index.js";
import { packed, unpacked } from "./messages.js";

const loading = loadKernel();

self.onmessage = async ({ data: { id, name, args, difficulty } }) => {
  try {
    const kernel = await loading;
    const accepts = difficulty ? [(puzzle) => puzzle.difficulty === difficulty] : [];
    self.postMessage({ id, value: packed(kernel[name](...unpacked(args), ...accepts)) });
  } catch (error) {
    self.postMessage({ id, error: { name: error.name, message: error.message } });
  }
};
