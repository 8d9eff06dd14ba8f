// Numbers, units, dates and names as people read them. Numbers follow the rules of package
// quantity, which the terminal has too: a test compares both.
/** @import { Estimate, Key, Model, Scope, Task, Value } from "./types" */
import { h } from "./dom.js";
import { state } from "./source.js";

export const perToken = "USD/token";

// unitText is what a head of a column says of a unit.
export function unitText(unit) {
  return unit === perToken ? "$ / M tokens" : unit || "";
}

// labelOf is a key with the unit of its numbers, where no head of a column says it.
export const labelOf = (key, unit) => joined([nameOfKey(key), unitText(unit)], ", ");

// A decimal is the number 0.digits times ten to the point, the shortest that is read as f.
function decimal(f) {
  const [mantissa, exponent] = Math.abs(f).toExponential().split("e");
  const digits = mantissa.replace(".", "").replace(/0+$/, "");
  return { digits, point: digits ? Number(exponent) + 1 : 0 };
}

const sign = (f, minus = "−") => (f < 0 ? minus : "");
const shift = (d, places) => (d.digits ? { digits: d.digits, point: d.point + places } : d);

// round leaves so many significant digits. Halves go up.
function round(d, n) {
  if (d.digits.length <= n) return d;
  const digits = d.digits.slice(0, n);
  if (d.digits[n] < "5") return { digits: digits.replace(/0+$/, ""), point: d.point };
  const kept = digits.replace(/9+$/, "");
  return kept
    ? { digits: kept.slice(0, -1) + (Number(kept.at(-1)) + 1), point: d.point }
    : { digits: "1", point: d.point + 1 };
}

function plain({ digits, point }, decimals) {
  const all = "0".repeat(Math.max(0, 1 - point)) + digits;
  const at = Math.max(1, point);
  const text = all.padEnd(at + decimals, "0");
  return text.length === at ? text : text.slice(0, at) + "." + text.slice(at);
}

const grouped = (d, decimals) => plain(d, decimals).replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

// numberText is a number without a unit.
export function numberText(f, digits = 4) {
  const d = decimal(f);
  if ((d.digits && d.point < -5) || d.point > 15) {
    const {
      digits: [first, ...rest],
      point,
    } = round(d, digits);
    return sign(f) + first + (rest.length ? "." + rest.join("") : "") + "e" + (point > 0 ? "+" : "") + (point - 1);
  }
  return sign(f) + grouped(round(d, Math.max(digits, d.point)), 0);
}

// priceText is a price of a token as one of a million, without the dollar.
export const priceText = (f, decimals) => grouped(shift(decimal(f), 6), decimals);

// sizeText is a number without sign and unit.
function sizeText(f, unit) {
  if (unit === perToken) return priceText(f, 2);
  const d = decimal(f);
  return unit === "USD" ? grouped(round(d, Math.max(4, d.point + 2)), 2) : numberText(Math.abs(f));
}

/**
 * valueText is a value without its unit, which the head of a column says.
 * @param {Value} value
 */
export function valueText(value, unit) {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if ((value ?? null) === null) return "–";
  return sign(value) + sizeText(value, unit);
}

/**
 * wholeText is a value with its unit, for a sentence.
 * @param {Value} value
 */
export function wholeText(value, unit, million = "per million tokens") {
  if (typeof value !== "number") return valueText(value) + (unit ? " " + unit : "");
  const dollar = unit === perToken || unit === "USD" ? "$" : "";
  return (
    sign(value) +
    dollar +
    sizeText(value, unit) +
    (unit === perToken ? " " + million : unit === "percent" ? "%" : unit && !dollar ? " " + unit : "")
  );
}

// rangeOf is a range without its unit, on one line.
export const rangeOf = (low, high, unit) => h("span.whole", `${valueText(low, unit)} – ${valueText(high, unit)}`);

// shortText is a value with its unit, where there is little room.
export const shortText = (value, unit) => wholeText(value, unit, "/ M");

