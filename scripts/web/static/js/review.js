/** The Review page: the review of a game of the record, or of a recorded game of another program. */

import { get } from "./api.js";
import { $, makeButton, onClick } from "./dom.js";
import { ask } from "./engine.js";
import { orShowError, showMessage } from "./messages.js";
import { goToAnalysis, isLocal } from "./place.js";
import { showReview } from "./reviewer.js";
import { t } from "./words.js";

/** Show a review with a button that analyses its positions. */
export function show(review) {
  const reviewer = showReview(review);
  $("#analyse").hidden = false;
  onClick("analyse", () => goToAnalysis(reviewer.board.grid, reviewer.position));
}

/** The review of a game of this browser's record, or of the server's. Throws `Fault`. */
async function reviewOf(id) {
  try {
    return await ask("review", id);
  } catch (fault) {
    if (fault.code !== "not_found" || isLocal) throw fault;
    await ask("merge", [await get(`/api/record/${encodeURIComponent(id)}`)]);
    return ask("review", id);
  }
}

/** Start the page; `id` is the id of a game. */
export async function start(id) {
  showMessage(t("Reviewing the clicks …"), { silent: true });
  const review = await orShowError(
    () => reviewOf(id),
    (error) => showError(error, id),
  );
  if (review) show(review);
}

function showError({ code, message }, id) {
  const giveUp = makeButton(t("Give up and review"), async () => {
    await ask("reveal", id);
    await start(id);
  });
  $("#stats").hidden = true;
  showMessage(message, { tone: "error", after: code === "conflict" ? [giveUp] : [] });
}
