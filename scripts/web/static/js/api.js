/** The server's calls. Every one gives the answer, or throws an ApiError with a sentence for people. */

export class ApiError extends Error {
  constructor(sentence, code) {
    super(sentence);
    this.code = code;
  }
}

async function call(method, path, body) {
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
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(answer.error ?? `The server answered ${response.status}.`, answer.code ?? "unknown");
  return answer;
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