// changeText is a change by a factor: +150%, −75%.
export const changeText = (ratio) => (ratio < 1 ? "" : "+") + numberText((ratio - 1) * 100, 2) + "%";

// typedText is a number as a field of the page has it, in the unit that a head names, with
// all its digits, and typedNumber reads what was typed there.
export function typedText(value, unit) {
  if (typeof value === "string") return value;
  return typeof value === "number" && unit === perToken
    ? sign(value, "-") + plain(shift(decimal(value), 6), 0)
    : JSON.stringify(value);
}

export function typedNumber(text, unit) {
  const [mantissa, exponent = "0"] = text.trim().replaceAll(",", "").replace("−", "-").toLowerCase().split("e");
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(mantissa)) return NaN;
  return Number(mantissa + "e" + (Number(exponent) - (unit === perToken ? 6 : 0)));
}

// lessIsBetter tells which end of a key is the good one.
export const lessIsBetter = (key) => infoOf(key)?.less ?? false;

// exactText is the value as the catalog has it, and exact the title text of what has a value.
export const exactText = (value, unit) => JSON.stringify(value) + (unit ? " " + unit : "");
/** @param {{ value: Value, unit?: string | null }} x */
export const exact = ({ value, unit }) => ({ title: exactText(value, unit) });

export function count(n, noun, nouns = noun + "s") {
  return numberText(n) + " " + (n === 1 ? noun : nouns);
}

// counted is what can be chosen from a list, with a number of models, and optionOf a key there.
export const counted = (name, n, value = name) => [value, `${name} (${numberText(n)})`];
export const optionOf = (k) => counted(k.name || k.key, k.holding, k.key);

// keyOf names what a criterion or its reason is about: the measurement or, of a sum, its id,
// without the role that an id begins with which nobody chose.
export const keyOf = (c) =>
  c.measurementKey || (c.criterion || c.id || "sum").replace(/^(preference|requirement|tieBreaker):/, "");

// nameOfKey is what people call a key, and keyName the same with what it measures.
export const nameOfKey = (key) => infoOf(key)?.name || key;
export const keyName = (key) =>
  h("span", { title: joined([infoOf(key)?.line, key], " ") }, infoOf(key)?.name || keyText(key));

/**
 * infoOf is what the catalog has of a key.
 * @returns {Key | undefined}
 */
export const infoOf = (key) => state.overview.keys.find((k) => k.key === key);

// keyOptions are the keys of which something holds.
export const keyOptions = () => state.overview.keys.filter((k) => k.holding).map(optionOf);

// groupsOf is a map of the members of a list by what a function says of each.
export function groupsOf(list, nameOf) {
  const groups = new Map();
  for (const one of list) entryOf(groups, nameOf(one), () => []).push(one);
  return groups;
}

// entryOf is what a map has under a name. Where it has nothing yet it is made.
export function entryOf(map, name, make) {
  if (!map.has(name)) map.set(name, make());
  return map.get(name);
}

// contentOf is a text that is the same for equal values.
export const contentOf = (x) => JSON.stringify([x.value, x.unit ?? null]);

/**
 * sureness is an estimate in words.
 * @param {Estimate} e
 */
export function sureness(e) {
  const words = {
    tasks: "for other tasks of the kind, from " + count(e.tasks, "task"),
    published: "as the source publishes",
    sum: "of its parts",
  };
  return `${valueText(e.low, e.unit)} to ${valueText(e.high, e.unit)}, ${e.trials ? count(e.trials, "question") : words[e.basis] || e.basis}`;
}

// yesFirst orders what is so before what is not.
export const yesFirst = (a, b) => Number(Boolean(b)) - Number(Boolean(a));

// compareText orders texts by UTF-16 code units.
export const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

// compareKeys orders keys as people ask for them: prices, then limits, then the rest; what
// goes in before what comes out, and both before what is special or has a condition.
// namesOffer: what a list calls an offer contradicts no other name.
export const namesOffer = (key) =>
  ["id", "mode", "api", "key_variable", "client", "docs", "litellm"].some((name) => key === "offer." + name);
