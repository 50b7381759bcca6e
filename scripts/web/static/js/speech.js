/** The live region: what a screen reader says of the game's events. */

const region = () => document.querySelector("#said");

/** Say a sentence. A sentence said twice in a row is spoken twice. */
export function say(sentence) {
  const element = region();
  if (!element) return;
  element.textContent = element.textContent === sentence ? `${sentence}\u00a0` : sentence;
}
