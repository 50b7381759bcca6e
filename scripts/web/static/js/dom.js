/** Functions that find and make elements. */

/** The first element that matches a selector, or null. */
export const $ = (selector) => document.querySelector(selector);

/** Call an action at each click on an element, by its id. */
export const onClick = (id, action) => $(`#${id}`).addEventListener("click", action);

/** Whether a button that stays down is down. */
export const isPressed = (id) => $(`#${id}`).getAttribute("aria-pressed") === "true";

/** Press or release a button that stays down; `names` are its texts when it is up and down, if they differ. */
export function press(id, isDown, names = null) {
  $(`#${id}`).setAttribute("aria-pressed", isDown);
  if (names) $(`#${id}`).textContent = names[Number(isDown)];
}

/** Whether the target of an event is an element that matches a selector, or lies in one. */
export const isWithin = (target, selector) => target instanceof Element && target.closest(selector) !== null;

/** Make an element with attributes and children: elements and texts. */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Make an element of an SVG. */
export function makeSvg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Make a button with a text or an element; `action` is called at a click. */
export function makeButton(content, action, attributes = {}) {
  const button = make("button", { type: "button", ...attributes }, content);
  button.addEventListener("click", action);
  return button;
}

/** Fill a list with buttons, from pairs of a text and an action. */
export function fillList(list, buttons) {
  const items = buttons.map(([text, action]) => make("li", {}, makeButton(text, action, { class: "quiet" })));
  list.replaceChildren(...items);
}

/** Mark the button of such a list for the place where the page is, by its number, and scroll it into view. */
export function markHere(list, at) {
  [...list.children].forEach((item, i) => {
    item.firstChild.setAttribute("aria-current", i === at ? "step" : "false");
    if (i === at) list.scrollTop = item.offsetTop - list.firstChild.offsetTop - list.clientHeight / 2;
  });
}

/** Make a scrollable table of rows; `columns` are pairs of a heading and a function that returns a cell's content. */
export function makeTable(label, columns, rows) {
  const table = make("table");
  table
    .createTHead()
    .insertRow()
    .append(...columns.map(([name]) => make("th", { scope: "col" }, name)));
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const [, content] of columns) line.insertCell().append(content(row));
  }
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);
}

/** Copy a text if the browser allows it; returns whether it did. Browsers refuse it on insecure pages. */
export async function copyText(text) {
  return (
    (await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )) ?? false
  );
}

/** Save a Blob as a file. */
export function download(file, name) {
  const address = URL.createObjectURL(file);
  make("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

/** Run the action of a key, by its name, unless it is pressed with ctrl, alt or meta, or in an element of `busy`. */
export function onKeys(actions, busy) {
  document.addEventListener("keydown", (event) => {
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || isWithin(event.target, busy)) return;
    event.preventDefault();
    action();
  });
}
