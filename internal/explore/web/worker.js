// The worker reads the index of the catalog, keeps it, and answers the questions of the page: the
// main thread never parses it. A question is { number, ask, with }, its answer { number, answer }
// or { number, error }; while it reads it tells { read: bytes }.
import { unzipped } from "./address.js";
import { get } from "./source.js";
import { compareText, groupsOf, holdsAt, entryOf, plainName, yesFirst } from "./text.js";

/** @import { Cell, Condition, Detail, Listed, Listing, Overview, Row, Span } from "./types" */

/** @type {Overview & { rows: Row[] }} */
let index = null;
let models = null; // of a report, by key
let plots = null; // of a report, by both keys
/** @type {Map<string, Span>} */
let spans = new Map(); // of each key that was a column

export function work() {
  const answers = { open, list, model, together, find, plotOf };
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
async function open({ url, packed }) {
  const {
    index: read,
    models: details,
    plots: points,
    ...extras
  } = packed ? await new Response(unzipped(packed)).json() : { index: JSON.parse(await download(url)) };
  [index, models, plots, spans] = [read, details, points, new Map()];
  for (const row of index.rows) {
    row.name = plainName(row.identity);
    row.maker = row.identity.id.includes("/") ? row.identity.id.split("/")[0] : "";
    row.search = [row.name, ...(row.spellings ?? [])].map(bare).join(" ");
    row.harnesses ??= [];
    row.runtimes ??= [];
    row.keys = Object.keys(row.cells);
    Object.setPrototypeOf(row.cells, null); // a key may have the name of what all objects have
  }
  return { extras, ...overview() };
}

// bare is a text as it is searched: gpt-5.4, GPT 5.4 and gpt54 are one spelling.
const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

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

function overview() {
  const { rows, ...rest } = index;
  const placesOf = (name) =>
    [
      ...groupsOf(
        rows.flatMap((r) => r[name]),
        (id) => id,
      ),
    ]
      .map(([id, { length }]) => [id, length])
      .sort((a, b) => b[1] - a[1]);
  return {
    ...rest,
    models: rows.length,
    runtimes: placesOf("runtimes"),
    harnesses: placesOf("harnesses"),
    silent: rows.filter((r) => r.holding === 0).length,
    conflicting: rows.filter((r) => r.conflicting).length,
    ended: rows.filter((r) => r.ended).length,
  };
}

const says = (cell, value) =>
  cell?.n > 0 && (value === "yes" ? cell.texts?.includes(true) : cell.texts?.[0] === false && cell.texts.length === 1);
const atLeast = (key) => (r, value) => passes(r.cells[key], { op: "gte", value: Number(value) });
const capability = (key) => (r, value) => says(r.cells[key], value);

// tests are what a row has to be for each filter that has a value.
const tests = {
  __proto__: null,
  q: (r, q) =>
    q
      .split(/\s+/)
      .map(bare)
      .every((word) => r.search.includes(word)),
  tools: capability("capability.tools"),
  vision: capability("modality.input.image"),
  reasoning: capability("capability.reasoning"),
  weights: capability("capability.open_weights"),
  context: atLeast("limits.context"),
  price: (r, value) => passes(r.cells["price.output"], { op: "lte", value: Number(value) }),
  maker: (r, maker) => r.maker === maker,
  runs: (r, runs) => r.runtimes.includes(runs) || r.harnesses.includes(runs),
  since: (r, day) => r.released >= day,
  has: (r, key) => r.cells[key]?.n > 0,
  ended: (r, what) => what === "all" || !r.ended,
  evidence: (r, what) => (what === "holds" ? r.holding > 0 : what === "expired" ? r.holding === 0 : r.conflicting),
};

/**
 * list answers with the rows that pass the filters, sorted, the first of them, and of how many
 * rows each option of a filter would be, the other filters as they are.
 * @param {Listing} listing
 * @returns {Listed}
 */
function list({ filters = {}, sort = "", desc = true, columns = [], limit = 100, where = [], options = {} }) {
  const set = Object.entries({ ended: "", ...filters }).filter(
    ([name, value]) => tests[name] && (value || name === "ended"),
  );
  const failing = index.rows.map((r) => {
    const failed = set.filter(([name, value]) => !tests[name](r, value)).map(([name]) => name);
    return where.every((w) => passes(r.cells[w.key], w)) ? failed : [...failed, "where"];
  });
  const kept = index.rows.filter((_, i) => !failing[i].length);
  /** @type {Listed["counts"]} */
  const counts = {};
  for (const name of Object.keys(options)) {
    const others = index.rows.filter((_, i) => failing[i].every((failed) => failed === name));
    const all =
      options[name] ??
      [
        ...groupsOf(
          index.rows.flatMap((r) => (name === "maker" ? r.maker : r.runtimes)),
          (v) => v,
        ).keys(),
      ].filter(Boolean);
    counts[name] = all.map((value) => [value, others.filter((r) => tests[name](r, value)).length]);
    if (!options[name]) counts[name].sort(([a, x], [b, y]) => y - x || compareText(a, b));
  }
  const place = {
    __proto__: null,
    "": null,
    model: (r) => r.name.toLowerCase(),
    runs: (r) => r.runtimes.length,
    released: (r) => r.released ?? null,
    seen: (r) => r.lastSeen,
  };
  const by = sort in place ? place[sort] : (r) => sortValue(r.cells[sort], desc);
  const placed = kept.map((r) => [by?.(r) ?? null, r]);
  if (by)
    placed.sort(([a, x], [b, y]) => {
      const isLater = a === null || b === null ? yesFirst(b === null, a === null) : (desc ? -1 : 1) * compareText(a, b); // unknown last
      return isLater || compareText(x.name, y.name);
    });
  return {
    total: kept.length,
    hidden: filters.ended ? 0 : failing.filter((failed) => failed.length === 1 && failed[0] === "ended").length,
    counts,
    bounds: Object.fromEntries(columns.map((key) => [key, spanOf(key)])),
    rows: placed.slice(0, limit).map(([, r]) => ({
      ...r,
      spellings: null,
      search: "",
      cells: Object.fromEntries(columns.map((key) => [key, r.cells[key] || null])),
    })),
  };
}

// spanOf is the least and the largest number above 0 that the list has of a key.
const spanOf = (key) =>
  entryOf(spans, key, () => {
    const span = { low: Infinity, high: -Infinity, unit: null };
    for (const { cells } of index.rows) {
      const c = cells[key];
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
  const row = index.rows.find((r) => r.key === key);
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
  const found = models.map((key) => index.rows.find((r) => r.key === key)).filter(Boolean);
  const keys = [...new Set(found.flatMap((r) => r.keys))].sort(compareText);
  return { models: found, rows: keys.map((key) => ({ key, cells: found.map((r) => r.cells[key] || null) })) };
}

// plotOf is a plot of a report.
const plotOf = ({ x, y }) => plots[x + " " + y] ?? null;
