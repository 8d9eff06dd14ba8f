// Where the numbers of the page come from: the catalog, which a worker reads, and the
// answers of POST /v1/rank. In a report both are in the file.
import { byId } from "./dom.js";

let worker;
let number = 0;
const waiting = new Map();
let onread = () => {};

export const state = {
  overview: null, // of the catalog
  extras: { diff: null, requests: [], catalogFile: "" },
  isReport: false,
  picked: [], // keys of models that are to be compared
  onother: () => {}, // the server has another catalog now
};

// open starts the worker and lets it read the catalog.
export async function open(script, told) {
  onread = told;
  const packed = byId("data");
  state.isReport = packed !== null;
  worker = new Worker(script);
  worker.onmessage = ({ data }) => {
    if (data.read) return onread(data.read);
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
  [state.overview, state.extras] = await Promise.all([ask("open", { url: new URL("/v1/catalog/snapshot", location.href).href }), get("/explore/extras.json").then((response) => response.json())]);
}

// fault is what did not come of something that was asked for, and the place in what was asked
// that the message names.
const fault = (asked, status, message) => Object.assign(new Error(message), { asked, status, path: /\$[\w.[\]]*/.exec(message)?.[0] || "" });

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

// Three requests at a time: the others wait for their turn.
let running = 0;
const queue = [];
async function turn(signal) {
  if (running >= 3) await new Promise((resolve) => queue.push(resolve));
  running++;
  if (signal?.aborted) {
    done();
    signal.throwIfAborted();
  }
}
function done() {
  running--;
  const next = queue.shift();
  if (next) next();
}

// rank asks for a ranking, and answer for the request and the result of a question.
export const rank = (request, signal) => post("/v1/rank", request, signal);
export const answer = (question, signal) => post("/explore/answer", question, signal);

// post sends something. Where the server is busy it asks again after the time that it names.
async function post(path, value, signal) {
  const asked = "POST " + path;
  const body = JSON.stringify(value);
  for (;;) {
    await turn(signal);
    let response, text;
    try {
      response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
      text = await response.text();
    } catch (error) {
      throw error.name === "AbortError" ? error : fault(asked, 0, "no answer");
    } finally {
      done();
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

// lending is how a score that was measured elsewhere is carried over to an offer: over all
// but the condition, as svc new request drafts it.
export const lending = { transfer: ["runtime", "adapter", "effectiveContextTokens", "toolSurface", "hardware", "workflow"], resolve: ["most-specific", "newest"] };

// A criterion of values is { key, aggregation, family, transfer, resolve }, family "" for
// every task.
const perRequest = 128;

// values asks for the values of candidates by criteria, as preferences without weight. It calls told with
// each part: a list of { candidate, values }, where a value is { status, value, unit,
// estimate, transferred }, one for each criterion.
export async function values(candidates, criteria, signal, told) {
  if (state.isReport) return told(candidates.map((candidate) => ({ candidate, values: criteria.map((c) => kept(candidate, c)) })));
  const parts = [];
  for (let i = 0; i < candidates.length; i += perRequest) parts.push(candidates.slice(i, i + perRequest));
  await Promise.all(parts.map(async (part) => {
    const found = new Map(part.map((candidate) => [candidate.id, { candidate, values: [] }]));
    const { ranked } = await rank(valuesRequest(part, criteria), signal);
    for (const { candidateId, reasons } of ranked) for (const r of reasons) found.get(candidateId).values[r.criterion.slice(5)] = valueOf(r);
    told([...found.values()]);
  }));
}

// statuses are those of evidence without a value, by the beginning of the code of a reason.
const statuses = { PREFERENCE: "missing", STALE: "stale", CONFLICTING: "conflicting", AMBIGUOUS: "ambiguous", INCOMPARABLE: "incomparable" };

function valueOf(r) {
  return {
    status: r.actual === undefined ? statuses[r.code.split("_")[0]] : "present", value: r.actual, unit: r.estimate?.unit ?? null, estimate: r.estimate || null,
    transferred: r.executionApplicability.transferredDimensions,
  };
}

export const inventoryOf = (candidates) => candidates.map(({ id, model, execution }) => ({ id, model, execution }));

function valuesRequest(candidates, criteria) {
  return {
    schemaVersion: "service.rank.request/v3", inventory: inventoryOf(candidates),
    minimumCoverage: 0,
    preferences: criteria.map((c, i) => ({
      id: "value" + i, measurementKey: c.key, aggregation: c.aggregation, direction: "maximize", weight: 0,
      task: c.family ? { family: c.family } : undefined, transfer: c.transfer, resolve: c.resolve,
    })),
  };
}

// kept is a value of the report.
function kept(candidate, c) {
  const { profiles, series } = state.extras.values;
  const { id, quantization, revision } = candidate.model;
  const at = profiles[JSON.stringify({ execution: candidate.execution, model: { id, quantization, revision } })]; // canonical JSON
  const valueIn = (...name) => series[JSON.stringify([c.key, c.family, c.aggregation, ...name])]?.[at];
  const found = (c.transfer && valueIn("lent")) || valueIn();
  return { status: "missing", value: null, unit: null, estimate: null, transferred: c.transfer || [], ...found };
}
