/** Calls of the server, or of the engine in this browser where there is none. Each returns its result or throws an ApiError with a message for the player. */

import { answerLocally } from "./local.js";
import { ApiError, answerOffline, isOffline, storeOptions } from "./offline.js";
import { isLocal } from "./place.js";

async function respond(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError("The server does not answer. Is it still running?", "offline");
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new ApiError(answer.error ?? `The server answered ${response.status}.`, answer.code ?? "unknown");
}

/** Call the server; if it is unreachable, use the offline games. */
async function call(method, path, body) {
  if (isLocal) return answerLocally(method, path, body);
  const [, , , id = ""] = path.split("/");
  if (isOffline(id)) return answerOffline(path, body);
  try {
    const answer = await (await respond(method, path, body)).json().catch(() => ({}));
    if (path === "/api/options") storeOptions(answer);
    return answer;
  } catch (error) {
    if (error.code !== "offline") throw error;
    return answerOffline(path, body);
  }
}

export const get = (path) => call("GET", path);
/** Request a file as a Blob. */
export const postForFile = async (path, body) => (isLocal ? new Blob([(await answerLocally("POST", path, body)).text]) : (await respond("POST", path, body)).blob());
export const post = (path, body = {}) => call("POST", path, body);
