// Tests of what pointers mean on a board, from recorded and random sequences of events, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Pointing } from "../../../../scripts/web/static/js/core/pointing.js";
import { Clock, randomOf } from "./support.mjs";

const USUAL = { flagMode: false, safeMode: false, clickChords: true, swapButtons: false, pressMs: 380 };
const SIDE = 8;

/** A board of `SIDE` cells a side, of `size` pixels each, and pointers on it: `done` lists the actions. */
class Hands {
  done = [];
  #clock = new Clock();
  #timers = new Set();

  constructor({ codes = "#".repeat(SIDE * SIDE), size = 22, ...settings } = {}) {
    this.size = size;
    const later = (ms, action) => {
      const timer = { at: this.#clock.now + ms, action };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    };
    const act = (name, index) => this.done.push(`${name} ${index}`);
    this.pointing = new Pointing({ codes: [...codes] }, () => ({ ...USUAL, ...settings }), act, {
      now: this.#clock.read,
      later,
    });
  }

  cellAt(x, y) {
    const [row, col] = [Math.floor(y / this.size), Math.floor(x / this.size)];
    return [row, col].every((at) => at >= 0 && at < SIDE) ? row * SIDE + col : null;
  }

  wait(ms) {
    this.#clock.now += ms;
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.#clock.now)) {
      this.#timers.delete(timer);
      timer.action();
    }
  }

  do(name, x, y, more = {}) {
    this.pointing[name]({ id: 1, type: "mouse", index: this.cellAt(x, y), x, y, ...more });
    return this;
  }

  touch(name, x, y, id = 5) {
    return this.do(name, x, y, { id, type: "touch", buttons: 1 });
  }
}

test("a tap that slips over the edge of its cell opens the cell on which it began", () => {
  // It opened nothing.
  const hands = new Hands();
  hands.touch("down", 41, 30).touch("move", 48, 30).touch("up", 50, 30);
  assert.deepEqual(hands.done, ["open 9"]);
  hands.touch("down", 41, 30).touch("move", 54, 30).touch("up", 54, 30);
  assert.deepEqual(hands.done, ["open 9"], "a finger that moves farther scrolls");
});

test("two thumbs are two taps", () => {
  // Both were lost if one came down before the other was up.
  const hands = new Hands();
  hands.touch("down", 5, 5, 1).touch("down", 150, 5, 2).touch("up", 5, 5, 1).touch("up", 152, 6, 2);
  assert.deepEqual(hands.done, ["open 0", "open 6"]);
  hands.touch("down", 5, 5, 1).touch("down", 150, 5, 2);
  hands.wait(1000);
  hands.touch("move", 30, 5, 1).touch("up", 30, 5, 1).touch("up", 150, 5, 2);
  assert.deepEqual(hands.done, ["open 0", "open 6"], "two fingers that rest and then move zoom");
});

test("a long press flags, also around a clue; in flag mode it opens, and a tap flags", () => {
  const hands = new Hands({ codes: `1${"#".repeat(63)}` });
  for (const x of [5, 30]) {
    hands.touch("down", x, 5);
    hands.wait(379);
    hands.touch("move", x + 9, 5);
    hands.wait(1);
    hands.touch("up", x, 5);
  }
  assert.deepEqual(hands.done, ["flag 0", "flag 1"], "a long press on a clue did nothing");
  const flagging = new Hands({ codes: `1${"#".repeat(63)}`, flagMode: true });
  for (const x of [5, 30]) flagging.touch("down", x, 5).touch("up", x, 5);
  flagging.touch("down", 30, 5);
  flagging.wait(400);
  assert.deepEqual(flagging.done, ["chord 0", "flag 1", "open 1"]);
});

test("a mouse that slides opens the cell on which its button comes up", () => {
  const hands = new Hands();
  hands.do("down", 5, 5, { buttons: 1 }).do("move", 30, 5, { buttons: 1 });
  assert.deepEqual(
    hands.pointing.pressed.map(({ index }) => index),
    [1],
  );
  hands.do("up", 30, 5);
  assert.deepEqual(hands.done, ["open 1"]);
  hands.do("down", 5, 5, { buttons: 1 }).do("move", -3, 5, { buttons: 1 }).do("up", -3, 5);
  hands.do("down", 5, 5, { buttons: 1 }).do("move", -3, 5, { buttons: 1 }).do("move", 5, 5).do("up", 5, 5);
  assert.deepEqual(hands.done, ["open 1"], "it came up beside the board");
});

test("the buttons of a mouse: left, right, middle and both, and swapped", () => {
  const codes = `2F${"#".repeat(62)}`;
  const click = (hands, x, button) => hands.do("down", x, 5, { button, buttons: [1, 4, 2][button] }).do("up", x, 5);
  const hands = new Hands({ codes });
  for (const button of [0, 1, 2]) for (const x of [5, 30, 50]) click(hands, x, button);
  assert.deepEqual(hands.done, ["chord 0", "open 2", "chord 0", "chord 1", "chord 2", "flag 0", "flag 1", "flag 2"]);
  const swapped = new Hands({ codes, swapButtons: true });
  for (const button of [0, 2]) click(swapped, 50, button);
  assert.deepEqual(swapped.done, ["flag 2", "open 2"]);
  const both = new Hands({ codes });
  both.do("down", 5, 5, { button: 2, buttons: 2 }).do("move", 5, 5, { buttons: 3 }).do("up", 5, 5);
  assert.deepEqual(both.done, ["chord 0"]);
});

test("in safe mode the second click opens", () => {
  const hands = new Hands({ safeMode: true });
  const click = () => hands.touch("down", 5, 5).touch("up", 5, 5);
  click();
  hands.wait(600);
  click();
  assert.deepEqual(hands.done, []);
  hands.wait(400);
  click();
  assert.deepEqual(hands.done, ["open 0"]);
});

test("every touch of 500 random sequences of one and two fingers does what the rules say", () => {
  const random = randomOf(7);
  let count = 0;
  for (let run = 0; run < 500; run++) {
    const codes = Array.from({ length: SIDE * SIDE }, () => "####F3"[random(6)]).join("");
    const flagMode = random(2) === 1;
    const hands = new Hands({ codes, flagMode, size: 20 + random(21) });
    const side = SIDE * hands.size;
    const wanted = [];
    const want = (name, cell) => name && wanted.push(`${name} ${cell}`);
    /** What a touch means: on a hidden cell, a flag or a clue. */
    const tapped = { "#": flagMode ? "flag" : "open", F: flagMode && "flag", 3: "chord" };
    const pressed = { "#": flagMode ? "open" : "flag", F: flagMode ? "open" : "flag", 3: "flag" };
    /** A finger comes down, slips up to twice by at most 9 pixels, and comes up; `rests` for a long press before that. */
    const finger = (id, rests = false) => {
      const [x, y] = [random(side), random(side)];
      const cell = hands.cellAt(x, y);
      const slip = () => {
        const [turn, far] = [(2 * Math.PI * random(360)) / 360, random(10)];
        return [x + far * Math.cos(turn), y + far * Math.sin(turn)];
      };
      const rest = () => {
        want(pressed[codes[cell]], cell);
        hands.wait(400);
      };
      return [
        () => hands.touch("down", x, y, id),
        ...Array.from({ length: random(3) }, () => () => hands.touch("move", ...slip(), id)),
        ...(rests ? [rest] : []),
        () => {
          if (!rests) want(tapped[codes[cell]], cell);
          hands.touch("up", ...slip(), id);
        },
      ];
    };
    for (let tap = 0; tap < 6; tap++) {
      const fingers = [[finger(1)], [finger(1, true)], [finger(1), finger(2)]][random(3)];
      while (fingers.some((one) => one.length)) {
        const going = fingers.filter((one) => one.length);
        going[random(going.length)].shift()();
        hands.wait(random(60));
      }
    }
    assert.deepEqual(hands.done, wanted, `sequence ${run}`);
    count += wanted.length;
  }
  assert.ok(count > 3000);
});
