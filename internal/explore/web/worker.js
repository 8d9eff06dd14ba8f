// The worker reads the index of the catalog, keeps it, and answers the questions of the page: the
// main thread never parses it. A question is { number, ask, with }, its answer { number, answer }
// or { number, error }.
import { unzipped } from "./address.js";
import { get } from "./source.js";
import { compareText, groupsOf, holdsAt, entryOf, plainName, yesFirst } from "./text.js";

/** @import { Cell, Condition, Detail, Filtered, Listed, Listing, Overview, Passing, Row, Span } from "./types" */

/** @type {Overview & { rows: Row[] }} */
let index = null;
let models = null; // of a report, by key
let plots = null; // of a report, by both keys
/** @type {Map<string, Row>} */
let rowOf = new Map(); // by key
/** @type {Set<string>} */
let sellers = new Set(); // of all models
let spellings = new Map(); // of models, bare, once they were searched for
/** @type {Map<string, Span>} */
let spans = new Map(); // of each key that was a column

export function work() {
  const answers = { open, list, passing, model, together, find, plotOf };
  self.onmessage = async ({ data: { number, ask, with: options } }) => {
    try {
      postMessage({ number, answer: await answers[ask](options || {}) });
    } catch (error) {
      postMessage({
        number,
        error: { message: String(error.message || error), status: error.status || 0, asked: error.asked || "" },
      });
    }
  };
}

// open reads the index: from the server, or from the data of a report.
async function open({ text, packed }) {
  const {
    index: read,
    models: details,
    plots: points,
    ...extras
  } = packed ? await new Response(unzipped(packed)).json() : { index: await new Response(text).json() };
  [index, models, plots, spans, spellings] = [read, details, points, new Map(), new Map()];
  for (const row of index.rows) {
    row.name = plainName(row.identity);
    row.maker = row.identity.id.includes("/") ? row.identity.id.split("/")[0] : "";
    row.harnesses ??= [];
    row.runtimes ??= [];
  }
  rowOf = new Map(index.rows.map((row) => [row.key, row]));
  sellers = new Set(index.rows.flatMap((row) => row.runtimes));
  return { extras, ...overview() };
}

// valuesOf are the options that a row has of filters whose options are all that there are.
const valuesOf = {
  maker: (r) => (r.maker ? [r.maker] : []),
  runs: (r) => [...r.runtimes, ...r.harnesses.filter((id) => sellers.has(id))],
};

// bare is a text as it is searched: gpt-5.4, GPT 5.4 and gpt54 are one spelling.
const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

function overview() {
  const { rows, ...rest } = index;
  return {
    ...rest,
    models: rows.length,
    silent: rows.filter((r) => r.holding === 0).length,
    conflicting: rows.filter((r) => r.conflicting).length,
  };
}

/**
 * cellIn is what a row has of a key, which may have the name of what all objects have.
 * @param {Row} row
 */
const cellIn = (row, key) => (Object.hasOwn(row.cells, key) ? row.cells[key] : null);

const says = (cell, value) =>
  cell?.n > 0 && (value === "yes" ? cell.texts?.includes(true) : cell.texts?.[0] === false && cell.texts.length === 1);
const atLeast = (key) => (r, value) => passes(cellIn(r, key), { op: "gte", value: Number(value) });
const capability = (key) => (r, value) => says(cellIn(r, key), value);

// tests are what a row has to be for each filter that has a value.
const tests = {
  __proto__: null,
  q: (r, q) => {
    const spelled = entryOf(spellings, r.key, () => [r.name, ...(r.spellings ?? [])].map(bare).join(" "));
    return q.split(/\s+/).every((word) => spelled.includes(bare(word)));
  },
  tools: capability("capability.tools"),
  vision: capability("modality.input.image"),
  reasoning: capability("capability.reasoning"),
  weights: capability("capability.open_weights"),
  context: atLeast("limits.context"),
  price: (r, value) => passes(cellIn(r, "price.output"), { op: "lte", value: Number(value) }),
  maker: (r, maker) => r.maker === maker,
  runs: (r, runs) => r.runtimes.includes(runs) || r.harnesses.includes(runs),
  since: (r, day) => r.released >= day,
  has: (r, key) => cellIn(r, key)?.n > 0,
  ended: (r, what) => what === "all" || !r.ended,
  evidence: (r, what) => (what === "holds" ? r.holding > 0 : what === "expired" ? r.holding === 0 : r.conflicting),
};

/**
 * match finds the rows that pass the filters, how many more would if what has ended did, and how many
 * rows each option of a filter would leave, the other filters as they are.
 * @param {Filtered} asked
 */
