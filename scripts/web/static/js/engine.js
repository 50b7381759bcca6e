/** The worker: it answers questions about positions, and keeps the games of this browser. */

import { TooWide } from "../kernel/index.js";
import { ApiError, advise } from "./advice.js";
import { answer } from "./localgames.js";
import { t } from "./words.js";

function messageOf(error) {
  if (error instanceof TooWide) return t("This position is too large for the engine of this browser.");
  if (error instanceof ApiError || error instanceof RangeError) return error.message;
  console.error(error);
  return t("The engine failed: {cause}.", { cause: error.message });
}

self.onmessage = async ({ data: { id, position, question, more, ...request } }) => {
  try {
    self.postMessage({ id, ...(question ? { answer: await advise(question, position, more) } : answer(request)) });
  } catch (error) {
    self.postMessage({ id, error: { message: messageOf(error), code: error.code ?? "bad_input" } });
  }
};
self.postMessage({ ready: true });
