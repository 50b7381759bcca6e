/** The Review page: the review of a game of the record, or of a recorded game of another program. */

import { get, post } from "./api.js";
import { $, make } from "./dom.js";
import { advise } from "./local.js";
import { showUnavailable } from "./pages.js";
import { addressOfPage } from "./place.js";
import { addressOfGame } from "./position.js";
import { showReview } from "./reviewer.js";
import { orShowError, showMessage } from "./messages.js";
import { language, t } from "./words.js";

/** Show a review in the player's language, with a button that analyses its positions. */
export async function show(review) {
  const words = language === "en" ? null : await orShowError(() => advise("reasons", review));
  words?.forEach((one, i) => { review.judgements[i].words = one; });
  const reviewer = showReview(review);
  $("#analyse").hidden = false;
  $("#analyse").addEventListener("click", () => location.assign(addressOfPage("analyse") + addressOfGame(reviewer.position)));
}

/** Start the page; `id` is the id of a game. */
export async function start(id) {
  showMessage(t("Reviewing the clicks …"), { silent: true });
  const review = await orShowError(() => get(`/api/record/${encodeURIComponent(id)}/review`), (error) => showError(error, id));
  if (review) await show(review);
}

function showError({ code, message }, id) {
  if (code === "offline") {
    showUnavailable("review", message);
    return;
  }
  const giveUp = make("button", { type: "button" }, t("Give up and review"));
  giveUp.addEventListener("click", async () => {
    await post(`/api/games/${encodeURIComponent(id)}/reveal`);
    await start(id);
  });
  $("#stats").hidden = true;
  showMessage(message, { tone: "error", after: code === "conflict" ? [giveUp] : [] });
}
