/** The kernel in a worker, so that no call blocks a page. */

import { Calls } from "./calls.js";

export class KernelWorker extends Calls {
  constructor() {
    super(() => new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" }));
  }
}
