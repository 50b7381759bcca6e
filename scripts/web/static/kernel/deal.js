/** The part of the kernel for games that deal boards and give hints: a small module with the same methods. */

import { DIFFICULTIES, GRIDS, Grid, InconsistentView, TooWide, hiddenView, loadFrom, viewOf } from "./kernel.js";

export { DIFFICULTIES, GRIDS, Grid, InconsistentView, TooWide, hiddenView, viewOf };

/** Load it: from its file beside this module, or from the bytes or the compiled module given. */
export const loadKernel = (source = null) => loadFrom(source, new URL("./deal.wasm", import.meta.url));
