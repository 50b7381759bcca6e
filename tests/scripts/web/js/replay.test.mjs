// Tests of playback, for `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { shareAt } from "../../../../scripts/web/static/js/replay.js";

test("the share of a game at a time is that after the last click before it", () => {
  const steps = [
    [0, 0.25],
    [1.5, 0.5],
    [1.5, 0.75],
    [4, 1],
  ];
  assert.deepEqual(
    [-1, 0, 1.4, 1.5, 3.9, 9].map((at) => shareAt(steps, at)),
    [0, 0.25, 0.25, 0.75, 0.75, 1],
  );
  assert.equal(shareAt([], 5), 0);
});
