/** Mouse, pen and touch events on a board, for the rules of core/pointing.js. */

import { isClue } from "./codes.js";
import { Pointing } from "./core/pointing.js";
import { makeSvg } from "./dom.js";

/** What a finger sees around it until a long press counts. */
const ring = makeSvg(
  "svg",
  { class: "ring", viewBox: "0 0 40 40", "aria-hidden": true },
  makeSvg("circle", { cx: 20, cy: 20, r: 17, pathLength: 1 }),
);

/** Listen on `board.root` until `signal` aborts, and call `act(name, index)`; `settings` are those of `Pointing`. */
export function listenToPointer(board, settings, act, signal) {
  const { root, grid, codes } = board;
  const pointing = new Pointing(board, settings, act, {
    now: () => performance.now(),
    later(ms, action) {
      const timer = setTimeout(() => {
        navigator.vibrate?.(15);
        action();
        draw();
      }, ms);
      return () => clearTimeout(timer);
    },
  });
  let shown = [];
  let held = null;

  function draw() {
    for (const index of shown) board.cells[index].classList.remove("pressed");
    shown = pointing.pressed
      .filter(({ isTouch, index }) => !isTouch && index !== null)
      .flatMap(({ isChord, index }) => [...(isChord || isClue(codes[index]) ? grid.around(index) : []), index])
      .filter((index) => "#?".includes(codes[index]));
    for (const index of shown) board.cells[index].classList.add("pressed");
    const [finger, second] = pointing.pressed.filter(({ isTouch }) => isTouch);
    if (held === finger) return;
    held = finger;
    ring.remove();
    if (!finger || second) return;
    const [at, from] = [board.cells[finger.index], root].map((one) => one.getBoundingClientRect());
    ring.style.left = `${at.x - from.x + at.width / 2}px`;
    ring.style.top = `${at.y - from.y + at.height / 2}px`;
    ring.style.setProperty("--held", `${settings().pressMs}ms`);
    root.append(ring);
  }

  const on = (name, handler) => root.addEventListener(name, handler, { signal });
  /** Pass an event on; `under` is the element under the pointer. */
  const pass = (method, event, under) => {
    const { pointerId: id, pointerType: type, button, buttons, clientX: x, clientY: y } = event;
    pointing[method]({ id, type, button, buttons, x, y, index: board.indexOf(under) });
    draw();
  };
  const follow = (method) => (event) => {
    if (pointing.pressed.length) pass(method, event, document.elementFromPoint(event.clientX, event.clientY));
  };

  on("pointerdown", (event) => {
    const index = board.indexOf(event.target);
    if (index === null) return;
    if (event.button === 1) event.preventDefault();
    pass("down", event, event.target);
    board.moveTo(index, false);
  });
  on("pointermove", follow("move"));
  on("pointerleave", follow("move"));
  on("pointerup", follow("up"));
  on("pointercancel", (event) => {
    pointing.cancel(event.pointerId);
    draw();
  });
  // Keys act on the cell under the mouse.
  on("pointerover", (event) => {
    const index = board.indexOf(event.target);
    if (event.pointerType === "mouse" && index !== null) board.moveTo(index, root.contains(document.activeElement));
  });
  on("contextmenu", (event) => event.preventDefault());
  on("auxclick", (event) => event.preventDefault());
}
