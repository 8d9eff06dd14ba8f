// The screen "Changes": what changed since the catalog before, and why rankings did.
import {
  announce,
  append,
  button,
  choice,
  h,
  heads,
  linkTo,
  number,
  put,
  region,
  rowHead,
  searchField,
  terms,
  title,
} from "./dom.js";
import {
  changeText,
  count,
  day,
  joined,
  minute,
  nameOf,
  numberText,
  plainName,
  runsOn,
  unitText,
  valueText,
} from "./text.js";
import { replace, toModel } from "./address.js";
import { endsOf, ranking } from "./moves.js";
import { state } from "./source.js";
import { tools } from "./tools.js";

/** @import { Aggregate, Change, Diff, DiffFact, DiffModel } from "./types" */

const signs = {
  added: "+",
  revived: "+",
  backfilled: "+",
  renewed: "+",
  removed: "−",
  silenced: "−",
  expired: "−",
  changed: "~",
  settled: "~",
  contradicted: "◆",
};
const order = [
  "silenced",
  "removed",
  "contradicted",
  "changed",
  "settled",
  "expired",
  "added",
  "revived",
  "renewed",
  "backfilled",
];

export async function changes(page, { query }) {
  const { diff, requests } = state.extras;
  if (!diff)
    return append(
      page,
      title("Changes"),
      h("p.empty", "There is no older catalog to compare with. Start with --against OLD."),
    );
  const list = new List(diff, query);
  const ends = endsOf(diff);
  const when = day(diff.old.asOf) === day(diff.new.asOf) ? minute : day;
  append(
    page,
    h(
      "div.bar",
      title("Changes", h("span", ` from ${when(diff.old.asOf)} to ${when(diff.new.asOf)}`)),
      tools("changes", () => list.lines()),
    ),
    summary(diff),
    diff.rankings.map((r, i) => ranking(r, ends, requests[i]?.name || r.request.sha256.slice(0, 12))),
    h("h2.part", "Models and what is known of them"),
    list.nodes(),
    leftOut(diff),
  );
  list.draw();
}

// counted are the counts of a summary that are not 0, and those that only say so again.
function counted(counts, names) {
  const some = names.filter((name) => counts[name]).map((name) => `${numberText(counts[name])} ${name}`);
  return joined([some.join(", ") || "none", counts.reaffirmed && `${numberText(counts.reaffirmed)} reaffirmed`], "; ");
}

/** @param {Diff} diff */
function summary({ summary: { models, facts, samples, conflicts } }) {
  const ofFacts = ["changed", "contradicted", "settled", "added", "removed", "renewed", "expired", "backfilled"];
  const rows = [
    ["models", counted(models, ["added", "removed", "silenced", "revived", "changed"])],
    ["facts", counted(facts, ofFacts)],
    ["samples", counted(samples, ["changed", "removed", "expired", "added"])],
    ["conflicts", counted(conflicts, ["arisen", "ended", "changed"])],
  ];
  return h("dl.counts", terms(rows));
}

/** @param {Diff} diff */
function leftOut({ leftOut: counts }) {
  const some = Object.entries(counts).filter(([, n]) => n);
  const text = some.map(([kind, n]) => `${numberText(n)} ${kind}`).join(", ");
  return some[0] && h("p.soft", `More than can be listed changed: left out are ${text}.`);
}

// List is the changes with their filters.
class List {
  /**
   * @param {Diff} diff
   * @param {Record<string, string>} query
   */
  constructor(diff, { q = "", key = "", kind = "" }) {
    this.filters = { q, key, kind };
    this.rows = rowsOf(diff);
    this.shown = 100;
    this.said = h("p.soft.found");
    this.list = region("Changes", "table");
  }

  nodes() {
    const { filters, rows } = this;
    const keys = [...new Set(rows.map((r) => r.key).filter(Boolean))].sort();
    const kinds = order.filter((kind) => rows.some((r) => r.change === kind));
    const set = (name) => (value) => {
      filters[name] = value;
      this.shown = 100;
      replace("changes", filters);
      this.draw();
    };
    return [
      h(
        "div.filters",
        h("label.field.search", h("span", "Model"), searchField(filters.q, "part of the name", 60, set("q"))),
        choice("Key", [["", "any"], ...keys], filters.key, set("key")),
        choice("Change", [["", "any"], ...kinds], filters.kind, set("kind")),
      ),
      this.said,
      this.list,
    ];
  }

  // kept are the rows that pass the filters.
  get kept() {
    const { q, key, kind } = this.filters;
    const words = q.toLowerCase().split(/\s+/);
    const isNamed = ({ name }) => words.every((word) => name.toLowerCase().includes(word));
    return this.rows.filter((row) => (!key || row.key === key) && (!kind || row.change === kind) && isNamed(row));
  }

  draw() {
    const { kept, shown } = this;
    const next = () => {
      this.shown += 100;
      this.draw();
    };
    this.said.textContent = count(kept.length, "change");
    announce(this.said.textContent);
    put(
      this.list,
      kept.length ? table(kept.slice(0, shown)) : h("p.empty", "No change matches."),
      kept.length > shown && h("p", button(`Show ${Math.min(100, kept.length - shown)} more`, next)),
    );
  }

