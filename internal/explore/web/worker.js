// The worker reads the catalog, keeps it, and answers the questions of the page. The main
// thread never parses the catalog. A question is { number, ask, with }, its answer
// { number, answer } or { number, error }; while it reads it tells { read: bytes }.
import { candidatesOf, compareText } from "./candidates.js";
import { plainName, runsOn } from "./text.js";

let catalog = null;
let rows = []; // a row for each model
let byKey = new Map();
let spans = new Map(); // of each key that was a column

export function work() {
  const answers = { open, overview, list, model, candidates, together, pairs, find };
  self.onmessage = async ({ data: { number, ask, with: options } }) => {
    try {
      postMessage({ number, answer: await answers[ask](options || {}) });
    } catch (error) {
      postMessage({ number, error: { message: String(error.message || error), status: error.status || 0, asked: error.asked || "" } });
    }
  };
}

// open reads the catalog: from the API, or from the data of a report.
async function open({ url, packed }) {
  let extras = null;
  if (packed) {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const data = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
    catalog = data.snapshot;
    delete data.snapshot;
    extras = data;
  } else {
    catalog = JSON.parse(await download(url));
  }
  index();
  return { extras, ...overview() };
}

async function download(url) {
  let response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw Object.assign(new Error("no answer"), { asked: "GET " + url });
  }
  if (!response.ok) throw Object.assign(new Error(response.statusText || "refused"), { status: response.status, asked: "GET " + url });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parts = [];
  let size = 0;
  let told = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    parts.push(decoder.decode(value, { stream: true }));
    if (size - told > 1 << 19) {
      told = size;
      postMessage({ read: size });
    }
  }
  return parts.join("") + decoder.decode();
}

const holds = (o) => o.freshness.observedAt <= catalog.asOf && (o.freshness.validUntil === null || o.freshness.validUntil > catalog.asOf);

// index makes the rows of the list: what holds of each key, and of how many slots.
function index() {
  const asOf = catalog.asOf;
  const conflicts = new Map();
  for (const c of catalog.conflicts) conflicts.set(c.modelKey, [...(conflicts.get(c.modelKey) || []), c]);
  rows = [];
  byKey = new Map();
  spans = new Map();
  const scopes = new Map();
  for (const m of catalog.models) {
    const row = {
      key: m.key, identity: m.identity, name: plainName(m.identity), lower: plainName(m.identity).toLowerCase(),
      runtimes: new Set(), total: m.observations.length, holding: 0, lastSeen: "", conflicting: false, past: conflicts.get(m.key) || [],
      cells: { __proto__: null }, // a key may have the name of what all objects have
    };
    const slots = new Map();
    for (const o of m.observations) {
      const scope = JSON.stringify(o.execution);
      if (scopes.has(scope)) o.execution = scopes.get(scope);
      else scopes.set(scope, o.execution);
      const where = scope + "\n" + JSON.stringify(o.task);
      const isFresh = holds(o);
      if (isFresh) row.holding++;
      if (o.freshness.observedAt > row.lastSeen && o.freshness.observedAt <= asOf) row.lastSeen = o.freshness.observedAt;
      if (o.execution && o.execution.runtime) row.runtimes.add(o.execution.runtime.id);
      const invalid = o.outcome !== null && o.outcome.status === "invalid";
      for (const x of o.measurements) {
        const cell = (row.cells[x.key] ||= newCell());
        if (x.kind === "sample") addSample(cell, x, o, isFresh && !invalid);
        else addFact(slots, cell, x, o, isFresh, where);
      }
    }
    for (const slot of slots.values()) {
      if (slot.values.size > 1) {
        slot.cell.conflict = true;
        row.conflicting = true;
      }
    }
    row.keys = Object.keys(row.cells);
    rows.push(row);
    byKey.set(m.key, m);
  }
}

// newCell is what the list shows of a key: the values that hold, as a range if they are
// numbers, else the last value that expired.
function newCell() {
  return { fact: false, sample: false, n: 0, low: null, high: null, texts: [], unit: null, mixed: false, conflict: false, last: null, lastAt: "" };
}

function addValue(cell, x) {
  if (cell.n++ === 0) cell.unit = x.unit ?? null;
  else if ((x.unit ?? null) !== cell.unit) cell.mixed = true;
  if (typeof x.value === "number") {
    cell.low = cell.low === null ? x.value : Math.min(cell.low, x.value);
    cell.high = cell.high === null ? x.value : Math.max(cell.high, x.value);
  } else if (!cell.texts.includes(x.value) && cell.texts.length < 4) cell.texts.push(x.value);
}

function addSample(cell, x, o, isUsed) {
  cell.sample = true;
  if (isUsed) addValue(cell, x);
  else expire(cell, x, o);
}

