/** The share link: it recreates the puzzle, and the server gives it only if it tells no mine of a game in play. */

import { get } from "./api.js";
import { make } from "./dom.js";
import { orTell, tell } from "./words.js";

/** Copy the link of a game where the browser allows it, and show it in any case. */
export async function sharing(game) {
  const answer = await orTell(() => get(`/api/games/${game.id}/share`));
  if (!answer) return;
  const link = `${location.origin}/share/${answer.token}`;
  const field = make("input", { class: "link", readonly: "", value: link, "aria-label": "Link to this puzzle" });
  // Clipboards are refused on pages that are not secure, and by some browsers always: then the player copies by hand.
  const copied = navigator.clipboard
    ? await navigator.clipboard.writeText(link).then(() => true, () => false)
    : false;
  const what = game.mode === "kaboom" ? "a game of this kind" : "this very puzzle";
  tell(copied ? `Link copied: it deals ${what}.` : `This link deals ${what}:`, { after: [field] });
  field.select();
}
