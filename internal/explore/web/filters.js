// The filters of models, which the list and the plot have: their fields, what an address says of
// them, and what the worker is asked.
import { allIn, choice, cross, h, once, optionsOf, put, searchField, unfolder } from "./dom.js";
import {
  counted,
  lessIsBetter,
  nameOfKey,
  numberText,
  optionOf,
  shortText,
  typedNumber,
  typedText,
  unitText,
  yesFirst,
} from "./text.js";
import { decodeURIComponentOr } from "./address.js";
import { state } from "./source.js";

/** @import { Condition, Facet, Overview, Passing } from "./types" */

const mostConditions = 4;
const operators = { lte: "at most", gte: "at least" };

// Filters that say yes or no of a capability.
const capabilities = {
  tools: ["Tool calls", "capability.tools"],
  vision: ["Vision", "modality.input.image"],
  reasoning: ["Reasoning", "capability.reasoning"],
  weights: ["Open weights", "capability.open_weights"],
};
const contexts = [32e3, 128e3, 200e3, 1e6];
const prices = [0.5, 1, 2, 5, 10, 25].map((dollars) => dollars / 1e6);
const evidences = { holds: "some that holds", expired: "all expired", contradictory: "contradictory" };

export class Filters {
  /**
   * @param {Record<string, string>} query of the address
   * @param {() => void} changed is told of each change
   */
  constructor(query, changed) {
    this.changed = changed;
    this.facets = facetsOf(state.overview);
    this.values = Object.fromEntries(["q", "ended", ...this.facets.keys()].map((name) => [name, query[name] || ""]));
    this.where = readWhere(query.where || "");
    /** @type {Map<string, HTMLSelectElement>} */
    this.selects = new Map(); // of the facets
  }

  // query is what an address says of them.
  get query() {
    return { ...this.values, where: writeWhere(this.where) };
  }

  // asked is what the worker is asked.
  get asked() {
    return { filters: this.values, where: this.where.filter((w) => Number.isFinite(w.value)) };
  }

  // options are those whose models are counted.
  get options() {
    return Object.fromEntries([...this.facets].map(([name, { options }]) => [name, options]));
  }

  set(name, value) {
    this.values[name] = value;
    this.changed();
  }

  // search is the field for a name.
  search() {
    const field = searchField(this.values.q, "any spelling", 10, (q) => this.set("q", q));
    return h("label.field.search", h("span", "Model"), field);
  }

  // unfolder shows the fields after it. They are there if one of them is set.
  unfolder() {
    const { q, ...others } = this.values;
    return unfolder(Object.values(others).some(Boolean) || this.where.length > 0);
  }

  // fields are the choices among what models have, and then the conditions on numbers.
  fields(between = null) {
    const choices = [...this.facets].map(([name, { label, options = [], text }]) => {
      const all = [["", "any"], ...options.map((value) => [value, text(value)])];
      const field = choice(label, all, this.values[name], (value) => this.set(name, value));
      this.selects.set(name, field.querySelector("select"));
      return field;
    });
    return [choices, between, new Conditions(this.where, this.changed).node];
  }

  /**
   * count tells how many models each option leaves. Options that leave none go.
   * @param {Passing["counts"]} counts
   */
  count(counts) {
    for (const [name, list] of Object.entries(counts)) {
      const value = this.values[name];
      const { text } = this.facets.get(name);
      const some = list.filter(([option, n]) => n > 0 || option === value);
      if (value && !some.some(([option]) => option === value)) some.push([value, 0]);
      const all = [["", "any"], ...some.map(([option, n]) => counted(text(option), n, option))];
      put(this.selects.get(name), optionsOf(all, value));
    }
  }
}

/**
 * facetsOf are the filters of what the catalog has.
 * @param {Overview} overview
 * @returns {Map<string, Facet>}
 */