function addFact(slots, cell, x, o, isFresh, where) {
  cell.fact = true;
  if (!isFresh) return expire(cell, x, o);
  const slotKey = x.key + "\n" + where;
  let slot = slots.get(slotKey);
  if (!slot) slots.set(slotKey, (slot = { cell, values: new Set() }));
  slot.values.add(JSON.stringify([x.value, x.unit ?? null]));
  addValue(cell, x);
}

function expire(cell, x, o) {
  if (o.freshness.observedAt >= cell.lastAt) {
    cell.lastAt = o.freshness.observedAt;
    cell.last = { value: x.value, unit: x.unit ?? null, until: holds(o) ? null : o.freshness.validUntil };
  }
}

function overview() {
  const runtimes = { __proto__: null };
  const keys = new Map();
  for (const row of rows) {
    for (const id of row.runtimes) runtimes[id] = (runtimes[id] || 0) + 1;
    for (const [key, cell] of Object.entries(row.cells)) {
      let k = keys.get(key);
      if (!k) keys.set(key, (k = { key, fact: false, sample: false, models: 0, holding: 0, units: new Set(), numeric: false, positive: true, boolean: false, families: new Set(), under: new Set(), low: null, high: null }));
      k.models++;
      k.fact ||= cell.fact;
      k.sample ||= cell.sample;
      if (cell.n === 0) continue;
      k.holding++;
      k.units.add(cell.unit);
      if (cell.low !== null) {
        k.numeric = true;
        k.low = k.low === null ? cell.low : Math.min(k.low, cell.low);
        k.high = k.high === null ? cell.high : Math.max(k.high, cell.high);
      }
      k.boolean ||= cell.texts.some((v) => typeof v === "boolean");
    }
  }
  const times = new Map();
  let first = catalog.asOf;
  for (const m of catalog.models) {
    for (const o of m.observations) {
      const { observedAt, validUntil } = o.freshness;
      times.set(observedAt, (times.get(observedAt) || 0) + 1);
      if (observedAt < first) first = observedAt;
      if (validUntil !== null) times.set(validUntil, (times.get(validUntil) || 0) - 1);
      const under = runsOn(o.execution);
      for (const x of o.measurements) {
        const k = keys.get(x.key);
        if (o.task) k.families.add(o.task.family);
        if (k.under.size < 50) k.under.add(under);
      }
    }
  }
  return {
    digest: catalog.digest, asOf: catalog.asOf, models: rows.length,
    observations: rows.reduce((n, r) => n + r.total, 0), holding: rows.reduce((n, r) => n + r.holding, 0),
    silent: rows.filter((r) => r.holding === 0).length, conflicting: rows.filter((r) => r.conflicting).length,
    conflicts: catalog.conflicts.length, runtimes,
    keys: [...keys.values()].map((k) => ({ ...k, units: [...k.units], families: [...k.families].sort(compareText), under: [...k.under].sort(compareText) })).sort((a, b) => compareText(a.key, b.key)),
    curve: curve(times, first),
  };
}

// curve is how many observations hold over time, in at most 240 steps, from the first
// observation until 60 days after asOf or the last end, whichever is first.
function curve(times, first) {
  const last = new Date(Date.parse(catalog.asOf) + 60 * 86400e3).toISOString();
  const steps = [];
  let n = 0;
  for (const at of [...times.keys()].sort(compareText)) {
    n += times.get(at);
    if (at > last) break;
    steps.push([at, n]);
  }
  const gap = Math.ceil(steps.length / 240);
  return steps.filter((_, i) => i % gap === 0 || i === steps.length - 1);
}

// list answers with the rows that pass the filters, sorted, and the first of them.
function list({ q = "", runs = "", has = "", evidence = "", sort = "", desc = false, columns = [], limit = 100, where = [] }) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = rows.filter((r) =>
    words.every((w) => r.lower.includes(w)) &&
    (!runs || r.runtimes.has(runs)) && (!has || (r.cells[has] && r.cells[has].n > 0)) &&
    (evidence !== "holds" || r.holding > 0) && (evidence !== "expired" || r.holding === 0) && (evidence !== "contradictory" || r.conflicting) &&
    where.every((w) => passes(r.cells[w.key], w)));
  const place = {
    __proto__: null, "": (r) => r.lower, model: (r) => r.lower, runs: (r) => [...r.runtimes].sort().join(" "), holds: (r) => r.holding / r.total, seen: (r) => r.lastSeen,
  }[sort] || ((r) => sortValue(r.cells[sort], desc));
  const placed = kept.map((r) => [place(r), r]);
  placed.sort(([a, x], [b, y]) => {
    if (a === null || b === null) return (a === null) - (b === null) || compareText(x.lower, y.lower); // unknown last
    return (desc ? -1 : 1) * compareText(a, b) || compareText(x.lower, y.lower);
  });
  return {
    total: kept.length, bounds: Object.fromEntries(columns.map((key) => [key, spanOf(key)])),
    rows: placed.slice(0, limit).map(([, r]) => ({
      key: r.key, identity: r.identity, runtimes: [...r.runtimes].sort(compareText), total: r.total, holding: r.holding, lastSeen: r.lastSeen,
      conflicting: r.conflicting, cells: Object.fromEntries(columns.map((key) => [key, r.cells[key] || null])),
    })),
  };
}

