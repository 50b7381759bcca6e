/**
 * Calls of the server, or of the engine in this browser where there is none. Each returns its result or throws an ApiError
 * with a message for the player.
 */

import { advise, answerLocally } from "./local.js";
import { isLocal, isLocalGame } from "./place.js";
import { t, translated } from "./words.js";

export const UNREACHABLE = t("The server can't be reached. Until it is back, games are dealt and kept in this browser.");

/** An error with a message for the player; its code is that of the server's responses, or "offline". */
class ApiError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

async function respond(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(t("The server does not answer. Is it still running?"), "offline");
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new ApiError(answer.error ? translated(answer.error) : t("The server answered {status}.", { status: response.status }), answer.code ?? "unknown");
}

/** Call the server. This browser answers for its own games and, without a server, all that needs none. */
async function call(method, path, body) {
  const id = path.split("/")[3] ?? body?.game ?? "";
  if (isLocal || isLocalGame(id) || body?.mode === "watch") return answerLocally(method, path, body);
  try {
    return await (await respond(method, path, body)).json();
  } catch (error) {
    if (error.code !== "offline" || id) throw error;
    return { ...await answerLocally(method, path, body), offline: true };
  }
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
/** Request a file as a Blob. */
export const postForFile = async (path, body) => (await respond("POST", path, body)).blob();

/** Read a position from text or, in base64, the bytes of a file. */
export async function readPosition(content) {
  try {
    return await advise("read", content);
  } catch (error) {
    if (isLocal || !content.base64) throw error;
  }
  return post("/api/position", content);
}
