/** Finding and making elements. */

/** The first element that a selector names, or null. */
export const $ = (selector) => document.querySelector(selector);

/** Make an element with attributes, around its children: elements and texts. */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
