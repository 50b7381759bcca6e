import { Calls } from "./calls.js";
import type { Kernel } from "./index.js";

/** The kernel in a worker. */
export class KernelWorker extends Calls<Kernel> {
  constructor();
}
