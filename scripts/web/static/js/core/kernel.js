/** The kernel of the worker and of tests; undefined until it has been loaded. */

import { loadKernel } from "../../kernel/index.js";

/** @type {import("../../kernel/index.js").Kernel} */
export let kernel;

/**
 * Load the kernel from its compiled module, or from its file.
 *
 * @param {WebAssembly.Module} [source]
 */
export async function useKernel(source) {
  kernel = await loadKernel(source);
}
