/** The Review page: a game of the player's record, or one that another program recorded, judged by the server. */

import { get, post } from "./api.js";
import { $, make } from "./dom.js";
import { lack } from "./pages.js";
import { addressOfGame } from "./position.js";
import { showReview } from "./reviewer.js";
import { tell } from "./messages.js";

/** Show a review, from which one may go on to its positions. */
export function show(review) {
  const reviewer = showReview(review);
  $("#analyse").hidden = false;
  $("#analyse").addEventListener("click", () => location.assign(`/analyse${addressOfGame(reviewer.position)}`));
}

/** Start the page; `id` is that of a game. */
export async function start(id) {
  tell("The clicks are being judged.", { silent: true });
  try {
    show(await get(`/api/record/${encodeURIComponent(id)}/review`));
  } catch (error) {
    if (!("code" in error)) throw error;
    if (error.code === "offline") {
      lack("review", error.message);
      return;
    }
    const giveUp = make("button", { type: "button" }, "Give it up and review it");
    giveUp.addEventListener("click", async () => {
      await post(`/api/games/${encodeURIComponent(id)}/reveal`);
      await start(id);
    });
    $("#figures").hidden = true;
    tell(error.message, { tone: "error", after: error.code === "conflict" ? [giveUp] : [] });
  }
}