function match({ filters = {}, where = [], options = {}, among }) {
  const rows = among ? among.map((key) => rowOf.get(key)) : index.rows;
  const set = Object.entries({ ended: "", ...filters }).filter(
    ([name, value]) => tests[name] && (value || name === "ended"),
  );
  const failing = rows.map((r) => {
    const failed = set.filter(([name, value]) => !tests[name](r, value)).map(([name]) => name);
    return where.every((w) => passes(cellIn(r, w.key), w)) ? failed : [...failed, "where"];
  });
  /** @type {Passing["counts"]} */
  const counts = {};
  for (const [name, list] of Object.entries(options)) {
    const others = rows.filter((_, i) => failing[i].every((failed) => failed === name));
    counts[name] = list
      ? list.map((value) => [value, others.filter((r) => tests[name](r, value)).length])
      : [...groupsOf(others.flatMap(valuesOf[name]), String)]
          .map(([value, { length }]) => /** @type {[string, number]} */ ([value, length]))
          .sort(([a, x], [b, y]) => y - x || compareText(a, b));
  }
  return {
    kept: rows.filter((_, i) => !failing[i].length),
    hidden: filters.ended ? 0 : failing.filter((failed) => failed.length === 1 && failed[0] === "ended").length,
    counts,
  };
}

/**
 * passing answers with the keys of the models that pass filters.
 * @param {Filtered} asked
 * @returns {Passing}
 */
function passing(asked) {
  const { kept, ...rest } = match(asked);
  return { ...rest, keys: kept.map((r) => r.key) };
}

/**
 * list answers with some of the rows that pass the filters, sorted.
 * @param {Listing} asked
 * @returns {Listed}
 */
function list({ sort = "", desc = true, columns = [], from = 0, until = 100, ...filtered }) {
  const { kept, hidden } = match(filtered);
  const rows = sorted(kept, sort, desc).slice(from, until);
  return {
    total: kept.length,
    hidden,
    bounds: Object.fromEntries(columns.map((key) => [key, spanOf(key)])),
    rows: rows.map((r) => ({
      ...r,
      spellings: null,
      cells: Object.fromEntries(columns.map((key) => [key, cellIn(r, key)])),
    })),
  };
}

// sorted is rows by what a column shows, what is unknown last, or as they are.
function sorted(rows, sort, desc) {
  const place = {
    __proto__: null,
    model: (r) => r.name.toLowerCase(),
    runs: (r) => r.runtimes.length,
    released: (r) => r.released ?? null,
    seen: (r) => r.lastSeen,
  };
  if (!sort) return rows;
  const by = place[sort] ?? ((r) => sortValue(cellIn(r, sort), desc));
  return rows
    .map((r) => [by(r), r])
    .sort(([a, x], [b, y]) => {
      const order = a === null || b === null ? yesFirst(b === null, a === null) : (desc ? -1 : 1) * compareText(a, b);
      return order || compareText(x.name, y.name);
    })
    .map(([, r]) => r);
}

// spanOf is the least and the largest number above 0 that the list has of a key.
const spanOf = (key) =>
  entryOf(spans, key, () => {
    const span = { low: Infinity, high: -Infinity, unit: null };
    for (const row of index.rows) {
      const c = cellIn(row, key);
      if (!c || (c.low ?? null) === null) continue;
      if (span.high === -Infinity) span.unit = c.unit ?? null;
      if (c.low > 0) span.low = Math.min(span.low, c.low);
      span.high = Math.max(span.high, c.high);
    }
    return span;
  });

/**
 * passes tells whether some number that holds is at most, or at least, what is asked for.
 * @param {Cell | null} cell
 * @param {Omit<Condition, "key">} condition
 */
function passes(cell, { op, value }) {
  return (
    cell?.n > 0 && (cell.low ?? null) !== null && !cell.mixed && (op === "lte" ? cell.low <= value : cell.high >= value)
  );
}

function sortValue(cell, desc) {
  if (!cell?.n) return null;
  if ((cell.low ?? null) !== null) return desc ? cell.high : cell.low;
  return String(cell.texts[0]);
}

/**
 * model answers with all that the catalog has of one model, and with what holds of it.
 * @returns {Promise<Detail | null>}
 */
async function model({ key }) {
  const row = rowOf.get(key);
  if (!row) return null;
  const {
    places,
    conflicts,
    model: { observations },
  } = models ? models[key] : await (await get("/explore/models/" + key)).json();
  return {
    ...row,
    places,
    past: conflicts,
    asOf: index.asOf,
    observations: observations.map((o) => ({ ...o, holds: holdsAt(o.freshness, index.asOf) })),
  };
}

// find answers with the key of a model, if there is one.
const find = ({ identity }) => index.rows.find((r) => r.name === plainName(identity))?.key;

// together answers with the cells of some models, for the table that compares them.
function together({ models }) {
  const found = models.map((key) => rowOf.get(key)).filter(Boolean);
  const keys = [...new Set(found.flatMap((r) => Object.keys(r.cells)))].sort(compareText);
  return { models: found, rows: keys.map((key) => ({ key, cells: found.map((r) => cellIn(r, key)) })) };
}

// plotOf is a plot of a report.
const plotOf = ({ x, y }) => plots[x + " " + y] ?? null;
