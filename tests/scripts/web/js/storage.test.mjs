// Tests of the guarded storage, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { GAME, RECORD, Store } from "../../../../scripts/web/static/js/storage.js";
import { FakeStorage } from "./browser.mjs";

const storeOf = (area) => new Store(() => area);
const finished = (id, ended) => ({ id, ended, recorded_clicks: Array(50).fill([1.5, [2, 3], [[2, 3]], 0]) });

test("values are stored as JSON, and texts as they are", () => {
  const area = new FakeStorage();
  const store = storeOf(area);
  store.write("one", { a: [1] });
  store.writeText("two", "text");
  assert.deepEqual({ ...area }, { one: '{"a":[1]}', two: "text" });
  assert.deepEqual(
    [store.read("one"), store.text("two"), store.text("three"), store.read("three", 5)],
    [{ a: [1] }, "text", null, 5],
  );
  assert.deepEqual(store.keys("t"), ["two"]);
  store.remove("one");
  assert.deepEqual([store.keys(""), store.isFull], [["two"], false]);
});

test("a blocked storage is replaced by memory", () => {
  const blocked = () => {
    throw new DOMException("blocked", "SecurityError");
  };
  for (const area of [blocked, () => null, () => undefined, () => ({ getItem: blocked })]) {
    const store = new Store(area);
    assert.deepEqual([store.text("a"), store.keys("")], [null, []]);
    store.write("a", 1);
    assert.deepEqual([store.read("a"), store.keys(""), store.isFull], [1, ["a"], true]);
    store.remove("a");
    assert.equal(store.text("a"), null);
  }
});

test("a storage that refuses every text is replaced by memory", () => {
  const area = new FakeStorage(0);
  const store = storeOf(area);
  store.write("a", 1);
  assert.deepEqual([store.read("a"), { ...area }, store.isFull], [1, {}, true]);
});

test("damaged JSON counts as missing and is removed", () => {
  const area = new FakeStorage();
  Object.assign(area, { broken: '{"a"', empty: "", text: "text", fine: "1" });
  const store = storeOf(area);
  for (const key of ["broken", "empty", "text"]) assert.equal(store.read(key, 3), 3);
  assert.deepEqual({ ...area }, { fine: "1" });
});

test("values of another type than the fallback count as missing", () => {
  const area = new FakeStorage();
  for (const [text, fallback] of [
    ["5", {}],
    ['"x"', {}],
    ["[]", {}],
    ["{}", []],
    ["true", ""],
    ["null", {}],
  ]) {
    area.setItem("key", text);
    assert.deepEqual(storeOf(area).read("key", fallback), fallback, text);
  }
});

test("a full storage gives up the oldest other game first", () => {
  const area = new FakeStorage(600);
  const store = storeOf(area);
  ["young", "old", "middle"].forEach((id, i) =>
    store.write(GAME + id, { stored: [30, 10, 20][i], moves: "m".repeat(60) }),
  );
  store.write(RECORD + "one", { ended: "2026" });
  store.write(GAME + "new", { stored: 40, moves: "m".repeat(340) });
  assert.deepEqual(store.keys(GAME).sort(), [GAME + "new", GAME + "young"]);
  assert.deepEqual([store.keys(RECORD).length, store.isFull], [1, false]);
});

test("then the clicks of the oldest finished game, never the game itself", () => {
  const area = new FakeStorage(4000);
  const store = storeOf(area);
  for (const [id, ended] of [
    ["b", "2026-11-02"],
    ["a", "2026-11-01"],
    ["c", "2026-11-03"],
  ])
    store.write(RECORD + id, finished(id, ended));
  store.write(GAME + "new", { stored: 1, moves: "m".repeat(1100) });
  const clicks = ["a", "b", "c"].map((id) => store.read(RECORD + id).recorded_clicks?.length ?? 0);
  assert.deepEqual([clicks, store.isFull], [[0, 50, 50], false]);
  assert.deepEqual(store.read(RECORD + "a"), { id: "a", ended: "2026-11-01" });
});

test("values of others are never removed, and what does not fit stays in memory", () => {
  const area = new FakeStorage(300);
  const store = storeOf(area);
  area.setItem("foreign", "f".repeat(250));
  store.write(GAME + "one", { stored: 1, moves: "m".repeat(100) });
  store.write(GAME + "two", { stored: 2, moves: "n".repeat(100) });
  assert.deepEqual(Object.keys(area), ["foreign"]);
  assert.deepEqual([store.read(GAME + "one").stored, store.read(GAME + "two").stored, store.isFull], [1, 2, true]);
  area.removeItem("foreign");
  store.write(GAME + "one", { stored: 3 });
  assert.deepEqual([area.getItem(GAME + "one"), store.keys(GAME).length], ['{"stored":3}', 2]);
});

test("a damaged game is given up first", () => {
  const area = new FakeStorage(300);
  const store = storeOf(area);
  store.write(GAME + "fine", { stored: 1, moves: "m".repeat(100) });
  area.setItem(GAME + "broken", "x".repeat(50));
  store.write(GAME + "new", { stored: 2, moves: "m".repeat(70) });
  assert.deepEqual([store.keys(GAME).includes(GAME + "broken"), store.isFull], [false, false]);
});