function facetsOf({ keys, benchmark, asOf }) {
  const known = new Set(keys.filter((k) => k.holding).map((k) => k.key));
  const months = (n) => new Date(Date.parse(asOf) - n * 30.44 * 864e5).toISOString().slice(0, 10);
  const benchmarks = keys
    .filter((k) => !k.fact && k.numeric && k.holding)
    .sort((a, b) => yesFirst(a.key === benchmark, b.key === benchmark) || b.holding - a.holding);
  /** @type {Map<string, Facet>} */
  const facets = new Map();
  for (const [name, [label, key]] of Object.entries(capabilities))
    if (known.has(key)) facets.set(name, { label, options: ["yes", "no"], text: String });
  if (known.has("price.output")) {
    const text = (v) => "at most " + shortText(Number(v), "USD/token");
    facets.set("price", { label: "Output price", options: prices.map(String), text });
  }
  if (known.has("limits.context")) {
    const text = (v) => "at least " + numberText(Number(v));
    facets.set("context", { label: "Context", options: contexts.map(String), text });
  }
  facets.set("maker", { label: "Maker", text: String });
  facets.set("runs", { label: "Seller", text: String });
  if (known.has("lifecycle.released"))
    facets.set("since", { label: "Released", options: [3, 6, 12, 24].map(months), text: (v) => "since " + v });
  if (benchmarks[0]) facets.set("has", { label: "Benchmark", options: benchmarks.map((k) => k.key), text: nameOfKey });
  facets.set("evidence", { label: "Evidence", options: Object.keys(evidences), text: (v) => evidences[v] ?? v });
  return facets;
}

/**
 * Conditions on numbers are in the address as op:value:key, parted by commas.
 * @returns {Condition[]}
 */
const readWhere = (text) =>
  text
    .split(",")
    .map((part) => part.split(":"))
    .filter(([op, , key]) => (op === "lte" || op === "gte") && key)
    .map(([op, value, key]) => ({ op, value: Number(value || NaN), key: decodeURIComponentOr(key) }))
    .slice(0, mostConditions);

const writeWhere = (where) =>
  where
    .filter((w) => Number.isFinite(w.value))
    .map((w) => [w.op, w.value, encodeURIComponent(w.key)].join(":"))
    .join(",");

/** @returns {Condition} */
const newCondition = (key) => ({ key, op: lessIsBetter(key) ? "lte" : "gte", value: NaN });

// Conditions are the fields of what numbers must be: at most this price, at least that much context.
class Conditions {
  /**
   * @param {Condition[]} where is changed
   * @param {() => void} changed
   */
  constructor(where, changed) {
    this.where = where;
    this.changed = changed;
    this.keys = state.overview.keys.filter((k) => k.numeric && k.units.length === 1);
    this.node = h("div.conditions");
    this.draw();
  }

  draw() {
    const add = (key) => {
      this.where.push(newCondition(key));
      this.draw();
      this.focusLast();
    };
    put(
      this.node,
      this.where.map((w, i) => this.line(w, i)),
      this.where.length < mostConditions &&
        this.keys[0] &&
        choice(this.where.length ? "and" : "Where", [["", "any number"], ...this.keys.map(optionOf)], "", add),
    );
  }

  focusLast() {
    allIn(this.node, "input").at(-1)?.focus();
  }

  /** @param {Condition} w */
  line(w, i) {
    const known = this.keys.find((k) => k.key === w.key);
    const unit = known?.units[0];
    const options = [...(known ? [] : [[w.key, w.key]]), ...this.keys.map(optionOf)];
    const set = (members) => {
      Object.assign(w, members);
      this.draw();
      this.changed();
    };
    const setKey = (key) => {
      set(newCondition(key));
      this.focusLast();
    };
    const remove = () => {
      this.where.splice(i, 1);
      set({});
    };
    return h(
      "div.line.condition",
      choice(i ? "and" : "Where", options, w.key, setKey),
      choice("is", Object.entries(operators), w.op, (op) => set({ op })),
      h("label.field.amount", h("span", unitText(unit) || "number"), this.amount(w, unit)),
      cross("the condition on " + w.key, remove),
    );
  }

  // amount is the field of the number.
  amount(w, unit) {
    const what = unitText(unit) || "number";
    const take = () => {
      w.value = typedNumber(input.value, unit);
      input.setAttribute("aria-invalid", String(input.value !== "" && !Number.isFinite(w.value)));
      this.changed();
    };
    const input = h("input", {
      type: "text",
      inputmode: "decimal",
      value: Number.isFinite(w.value) ? typedText(w.value, unit) : "",
      placeholder: what,
      "aria-label": `${w.op === "lte" ? "At most" : "At least"}, ${what}`,
      oninput: once(take, 150),
    });
    return input;
  }
}
