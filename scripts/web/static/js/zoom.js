/**
 * The size of the cells: the whole board fits until the player zooms by buttons, ctrl and wheel, or two fingers.
 *
 * The box around the board must not take its size from the board.
 */

import { STILL_PX } from "./core/pointing.js";
import { isTurned } from "./format.js";
import { turnWords } from "./messages.js";
import { browser } from "./storage.js";

const LARGEST = 64;
const SMALLEST = 5;
const STEP = 1.25;
/** Smaller cells are hard to hit with a finger, so the board scrolls instead; nor do the digits of a chance fit. */
const TO_TAP = 22;
/** A board that just fits with cells of this size does not scroll. */
const NEARLY_TO_TAP = 19;
/** The same for a mouse. */
const TO_CLICK = 14;
/** The share of the window's height that a cell takes at most by itself, unless that is less than `ENOUGH`. */
const SHARE = 0.065;
const ENOUGH = 36;
const ZOOMS = "sweep-zooms";
const FRAME = 23; // the board's border, the room for the rulers and the focus ring, and a pixel for rounding

const clamp = (size, low, high) => Math.min(Math.max(size, low), Math.max(low, high));

export class Zoom {
  #chosen = null;
  #pinch = null;
  /** @type {HTMLButtonElement[]} */
  #buttons = Array.from(document.querySelectorAll("[data-zoom]"));

  /** `box` scrolls the board; `height()` is the height available to it. Cells grow to `largest` pixels by themselves. */
  constructor(box, { height = () => box.clientHeight, largest = Infinity } = {}) {
    this.box = box;
    this.height = height;
    this.largest = largest;
    new ResizeObserver(() => this.#apply()).observe(box);
    box.addEventListener("scroll", () => {
      box.style.setProperty("--right", `${box.scrollLeft}px`);
      box.style.setProperty("--down", `${box.scrollTop}px`);
    });
    box.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    box.addEventListener("touchstart", (event) => this.#touch(event), { passive: false });
    box.addEventListener("touchmove", (event) => this.#touch(event), { passive: false });
    for (const name of ["touchend", "touchcancel"])
      box.addEventListener(name, () => {
        this.#pinch = null;
      });
    for (const button of this.#buttons) {
      button.addEventListener("click", () => this.#button(button.dataset.zoom));
    }
  }

  /** Show another board, and return it; boards of one size keep their zoom. */
  show(board) {
    this.board = board;
    this.#chosen = browser.read(ZOOMS, {})[this.#name] ?? null;
    this.#apply();
    return board;
  }

  /** The largest size of cells at which the width of the box is enough, and the height too unless `tall`. */
  #fit(height, width, tall = false) {
    const wide = (this.box.getBoundingClientRect().width - FRAME) / width;
    const most = Math.floor(Math.min(this.largest, Math.max(SHARE * innerHeight, ENOUGH)));
    return clamp(Math.floor(tall ? wide : Math.min(wide, (this.height() - FRAME) / height)), SMALLEST, most);
  }

  get #name() {
    const { rows, cols, kind } = this.board.grid;
    return `${rows}x${cols} ${kind}`;
  }

  /** The height and width on the screen, in cells: in a window that is narrow and high a wide board is turned. */
  get #shown() {
    const { height, width } = this.board.plan.size;
    const isNarrow = width > height && this.#fit(height, width, true) < TO_TAP;
    const turns = isNarrow && this.box.closest(".play") && matchMedia("(orientation: portrait)").matches;
    return turns ? [width, height] : [height, width];
  }

  /** The largest size of cells at which the whole board fits. */
  get whole() {
    return this.#fit(...this.#shown);
  }

  /** The smallest and the largest size of cells. */
  get #limits() {
    return [Math.min(this.whole, TO_TAP), Math.max(this.whole, LARGEST)];
  }

  get size() {
    const { whole } = this;
    if (this.#chosen !== null) return clamp(Math.round(this.#chosen), ...this.#limits);
    const [enough, least] = matchMedia("(pointer: coarse)").matches ? [NEARLY_TO_TAP, TO_TAP] : [TO_CLICK, TO_CLICK];
    return whole < enough ? least : whole;
  }

  /** Change the size; the point of the board at (x, y) of the window stays there. */
  to(size, x, y) {
    const box = this.box.getBoundingClientRect();
    const before = this.board.root.getBoundingClientRect();
    const [atX, atY] = [x ?? box.x + box.width / 2, y ?? box.y + box.height / 2];
    const share = [(atX - before.x) / before.width, (atY - before.y) / before.height];
    this.#chosen = size === null ? null : clamp(size, ...this.#limits);
    browser.write(ZOOMS, { ...browser.read(ZOOMS, {}), [this.#name]: this.#chosen ?? undefined });
    this.#apply();
    const after = this.board.root.getBoundingClientRect();
    this.box.scrollBy(after.x + share[0] * after.width - atX, after.y + share[1] * after.height - atY);
  }

  #apply() {
    if (!this.board) return;
    const { height, width } = this.board.plan.size;
    this.box.closest(".play")?.style.setProperty("--ratio", width / height);
    const wasTurned = isTurned();
    document.body.classList.toggle("turned", this.#shown[0] !== height);
    if (wasTurned !== isTurned()) {
      this.board.relabel();
      turnWords();
    }
    const { size } = this;
    this.board.root.style.setProperty("--cell", `${size}px`);
    this.board.root.classList.toggle("tiny", size < 18);
    this.board.root.classList.toggle("numberless", size < TO_TAP);
    const [smallest, most] = this.#limits;
    const isDone = { in: size >= most, out: size <= smallest, fit: this.#chosen === null };
    for (const button of this.#buttons) button.disabled = isDone[button.dataset.zoom];
  }

  #button(name) {
    const { size } = this;
    this.to({ in: Math.max(size * STEP, size + 1), out: Math.min(size / STEP, size - 1), fit: null }[name]);
  }

  #wheel(event) {
    if (!event.ctrlKey || !this.board) return;
    event.preventDefault();
    this.to((this.#chosen ?? this.size) * Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
  }

  #touch(event) {
    if (event.touches.length !== 2 || !this.board) return;
    event.preventDefault();
    const [one, two] = event.touches;
    const apart = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    this.#pinch ??= { apart, size: this.size, isOn: false };
    // Two thumbs that tap do not zoom.
    this.#pinch.isOn ||= Math.abs(apart - this.#pinch.apart) > STILL_PX;
    if (!this.#pinch.isOn) return;
    const middle = [(one.clientX + two.clientX) / 2, (one.clientY + two.clientY) / 2];
    this.to((this.#pinch.size * apart) / this.#pinch.apart, ...middle);
  }
}
