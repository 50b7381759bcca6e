import { Calls } from "./calls.js";
import type { Deal } from "./deal.js";

/** The kernel for games in a worker. */
export class KernelWorker extends Calls<Deal> {
  constructor();
}
