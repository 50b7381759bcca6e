/** The server's calls. Every one gives the answer, or throws an ApiError with a sentence for people. */

import { answerHere, isOffline, note } from "./offline.js";

export class ApiError extends Error {
  constructor(sentence, code) {
    super(sentence);
    this.code = code;
  }
}

async function answered(method, path, body) {
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

/** Ask the server; where it can't be reached, the page itself answers as much as it can. */
async function call(method, path, body) {
  const [, , , id = ""] = path.split("/");
  if (isOffline(id)) return answerHere(path, body);
  try {
    const answer = await (await answered(method, path, body)).json().catch(() => ({}));
    if (path === "/api/options") note(answer);
    return answer;
  } catch (error) {
    if (error.code !== "offline") throw error;
    return answerHere(path, body);
  }
}

export const get = (path) => call("GET", path);
/** Ask for a file, which is given as a Blob. */
export const postForFile = async (path, body) => (await answered("POST", path, body)).blob();
export const post = (path, body = {}) => call("POST", path, body);
