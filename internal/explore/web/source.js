// Where the numbers of the page come from: the catalog, which a worker reads, and the
// answers of POST /v1/rank. In a report both are in the file.

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
  const packed = document.getElementById("data");
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
  const [overview, extras] = await Promise.all([ask("open", { url: new URL("/v1/catalog/snapshot", location.href).href }), get("/explore/extras.json")]);
  state.overview = overview;
  state.extras = extras;
}

async function get(path) {
  let response;
  try {
    response = await fetch(path);
  } catch {
    throw Object.assign(new Error("no answer"), { asked: "GET " + path, status: 0 });
  }
  if (!response.ok) throw Object.assign(new Error(response.statusText), { asked: "GET " + path, status: response.status });
  return response.json();
}

// ask asks the worker.
export function ask(question, options) {
  return new Promise((resolve, reject) => {
    waiting.set(++number, { resolve, reject });
    worker.postMessage({ number, ask: question, with: options });
  });
}

const isAbort = (error) => error && error.name === "AbortError";

// Refusal is what the API says about a request that it cannot take.
export class Refusal extends Error {
  constructor(status, message, code) {
    super(message);
    this.status = status;
    this.code = code;
    this.asked = "POST /v1/rank";
    this.path = (/\$[\w.[\]]*/.exec(message) || [""])[0];
  }
}

// Three requests at a time: the others wait for their turn.
let running = 0;
const queue = [];
async function turn(signal) {
  if (running >= 3) await new Promise((resolve) => queue.push(resolve));
  running++;
  if (signal && signal.aborted) {
    done();
    throw new DOMException("left", "AbortError");
  }
}
function done() {
  running--;
  const next = queue.shift();
  if (next) next();
}

// rank asks for a ranking and returns the text of the answer. Where the server is busy it
// asks again after the time that it names.
export async function rank(request, signal) {
  const body = JSON.stringify(request);
  for (;;) {
    await turn(signal);
    let response, text;
    try {
      response = await fetch("/v1/rank", { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
      text = await response.text();
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new Refusal(0, "no answer", "");
    } finally {
      done();
    }
    if (response.status === 503) {
      const seconds = Number(response.headers.get("Retry-After")) || 1;
      await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 30) * 1000));
      if (signal && signal.aborted) throw new DOMException("left", "AbortError");
      continue;
    }
    let answer = null;
    try {
      answer = JSON.parse(text);
    } catch {
      throw new Refusal(response.status, "the answer is not JSON", "");
    }
    if (answer.catalog && answer.catalog.digest !== state.overview.digest) state.onother(answer.catalog);
    if (!response.ok) throw new Refusal(response.status, answer.error ? answer.error.message : "refused", answer.error ? answer.error.code : "");
    return { text, answer };
  }
}

// A criterion of values is { key, aggregation, family, transfer }, family "" for every task.
const perRequest = 128;

// values asks for the values of candidates by criteria, as advisories. It calls told with
// each part: a list of { candidate, values }, where a value is { status, value, unit,
// estimate, transferred }, one for each criterion.
export async function values(candidates, criteria, signal, told) {
  if (state.isReport) return told(candidates.map((candidate) => ({ candidate, values: criteria.map((c) => kept(candidate, c)) })));
  const parts = [];
  for (let i = 0; i < candidates.length; i += perRequest) parts.push(candidates.slice(i, i + perRequest));
  await Promise.all(parts.map(async (part) => {
    const found = new Map(part.map((candidate) => [candidate.id, { candidate, values: [] }]));
    const { answer } = await rank(valuesRequest(part, criteria), signal);
    for (const entry of answer.ranked) {
      const byId = new Map(entry.advisories.map((a) => [a.id ?? a.criterion, a]));
      criteria.forEach((c, i) => {
        const a = byId.get("value" + i);
        if (a) found.get(entry.candidateId).values[i] = valueOf(a);
      });
    }
    told([...found.values()]);
  }));
}

function valueOf(a) {
  return {
    status: a.status, value: a.value, unit: a.unit ?? null, estimate: a.estimate || null,
    transferred: (a.executionApplicability && a.executionApplicability.transferredDimensions) || [], observationIds: a.evidence.observationIds,
  };
}

const inventoryOf = (candidates) => candidates.map(({ id, model, execution }) => ({ id, model, execution }));

function valuesRequest(candidates, criteria) {
  return {
    schemaVersion: "service.rank.request/v3", inventory: inventoryOf(candidates),
    advisories: criteria.map((c, i) => ({
      id: "value" + i, measurementKey: c.key, aggregation: c.aggregation,
      ...(c.family ? { task: { family: c.family } } : {}), ...(c.transfer && c.transfer.length ? { transfer: c.transfer } : {}),
    })),
  };
}

// kept is a value of the report.
function kept(candidate, c) {
  const { profiles, series } = state.extras.values;
  const { id, quantization, revision } = candidate.model;
  const at = profiles[JSON.stringify({ execution: candidate.execution, model: { id, quantization, revision } })]; // canonical JSON
  const list = series[JSON.stringify([c.key, c.family, c.aggregation])];
  const found = list && at !== undefined && list[at];
  if (!found) return { status: "missing", value: null, unit: null, estimate: null, transferred: [], observationIds: [] };
  return { transferred: [], observationIds: [], estimate: null, unit: null, ...found };
}
