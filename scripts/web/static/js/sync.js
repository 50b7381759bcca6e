/** Finished games on their way to a server that keeps records, and those of the server on their way to this browser. */

import { get, post } from "./api.js";
import { Fault } from "./core/sizes.js";
import { ask } from "./engine.js";

/** A finished game as the server takes it: it replays the clicks, so it needs no result. */
function requestOf(entry) {
  const { id, mode, title, day, unranked, seconds, clicks, recorded_clicks, rules, seed } = entry;
  const game = { id, mode, title, day, unranked, seconds, clicks, recorded_clicks };
  const [, board, ...grid] = entry.kind.split(" ");
  const [rows, cols, mines] = board.match(/\d+/g).map(Number);
  const size = { rows, cols, mines, grid: grid.join(" ") };
  // The server knows the puzzles of a day and of its database by their short tokens.
  return rules ? { ...game, ...size, rules, seed } : { ...game, token: entry.share ?? entry.puzzle };
}

/** Codes of games that the server will never take, and of those that it may take another time. */
const REFUSED = ["bad_input", "not_found", "conflict"];
const FAILED = ["broken", "too_slow"];

let sending = Promise.resolve();

/** Send the finished games that the server does not have, one at a time: the first answer names a new player. */
export function sendGames() {
  sending = sending.then(send, send);
  return sending;
}

/** Send games until the server is away or busy. */
async function send() {
  for (const entry of await ask("unsent")) {
    try {
      const stored = await post("/api/record", requestOf(entry));
      await ask("merge", [stored]);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      if (REFUSED.includes(fault.code)) await ask("merge", [], [entry.id]);
      else if (!FAILED.includes(fault.code)) return;
    }
  }
}

/** Bring this browser's record up to date with the server's. Throws `Fault`. */
export async function fetchGames() {
  await sendGames();
  await ask("merge", (await get("/api/record")).games);
}
