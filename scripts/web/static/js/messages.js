/** The panel that speaks to the player: sentences, and what belongs to them. Everything in it is also said aloud. */

import { $, make } from "./dom.js";

const CELL = /\((\d+), (\d+)\)/g;
const MANY_CELLS = /\(\d+, \d+\)(?:(?:, | and )\(\d+, \d+\)){3,}/g;

/** Name cells as people count, from 1; many at once are only counted, since the board marks them. */
export function forPeople(sentence) {
  const words = sentence
    .replace(MANY_CELLS, (cells) => `${cells.match(CELL).length} cells`)
    .replace(CELL, (_, row, col) => `row ${Number(row) + 1} column ${Number(col) + 1}`);
  return /[.!?:]$/.test(words) ? words : `${words}.`;
}

/** Show sentences (and elements after them); `tone` is "", "won", "lost", "guess" or "error". */
export function tell(sentences, { tone = "", after = [], silent = false } = {}) {
  const panel = $("#words");
  const lines = [sentences].flat().filter(Boolean).map(forPeople).map((line) => line[0].toUpperCase() + line.slice(1));
  panel.className = `words panel ${tone}`;
  panel.scrollTop = 0;
  panel.replaceChildren(
    ...lines.map((line) => make("p", tone === "error" ? { class: "error" } : {}, line)),
    ...after,
  );
  offerMore(panel);
  if (!silent) say(lines.join(" "));
}

/** Add a sentence to what the panel says, in the place of the one that was added before. */
export function add(sentence, after = []) {
  const panel = $("#words");
  for (const old of panel.querySelectorAll(".added")) old.remove();
  const line = forPeople(sentence);
  panel.append(make("div", { class: "added" }, make("p", {}, line), ...after));
  offerMore(panel);
  say(line);
}

/** Let a screen reader say a sentence. One said twice in a row is spoken twice. */
function say(sentence) {
  const region = $("#said");
  if (region) region.textContent = region.textContent === sentence ? `${sentence}\u00a0` : sentence;
}

/** Where the panel is low, its rest is shown over the board when it is asked for, so that nothing moves. */
function offerMore(panel) {
  const button = $("#more-words");
  if (!button) return;
  const open = (opened) => {
    panel.classList.toggle("open", opened);
    button.setAttribute("aria-expanded", opened);
    button.textContent = opened ? "Less" : "More";
  };
  open(false);
  button.hidden = panel.scrollHeight <= panel.clientHeight + 2;
  button.onclick = () => open(button.getAttribute("aria-expanded") !== "true");
}

/** Run an action; if the server refuses, tell why instead of failing. Returns its answer, or undefined. */
export async function orTell(action) {
  try {
    return await action();
  } catch (error) {
    if (error.name !== "ApiError" && !("code" in error)) throw error;
    tell(error.message, { tone: "error" });
    return undefined;
  }
}

/** What the colours on the board mean: a line for the classes that are in use. */
export function legend(names) {
  const swatch = (mark) => make("span", { class: `swatch ${mark}` });
  const items = Object.entries(names).map(([mark, meaning]) => make("span", {}, swatch(mark), meaning));
  return make("p", { class: "legend" }, ...items);
}