  lines() {
    return [
      ["change", "model", "runs on", "key", "old", "new", "unit", "ratio"],
      ...this.kept.map((r) => [r.change, r.name, r.on, r.key, r.oldValue, r.newValue, r.unit, r.ratio]),
    ];
  }
}

/**
 * rowsOf is a row for each change, in the order of the table of svc diff: models that came and went,
 * then facts, the models first of which a number changed most.
 * @param {Diff} diff
 */
function rowsOf(diff) {
  const rows = diff.models.flatMap(changesOf);
  const largest = new Map(); // of a model, by change
  const place = (r) => order.indexOf(r.change === "settled" ? "changed" : r.change);
  const ofAll = (r) => place(r) + r.model.key;
  for (const r of rows) largest.set(ofAll(r), Math.max(largest.get(ofAll(r)) || 0, r.size));
  const down = (x, y) => (x === y ? 0 : y - x); // of infinite ones too
  return rows.sort(
    (a, b) =>
      place(a) - place(b) ||
      down(largest.get(ofAll(a)), largest.get(ofAll(b))) ||
      a.number - b.number ||
      down(a.size, b.size),
  );
}

/**
 * changesOf are the changes of one model.
 * @param {DiffModel} m
 * @returns {Change[]}
 */
function changesOf(m, number) {
  const base = { model: m, number, name: plainName(m.identity), size: 0, ratio: null };
  const isNew = ["added", "revived"].includes(m.change);
  const { holdingNew, holdingOld } = m.observations;
  const says = isNew ? count(holdingNew, "observation") + " hold" : count(holdingOld, "observation") + " held";
  const whole = m.change === "changed" ? [] : [{ ...base, change: m.change, key: "", on: "", says }];
  if (whole[0] && !isNew) return whole;
  const facts = m.facts.map((f) => ({
    ...base,
    change: f.change,
    key: f.measurementKey,
    on: runsOn(f.execution),
    old: f.old,
    new: f.new,
    ratio: f.ratio,
    unit: (f.new || f.old).values[0]?.unit,
    oldValue: first(f.old),
    newValue: first(f.new),
    size: f.ratio === null ? 0 : Math.abs(Math.log(Math.abs(f.ratio))), // infinite for a new value of 0
  }));
  const samples = m.samples.map((g) => ({
    ...base,
    change: ofSamples(g),
    key: g.measurementKey,
    on: runsOn(g.execution),
    old: sampled(g.old),
    new: sampled(g.new),
    unit: (g.new?.n ? g.new : g.old)?.unit,
    oldValue: mean(g.old),
    newValue: mean(g.new),
  }));
  return [...whole, ...facts, ...samples];
}

// ofSamples is how samples changed: none were used before, none are now, or they come to something else.
const ofSamples = ({ old, new: now }) => (!old?.n ? "added" : now?.n ? "changed" : now ? "expired" : "removed");

const mean = (a) => (a ? (a.successRate ?? a.mean) : null);

/**
 * sampled is what samples come to, as a fact has it.
 * @param {Aggregate | null} a
 * @returns {DiffFact | null}
 */
const sampled = (a) =>
  a?.n > 0 ? { state: "value", n: a.n, valueCount: 1, values: [{ value: mean(a), unit: a.unit }] } : null;

const first = (fact) => fact?.values[0]?.value ?? null;

/** @param {DiffFact | null} fact */
function factText(fact) {
  if (!fact) return h("span.none", "–");
  const text =
    fact.values
      .slice(0, 3)
      .map((v) => valueText(v.value, v.unit))
      .join(" or ") + (fact.valueCount > 3 ? ` or ${numberText(fact.valueCount - 3)} more` : "");
  return h(
    "span",
    { class: fact.state === "expired" ? "gone" : "" },
    text,
    fact.n > 0 && h("small.soft", ` n ${numberText(fact.n)}`),
  );
}

/** @param {Change[]} rows */
function table(rows) {
  const head = heads([h("span.away", "Change"), "Model", "On", "Key"], ["Old", "New", "By"], ["Unit"]);
  return h("table", head, h("tbody", rows.map(row)));
}

/** @param {Change} r */
function row(r) {
  const { change, identity, key } = r.model;
  const name = nameOf(identity);
  return h(
    "tr",
    h("td", { class: "sign " + r.change, title: r.change }, signs[r.change], h("span.away", r.change)),
    rowHead(change === "removed" ? name : linkTo(toModel(key), name)),
    r.key
      ? [
          h("td.runs", r.on),
          h("td.keyname", r.key),
          number("old", factText(r.old)),
          number("new", factText(r.new)),
          h("td.number", r.ratio === null ? "" : changeText(r.ratio)),
          h("td.runs", unitText(r.unit)),
        ]
      : h("td", { colspan: "6", class: "runs" }, r.change + ", " + r.says),
  );
}
