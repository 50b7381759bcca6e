import type { Kernel } from "./index.js";

export { DIFFICULTIES, GRIDS, Grid, InconsistentView, TooWide, hiddenView, viewOf } from "./index.js";
export type * from "./index.js";

/** The methods of games that deal boards and give hints. `TooWide` is thrown for a few more positions than by the kernel. */
export type Deal = Pick<Kernel, "room" | "deal" | "findSolvable" | "closure" | "hint" | "path" | "open" | "chorded">;

/** Load `deal.wasm`, a third of the size of the kernel: from beside the module, or from bytes or a compiled module. */
export function loadKernel(source?: ArrayBuffer | ArrayBufferView | object): Promise<Deal>;
