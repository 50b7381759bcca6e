/**
 * Exact Minesweeper logic, probabilities and no-guess boards: the C++ kernel of the Minesweeper toolkit in WebAssembly.
 *
 * index.d.ts documents the types. A cell is a number, `row * cols + col`.
 */

import {
  DIFFICULTIES,
  GRIDS,
  Grid,
  InconsistentView,
  STRATEGIES,
  TooWide,
  VERDICTS,
  hiddenView,
  loadFrom,
  viewOf,
} from "./kernel.js";

export { DIFFICULTIES, GRIDS, Grid, InconsistentView, STRATEGIES, TooWide, VERDICTS, hiddenView, viewOf };

/** Load the kernel: from its file beside this module, or from the bytes or the compiled module given. */
export const loadKernel = (source = null) => loadFrom(source, new URL("./kernel.wasm", import.meta.url));

/** Load the part of the kernel that reads pictures and plans clicks, and nothing else. */
export const loadMore = (source = null) => loadFrom(source, new URL("./more.wasm", import.meta.url));
