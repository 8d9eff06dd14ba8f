// The worker reads the catalog, keeps it, and answers the questions of the page. The main
// thread never parses the catalog. A question is { number, ask, with }, its answer
// { number, answer } or { number, error }; while it reads it tells { read: bytes }.
import { unzipped } from "./address.js";
import { get } from "./source.js";
import { candidatesOf, placeOf } from "./candidates.js";
import { compareText, contentOf, day, entryOf, groupsOf, holdsAt, namesOffer, plainName, runsOn } from "./text.js";

let catalog = null;
let rows = []; // a row for each model
let byKey = new Map();
let spans = new Map(); // of each key that was a column

export function work() {
  const answers = { open, list, model, candidates, measured, together, pairs, find };
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
  const { snapshot, ...extras } = packed ? await new Response(unzipped(packed)).json() : { snapshot: JSON.parse(await download(url)) };
  catalog = snapshot;
  index();
  return { extras, ...overview() };
}

async function download(url) {
  const reader = (await get(url)).body.getReader();
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

const holds = (o) => holdsAt(o.freshness, catalog.asOf);

// index makes the rows of the list: what holds of each key, and of how many slots.
function index() {
  const asOf = catalog.asOf;
  const conflicts = groupsOf(catalog.conflicts, (c) => c.modelKey);
  rows = [];
  byKey = new Map();
  spans = new Map();
  const scopes = new Map();
  for (const m of catalog.models) {
    const row = {
      key: m.key, identity: m.identity, name: plainName(m.identity), lower: plainName(m.identity).toLowerCase(),
      runtimes: new Set(), harnesses: new Set(), total: m.observations.length, holding: 0, lastSeen: "", past: conflicts.get(m.key) || [],
      cells: { __proto__: null }, // a key may have the name of what all objects have
    };
    const slots = new Map();
    for (const o of m.observations) {
      const scope = JSON.stringify(o.execution);
      o.execution = entryOf(scopes, scope, () => o.execution);
      const where = scope + "\n" + JSON.stringify(o.task);
      const isFresh = holds(o);
      if (isFresh) row.holding++;
      if (o.freshness.observedAt > row.lastSeen && o.freshness.observedAt <= asOf) row.lastSeen = o.freshness.observedAt;
      const invalid = o.outcome?.status === "invalid";
      for (const x of o.measurements) {
        const cell = (row.cells[x.key] ||= newCell());
        if (o.execution?.runtime) (x.kind === "sample" ? row.harnesses : row.runtimes).add(o.execution.runtime.id);
        if (x.kind === "sample") addSample(cell, x, o, isFresh && !invalid, scope);
        else addFact(slots, cell, x, o, isFresh, where);
      }
    }
    row.conflicting = findConflicts(slots);
    for (const cell of Object.values(row.cells)) {
      // The list filters and sorts by what samples come to where they were measured in one way.
      if (!cell.ways) continue;
      const means = [...cell.ways.values()].map(([sum, n]) => sum / n);
      [cell.low, cell.high, cell.ways] = [Math.min(...means), Math.max(...means), null];
    }
    row.harnesses = [...row.harnesses].filter((id) => !row.runtimes.has(id)).sort(compareText);
    const maker = row.name.split("/")[0]; // comes first where it sells the model itself
    row.runtimes = [...row.runtimes].sort((a, b) => (b === maker) - (a === maker) || compareText(a, b));
    row.keys = Object.keys(row.cells);
    rows.push(row);
    byKey.set(m.key, m);
  }
}

// findConflicts marks the cells of slots with several values, and reports whether there is one.
function findConflicts(slots) {
  const found = [...slots.values()].filter((slot) => slot.values.size > 1);
  for (const { cell } of found) cell.conflict = true;
  return found.length > 0;
}

// newCell is what the list shows of a key: the values that hold, as a range if they are
// numbers, else the last value that expired. Ways are the sum and the number of samples in
// each execution, and only the one of a single value.
function newCell() {
  return { fact: false, sample: false, n: 0, low: null, high: null, texts: [], unit: null, mixed: false, conflict: false, last: null, lastAt: "", ways: null, only: null };
}

function addValue(cell, x, o) {
  cell.only = cell.n ? null : o.id;
  if (cell.n++ === 0) cell.unit = x.unit ?? null;
  else if ((x.unit ?? null) !== cell.unit) cell.mixed = true;
  if (typeof x.value === "number") {
    cell.low = Math.min(cell.low ?? x.value, x.value);
    cell.high = Math.max(cell.high ?? x.value, x.value);
  } else if (!cell.texts.includes(x.value) && cell.texts.length < 4) cell.texts.push(x.value);
}

function addSample(cell, x, o, isUsed, scope) {
  cell.sample = true;
  if (!isUsed) return expire(cell, x, o);
  addValue(cell, x, o);
  if (typeof x.value !== "number") return;
  const [sum, n] = (cell.ways ||= new Map()).get(scope) || [0, 0];
  cell.ways.set(scope, [sum + x.value, n + 1]);
}

function addFact(slots, cell, x, o, isFresh, where) {
  cell.fact = true;
  if (!isFresh) return expire(cell, x, o);
  if (!namesOffer(x.key)) entryOf(slots, x.key + "\n" + where, () => ({ cell, values: new Set() })).values.add(contentOf(x));
  addValue(cell, x, o);
}

function expire(cell, x, o) {
  if (o.freshness.observedAt >= cell.lastAt) {
    cell.lastAt = o.freshness.observedAt;
    cell.last = { value: x.value, unit: x.unit ?? null, until: holds(o) ? null : o.freshness.validUntil };
  }
}

function overview() {
  const keys = new Map();
  const placesOf = (name) => [...groupsOf(rows.flatMap((r) => r[name]), (id) => id)].map(([id, { length }]) => [id, length]).sort((a, b) => b[1] - a[1]);
  for (const row of rows) {
    for (const [key, cell] of Object.entries(row.cells)) {
      const k = entryOf(keys, key, () => ({ key, fact: false, models: 0, holding: 0, units: new Set(), families: new Set(), under: new Set(), low: null, high: null }));
      k.models++;
      k.fact ||= cell.fact;
      if (cell.n === 0) continue;
      k.holding++;
      k.units.add(cell.unit);
      if (cell.low === null) continue;
      k.low = Math.min(k.low ?? cell.low, cell.low);
      k.high = Math.max(k.high ?? cell.high, cell.high);
    }
  }
  const times = new Map();
  let first = catalog.asOf;
  const ends = new Map(); // how many expire on each day
  const add = (map, at, n) => map.set(at, (map.get(at) || 0) + n);
  for (const m of catalog.models) {
    for (const o of m.observations) {
      const { observedAt, validUntil } = o.freshness;
      if (validUntil && holds(o)) add(ends, day(validUntil), 1);
      add(times, observedAt, 1);
      if (observedAt < first) first = observedAt;
      if (validUntil !== null) add(times, validUntil, -1);
      const under = runsOn(o.execution);
      for (const x of o.measurements) {
        const k = keys.get(x.key);
        if (o.task) k.families.add(o.task.family);
        if (k.under.size < 50) k.under.add(under);
      }
    }
  }
  // Of benchmarks more is known than where a model is sold.
  const benchmark = pairsOfBenchmarks()[0]?.y || null;
  for (const row of rows) row.known = (row.cells[benchmark]?.n ? 1e9 : 0) + row.holding;
  return {
    digest: catalog.digest, asOf: catalog.asOf, models: rows.length,
    observations: rows.reduce((n, r) => n + r.total, 0), holding: rows.reduce((n, r) => n + r.holding, 0),
    silent: rows.filter((r) => r.holding === 0).length, conflicting: rows.filter((r) => r.conflicting).length,
    runtimes: placesOf("runtimes"), harnesses: placesOf("harnesses"),
    keys: [...keys.values()].map((k) => ({ ...k, numeric: k.low !== null, units: [...k.units], families: [...k.families].sort(compareText), under: [...k.under].sort(compareText) })).sort((a, b) => compareText(a.key, b.key)),
    curve: curve(times, first), expiry: [...ends].sort(([a], [b]) => compareText(a, b))[0], benchmark,
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
function list({ q = "", runs = "", has = "", evidence = "", sort = "known", desc = true, columns = [], limit = 100, where = [] }) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = rows.filter((r) =>
    words.every((w) => r.lower.includes(w)) &&
    (!runs || r.runtimes.includes(runs) || r.harnesses.includes(runs)) && (!has || r.cells[has]?.n > 0) &&
    (evidence !== "holds" || r.holding > 0) && (evidence !== "expired" || r.holding === 0) && (evidence !== "contradictory" || r.conflicting) &&
    where.every((w) => passes(r.cells[w.key], w)));
  const place = {
    __proto__: null, known: (r) => r.known, model: (r) => r.lower, runs: (r) => r.runtimes.length, holds: (r) => r.holding / r.total, seen: (r) => r.lastSeen,
  }[sort] || ((r) => sortValue(r.cells[sort], desc));
  const placed = kept.map((r) => [place(r), r]);
  placed.sort(([a, x], [b, y]) => {
    const isLater = a === null || b === null ? (a === null) - (b === null) : (desc ? -1 : 1) * compareText(a, b); // unknown last
    return isLater || compareText(x.lower, y.lower);
  });
  return {
    total: kept.length, bounds: Object.fromEntries(columns.map((key) => [key, spanOf(key)])),
    rows: placed.slice(0, limit).map(([, r]) => ({
      ...r, past: null, cells: Object.fromEntries(columns.map((key) => [key, r.cells[key] || null])),
    })),
  };
}

// spanOf is the least and the largest number above 0 that the list has of a key.
const spanOf = (key) => entryOf(spans, key, () => {
  const span = { low: Infinity, high: -Infinity, unit: null };
  for (const { cells } of rows) {
    const c = cells[key];
    if (!c || c.low === null) continue;
    if (span.high === -Infinity) span.unit = c.unit;
    if (c.low > 0) span.low = Math.min(span.low, c.low);
    span.high = Math.max(span.high, c.high);
  }
  return span;
});

// passes tells whether some number that holds is at most, or at least, what is asked for.
function passes(cell, { op, value }) {
  return cell?.n > 0 && cell.low !== null && !cell.mixed && (op === "lte" ? cell.low <= value : cell.high >= value);
}

function sortValue(cell, desc) {
  if (!cell?.n) return null;
  if (cell.low !== null) return desc ? cell.high : cell.low;
  return String(cell.texts[0]);
}

// model answers with all that the catalog has of one model, and with what holds of it.
function model({ key }) {
  const m = byKey.get(key);
  if (!m) return null;
  const row = rows.find((r) => r.key === key);
  // What each place says of what it sells, in numbers without a condition.
  const places = new Map();
  const slots = new Map();
  for (const o of m.observations) {
    const place = placeOf(o.execution);
    for (const x of place && !o.task ? o.measurements : []) {
      if (x.kind !== "fact" || typeof x.value !== "number" || x.key.includes("@")) continue;
      const to = entryOf(places, place, () => ({ place, until: null, cells: { __proto__: null } }));
      const { validUntil } = o.freshness;
      if (holds(o) && validUntil && !(to.until < validUntil && to.until)) to.until = validUntil;
      addFact(slots, (to.cells[x.key] ||= newCell()), x, o, holds(o), place);
    }
  }
  findConflicts(slots);
  return {
    ...row, places: [...places.values()], asOf: catalog.asOf, observations: m.observations.map((o) => ({ ...o, holds: holds(o) })),
  };
}

// measured answers with the ways in which models were measured by some keys.
const measured = ({ models, keys }) => candidatesOf(models.map((key) => byKey.get(key)), keys, false, catalog.asOf);

// find answers with the key of a model, if there is one.
function find({ identity }) {
  const name = plainName(identity);
  return rows.find((r) => r.name === name)?.key;
}

// candidates answers with { list, ready, lent }: the candidates of some models, or of all.
// Numbers after # depend on the whole catalog, so that all are found first. Those of all
// begin with the ready ones, whose models have all keys: the first answers then have points.
// Those of some models come in their order, but first those that have what is known of the
// keys, and of offers the cheapest of each condition alone.
//
// What is lent are the harnesses of samples that were measured nowhere where the other keys
// are facts of a runtime: the list is one of offers then, unless lend is "none".
function candidates({ keys, models = null, lend = "" }) {
  const lent = harnesses(keys, lend === "offers");
  const all = candidatesOf(catalog.models, keys, lent && lend !== "none", catalog.asOf);
  if (!models) {
    const ready = new Set(rows.filter((r) => keys.every((key) => r.cells[key]?.n > 0)).map((r) => r.key));
    const first = all.filter((c) => ready.has(c.key));
    return { list: [...first, ...all.filter((c) => !ready.has(c.key))], ready: first.length, lent };
  }
  const place = new Map(models.map((key, i) => [key, i]));
  const known = new Map(models.map((key) => [key, (byKey.get(key)?.observations || []).filter(holds)]));
  const placed = all.filter((c) => place.has(c.key)).map((c) => {
    const found = known.get(c.key).filter((o) => (c.offer && o.outcome) || !o.execution?.runtime || o.execution.runtime.id === c.execution.runtime?.id).flatMap((o) => o.measurements);
    const price = found.reduce((sum, x) => sum + (x.kind === "fact" && keys.includes(x.key) && /^USD/.test(x.unit) ? x.value : 0), 0);
    return { c, lacks: keys.filter((key) => !found.some((x) => x.key === key)).length, place: place.get(c.key), price: c.offer ? price : 0 };
  }).sort((a, b) => a.lacks - b.lacks || a.place - b.place || a.price - b.price);
  const seen = new Set();
  const isFirst = (c) => {
    const name = c.key + runsOn({ workflow: c.execution.workflow });
    return !c.offer || !seen.has(name) && seen.add(name);
  };
  return { list: placed.map(({ c }) => c).filter(isFirst), ready: 0, lent };
}

// harnesses names what samples of some keys were measured with, or is null if some model
// has samples and facts of them in one place, so that nothing has to be lent.
function harnesses(keys, always) {
  const names = new Set();
  for (const m of catalog.models) {
    const facts = [];
    const samples = [];
    for (const { execution, measurements } of m.observations) {
      for (const x of measurements) if (keys.includes(x.key)) (x.kind === "fact" ? facts : samples).push(execution);
    }
    if (!facts.length || !samples.length) continue;
    const places = new Set(facts.map(placeOf));
    if (!always && (places.has(null) || samples.some((e) => !e?.runtime || places.has(e.runtime.id)))) return null;
    for (const e of samples) names.add((e?.adapter || e?.workflow || e?.runtime || { id: "nobody knows what" }).id);
  }
  return names.size ? [...names].sort(compareText) : null;
}

// together answers with the cells of some models, for the table that compares them.
function together({ models }) {
  const found = models.map((key) => rows.find((r) => r.key === key)).filter(Boolean);
  const keys = [...new Set(found.flatMap((r) => r.keys))].sort(compareText);
  return {
    models: found,
    rows: keys.map((key) => ({ key, cells: found.map((r) => r.cells[key] || null) })),
  };
}

// pairs counts the models that have both of two keys: prices against benchmarks, or where
// there is no benchmark against the other numbers.
function pairs() {
  const found = pairsOfBenchmarks();
  return found.length ? found : pairsWith(isPrice, (c) => c.low !== null && !isPrice(c));
}

const isPrice = (c) => c.fact && c.low !== null && (c.unit || "").startsWith("USD");
const pairsOfBenchmarks = () => pairsWith(isPrice, (c) => c.sample && c.low !== null);

function pairsWith(isPrice, isScore) {
  const counts = new Map();
  for (const row of rows) {
    const price = row.keys.filter((k) => isPrice(row.cells[k]));
    const score = row.keys.filter((k) => isScore(row.cells[k]));
    for (const x of price) for (const y of score) {
      entryOf(counts, `${x.length} ${x}${y}`, () => ({ x, y, n: 0 })).n++;
    }
  }
  return [...counts.values()].sort((a, b) => b.n - a.n || preferred(a) - preferred(b) || compareText(a.y, b.y)).slice(0, 50);
}

// preferred puts what is paid for answers first among prices that as many models have, and
// ranks and counts last among benchmarks.
const preferred = ({ x, y }) => (/output|completion/.test(x) ? 0 : 1) + (/rank|count|cases/.test(y) ? 2 : 0);
