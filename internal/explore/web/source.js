// Where the numbers of the page come from: the index of the catalog, which a worker reads, and the
// answers of the server. In a report both are in the file.
import { byId } from "./dom.js";

/** @import { Answered, Asked, Extras, Overview, Plot, Question, RankRequest } from "./types" */

/** @type {Worker} */
let worker;
let number = 0;
const waiting = new Map();
export const state = {
  /** @type {Overview} */
  overview: null, // of the catalog
  /** @type {Extras} */
  extras: { diff: null, requests: [], catalogFile: "" },
  isReport: false,
  /** @type {Set<string>} */
  picked: new Set(), // keys of models that are to be compared
  /** @type {(catalog: { digest: string, asOf: string }) => void} */
  onother: () => {}, // the server has another catalog now
};

// open starts the worker and lets it read the catalog. It tells how many bytes of it came.
export async function open(script, told) {
  const packed = byId("data");
  state.isReport = packed !== null;
  worker = new Worker(script);
  worker.onmessage = ({ data }) => {
    const { resolve, reject } = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.error) reject(Object.assign(new Error(data.error.message), data.error));
    else resolve(data.answer);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    for (const { reject } of waiting.values()) reject(new Error(event.message || "the worker does not start"));
    waiting.clear();
  };
  if (state.isReport) {
    state.overview = await ask("open", { packed: packed.textContent.trim() });
    state.extras = state.overview.extras;
    return;
  }
  [state.overview, state.extras] = await Promise.all([
    download("/explore/index.json", told).then((text) => ask("open", { text })),
    get("/explore/extras.json").then((response) => response.json()),
  ]);
}

// download fetches what the worker will read, while the worker starts. It tells how many bytes came.
async function download(path, told) {
  const reader = (await get(path)).body.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    parts.push(value);
    size += value.length;
    told(size);
  }
}

/**
 * fault is what did not come of something that was asked for, and the place in what was asked
 * that the message names.
 * @returns {Asked}
 */
const fault = (asked, status, message) =>
  Object.assign(new Error(message), { asked, status, path: /\$[\w.[\]]*/.exec(message)?.[0] || "" });

// get fetches something, or says what was asked for and did not come.
export async function get(path) {
  let response;
  try {
    response = await fetch(path);
  } catch {
    throw fault("GET " + path, 0, "no answer");
  }
  if (!response.ok) throw fault("GET " + path, response.status, response.statusText || "refused");
  return response;
}

// ask asks the worker.
export function ask(question, options) {
  return new Promise((resolve, reject) => {
    waiting.set(++number, { resolve, reject });
    worker.postMessage({ number, ask: question, with: options });
  });
}

/**
 * rank answers a request.
 * @type {(request: RankRequest, signal: AbortSignal) => Promise<Answered>}
 */
export const rank = (request, signal) => post("/explore/rank", request, signal);
/**
 * answer answers a question, with the request that was drafted of it.
 * @type {(question: Question, signal: AbortSignal) => Promise<Answered>}
 */
export const answer = (question, signal) => post("/explore/answer", question, signal);

/**
 * points asks for a plot. A report has some.
 * @returns {Promise<Plot | null>}
 */
export const points = (question, signal) =>
  state.isReport ? ask("plotOf", { x: question.x.key, y: question.y.key }) : post("/explore/plot", question, signal);

// post sends something. Where the server is busy it asks again after the time that it names.
async function post(path, value, signal) {
  const asked = "POST " + path;
  const body = JSON.stringify(value);
  for (;;) {
    let response, text;
    try {
      response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
      text = await response.text();
    } catch (error) {
      throw error.name === "AbortError" ? error : fault(asked, 0, "no answer");
    }
    if (response.status === 503) {
      const seconds = Number(response.headers.get("Retry-After")) || 1;
      await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 30) * 1000));
      signal?.throwIfAborted();
      continue;
    }
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      throw fault(asked, response.status, "the answer is not JSON");
    }
    const { catalog } = answer.result ?? answer;
    if (catalog && catalog.digest !== state.overview.digest) state.onother(catalog);
    if (!response.ok) throw fault(asked, response.status, answer.error?.message || "refused");
    return answer;
  }
}
