/** The message panel: sentences for the player, and elements that belong to them. Screen readers speak every message. */

import { $, make, makeButton } from "./dom.js";
import { percent, placeName, sentence } from "./format.js";
import { t } from "./words.js";

/** Matches a text that names a row or a column. */
const PLACE = new RegExp(`(${t("row")}|${t("column")}) \\d`);
const NUMBERS = { row: "(\\d+)", column: "(\\d+)" };
const PLACES = new RegExp(
  `${t("row {row} column {column}", NUMBERS)}|${t("row {row}, column {column}", NUMBERS)}`,
  "gi",
);

/** Show sentences and the elements `after` them; `tone` is "", "won", "lost", "guess" or "error". */
export function showMessage(sentences, { tone = "", after = [], silent = false } = {}) {
  const panel = $("#words");
  const lines = [sentences].flat(2).filter(Boolean).map(sentence);
  panel.className = `words panel ${tone}`;
  panel.scrollTop = 0;
  panel.replaceChildren(...lines.map((line) => make("p", tone === "error" ? { class: "error" } : {}, line)), ...after);
  arrange(panel);
  if (!silent) say(lines.join(" "));
}

/** Append a sentence to the message; it replaces the one of its kind that was appended before. */
export function appendMessage(text, after = [], kind = "added") {
  const panel = $("#words");
  for (const old of panel.querySelectorAll(`.${kind}`)) old.remove();
  const line = sentence(text);
  panel.append(make("div", { class: kind }, make("p", {}, line), ...after));
  arrange(panel);
  say(line);
}

/** Name the cells of the message by the other row and column, after the board has been turned. */
export function turnWords() {
  const texts = document.createTreeWalker($("#words"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    text.data = text.data.replace(PLACES, (place) => place.replace(/(\d+)(\D+)(\d+)/, "$3$2$1"));
  }
}

/** Let screen readers speak a sentence. They ignore equal text, so a repeated sentence gets a space. */
function say(text) {
  const region = $("#said");
  if (region) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

/** Show the button that opens the rest of a long message over the board, and the rulers if it names rows or columns. */
function arrange(panel) {
  document.body.classList.toggle("ruled", PLACE.test(panel.textContent));
  const button = $("#more-words");
  if (!button) return;
  const open = (opened) => {
    panel.classList.toggle("open", opened);
    button.setAttribute("aria-expanded", opened);
    button.textContent = opened ? t("Less") : t("More");
  };
  open(false);
  button.hidden = panel.scrollHeight <= panel.clientHeight + 2;
  button.onclick = () => open(button.getAttribute("aria-expanded") !== "true");
}

/**
 * Run an action and return its result; if it throws a `Fault`, pass that to `show` and return undefined.
 *
 * @param {() => any} action
 * @param {(fault: import("./core/sizes.js").Fault) => unknown} [show]
 */
export async function orShowError(action, show = ({ message }) => showMessage(message, { tone: "error" })) {
  try {
    return await action();
  } catch (error) {
    if (!("code" in error)) throw error;
    await show(error);
    return undefined;
  }
}

/** A legend of the colours on the board, from CSS class to meaning; with `marks`, only of those that have cells. */
export function legend(names, marks) {
  const swatch = (mark) => make("span", { class: `swatch ${mark}` });
  const used = Object.entries(names).filter(([mark]) => !marks || marks[mark]?.length);
  const items = used.map(([mark, meaning]) => make("span", {}, swatch(mark), meaning));
  return make("p", { class: "legend" }, ...items);
}

/** List the options of a guess, best first, with the known ones of their prospects; `choose` is called with a cell. */
export function showRatings(ratings, chosen, choose = null) {
  const list = $("#ratings");
  list.hidden = !ratings.length;
  const items = ratings.map(({ cell, mine_probability: mine, progress, win }) => {
    const known = [
      mine != null && t("mine {share}", { share: percent(mine) }),
      progress && t("progress {share}", { share: percent(progress) }),
      win != null && t("win {share}", { share: percent(win) }),
    ];
    const text = [placeName(cell), known.filter(Boolean).join(", ")].filter(Boolean).join(": ");
    const shown = choose ? makeButton(text, () => choose(cell), { class: "quiet" }) : text;
    return make("li", `${cell}` === `${chosen}` ? { class: "chosen" } : {}, shown);
  });
  list.replaceChildren(...items);
}
