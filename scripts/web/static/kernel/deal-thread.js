/** What runs in the worker of deal-worker.js. */

import { loadKernel } from "./deal.js";
import { answer } from "./messages.js";

answer(loadKernel());
