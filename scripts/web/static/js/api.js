/** Calls of the server. Each returns its result or throws a `Fault` with a message for the player. */

import { GRIDS, STRATEGIES } from "../kernel/index.js";
import { Fault, PRESETS, sizeFromJSON } from "./core/sizes.js";
import { $ } from "./dom.js";
import { advise } from "./engine.js";
import { isLocal } from "./place.js";
import { browser } from "./storage.js";
import { t, translated } from "./words.js";

/** The page begins without a server that takes longer to say what it offers. */
const PATIENCE_MS = 3000;

async function respond(method, path, body, signal = null) {
  if (isLocal) throw new Fault(t("This needs a server."), "offline");
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch {
    throw new Fault(t("The server does not answer. Is it still running?"), "offline");
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const message = answer.error
    ? translated(answer.error)
    : t("The server answered {status}.", { status: response.status });
  throw new Fault(message, answer.code ?? "unknown");
}

export const get = async (path, signal = null) => (await respond("GET", path, undefined, signal)).json();
export const post = async (path, body = {}) => (await respond("POST", path, body)).json();
/** Request a file as a Blob. */
export const postForFile = async (path, body) => (await respond("POST", path, body)).blob();

const RESULTS = "sweep-results";
const TEXT = { name: "text", title: "text, as here", ending: ".txt", mines: false };

/** Show the tab of the leaderboard, unless the server has no results. */
export function showLeaderboard() {
  const tab = $('nav a[href="/leaderboard"]');
  if (tab) tab.hidden = !browser.read(RESULTS, true);
}

/**
 * What the page offers: its own sizes, grids, strategies and formats, and those of the server. `offline` is true if there is a
 * server but it does not answer; `keeps` is true if it keeps records.
 */
export async function options() {
  const engine = { presets: PRESETS, grids: GRIDS, strategies: STRATEGIES, default_strategy: STRATEGIES.at(-1) };
  const alone = { ...engine, formats: [TEXT], packs: [], begins_with: null, keeps: false, offline: false };
  if (isLocal) return alone;
  try {
    const { sizes, packs, ...served } = await get("/api/options", AbortSignal.timeout(PATIENCE_MS));
    const sized = (one) => ({ ...one, ...sizeFromJSON(one) });
    browser.write(RESULTS, served.results ?? true);
    showLeaderboard();
    return { ...alone, ...served, presets: sizes.map(sized), packs: packs.map(sized) };
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return { ...alone, offline: true };
  }
}

/** Read a position: rows of cells and links here, and every other format, in base64 if it is no text, by the server. */
export async function readPosition(content) {
  const found = content.base64 ? null : await advise("read", content);
  if (!found && isLocal)
    throw new Fault(
      t("This is no position that the page can read: paste rows of # and clues, a link, or a screenshot."),
    );
  return found ?? post("/api/position", content);
}
