// Numbers, units, dates and names as people read them. Prices are moved by their decimal
// point, without arithmetic: nothing is rounded. svc diff writes them alike.
import { h } from "./dom.js";

export const perToken = "USD/token";

// unitText is what a head of a column says of a unit.
export function unitText(unit) {
  return unit === perToken ? "$ / M tokens" : unit || "";
}

// movePoint moves the decimal point of a number's shortest text to the right.
export function movePoint(number, places) {
  let [mantissa, exponent] = String(number).split("e");
  const minus = mantissa.startsWith("-") ? "−" : "";
  mantissa = mantissa.replace("-", "");
  let [whole, fraction = ""] = mantissa.split(".");
  let point = whole.length + places + Number(exponent || 0);
  let digits = whole + fraction;
  if (point < 0) {
    digits = "0".repeat(-point) + digits;
    point = 0;
  }
  digits += "0".repeat(Math.max(0, point - digits.length));
  whole = digits.slice(0, point).replace(/^0+/, "") || "0";
  fraction = digits.slice(point).replace(/0+$/, "");
  return minus + group(whole) + (fraction && "." + fraction);
}

// typedText is a number as a field of the page has it, in the unit that a head names, and
// typedNumber reads what was typed there. Prices are moved by their decimal point again.
export function typedText(value, unit) {
  if (typeof value === "string") return value;
  return typeof value === "number" && unit === perToken ? movePoint(value, 6).replaceAll(",", "").replace("−", "-") : JSON.stringify(value);
}

export function typedNumber(text, unit) {
  const [mantissa, exponent = "0"] = text.trim().replaceAll(",", "").replace("−", "-").toLowerCase().split("e");
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(mantissa)) return NaN;
  return Number(mantissa + "e" + (Number(exponent) - (unit === perToken ? 6 : 0)));
}

// lessIsBetter guesses of a key which end is the good one.
export function lessIsBetter(key, unit) {
  return /USD|seconds|^ms$/.test(unit || "") || /pric|cost|latency|time|error|rank\b|tokens_used/.test(key);
}

function group(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

// numberText is a number with four significant digits, integers whole.
export function numberText(f) {
  const size = Math.abs(f);
  const sign = f < 0 ? "−" : "";
  if ((size !== 0 && size < 1e-4) || size >= 1e15) return sign + String(Number(size.toExponential(3)));
  if (Number.isInteger(size)) return sign + group(String(size));
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(size)));
  const [whole, fraction = ""] = size.toFixed(Math.min(decimals, 20)).split(".");
  return sign + group(whole) + (fraction.replace(/0+$/, "") && "." + fraction.replace(/0+$/, ""));
}

// valueText is a value without its unit. Prices are per million tokens.
export function valueText(value, unit) {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null || value === undefined) return "–";
  if (unit === perToken) return cents(movePoint(value, 6));
  return numberText(value);
}

// cents gives a price two decimals at least, so that prices below each other can be compared.
const cents = (text) => (text.includes(".") ? text.replace(/\.(\d)$/, ".$10") : text + ".00");

// wholeText is a value with its unit, for a sentence.
export function wholeText(value, unit) {
  if (unit === perToken && typeof value === "number") return "$" + valueText(value, unit) + " per million tokens";
  return valueText(value, unit) + (unit ? " " + unit : "");
}

// shortText is a value with its unit, where there is little room.
export function shortText(value, unit) {
  if (unit === perToken && typeof value === "number") return "$" + valueText(value, unit) + " / M";
  return valueText(value, unit) + (unit === "percent" ? " %" : unit ? " " + unit : "");
}

// exactText is the value as the catalog has it, for title texts.
export function exactText(value, unit) {
  return JSON.stringify(value) + (unit ? " " + unit : "");
}

export function count(n, noun, nouns = noun + "s") {
  return numberText(n) + " " + (n === 1 ? noun : nouns);
}

// compareKeys orders keys as people ask for them: prices, then limits, then the rest; what
// goes in before what comes out, and both before what is special.
export const compareKeys = (a, b) => importance(a) - importance(b) || way(a) - way(b) || (a < b ? -1 : a > b ? 1 : 0);
const importance = (key) => (/pric|cost/.test(key) ? 0 : /limit|context|tokens/.test(key) ? 1 : 2);
export const way = (key) => (/input$|prompt$|context/.test(key) ? 0 : /output$|completion$/.test(key) ? 1 : 2);

export const day = (timestamp) => (timestamp ? timestamp.slice(0, 10) : "–");

// minute is a timestamp to the minute, or the day if it is midnight.
export function minute(timestamp) {
  if (!timestamp) return "no end";
  return timestamp.endsWith("T00:00:00.000Z") ? day(timestamp) : timestamp.slice(0, 16).replace("T", " ");
}

// plainName is the identity of a model in one text.
export function plainName(m) {
  return m.id + (m.revision ? "@" + m.revision : "") + (m.quantization ? " " + m.quantization : "");
}

// nameOf is the identity of a model: the maker in soft, the rest in ink.
export function nameOf(m) {
  const at = m.id.indexOf("/") + 1;
  const more = (m.revision ? "@" + m.revision : "") + (m.quantization ? " " + m.quantization : "");
  return h("span", { class: "model" }, at ? h("span", { class: "maker" }, m.id.slice(0, at)) : null, m.id.slice(at), more ? h("span", { class: "maker" }, more) : null);
}

// runsOn says in one text how a model is run.
export function runsOn(scope) {
  if (!scope) return "any execution";
  const parts = [scope.runtime, scope.adapter].filter(Boolean).map((c) => c.id);
  if (scope.workflow) parts.push(scope.workflow.id, scope.workflow.condition);
  return parts.filter(Boolean).join(", ") || "any runtime";
}

// scopeRows is an execution scope member by member.
export function scopeRows(scope) {
  if (!scope) return [["execution", "any"]];
  const version = (c) => c && c.id + (c.version ? " " + c.version : "");
  const { hardware: hw, workflow: wf } = scope;
  return [
    ["runtime", version(scope.runtime)],
    ["adapter", version(scope.adapter)],
    ["context", scope.effectiveContextTokens === null || scope.effectiveContextTokens === undefined ? null : valueText(scope.effectiveContextTokens, "tokens") + " tokens"],
    ["tools", scope.toolSurface && (scope.toolSurface.join(", ") || "none")],
    ["hardware", hw && [hw.class, hw.accelerator, hw.memoryBytes && numberText(hw.memoryBytes) + " bytes"].filter(Boolean).join(", ")],
    ["workflow", wf && [version(wf), wf.condition].filter(Boolean).join(", ")],
  ].map(([name, text]) => [name, text || (scope.kind === "partial" ? "any" : "none")]);
}

export function taskText(task) {
  if (!task) return "every task";
  return [task.family, task.suite, task.taskId].filter(Boolean).join(" / ");
}

// keyText is a key that may be broken after its dots and underscores.
export function keyText(key) {
  return key.split(/(?<=[._/:@-])/).flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part]));
}
