/** How games of the Play page begin. */

import { get } from "./api.js";
import { presetOf, sizeToJSON } from "./core/sizes.js";
import { makeButton } from "./dom.js";
import { ask, call } from "./engine.js";
import { searchInWords } from "./format.js";
import { showMessage } from "./messages.js";
import { t } from "./words.js";

/** A size in a request: the name of a preset, else its numbers and its grid. */
export const requestOf = (size) => (presetOf(size)?.name === size.name ? { preset: size.name } : sizeToJSON(size));

/** A search whose progress the message panel shows, with a button that ends it. */
export function cancellable() {
  const search = new AbortController();
  const cancel = makeButton(t("Cancel"), () => search.abort());
  let shown = 0;
  const report = (seconds) => {
    if (Math.floor(seconds) === shown) return;
    shown = Math.floor(seconds);
    showMessage(searchInWords(seconds), { after: [cancel], silent: shown > 1 });
  };
  return { signal: search.signal, report };
}

/** Start a game in the engine; stored puzzles come from the server. Throws `Fault`. */
export async function newGame(request, search = {}) {
  if (request.mode === "again") return ask("again", request.game);
  const isStored = request.mode === "pack" || request.token?.startsWith("puzzle-");
  if (!isStored) return call("newGame", [request], search);
  const { mode, token: given, puzzle = given?.slice("puzzle-".length), ...filters } = request;
  const query = new URLSearchParams(puzzle ? { id: puzzle } : filters);
  const { id, token } = await get(`/api/puzzle?${query}`);
  return ask("newGame", { mode: "puzzle", as: mode, token, share: `puzzle-${id}` });
}
