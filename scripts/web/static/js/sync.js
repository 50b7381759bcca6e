/** Finished games on their way to a server that keeps records, and those of the server on their way to this browser. */

import { get, post } from "./api.js";
import { readBoardToken } from "./core/puzzles.js";
import { Fault, sizeToJSON } from "./core/sizes.js";
import { ask } from "./engine.js";
import { t } from "./words.js";

/** A finished game as the server takes it: it replays the clicks, so it needs no result. */
function requestOf(entry) {
  const { id, mode, title, day, unranked, seconds, clicks, recorded_clicks, rules, seed } = entry;
  const game = { id, mode, title, day, unranked, seconds, clicks, recorded_clicks };
  // The server knows the puzzles of a day and of its database by their short tokens.
  return rules
    ? { ...game, ...sizeToJSON(readBoardToken(entry.puzzle)), rules, seed }
    : { ...game, token: entry.share ?? entry.puzzle };
}

/** Codes of games that the server will not take from this version of the page, and of those it may take another time. */
const REFUSED = ["bad_input", "not_found", "conflict"];
const FAILED = ["broken", "too_slow"];

let sending = Promise.resolve();

/**
 * Send the finished games that the server does not have, one at a time: the first answer names a new player. Throws `Fault`
 * if the server refuses some.
 */
export function sendGames() {
  sending = sending.then(send, send);
  return sending;
}

/** Send games until the server is away or busy. */
async function send() {
  const causes = [];
  for (const entry of await ask("unsent")) {
    try {
      const stored = await post("/api/record", requestOf(entry));
      await ask("merge", [stored]);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      if (REFUSED.includes(fault.code)) {
        await ask("refuse", entry.id);
        causes.push(fault.message);
      } else if (!FAILED.includes(fault.code)) break;
    }
  }
  if (!causes.length) return;
  const values = { count: causes.length, cause: causes[0] };
  throw new Fault(
    t("The server did not store {count} {count:game|games}, which this browser keeps: {cause}", values),
    "refused",
  );
}

/** Bring this browser's record up to date with the server's. Throws `Fault`. */
export async function fetchGames() {
  try {
    await sendGames();
  } finally {
    await ask("merge", (await get("/api/record")).games);
  }
}
