/** The Review page: a game of the player's record, judged by the server. */

import { get, post } from "./api.js";
import { $, make } from "./dom.js";
import { addressOfGame } from "./position.js";
import { showReview } from "./reviewer.js";
import { tell } from "./words.js";

/** Start the page; `id` is that of a game. */
export async function start(id) {
  tell("The clicks are being judged.", { silent: true });
  try {
    const reviewer = showReview(await get(`/api/record/${encodeURIComponent(id)}/review`));
    $("#analyse").hidden = false;
    $("#analyse").addEventListener("click", () => location.assign(`/analyse${addressOfGame(reviewer.position)}`));
  } catch (error) {
    if (!("code" in error)) throw error;
    const giveUp = make("button", { type: "button" }, "Give it up and review it");
    giveUp.addEventListener("click", async () => {
      await post(`/api/games/${encodeURIComponent(id)}/reveal`);
      await start(id);
    });
    $("#figures").hidden = true;
    tell(error.message, { tone: "error", after: error.code === "conflict" ? [giveUp] : [] });
  }
}