export const compareKeys = (a, b) =>
  importance(a) - importance(b) || a.includes("@") - b.includes("@") || way(a) - way(b) || compareText(a, b);
const importance = (key) => (/pric|cost/.test(key) ? 0 : /limit|context|tokens/.test(key) ? 1 : 2);
export const way = (key) => (/input$|prompt$|context/.test(key) ? 0 : /output$|completion$/.test(key) ? 1 : 2);

// joined is what there is of some texts.
export const joined = (list, by = " · ") => list.filter(Boolean).join(by);

// holdsAt tells whether evidence counts at a time.
export const holdsAt = ({ observedAt, validUntil }, at) => observedAt <= at && (!validUntil || validUntil > at);

export const day = (timestamp) => (timestamp ? timestamp.slice(0, 10) : "–");

// minute is a timestamp to the minute, or the day if it is midnight.
export function minute(timestamp) {
  if (!timestamp) return "no end";
  return timestamp.endsWith("T00:00:00.000Z") ? day(timestamp) : timestamp.slice(0, 16).replace("T", " ");
}

/**
 * plainName is the identity of a model in one text.
 * @param {Model} m
 */
export const plainName = (m) => m.id + variantOf(m);
/** @param {Partial<Model>} m */
const variantOf = (m) => (m.revision ? "@" + m.revision : "") + (m.quantization ? " " + m.quantization : "");

/**
 * nameOf is the identity of a model: the maker in soft, the rest in ink.
 * @param {Partial<Model>} m
 */
export function nameOf(m) {
  const at = m.id.indexOf("/") + 1;
  return h("span.model", h("span.maker", m.id.slice(0, at)), m.id.slice(at), h("span.maker", variantOf(m)));
}

// ownWorkflow is the workflow of candidates that are not run as they were measured.
export const ownWorkflow = "your-agent";

/**
 * runsOn says in one text how a model is run.
 * @param {Scope | null} scope
 */
export function runsOn(scope) {
  if (!scope) return "any execution";
  const { runtime, adapter, workflow } = scope;
  const parts = [runtime?.id, adapter?.id, workflow?.id, workflow?.condition].filter(
    (part) => part && part !== ownWorkflow,
  );
  return [...new Set(parts)].join(", ") || "any runtime";
}

// versionText is a component with its version, if there is one.
export const versionText = (c) => c && joined([c.id, c.version], " ");

// placeOf is the runtime of a scope that says nothing else, as that of a price does.
export const placeOf = (s) =>
  s &&
  s.kind === "partial" &&
  s.runtime &&
  !s.runtime.version &&
  ["adapter", "effectiveContextTokens", "hardware", "toolSurface", "workflow"].every(
    (name) => (s[name] ?? null) === null,
  )
    ? s.runtime.id
    : null;

/**
 * scopeRows is an execution scope member by member.
 * @param {Scope | null} scope
 */
export function scopeRows(scope) {
  if (!scope) return [["execution", "any"]];
  const { hardware: hw, workflow: wf } = scope;
  return [
    ["runtime", versionText(scope.runtime)],
    ["adapter", versionText(scope.adapter)],
    ["context", scope.effectiveContextTokens && wholeText(scope.effectiveContextTokens, "tokens")],
    ["tools", scope.toolSurface && (scope.toolSurface.join(", ") || "none")],
    ["hardware", hw && joined([hw.class, hw.accelerator, hw.memoryBytes && wholeText(hw.memoryBytes, "bytes")], ", ")],
    ["workflow", wf && joined([versionText(wf), wf.condition], ", ")],
  ].map(([name, text]) => [name, text || (scope.kind === "partial" ? "any" : "none")]);
}

/** @param {Task | null} task */
export function taskText(task) {
  if (!task) return "every task";
  return joined([task.family, task.suite, task.taskId], " / ");
}

// keyText is a key that may be broken after its dots and underscores.
export function keyText(key) {
  return key.split(/(?<=[._/:@-])/).flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part]));
}

// quote makes one word for a shell of any text.
export const quote = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");
