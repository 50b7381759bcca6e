// Tests of the exchange of finished games with the server, for `node --test`.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";

import { requests, server, threads } from "./browser.mjs";
import { tokenOf } from "./support.mjs";

const { ask } = await import("../../../../scripts/web/static/js/engine.js");
const { fetchGames, sendGames } = await import("../../../../scripts/web/static/js/sync.js");
const { RECORD } = await import("../../../../scripts/web/static/js/storage.js");
const TOKEN = tokenOf(["....", "....", "..*.", "*..."]);
const POST = "POST /api/record";
/** What the server finds by a replay. */
const RESULT = { kind: "pack 4x4/2", won: false, ended: "2026-11-23 18:00:00" };
const unsent = async () => (await ask("unsent")).map(({ id }) => id);
const entryOf = (id) => JSON.parse(localStorage.getItem(RECORD + id));
const isSent = (id) => Boolean(entryOf(id).sent);

async function finished(more = {}) {
  const game = await ask("newGame", { mode: "puzzle", token: TOKEN, as: "pack", ...more });
  await ask("move", game.id, "open", 10);
  return game.id;
}

beforeEach(async () => {
  await ask("deleteRecord");
  requests.length = 0;
  for (const name of Object.keys(server)) delete server[name];
});
after(() => Promise.all([...threads].map((thread) => thread.terminate())));

test("a finished game is sent once, as the server takes it", async () => {
  const id = await finished({ share: "puzzle-1" });
  let sent;
  server[POST] = (body) => {
    sent = body;
    return { ...body, ...RESULT };
  };
  await sendGames();
  await sendGames();
  assert.deepEqual(requests, [POST]);
  assert.deepEqual([sent.id, sent.token, sent.unranked, sent.recorded_clicks.length], [id, "puzzle-1", "", 2]);
  assert.ok(!("won" in sent) && !("kind" in sent));
  assert.deepEqual(await unsent(), []);
  assert.equal((await ask("record")).games[0].ended, "2026-11-23 18:00:00");
});

test("a game is sent once when two ends ask for it at the same time", async () => {
  await finished();
  server[POST] = (body) => ({ ...body, ...RESULT });
  await Promise.all([sendGames(), sendGames()]);
  assert.deepEqual(requests, [POST]);
});

test("games wait while the server is away or busy", async () => {
  const ids = [await finished(), await finished()];
  for (const away of ["offline", 429, 502]) {
    requests.length = 0;
    server[POST] = () => away;
    await sendGames();
    assert.deepEqual([requests.length, (await unsent()).sort()], [1, ids.sort()]);
  }
});

test("a game at which the server fails waits, and holds up no other one", async () => {
  const [bad] = [await finished(), await finished()];
  server[POST] = (body) => (body.id === bad ? 500 : { ...body, ...RESULT });
  await sendGames();
  assert.deepEqual([requests.length, await unsent()], [2, [bad]]);
});

test("a refused game was marked as sent, without a word", async () => {
  const [bad, gone, good] = [await finished(), await finished(), await finished()];
  const sent = [];
  server[POST] = (body) => {
    sent.push(body.id);
    return { [bad]: 422, [gone]: 404 }[body.id] ?? { ...body, ...RESULT };
  };
  const message = "The server did not store 2 games, which this browser keeps: No.";
  await assert.rejects(sendGames(), { code: "refused", message });
  assert.deepEqual([sent.sort(), await unsent()], [[bad, gone, good].sort(), []]);
  assert.deepEqual([bad, gone, good].map(isSent), [false, false, true]);
  assert.equal((await ask("record")).games.length, 3);
  // The next version of the page may send it in another way.
  localStorage.setItem(RECORD + bad, JSON.stringify({ ...entryOf(bad), refused: "another version" }));
  assert.deepEqual(await unsent(), [bad]);
  server[POST] = (body) => ({ ...body, ...RESULT });
  await sendGames();
  assert.deepEqual([isSent(bad), await unsent()], [true, []]);
});

test("the games of the server join the record after a refusal, too", async () => {
  await finished();
  const [entry] = await ask("unsent");
  server[POST] = () => 422;
  server["GET /api/record"] = () => ({ games: [{ ...entry, id: "theirs" }] });
  await assert.rejects(fetchGames(), { code: "refused" });
  assert.equal((await ask("record")).games.length, 2);
});

test("a game of Kaboom is sent with its rules and its seed", async () => {
  const game = await ask("newGame", { mode: "kaboom", preset: "beginner", seed: 0 });
  for (let cell = 0, { status } = game; !["won", "lost"].includes(status); cell++)
    ({ status } = await ask("move", game.id, "open", cell));
  let sent;
  server[POST] = (body) => {
    sent = body;
    return entryOf(game.id);
  };
  await sendGames();
  assert.deepEqual([sent.rows, sent.mines, sent.seed, sent.rules], [9, 10, 0, entryOf(game.id).rules]);
  assert.ok(isSent(game.id));
});

test("the games of the server join the record", async () => {
  const id = await finished();
  const [entry] = await ask("unsent");
  server[POST] = () => 503;
  server["GET /api/record"] = () => ({ games: [{ ...entry, id: "theirs" }, { nonsense: true }] });
  await fetchGames();
  assert.deepEqual((await ask("record")).games.map((game) => game.id).sort(), [id, "theirs"].sort());
  assert.deepEqual(await unsent(), [id]);
});
