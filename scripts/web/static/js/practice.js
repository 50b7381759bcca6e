/** Practice on the Play page: the player shows a safe cell, and the page says whether that was right, and why. */

import { $, make } from "./dom.js";
import { ask } from "./engine.js";
import { showMessage } from "./messages.js";
import { t } from "./words.js";

/** The question about a position; the title of its game ends with the kind of step. */
export const question = ({ title }) =>
  title.endsWith("guess")
    ? t("No cell is certainly safe. Which one is the best guess?")
    : t("Which cell is certainly safe?");

/** Judge the answer of a player, and offer the next position. Throws `Fault`. */
export async function answer(client, index, next) {
  if (!"#?".includes(client.board.codes[index])) return;
  const { isRight, words, marks } = await ask("practise", client.game.id, index);
  client.board.mark({ ...marks, asked: [index] });
  const more = make("button", { type: "button", class: "primary next" }, t("Next position"));
  more.addEventListener("click", next);
  showMessage([isRight ? t("Right.") : t("No."), ...words], { tone: isRight ? "won" : "lost" });
  // First, because phones show only the beginning of a message.
  $("#words").prepend(more);
}
