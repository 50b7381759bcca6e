/** What runs in the worker of worker.js. */

import { loadKernel } from "./index.js";
import { answer } from "./messages.js";

answer(loadKernel());