// spanOf is the least and the largest number above 0 that the list has of a key.
function spanOf(key) {
  let span = spans.get(key);
  if (span) return span;
  spans.set(key, (span = { low: Infinity, high: -Infinity, unit: null }));
  for (const { cells } of rows) {
    const c = cells[key];
    if (!c || c.low === null) continue;
    if (span.high === -Infinity) span.unit = c.unit;
    if (c.low > 0) span.low = Math.min(span.low, c.low);
    span.high = Math.max(span.high, c.high);
  }
  return span;
}

// passes tells whether some number that holds is at most, or at least, what is asked for.
function passes(cell, { op, value }) {
  return Boolean(cell) && cell.n > 0 && cell.low !== null && !cell.mixed && (op === "lte" ? cell.low <= value : cell.high >= value);
}

function sortValue(cell, desc) {
  if (!cell || cell.n === 0) return null;
  if (cell.low !== null) return desc ? cell.high : cell.low;
  return String(cell.texts[0]);
}

// model answers with all that the catalog has of one model, and with what holds of it.
function model({ key }) {
  const m = byKey.get(key);
  if (!m) return null;
  const row = rows.find((r) => r.key === key);
  return {
    key, identity: m.identity, asOf: catalog.asOf, total: row.total, holding: row.holding, lastSeen: row.lastSeen, runtimes: [...row.runtimes].sort(compareText),
    observations: m.observations.map((o) => ({ ...o, holds: holds(o) })), conflicts: row.past, cells: row.cells,
  };
}

// find answers with the key of a model, or null.
function find({ identity }) {
  const name = plainName(identity);
  const row = rows.find((r) => r.name === name);
  return row ? row.key : null;
}

// candidates answers with those of some models, or of all. Numbers after # depend on the
// whole catalog, so that all candidates are found first. Where points are wanted, those
// come first whose models have all keys: the first answers then have points. Those of some
// models come in their order, but first those that have what is known of the keys.
function candidates({ keys, models = null, points = false }) {
  const all = candidatesOf(catalog.models, keys);
  if (models) {
    const place = new Map(models.map((key, i) => [key, i]));
    const known = new Map(catalog.models.map((m) => [m.key, m.observations.filter(holds)]));
    const isOf = (o, c) => !(o.execution && o.execution.runtime) || o.execution.runtime.id === c.execution.runtime?.id;
    const lacks = (c) => keys.filter((key) => !known.get(c.key).some((o) => isOf(o, c) && o.measurements.some((x) => x.key === key))).length;
    return all.filter((c) => place.has(c.key)).map((c) => [lacks(c), place.get(c.key), c]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , c]) => c);
  }
  if (!points) return all;
  const ready = new Set(rows.filter((r) => keys.every((key) => r.cells[key] && r.cells[key].n > 0)).map((r) => r.key));
  return [...all.filter((c) => ready.has(c.key)), ...all.filter((c) => !ready.has(c.key))];
}

// together answers with the cells of some models, for the table that compares them.
function together({ models }) {
  const found = models.map((key) => rows.find((r) => r.key === key)).filter(Boolean);
  const keys = [...new Set(found.flatMap((r) => r.keys))].sort(compareText);
  return {
    models: found.map((r) => ({ key: r.key, identity: r.identity, runtimes: [...r.runtimes] })),
    rows: keys.map((key) => ({ key, cells: found.map((r) => r.cells[key] || null) })),
  };
}

// pairs counts the models that have both of two keys: prices against benchmarks, or where
// there is no benchmark against the other numbers.
function pairs() {
  const isPrice = (c) => c.fact && c.low !== null && (c.unit || "").startsWith("USD");
  const found = pairsWith(isPrice, (c) => c.sample && c.low !== null);
  return found.length ? found : pairsWith(isPrice, (c) => c.low !== null && !isPrice(c));
}

function pairsWith(isPrice, isScore) {
  const counts = new Map();
  for (const row of rows) {
    const price = row.keys.filter((k) => isPrice(row.cells[k]));
    const score = row.keys.filter((k) => isScore(row.cells[k]));
    for (const x of price) for (const y of score) {
      const pair = `${x.length} ${x}${y}`;
      if (!counts.has(pair)) counts.set(pair, { x, y, n: 0 });
      counts.get(pair).n++;
    }
  }
  return [...counts.values()].sort((a, b) => b.n - a.n || preferred(a) - preferred(b) || compareText(a.y, b.y)).slice(0, 50);
}

// preferred puts what is paid for answers first among prices that as many models have, and
// ranks and counts last among benchmarks.
const preferred = ({ x, y }) => (/output|completion/.test(x) ? 0 : 1) + (/rank|count|cases/.test(y) ? 2 : 0);
