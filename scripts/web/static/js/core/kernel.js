/** The kernel of the worker and of tests, once it has been loaded. */

import { loadKernel } from "../../kernel/index.js";

let loaded;

/**
 * The methods of the kernel. An export keeps its first value in the script of all modules.
 *
 * @type {import("../../kernel/index.js").Kernel}
 */
export const kernel = new Proxy(/** @type {any} */ ({}), { get: (_, name) => loaded[name].bind(loaded) });

/**
 * Load the kernel from its compiled module, or from its file.
 *
 * @param {WebAssembly.Module} [source]
 */
export async function useKernel(source) {
  loaded = await loadKernel(source);
}
