/**
 * What mouse, pen and fingers mean on a board: the actions "open", "flag" and "chord" of a cell. It needs no document.
 *
 * Mouse and pen: left opens (on a clue: chords), right flags, middle or left+right chords; the cell under the pointer when
 * the button comes up counts. Touch: a tap opens the cell on which it began, a long press flags, and flag mode swaps them;
 * each finger taps on its own, and fingers that move scroll or zoom.
 */

const DOUBLE_CLICK_MS = 500;
/** A finger that moves farther than this does not tap. */
export const STILL_PX = 12;

/**
 * @typedef {object} At A pointer at one time.
 * @property {number} id
 * @property {number | null} index the cell under it
 * @property {number} x
 * @property {number} y
 * @property {string} [type] `mouse`, `pen` or `touch`
 * @property {number} [button] as in `PointerEvent`
 * @property {number} [buttons] as in `PointerEvent`
 */

export class Pointing {
  /** The pressed pointers by their ids. */
  #pressed = new Map();
  #last = { index: -1, time: -Infinity };

  /**
   * @param {{ codes: string[] }} board
   * @param {() => { flagMode: boolean, safeMode: boolean, clickChords: boolean, swapButtons: boolean, pressMs: number }} settings
   * @param {(name: "open" | "flag" | "chord", index: number) => unknown} act
   * @param {{ now: () => number, later: (ms: number, action: () => void) => () => void }} clock `later` returns a function
   *   that cancels the action
   */
  constructor(board, settings, act, clock) {
    this.board = board;
    this.settings = settings;
    this.act = act;
    this.clock = clock;
  }

  /** The pointers that press: `{ index, isTouch, isChord }`, the cell null beside the board. */
  get pressed() {
    return [...this.#pressed.values()];
  }

  /** @param {At} at */
  down({ id, type, button = 0, buttons = 0, index, x, y }) {
    const isTouch = type === "touch";
    const { swapButtons, pressMs } = this.settings();
    if (swapButtons && button !== 1) button = 2 - button;
    const isChord = !isTouch && (button === 1 || (buttons & 3) === 3);
    this.cancel(id);
    if (index === null) return;
    // On a clue a right click may be the start of a chord.
    if (!isTouch && button === 2 && !isChord && this.#isHidden(index)) {
      this.act("flag", index);
      return;
    }
    const press = { index, isTouch, isChord, button, x, y, stop: () => undefined };
    this.#pressed.set(id, press);
    if (!isTouch) return;
    // Two fingers that rest are about to zoom.
    if (this.#pressed.size > 1) for (const one of this.pressed) one.stop();
    else press.stop = this.clock.later(pressMs, () => this.#longPress(id));
  }

  #longPress(id) {
    const { index } = this.#pressed.get(id);
    this.cancel(id);
    this.act(this.settings().flagMode && this.#isHidden(index) ? "open" : "flag", index);
  }

  /** @param {At} at */
  move({ id, buttons = 0, index, x, y }) {
    const press = this.#pressed.get(id);
    if (!press) return;
    if (!press.isTouch) {
      // It came up beside the board.
      if (!buttons) this.cancel(id);
      press.index = index;
      // A second mouse button that goes down while the first is down is a movement.
      press.isChord ||= (buttons & 3) === 3;
    } else if (Math.hypot(x - press.x, y - press.y) > STILL_PX) {
      for (const other of [...this.#pressed.keys()]) this.cancel(other);
    }
  }

  /** @param {At} at */
  up({ id, index }) {
    const press = this.#pressed.get(id);
    this.cancel(id);
    const cell = press?.isTouch ? press.index : index;
    if (!press || cell === null) return;
    if (press.isChord) this.act("chord", cell);
    else if (press.isTouch && this.settings().flagMode && this.#isHidden(cell)) this.act("flag", cell);
    else if (press.isTouch || press.button === 0) this.#main(cell);
    else if (press.button === 2 && !this.#isHidden(cell)) this.act("flag", cell);
  }

  /** End the press of a pointer without an action. */
  cancel(id) {
    this.#pressed.get(id)?.stop();
    this.#pressed.delete(id);
  }

  #isHidden(index) {
    return "#F?".includes(this.board.codes[index]);
  }

  #main(index) {
    if (!this.#isHidden(index)) {
      if (this.settings().clickChords) this.act("chord", index);
    } else if (this.board.codes[index] !== "F" && this.#isConfirmed(index)) {
      this.act("open", index);
    }
  }

  /** In safe mode a cell opens on the second click. */
  #isConfirmed(index) {
    if (!this.settings().safeMode) return true;
    const time = this.clock.now();
    const second = this.#last.index === index && time - this.#last.time < DOUBLE_CLICK_MS;
    this.#last = second ? { index: -1, time } : { index, time };
    return second;
  }
}
