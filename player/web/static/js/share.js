/** The share link: it recreates the puzzle, and is given only when it tells no mine of a game in play. */

import { tell } from "./words.js";

/** Copy the link of a game where the browser allows it, and show it in any case. */
export async function sharing(game) {
  if (!game.share) {
    const words = game.mode === "kaboom" ? "Kaboom has no mines to share: they fall where you click." : "The link would tell the mines: it is given when the game is won, or given up.";
    tell(words);
    return;
  }
  const field = document.createElement("input");
  field.className = "link";
  field.readOnly = true;
  field.value = `${location.origin}/share/${game.share}`;
  field.setAttribute("aria-label", "Link to this puzzle");
  // Clipboards are refused on pages that are not secure, and by some browsers always: then the player copies by hand.
  const copied = navigator.clipboard
    ? await navigator.clipboard.writeText(field.value).then(() => true, () => false)
    : false;
  tell(copied ? "Link copied: it deals this very puzzle." : "This link deals this very puzzle:", { after: [field] });
  field.select();
}
