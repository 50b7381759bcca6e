/**
 * Mouse, pen and touch input on a board, as the actions "open", "flag" and "chord" of a cell.
 *
 * Mouse: left opens (on a clue: chords), right flags, middle or left+right chords. Touch: a tap opens, a long press
 * flags, and flag mode swaps them; a moving finger scrolls.
 */

const LONG_PRESS_MS = 380;
const DOUBLE_CLICK_MS = 500;
const STILL_PX = 12;

/**
 * Listen on `board.root` until `signal` aborts, and call `act(name, index)`.
 * `settings()` returns {flagMode, safeMode, clickChords}.
 */
export function listenToPointer(board, settings, act, signal) {
  const on = (name, handler) => board.root.addEventListener(name, handler, { signal });
  let press = null;
  let lastClick = { index: -1, time: 0 };

  const isHidden = (index) => "#F?".includes(board.codes[index]);
  const lift = () => {
    if (!press) return;
    clearTimeout(press.timer);
    for (const index of press.shown) board.cells[index].classList.remove("pressed");
    press = null;
  };

  /** In safe mode a cell opens on the second click. */
  const isConfirmed = (index) => {
    if (!settings().safeMode) return true;
    const now = performance.now();
    const second = lastClick.index === index && now - lastClick.time < DOUBLE_CLICK_MS;
    lastClick = second ? { index: -1, time: 0 } : { index, time: now };
    return second;
  };

  const main = (index) => {
    if (!isHidden(index)) {
      if (settings().clickChords) act("chord", index);
    } else if (board.codes[index] !== "F" && isConfirmed(index)) {
      act("open", index);
    }
  };

  on("pointerdown", (event) => {
    const index = board.indexOf(event.target);
    if (index === null) return;
    if (!event.isPrimary && event.pointerType === "touch") {
      lift(); // Two fingers zoom.
      return;
    }
    const touch = event.pointerType === "touch";
    const chord = !touch && (event.button === 1 || (event.buttons & 3) === 3);
    if (event.button === 1) event.preventDefault();
    lift();
    press = { index, touch, chord, button: event.button, x: event.clientX, y: event.clientY, shown: [], timer: 0 };
    if (touch) {
      press.timer = setTimeout(() => {
        lift();
        if (!isHidden(index)) return;
        navigator.vibrate?.(15);
        act(settings().flagMode ? "open" : "flag", index);
      }, LONG_PRESS_MS);
    } else if (event.button === 2 && !chord) {
      // On a clue a right click may be the start of a chord.
      if (isHidden(index)) {
        press = null;
        act("flag", index);
      }
    } else {
      press.shown = [...(chord || !isHidden(index) ? board.grid.around(index) : []), index].filter((i) =>
        "#?".includes(board.codes[i]),
      );
      for (const shown of press.shown) board.cells[shown].classList.add("pressed");
    }
    board.moveTo(index, false);
  });

  // Pressing a second mouse button while the first is down is a pointermove event: a left+right chord.
  on("pointermove", (event) => {
    if (!press) return;
    if (press.touch) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > STILL_PX) lift();
    } else if ((event.buttons & 3) === 3) press.chord = true;
  });

  on("pointerup", (event) => {
    if (!press) return;
    const { index, chord, touch } = press;
    lift();
    if (board.indexOf(document.elementFromPoint(event.clientX, event.clientY)) !== index) return;
    if (chord) act("chord", index);
    else if (touch && settings().flagMode && isHidden(index)) act("flag", index);
    else if (touch || event.button === 0) main(index);
    else if (event.button === 2 && !isHidden(index)) act("flag", index);
  });

  // Keys act on the cell under the mouse.
  on("pointerover", (event) => {
    const index = board.indexOf(event.target);
    if (event.pointerType === "mouse" && index !== null)
      board.moveTo(index, board.root.contains(document.activeElement));
  });
  on("pointercancel", lift);
  on("pointerleave", lift);
  on("contextmenu", (event) => event.preventDefault());
  on("auxclick", (event) => event.preventDefault());
}
