// sha256 of the sources: 95fcf2e23f5464114f9f876331bc8997b1dd24d3b44b91ed82f9ebffb078025f
(() => {
function h(name, ...parts) {
const [tag, ...classes] = name.split(".");
return fill(document.createElement(tag), classes, parts);
}
function s(name, ...parts) {
const [tag, ...classes] = name.split(".");
const node = fill(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, parts);
if (tag === "svg" && !node.hasAttribute("role")) node.setAttribute("aria-hidden", "true");
return node;
}
function fill(node, classes, parts) {
if (classes.length) node.setAttribute("class", classes.join(" "));
const attributes = parts[0]?.constructor === Object ? parts.shift() : {};
for (const [name, value] of Object.entries(attributes)) {
if (!isThere(value)) continue;
if (typeof value === "function") node.addEventListener(name.slice(2), value);
else if (name === "value") node.value = value;
else node.setAttribute(name, value === true ? "" : name === "title" || name === "aria-label" ? visible(value) : value);
}
append(node, ...parts);
return node;
}
var isThere = (value) => (value ?? false) !== false;
var present = (children) => children.flat(4).filter(isThere).map(visible);
var visible = (text) => typeof text !== "string" ? text : text.replace(/(?![\t\n\u200d])[\p{Cc}\p{Cf}]/gu, (c) => "\\u" + c.codePointAt().toString(16).padStart(4, 0));
var title = (...text) => h("h1", { tabindex: "-1" }, text);
var terms = (rows) => rows.filter(Boolean).map(([name, ...text]) => h("div", h("dt", name), h("dd", text)));
var line = (x1, x2, y1, y2, name = "") => s("line" + name, { x1, x2, y1, y2 });
var label = (x, y, text, anchor) => s("text", { x, y, "text-anchor": anchor }, text);
var heads = (words, numbers = [], more = []) => h("thead", h("tr", [words, numbers, more].map((list2) => list2.map((text) => h("th", { scope: "col", class: list2 === numbers && "number" }, text)))));
var append = (node, ...children) => node.append(...present(children));
var put = (node, ...children) => node.replaceChildren(...present(children));
function link(uri, text = uri) {
if (!/^https?:\/\//i.test(uri)) return h("span.mono", text);
return h("a", { href: uri, rel: "noreferrer noopener", target: "_blank", class: "evidence" }, text);
}
var linkTo = (address, ...text) => h("a", { href: address }, text);
var button = (text, onclick) => h("button", { onclick }, text);
var region = (name, kind, ...children) => h("div." + kind, { tabindex: "0", role: "region", "aria-label": name }, children);
var fold = (text, ...children) => h("details.fold", h("summary", text), children);
var rowHead = (...text) => h("th", { scope: "row" }, text);
function choice(label2, options, value, onchange) {
const entry = (o) => typeof o === "string" ? entry([o, o]) : o.group !== void 0 ? h("optgroup", { label: o.group }, o.options.map(entry)) : h("option", { value: o[0], selected: o[0] === value }, o[1]);
const select = h("select", { onchange: () => onchange(select.value) }, options.map(entry));
return h("label.field", h("span", label2), select);
}
var searchField = (value, hint, wait, told, more) => h("input", { type: "search", id: "search", value, placeholder: hint, autocomplete: "off", oninput: once(({ target }) => told(target.value), wait), ...more });
function unfolder(isOpen) {
const node = h("button.unfold", { "aria-expanded": String(!!isOpen), onclick: () => {
node.ariaExpanded = node.ariaExpanded === "false";
} }, "Filters");
return node;
}
function few(list2, draw) {
const rest = list2.slice(20);
const more = h("div.more", button(`Show ${rest.length} more`, () => more.replaceWith(...rest.map(draw))));
return [list2.slice(0, 20).map(draw), rest[0] && more];
}
function once(run, wait) {
let timer = 0;
return (...args) => {
clearTimeout(timer);
timer = setTimeout(() => run(...args), wait);
};
}
var isNarrow = () => matchMedia("(max-width: 719px)").matches;
var byId = (id) => document.getElementById(id);
function announce(text) {
byId("said").textContent = text;
}
function save(name, text, type = "text/plain") {
const url = URL.createObjectURL(new Blob([text], { type }));
h("a", { href: url, download: name }).click();
setTimeout(() => URL.revokeObjectURL(url), 1e4);
}
async function copy(text, button2) {
try {
await navigator.clipboard.writeText(text);
say(button2, "Copied");
} catch {
const area = h("textarea.away", { "aria-hidden": "true" });
area.value = text;
document.body.append(area);
area.select();
say(button2, document.execCommand("copy") ? "Copied" : "The browser refused");
area.remove();
}
}
var cross = (name, onclick) => h("button.quiet", { "aria-label": "Remove " + name, onclick }, "×");
function copyButton(text, make) {
const node = button(text, () => copy(make(), node));
return node;
}
function say(button2, text) {
button2.dataset.name ??= button2.textContent;
button2.textContent = text;
announce(text);
setTimeout(() => button2.textContent = button2.dataset.name, 1500);
}

var drawn = "";
function at(first2) {
drawn = location.hash;
const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
const parts = path.split("/").filter(Boolean).map(decodeURIComponentOr);
return { screen: parts[0] || first2, rest: parts.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}
function decodeURIComponentOr(text) {
try {
return decodeURIComponent(text);
} catch {
return text;
}
}
function to(path, query = {}) {
const kept = Object.entries(query).filter(([, v]) => (v ?? "") !== "");
const text = new URLSearchParams(kept).toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
return "#/" + path + (text && "?" + text);
}
var toModel = (model3, key, observation) => to("model/" + model3, { k: key, o: observation });
function replace(path, query) {
if (location.hash !== drawn) return;
history.replaceState(null, "", to(path, query));
drawn = location.hash;
}
var longestLink = 8e3;
async function pack(value) {
const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("gzip"));
const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
let text = "";
for (const byte of bytes) text += String.fromCharCode(byte);
return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
async function unpack(text, most = 1 << 20) {
let size2 = 0;
const bound2 = new TransformStream({ transform(bytes, next) {
size2 += bytes.length;
if (size2 > most) throw new Error("the request in the link is larger than " + most + " bytes");
next.enqueue(bytes);
} });
return new Response(unzipped(text.replaceAll("-", "+").replaceAll("_", "/")).pipeThrough(bound2)).json();
}
var unzipped = (text) => new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"));

var worker;
var number = 0;
var waiting = new Map();
var onread = () => {
};
var state = {
overview: null,
extras: { diff: null, requests: [], catalogFile: "" },
isReport: false,
picked: [],
onother: () => {
}
};
async function open(script, told) {
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
[state.overview, state.extras] = await Promise.all([ask("open", { url: new URL("/explore/index.json", location.href).href }), get("/explore/extras.json").then((response) => response.json())]);
}
var fault = (asked, status, message) => Object.assign(new Error(message), { asked, status, path: /\$[\w.[\]]*/.exec(message)?.[0] || "" });
async function get(path) {
let response;
try {
response = await fetch(path);
} catch {
throw fault("GET " + path, 0, "no answer");
}
if (!response.ok) throw fault("GET " + path, response.status, response.statusText || "refused");
return response;
}
function ask(question, options) {
return new Promise((resolve, reject) => {
waiting.set(++number, { resolve, reject });
worker.postMessage({ number, ask: question, with: options });
});
}
var rank = (request, signal) => post("/v1/rank", request, signal);
var answer = (question, signal) => post("/explore/answer", question, signal);
var points = (question, signal) => state.isReport ? ask("plotOf", { x: question.x.key, y: question.y.key }) : post("/explore/plot", question, signal);
async function post(path, value, signal) {
const asked = "POST " + path;
const body = JSON.stringify(value);
for (; ; ) {
let response, text;
try {
response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
text = await response.text();
} catch (error) {
throw error.name === "AbortError" ? error : fault(asked, 0, "no answer");
}
if (response.status === 503) {
const seconds = Number(response.headers.get("Retry-After")) || 1;
await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 30) * 1e3));
signal?.throwIfAborted();
continue;
}
let answer2;
try {
answer2 = JSON.parse(text);
} catch {
throw fault(asked, response.status, "the answer is not JSON");
}
const { catalog } = answer2.result ?? answer2;
if (catalog && catalog.digest !== state.overview.digest) state.onother(catalog);
if (!response.ok) throw fault(asked, response.status, answer2.error?.message || "refused");
return answer2;
}
}

var perToken = "USD/token";
function unitText(unit) {
return unit === perToken ? "$ / M tokens" : unit || "";
}
var labelOf = (key, unit) => joined([nameOfKey(key), unitText(unit)], ", ");
function decimal(f) {
const [mantissa, exponent] = Math.abs(f).toExponential().split("e");
const digits = mantissa.replace(".", "").replace(/0+$/, "");
return { digits, point: digits ? Number(exponent) + 1 : 0 };
}
var sign = (f, minus = "−") => f < 0 ? minus : "";
var shift = (d, places) => d.digits ? { digits: d.digits, point: d.point + places } : d;
function round(d, n) {
if (d.digits.length <= n) return d;
const digits = d.digits.slice(0, n);
if (d.digits[n] < "5") return { digits: digits.replace(/0+$/, ""), point: d.point };
const kept = digits.replace(/9+$/, "");
return kept ? { digits: kept.slice(0, -1) + (Number(kept.at(-1)) + 1), point: d.point } : { digits: "1", point: d.point + 1 };
}
function plain({ digits, point }, decimals) {
const all = "0".repeat(Math.max(0, 1 - point)) + digits;
const at2 = Math.max(1, point);
const text = all.padEnd(at2 + decimals, "0");
return text.length === at2 ? text : text.slice(0, at2) + "." + text.slice(at2);
}
var grouped = (d, decimals) => plain(d, decimals).replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
function numberText(f, digits = 4) {
const d = decimal(f);
if (d.digits && d.point < -5 || d.point > 15) {
const { digits: [first2, ...rest], point } = round(d, digits);
return sign(f) + first2 + (rest.length ? "." + rest.join("") : "") + "e" + (point > 0 ? "+" : "") + (point - 1);
}
return sign(f) + grouped(round(d, Math.max(digits, d.point)), 0);
}
var priceText = (f, decimals) => grouped(shift(decimal(f), 6), decimals);
function sizeText(f, unit) {
if (unit === perToken) return priceText(f, 2);
const d = decimal(f);
return unit === "USD" ? grouped(round(d, Math.max(4, d.point + 2)), 2) : numberText(Math.abs(f));
}
function valueText(value, unit) {
if (typeof value === "string") return value;
if (typeof value === "boolean") return value ? "yes" : "no";
if ((value ?? null) === null) return "–";
return sign(value) + sizeText(value, unit);
}
function wholeText(value, unit, million = "per million tokens") {
if (typeof value !== "number") return valueText(value) + (unit ? " " + unit : "");
const dollar = unit === perToken || unit === "USD" ? "$" : "";
return sign(value) + dollar + sizeText(value, unit) + (unit === perToken ? " " + million : unit === "percent" ? "%" : unit && !dollar ? " " + unit : "");
}
var rangeOf = (low, high, unit) => h("span.whole", `${valueText(low, unit)} – ${valueText(high, unit)}`);
var shortText = (value, unit) => wholeText(value, unit, "/ M");
var changeText = (ratio) => (ratio < 1 ? "" : "+") + numberText((ratio - 1) * 100, 2) + "%";
function typedText(value, unit) {
if (typeof value === "string") return value;
return typeof value === "number" && unit === perToken ? sign(value, "-") + plain(shift(decimal(value), 6), 0) : JSON.stringify(value);
}
function typedNumber(text, unit) {
const [mantissa, exponent = "0"] = text.trim().replaceAll(",", "").replace("−", "-").toLowerCase().split("e");
if (!/^-?(\d+\.?\d*|\.\d+)$/.test(mantissa)) return NaN;
return Number(mantissa + "e" + (Number(exponent) - (unit === perToken ? 6 : 0)));
}
var lessIsBetter = (key) => infoOf(key)?.less ?? false;
var exactText = (value, unit) => JSON.stringify(value) + (unit ? " " + unit : "");
var exact = ({ value, unit }) => ({ title: exactText(value, unit) });
function count(n, noun, nouns = noun + "s") {
return numberText(n) + " " + (n === 1 ? noun : nouns);
}
var counted = (name, n, value = name) => [value, `${name} (${numberText(n)})`];
var optionOf = (k) => counted(k.name || k.key, k.holding, k.key);
var keyOf = (c) => c.measurementKey || (c.criterion || c.id || "sum").replace(/^(preference|requirement|tieBreaker):/, "");
var nameOfKey = (key) => infoOf(key)?.name || key;
var keyName = (key) => h("span", { title: joined([infoOf(key)?.line, key], " ") }, infoOf(key)?.name || keyText(key));
var infoOf = (key) => state.overview.keys.find((k) => k.key === key);
function groupsOf(list2, nameOf2) {
const groups = new Map();
for (const one of list2) entryOf(groups, nameOf2(one), () => []).push(one);
return groups;
}
function entryOf(map, name, make) {
if (!map.has(name)) map.set(name, make());
return map.get(name);
}
var contentOf = (x) => JSON.stringify([x.value, x.unit ?? null]);
function sureness(e) {
const words = { tasks: "for other tasks of the kind, from " + count(e.tasks, "task"), published: "as the source publishes", sum: "of its parts" };
return `${valueText(e.low, e.unit)} to ${valueText(e.high, e.unit)}, ${e.trials ? count(e.trials, "question") : words[e.basis] || e.basis}`;
}
var compareText = (a, b) => a < b ? -1 : a > b ? 1 : 0;
var namesOffer = (key) => ["id", "mode", "api", "key_variable", "client", "docs", "litellm"].some((name) => key === "offer." + name);
var compareKeys = (a, b) => importance(a) - importance(b) || a.includes("@") - b.includes("@") || way(a) - way(b) || compareText(a, b);
var importance = (key) => /pric|cost/.test(key) ? 0 : /limit|context|tokens/.test(key) ? 1 : 2;
var way = (key) => /input$|prompt$|context/.test(key) ? 0 : /output$|completion$/.test(key) ? 1 : 2;
var joined = (list2, by = " · ") => list2.filter(Boolean).join(by);
var enumeration = (words, last = " and ") => joined([words.slice(0, -1).join(", "), words.at(-1)], last);
var holdsAt = ({ observedAt, validUntil }, at2) => observedAt <= at2 && (!validUntil || validUntil > at2);
var day = (timestamp) => timestamp ? timestamp.slice(0, 10) : "–";
function minute(timestamp) {
if (!timestamp) return "no end";
return timestamp.endsWith("T00:00:00.000Z") ? day(timestamp) : timestamp.slice(0, 16).replace("T", " ");
}
var plainName = (m) => m.id + variantOf(m);
var variantOf = (m) => (m.revision ? "@" + m.revision : "") + (m.quantization ? " " + m.quantization : "");
function nameOf(m) {
const at2 = m.id.indexOf("/") + 1;
return h("span.model", h("span.maker", m.id.slice(0, at2)), m.id.slice(at2), h("span.maker", variantOf(m)));
}
var ownWorkflow = "your-agent";
function runsOn(scope) {
if (!scope) return "any execution";
const { runtime, adapter, workflow } = scope;
const parts = [runtime?.id, adapter?.id, workflow?.id, workflow?.condition].filter((part) => part && part !== ownWorkflow);
return [...new Set(parts)].join(", ") || "any runtime";
}
var versionText = (c) => c && joined([c.id, c.version], " ");
var placeOf = (s2) => s2 && s2.kind === "partial" && s2.runtime && !s2.runtime.version && ["adapter", "effectiveContextTokens", "hardware", "toolSurface", "workflow"].every((name) => (s2[name] ?? null) === null) ? s2.runtime.id : null;
function scopeRows(scope) {
if (!scope) return [["execution", "any"]];
const { hardware: hw, workflow: wf } = scope;
return [
["runtime", versionText(scope.runtime)],
["adapter", versionText(scope.adapter)],
["context", scope.effectiveContextTokens && wholeText(scope.effectiveContextTokens, "tokens")],
["tools", scope.toolSurface && (scope.toolSurface.join(", ") || "none")],
["hardware", hw && joined([hw.class, hw.accelerator, hw.memoryBytes && wholeText(hw.memoryBytes, "bytes")], ", ")],
["workflow", wf && joined([versionText(wf), wf.condition], ", ")]
].map(([name, text]) => [name, text || (scope.kind === "partial" ? "any" : "none")]);
}
function taskText(task) {
if (!task) return "every task";
return joined([task.family, task.suite, task.taskId], " / ");
}
function keyText(key) {
return key.split(/(?<=[._/:@-])/).flatMap((part, i) => i ? [document.createElement("wbr"), part] : [part]);
}

var index = null;
var models = null;
var plots = null;
var spans = new Map();
function work() {
const answers = { open: open2, list, model, together, find, plotOf };
self.onmessage = async ({ data: { number: number3, ask: ask2, with: options } }) => {
try {
postMessage({ number: number3, answer: await answers[ask2](options || {}) });
} catch (error) {
postMessage({ number: number3, error: { message: String(error.message || error), status: error.status || 0, asked: error.asked || "" } });
}
};
}
async function open2({ url, packed }) {
const { index: read, models: details, plots: points2, ...extras } = packed ? await new Response(unzipped(packed)).json() : { index: JSON.parse(await download(url)) };
[index, models, plots, spans] = [read, details, points2, new Map()];
for (const row of index.rows) {
row.name = plainName(row.identity);
row.maker = row.identity.id.includes("/") ? row.identity.id.split("/")[0] : "";
row.search = [row.name, ...row.spellings ?? []].map(bare).join(" ");
row.harnesses ??= [];
row.runtimes ??= [];
row.keys = Object.keys(row.cells);
Object.setPrototypeOf(row.cells, null);
}
return { extras, ...overview() };
}
var bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
async function download(url) {
const reader = (await get(url)).body.getReader();
const decoder = new TextDecoder();
const parts = [];
let size2 = 0;
let told = 0;
for (; ; ) {
const { done, value } = await reader.read();
if (done) break;
size2 += value.length;
parts.push(decoder.decode(value, { stream: true }));
if (size2 - told > 1 << 19) {
told = size2;
postMessage({ read: size2 });
}
}
return parts.join("") + decoder.decode();
}
function overview() {
const { rows, ...rest } = index;
const placesOf = (name) => [...groupsOf(rows.flatMap((r) => r[name]), (id) => id)].map(([id, { length }]) => [id, length]).sort((a, b) => b[1] - a[1]);
return {
...rest,
models: rows.length,
runtimes: placesOf("runtimes"),
harnesses: placesOf("harnesses"),
silent: rows.filter((r) => r.holding === 0).length,
conflicting: rows.filter((r) => r.conflicting).length,
ended: rows.filter((r) => r.ended).length
};
}
var says = (cell2, value) => cell2?.n > 0 && (value === "yes" ? cell2.texts?.includes(true) : cell2.texts?.[0] === false && cell2.texts.length === 1);
var atLeast = (key) => (r, value) => passes(r.cells[key], { op: "gte", value: Number(value) });
var capability = (key) => (r, value) => says(r.cells[key], value);
var tests = {
__proto__: null,
q: (r, q) => q.split(/\s+/).map(bare).every((word) => r.search.includes(word)),
tools: capability("capability.tools"),
vision: capability("modality.input.image"),
reasoning: capability("capability.reasoning"),
weights: capability("capability.open_weights"),
context: atLeast("limits.context"),
price: (r, value) => passes(r.cells["price.output"], { op: "lte", value: Number(value) }),
maker: (r, maker) => r.maker === maker,
runs: (r, runs) => r.runtimes.includes(runs) || r.harnesses.includes(runs),
since: (r, day2) => r.released >= day2,
has: (r, key) => r.cells[key]?.n > 0,
ended: (r, what) => what === "all" || !r.ended,
evidence: (r, what) => what === "holds" ? r.holding > 0 : what === "expired" ? r.holding === 0 : r.conflicting
};
function list({ filters = {}, sort = "", desc = true, columns = [], limit = 100, where = [], options = {} }) {
const set = Object.entries({ ended: "", ...filters }).filter(([name, value]) => tests[name] && (value || name === "ended"));
const failing = index.rows.map((r) => {
const failed = set.filter(([name, value]) => !tests[name](r, value)).map(([name]) => name);
return where.every((w) => passes(r.cells[w.key], w)) ? failed : [...failed, "where"];
});
const kept = index.rows.filter((_, i) => !failing[i].length);
const counts = {};
for (const name of Object.keys(options)) {
const others = index.rows.filter((_, i) => failing[i].every((failed) => failed === name));
const all = options[name] ?? [...groupsOf(index.rows.flatMap((r) => name === "maker" ? r.maker : r.runtimes), (v) => v).keys()].filter(Boolean);
counts[name] = all.map((value) => [value, others.filter((r) => tests[name](r, value)).length]);
if (!options[name]) counts[name].sort(([a, x], [b, y]) => y - x || compareText(a, b));
}
const place = {
__proto__: null,
"": null,
model: (r) => r.name.toLowerCase(),
runs: (r) => r.runtimes.length,
released: (r) => r.released ?? null,
seen: (r) => r.lastSeen
};
const by = sort in place ? place[sort] : (r) => sortValue(r.cells[sort], desc);
const placed = kept.map((r) => [by?.(r) ?? null, r]);
if (by) placed.sort(([a, x], [b, y]) => {
const isLater = a === null || b === null ? (a === null) - (b === null) : (desc ? -1 : 1) * compareText(a, b);
return isLater || compareText(x.name, y.name);
});
return {
total: kept.length,
hidden: filters.ended ? 0 : failing.filter((failed) => failed.length === 1 && failed[0] === "ended").length,
counts,
bounds: Object.fromEntries(columns.map((key) => [key, spanOf(key)])),
rows: placed.slice(0, limit).map(([, r]) => ({ ...r, spellings: null, search: "", cells: Object.fromEntries(columns.map((key) => [key, r.cells[key] || null])) }))
};
}
var spanOf = (key) => entryOf(spans, key, () => {
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
function passes(cell2, { op, value }) {
return cell2?.n > 0 && (cell2.low ?? null) !== null && !cell2.mixed && (op === "lte" ? cell2.low <= value : cell2.high >= value);
}
function sortValue(cell2, desc) {
if (!cell2?.n) return null;
if ((cell2.low ?? null) !== null) return desc ? cell2.high : cell2.low;
return String(cell2.texts[0]);
}
async function model({ key }) {
const row = index.rows.find((r) => r.key === key);
if (!row) return null;
const { places, conflicts, model: { observations: observations2 } } = models ? models[key] : await (await get("/explore/models/" + key)).json();
return { ...row, places, past: conflicts, asOf: index.asOf, observations: observations2.map((o) => ({ ...o, holds: holdsAt(o.freshness, index.asOf) })) };
}
var find = ({ identity }) => index.rows.find((r) => r.name === plainName(identity))?.key;
function together({ models: models3 }) {
const found = models3.map((key) => index.rows.find((r) => r.key === key)).filter(Boolean);
const keys2 = [...new Set(found.flatMap((r) => r.keys))].sort(compareText);
return { models: found, rows: keys2.map((key) => ({ key, cells: found.map((r) => r.cells[key] || null) })) };
}
var plotOf = ({ x, y }) => plots[x + " " + y] ?? null;

function tools(name, lines, hasLink = () => true) {
const link2 = button("Copy link", () => {
if (hasLink() && location.href.length <= longestLink) copy(location.href, link2);
else say(link2, "Too long: save the request");
});
return h(
"div.tools",
link2,
lines && button("CSV", async () => save(name + ".csv", csv(await lines()), "text/csv")),
lines && button("JSON", async () => save(name + ".json", json(await lines()), "application/json")),
button("Print", () => window.print())
);
}
var folds = (list2, says2, draw) => [...groupsOf(list2, says2)].sort((a, b) => b[1].length - a[1].length).map(([text, group]) => {
const names = h("ul.names");
const more = group.length - 500;
const fill2 = () => names.firstChild || append(names, group.slice(0, 500).map(draw), more > 0 && h("li", `and ${numberText(more)} more`));
if (group.length < 200) fill2();
return h("details.fold", { ontoggle: fill2 }, h("summary", `${numberText(group.length)}: ${text}`), names);
});
function json([head, ...lines]) {
return JSON.stringify(lines.map((line2) => Object.fromEntries(head.map((name, i) => [name, line2[i] ?? null]))), null, 1) + "\n";
}
function csv(lines) {
return lines.map((line2) => line2.map(cell).join(",")).join("\n") + "\n";
}
function cell(value) {
let text = String(value ?? "");
if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

var mostRows = 200;
async function model2(page, { rest: [key], query }) {
const m = await ask("model", { key });
if (!m) return append(page, title("No such model"), h("p", "No model of this catalog has this key. ", linkTo(to("models"), "All models")));
const entries = m.observations.flatMap((o) => o.measurements.map((x) => ({ o, x, slot: x.key + "\n" + JSON.stringify(o.execution) + "\n" + JSON.stringify(o.task) })));
const facts = entries.filter((e) => e.x.kind === "fact");
const slots = slotsOf(facts);
const contradictory = new Set(slots.filter((slot) => isTorn(slot)).flatMap((slot) => slot.entries.map((e) => e.o.id + e.x.key)));
append(
page,
h("p.crumb", linkTo(to("models"), "Models")),
h(
"div.title",
h("h1.name", { tabindex: "-1" }, nameOf(m.identity)),
h("a.button", { href: to("models", { compare: [...new Set([...state.picked, m.key])].slice(-6).join(",") }) }, "Compare")
),
h("p.soft", joined([m.runtimes.length > 6 ? `Runs in ${m.runtimes.length} places` : m.runtimes[0] && "Runs on " + m.runtimes.join(", "), whereMeasured(m), `${numberText(m.holding)} of ${count(m.total, "observation")} hold`, "last seen " + day(m.lastSeen)])),
m.holding === 0 && h("p.notice", "Everything known of this model has expired."),
offers(m),
scores(m),
history2(m, facts),
cards(m, slots),
contradictions(m, slots, facts),
timeLine(m, entries, contradictory, query)
);
}
var isTorn = (slot) => slot.values.length > 1 && !namesOffer(slot.key);
function slotsOf(facts) {
const values = (entries) => [...groupsOf(entries, ({ x }) => contentOf(x))].map(([text, [{ x }]]) => ({ text, value: x.value, unit: x.unit ?? null }));
const slots = groupsOf(facts.filter((e) => e.o.holds), (e) => e.slot);
return [...slots.values()].map((entries) => ({ key: entries[0].x.key, scope: entries[0].o.execution, task: entries[0].o.task, entries, values: values(entries) })).sort((a, b) => compareKeys(a.key, b.key) || (runsOn(a.scope) < runsOn(b.scope) ? -1 : 1));
}
var columnsOf = ({ places }) => places.length < 2 ? [] : [...groupsOf(places.flatMap((p) => Object.keys(p.cells).filter((key) => "low" in p.cells[key] && !key.includes("@"))), (key) => key)].sort((a, b) => b[1].length - a[1].length || compareKeys(a[0], b[0])).slice(0, 6).map(([key]) => key).sort(compareKeys);
function offers(m, isInside) {
const keys2 = columnsOf(m);
if (!keys2.length) return isInside ? h("p.soft", "One seller offers it: ", linkTo(toModel(m.key), "what is known of the offer")) : null;
const bounds = Object.fromEntries(keys2.map((key) => {
const held = m.places.filter((p) => p.usual).map((p) => p.cells[key]).filter((c) => c?.n);
return [key, { least: Math.min(...held.map((c) => c.low)), unit: held[0]?.unit ?? null }];
}));
const isPrice = (key) => (bounds[key].unit || "").startsWith("USD");
const by = keys2.find((key) => isPrice(key) && way(key) === 1) || keys2[0];
const value = (p) => p.cells[by]?.n ? p.cells[by].low : Infinity;
const rows = [...m.places].sort((a, b) => b.usual - a.usual || (value(a) === value(b) ? a.place < b.place ? -1 : 1 : value(a) - value(b)));
const cell2 = (p, key) => {
const said2 = p.cells[key];
const node = cellOf(key, said2?.low === void 0 && said2?.n ? null : said2, bounds[key], m.key);
if (p.usual && isPrice(key) && said2?.n && !said2.conflict && said2.low === bounds[key].least) node.classList.add("least");
return node;
};
const table2 = h(
"table",
heads(["Seller", "Service"], keys2.map((key) => [keyName(key), h("small", unitText(bounds[key].unit) || " ")]), ["Holds until"]),
h("tbody", rows.map((p) => h(
"tr",
{ class: p.usual ? "" : "gone" },
rowHead(p.parts.length ? p.place.slice(0, p.place.indexOf(":")) : p.place),
h("td.runs", { "data-label": "service" }, joined([...p.parts, p.ended && "ended"], ", ") || "as usual"),
keys2.map((key) => cell2(p, key)),
h("td.runs", { "data-label": "until" }, day(p.until))
)))
);
if (isInside) return table2;
return h("section", h("h2", "Offers"), h("p.soft.sure", `By ${nameOfKey(by)}.${isPrice(by) ? " The lowest price of each column is bold." : ""}`), region("Offers", "table.places", table2));
}
function scores(m) {
const keys2 = m.keys.filter((key) => m.cells[key].means).sort(compareKeys);
if (!keys2.length) return null;
return h("section", h("h2", "Benchmarks"), region("Benchmarks", "table", h("table", heads(["Benchmark"], ["Mean of tasks"], ["How sure", "Measured with"]), h("tbody", keys2.flatMap((key) => m.cells[key].means.map((v) => h(
"tr",
rowHead(linkTo(toModel(m.key, key), keyName(key)), h("small.soft.keyline", infoOf(key)?.line)),
h("td.number", exact(v), wholeText(v.value, v.unit)),
h("td.runs", v.estimate && v.estimate.low !== null ? sureness(v.estimate) : ""),
h("td.runs", runsOn(v.execution))
)))))));
}
function history2(m, facts) {
const end = Date.parse(m.asOf);
const isPrice = ({ o, x }) => typeof x.value === "number" && (x.unit || "").startsWith("USD") && placeOf(o.execution) && !x.key.includes("@");
const figures = [...groupsOf(facts.filter(isPrice), (e) => e.x.key)].sort(([a], [b]) => compareKeys(a, b)).map(([key, entries]) => {
const lines = [...groupsOf(entries, (e) => placeOf(e.o.execution))].map(([place, list2]) => ({ place, steps: list2.map(({ o, x }) => ({ from: Date.parse(o.freshness.observedAt), until: Math.min(end, o.freshness.validUntil ? Date.parse(o.freshness.validUntil) : end), value: x.value, unit: x.unit })).sort((a, b) => a.from - b.from) })).filter(({ steps }) => new Set(steps.map((step2) => step2.value)).size > 1).slice(0, 6);
return lines[0] && h("figure", h("figcaption.soft", keyName(key)), chart(key, lines, end));
}).filter(Boolean).slice(0, 3);
return figures[0] && h("section", h("h2", "Prices over time"), h("div.halves", figures));
}
function chart(key, lines, end) {
const [width, height, foot, room] = [isNarrow() ? 340 : 520, 160, 20, 130];
const steps = lines.flatMap((l) => l.steps);
const begin = Math.min(...steps.map((step2) => step2.from));
const most = Math.max(...steps.map((step2) => step2.value)) || 1;
const x = (at2) => (at2 - begin) / Math.max(1, end - begin) * (width - room);
const y = (value) => height - value / most * (height - 16);
let last = -Infinity;
const names = lines.map(({ place, steps: steps2 }) => ({ place, value: steps2.at(-1).value, unit: steps2.at(-1).unit })).sort((a, b) => a.value - b.value).map((name) => ({ ...name, at: last = Math.max(last + 14, height - y(name.value)) }));
return s(
"svg",
{ viewBox: `0 0 ${width} ${height + foot}`, width, height: height + foot, role: "img", "aria-label": `${nameOfKey(key)} over time: ${lines.map(({ place, steps: steps2 }) => `${place} from ${shortText(steps2[0].value, steps2[0].unit)} to ${shortText(steps2.at(-1).value, steps2.at(-1).unit)}`).join("; ")}`, class: "history" },
line(0, width - room, height, height, ".axis"),
label(0, height + 15, day(new Date(begin).toISOString())),
label(width - room, height + 15, day(new Date(end).toISOString()), "end"),
lines.map(({ steps: steps2 }, i) => s("path", { class: "series" + (i % 5 + 1), d: steps2.map((step2, k) => `${k ? "L" : "M"}${x(step2.from).toFixed(1)} ${y(step2.value).toFixed(1)}H${x(step2.until).toFixed(1)}`).join("") })),
names.map((name) => label(width - room + 6, height - name.at + 4, `${shortText(name.value, name.unit)} ${name.place}`.slice(0, 22)))
);
}
function cards(m, slots) {
const told = columnsOf(m);
slots = slots.filter((slot) => !(told.includes(slot.key) && placeOf(slot.scope)) && !slot.key.startsWith("offer.") || isTorn(slot));
if (!slots.length) return null;
const all = new Set(slots.map((slot) => runsOn(slot.scope))).size;
const isPlain = (slot) => slot.values.length === 1 && typeof slot.values[0].value === "boolean";
const groups = [...groupsOf(slots, (slot) => JSON.stringify([slot.key, slot.task, slot.values.map((v) => v.text)])).values()];
const where = (group) => {
const names = [...new Set(group.map((slot) => runsOn(slot.scope)))];
return names.length === all ? "" : names.length > 2 ? `${names.length} places` : names.join(", ");
};
const link2 = (slot, v) => h("a.value", { href: toModel(m.key, slot.key), ...exact(v) }, valueText(v.value, v.unit));
const switches = groups.filter(([slot]) => isPlain(slot));
return h(
"section",
h("h2", "Facts that hold"),
h("dl.cards", groups.filter(([slot]) => !isPlain(slot)).map(([slot, ...more]) => h(
"div",
{ class: isTorn(slot) ? "card conflicting" : "card" },
h("dt", keyName(slot.key)),
h(
"dd",
slot.values.map((v, i) => [i > 0 && h("span.soft", " or "), link2(slot, v)]),
isTorn(slot) && h("span.conflict", " ◆"),
h("small", joined([unitText(slot.values[0].unit), where([slot, ...more]), slot.task && taskText(slot.task)]))
)
))),
switches[0] && h("dl.switches", switches.map(([slot, ...more]) => h(
"div",
{ class: slot.values[0].value ? "" : "off" },
h("dt", keyName(slot.key), h("small", " " + where([slot, ...more]))),
h("dd", link2(slot, slot.values[0]))
)))
);
}
function contradictions(m, slots, facts) {
const now = slots.filter((slot) => isTorn(slot));
const past = m.past.filter((c) => !now.some((slot) => slot.entries.some((e) => c.observationIds.includes(e.o.id) && e.x.key === c.measurementKey)));
if (!now.length && !past.length) return null;
return h(
"section",
h("h2", "Contradictions ", h("span.conflict", "◆")),
now.map((slot) => contradiction(slot.key, slot.scope, slot.entries, true)),
past.map((c) => contradiction(c.measurementKey, c.execution, facts.filter((e) => e.x.key === c.measurementKey && c.observationIds.includes(e.o.id)), false))
);
}
function contradiction(key, scope, entries, isNow) {
const spans2 = disputes(entries);
const until = spans2.at(-1)?.[1];
const classes = [...new Set(entries.map((e) => e.o.sourceClass))].filter((c) => said(entries.filter((e) => e.o.sourceClass === c)) === 1);
const end = !isNow ? "It is over: they do not all hold any more." : (until ? `It ends by itself on ${day(until)}, as evidence expires` : "It does not end by itself") + (classes.length ? `; admitting ${classes.join(" or ")} evidence alone would end it.` : ".");
return h(
"div.versus",
h("h3", key, h("span.soft", " on " + runsOn(scope))),
region("Contradiction of " + key, "table", h(
"table",
heads(["Value", "Source", "Seen", "Holds until", "Evidence"]),
h("tbody", entries.map(({ o, x }) => h(
"tr",
{ class: o.holds ? "" : "gone" },
h("td", exact(x), wholeText(x.value, x.unit)),
h("td", o.sourceClass),
h("td", minute(o.freshness.observedAt)),
h("td", minute(o.freshness.validUntil)),
h("td", papersOf(o).map((e) => h("div", link(e))))
)))
)),
h("p.soft", `They overlap ${spans2.map(([from, to2]) => `from ${day(from)} to ${to2 ? day(to2) : "no end"}`).join(" and ")}. ${end}`)
);
}
var papersOf = (o) => [...new Set(o.evidence.map((e) => e.uri || e.id))];
var said = (entries) => new Set(entries.map(({ x }) => contentOf(x))).size;
function disputes(entries) {
const spans2 = [];
const times = entries.flatMap(({ o }) => [o.freshness.observedAt, o.freshness.validUntil]);
for (const at2 of [...new Set(times.filter(Boolean))].sort()) {
const isOpen = spans2.length && spans2.at(-1)[1] === null;
const differ = said(entries.filter(({ o }) => holdsAt(o.freshness, at2))) > 1;
if (differ && !isOpen) spans2.push([at2, null]);
if (!differ && isOpen) spans2.at(-1)[1] = at2;
}
return spans2;
}
function timeLine(m, entries, contradictory, { k: key, o: observation }) {
const asOf = Date.parse(m.asOf);
const groups = [...groupsOf(entries, (e) => e.x.kind + e.x.key).values()].sort((a, b) => compareText(a[0].x.kind, b[0].x.kind) || compareKeys(a[0].x.key, b[0].x.key));
for (const g of groups) g.sort((a, b) => a.o.freshness.observedAt < b.o.freshness.observedAt ? 1 : -1);
const begin = Math.min(...entries.map((e) => Date.parse(e.o.freshness.observedAt)));
const ends = entries.map((e) => e.o.freshness.validUntil).filter(Boolean).map((t) => Date.parse(t));
const room = Math.max((asOf - begin) * 0.35, 14 * 864e5);
const end = Math.min(Math.max(asOf + room / 2, ...ends), asOf + room);
const x = (at2) => Math.max(0, Math.min(100, (at2 - begin) / (end - begin) * 100));
const list2 = h("div.lines");
const now = h("div.nowline", { "aria-hidden": "true" });
now.style.setProperty("--at", x(asOf) / 100);
let asked = null;
const sources2 = new Map();
const notes = (o) => papersOf(o).map((e) => entryOf(sources2, e, () => sources2.size + 1)).join(", ");
const draw = (most) => {
let n = 0;
put(list2, now);
for (const group of groups) {
if (n >= most) break;
append(list2, h("h3", group[0].x.key, h("span.soft", ` ${group[0].x.kind}, ${count(group.length, "observation")}`)));
for (const e of group) {
if (n++ >= most) break;
const row = lineOf(e, x, contradictory.has(e.o.id + e.x.key), m, notes(e.o));
if (!asked && (!key || e.x.key === key) && (!observation || e.o.id === observation) && (key || observation)) asked = row;
append(list2, row);
}
}
if (n >= most && entries.length > most) append(list2, h("p", button(`Show all ${numberText(entries.length)}`, () => draw(Infinity))));
append(list2, h("ol.paper", [...sources2.keys()].map((e) => h("li", e))));
};
draw(mostRows);
if (!asked && (key || observation)) draw(Infinity);
if (asked) {
asked.open = true;
requestAnimationFrame(() => asked.scrollIntoView({ block: "center" }));
}
const lines = () => [
["key", "kind", "value", "unit", "runs on", "task", "observed at", "valid until", "holds", "source class", "observation", "evidence"],
...groups.flat().map(({ o, x: x2 }) => [x2.key, x2.kind, x2.value, x2.unit ?? null, runsOn(o.execution), taskText(o.task), o.freshness.observedAt, o.freshness.validUntil, o.holds, o.sourceClass, o.id, papersOf(o).join(" ")])
];
const mark = h("span.asof", "as of " + day(m.asOf));
mark.style.left = Math.max(8, Math.min(85, x(asOf))) + "%";
return h(
"section",
h("div.bar", h("h2", "Time line"), tools("model", lines)),
h("div.scale", { "aria-hidden": "true" }, x(asOf) > 25 && h("span", day(new Date(begin).toISOString())), mark),
list2
);
}
function lineOf({ o, x: measured }, x, isConflict, m, notes) {
const { observedAt, validUntil } = o.freshness;
const [from, until] = [x(Date.parse(observedAt)), validUntil ? x(Date.parse(validUntil)) : 100];
const state2 = isConflict ? "conflicting" : o.holds ? "holding" : "expired";
const width = Math.max(until - from, 0.8);
const bar = s(
"svg",
{ class: `span ${state2}${validUntil ? "" : " open"}`, viewBox: "0 0 100 12", preserveAspectRatio: "none" },
s("rect", { x: Math.min(from, 99), y: 4, width, height: 4, "vector-effect": "non-scaling-stroke" })
);
const says2 = isConflict ? "contradicted" : o.holds ? "holds" : "expired";
const detail = h("div.detail");
const row = h(
"details",
{ class: "row " + state2, ontoggle: () => {
if (row.open && !detail.firstChild) append(detail, ...evidenceOf(o, m));
} },
h(
"summary",
h("span.scope", { title: runsOn(o.execution) }, runsOn(o.execution), o.task && h("span.soft", " · " + taskText(o.task))),
h("span.value", exact(measured), isConflict && h("span.conflict", "◆ "), shortText(measured.value, measured.unit), h("span.paper.soft", ` [${notes}]`)),
bar,
h("span.away", `${says2}, ${minute(observedAt)} to ${minute(validUntil)}`)
),
detail
);
return row;
}
function evidenceOf(o, m) {
const command = `svc show ${state.extras.catalogFile ? quote(state.extras.catalogFile) : "CATALOG"} ${o.id.slice(0, 12)}`;
const rows = [
["observation", h("span.mono", o.id)],
["observed", minute(o.freshness.observedAt)],
["valid until", minute(o.freshness.validUntil)],
["source", joined([o.sourceClass, o.kind, o.outcome && joined([o.outcome.status, o.outcome.reason], ": ")], ", ")],
...scopeRows(o.execution),
["task", taskText(o.task) + (o.task ? ", judged by " + versionText(o.task.evaluator) : "")],
["uncertainty", o.uncertainty.level],
["basis", o.uncertainty.basis.join("; ")],
["gaps", o.uncertainty.gaps.join("; ") || "none named"],
...o.measurements.map((x) => [x.key, wholeText(x.value, x.unit)])
];
const { holds, ...whole } = o;
return [
h("dl.members", terms(rows)),
h("h4", "Evidence"),
h("ul.evidences", o.evidence.map((e) => h(
"li",
h("span", e.kind + " "),
h("span.mono", e.id),
e.uri && [h("br"), link(e.uri)],
e.digest && h("div.mono.soft", "sha256 " + e.digest.value)
))),
h("p", h("code", command), " ", copyButton("Copy", () => command)),
fold("The whole observation as JSON", h("pre", { tabindex: "0" }, JSON.stringify(whole, null, 2)))
];
}
var quote = (text) => /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
async function compare(page, { query }) {
const answer2 = await ask("together", { models: (query.models || "").split(",").filter(Boolean).slice(0, 6) });
if (answer2.models.length === 0) return append(page, title("Compare"), h("p", "Pick models in the ", linkTo(to("models"), "list"), " to compare them."));
const text = (c) => c?.n ? JSON.stringify([c.means?.map((m) => m.value), c.low, c.high, c.texts, c.unit]) : "";
const best = (row) => {
const info = infoOf(row.key);
const held = row.cells.map((c) => c?.n && !c.mixed && !c.conflict && (c.low ?? null) !== null ? info.less ? c.low : c.high : null);
const known2 = held.filter((v) => v !== null);
const top = ["price", "limit", "quality", "speed"].includes(info?.family) && new Set(known2).size > 1 ? info.less ? Math.min(...known2) : Math.max(...known2) : null;
const isDoubtful = row.cells.some((c) => c?.n && c.conflict && (info.less ? c.low < top : c.high > top));
return held.map((v) => top !== null && v === top && !isDoubtful);
};
const differs = (row) => new Set(row.cells.map(text)).size > 1;
const known = (row) => row.cells.filter(text).length > 1;
const rows = answer2.rows.filter((row) => !row.key.startsWith("offer.")).sort((a, b) => differs(b) - differs(a) || known(b) - known(a) || compareKeys(a.key, b.key));
const lines = () => [["key", ...answer2.models.map((m) => plainName(m.identity))], ...rows.map((r) => [r.key, ...r.cells.map((c) => c?.n ? c.means?.map((m) => m.value).join(" ") || (c.low ?? c.texts.join(" ")) : null)])];
const same = rows.findIndex((r) => !differs(r));
append(
page,
title(count(answer2.models.length, "model"), h("span", " side by side")),
h("div.bar", h("p.soft", "What differs comes first. The best number of a row is bold."), tools("compare", lines)),
region("Comparison", "wide", h(
"table.sides",
heads(["Key"], answer2.models.map((m) => linkTo(toModel(m.key), nameOf(m.identity)))),
h("tbody", rows.map((row, i) => {
const first2 = row.cells.find((c) => c?.unit);
const marks = best(row);
return h(
"tr",
{ class: i === same && i ? "first same" : differs(row) ? "" : "same" },
rowHead(keyName(row.key), first2 && h("small", " " + unitText(first2.unit)), h("small.soft.keyline", infoOf(row.key)?.line)),
row.cells.map((c, i2) => {
const node = cellOf(row.key, c, null, answer2.models[i2].key);
if (marks[i2]) append(node, h("span.away", ", the best"));
if (marks[i2]) node.classList.add("least");
return node;
})
);
}))
))
);
announce(count(answer2.models.length, "model") + " side by side");
}

var sum = (counts) => Object.values(counts ?? {}).reduce((a, b) => a + b, 0);
var reasons = (counts) => Object.entries(counts ?? {}).map(([name, n]) => `${numberText(n)} ${name}`).join("\n");
function ageText({ asOf, expiry }) {
const today = (new Date()).toISOString().slice(0, 10);
const days = daysSince(asOf);
const gone = expiry.filter((e) => e.day <= today).reduce((n, e) => n + e.prices, 0);
return [`As of ${day(asOf)}`, days > 0 && `, ${count(days, "day")} ago`, gone > 0 && `; ${count(gone, "price has", "prices have")} expired since`, ". "];
}
var daysSince = (at2) => Math.floor((Date.now() - Date.parse(at2)) / 864e5);
function sources(page) {
const { overview: overview2, extras } = state;
const built = new Map((extras.sources ?? []).map((s2) => [s2.id, s2]));
const list2 = [...overview2.sources, ...(extras.sources ?? []).filter((s2) => !overview2.sources.some((o) => o.id === s2.id)).map((s2) => ({ id: s2.id, rows: 0, observations: 0, seen: s2.seenAt }))].map((s2) => ({ ...s2, ...built.get(s2.id), rows: built.get(s2.id)?.rows ?? s2.rows, observations: s2.observations, seen: built.get(s2.id)?.seenAt ?? s2.seen }));
const lines = () => [
["source", "attribution", "site", "licence", "revision", "seen", "rows", "rows imported", "rows skipped", "values left out", "observations", "why not newer"],
...list2.map((s2) => [s2.id, s2.attribution, s2.site, s2.license, s2.revision, s2.seen, s2.rows, s2.imported, sum(s2.skipped), sum(s2.leftOut), s2.observations, s2.reason])
];
append(
page,
h("div.bar", title(count(list2.length, "source")), tools("sources", lines)),
h("p.soft", ageText(overview2), extras.sources ? "" : "No record of the build is beside the catalog: licences, and rows that were left out, are not known."),
region("Sources", "table", h(
"table",
heads(["Source", "Seen", "Licence"], ["Rows read", "Left out", "Observations"], ["What is missing"]),
h("tbody", list2.map((s2) => h(
"tr",
rowHead(s2.site ? link(s2.site, s2.attribution || s2.id) : s2.id, s2.attribution && h("small.soft.keyline", s2.id)),
h("td.runs", { "data-label": "seen" }, day(s2.seen), s2.seen && `, ${count(Math.max(0, daysSince(s2.seen)), "day")} ago`, s2.revision && h("small.soft.keyline", s2.revision.slice(0, 12))),
h("td.runs", { "data-label": "licence" }, s2.license || (s2.state ? "none stated" : "–")),
h("td.number", { "data-label": "rows" }, numberText(s2.rows)),
h("td.number", { "data-label": "left out", title: joined([reasons(s2.skipped), reasons(s2.leftOut)], "\n") }, s2.skipped ? `${numberText(sum(s2.skipped))} rows, ${numberText(sum(s2.leftOut))} values` : "–"),
h("td.number", { "data-label": "observations" }, numberText(s2.observations)),
h("td.runs", (s2.reason || s2.unknown?.[0]) && { "data-label": "missing" }, s2.reason, s2.unknown?.[0] && fold(`${count(s2.unknown.length, "row is", "rows are")} no model here`, h("ul.names", s2.unknown.slice(0, 500).map((u) => h("li", u.label, h("small.soft", " " + u.values.map((v) => valueText(v.value)).slice(0, 1)))))))
)))
))
);
}

var step = 100;
var mostConditions = 4;
var sorts = [["", "benchmark, then release"], ["model", "name"], ["runs", "number of sellers"], ["released", "release"], ["seen", "last seen"]];
var capabilities = { tools: ["Tool calls", "capability.tools"], vision: ["Vision", "modality.input.image"], reasoning: ["Reasoning", "capability.reasoning"], weights: ["Open weights", "capability.open_weights"] };
var contexts = [32e3, 128e3, 2e5, 1e6];
var prices = [0.5, 1, 2, 5, 10, 25].map((dollars) => dollars / 1e6);
async function models2(page, { query }, signal) {
const { overview: overview2 } = state;
if (overview2.models === 0) return append(page, h("p.empty", "This catalog has no models."));
const columns = columnsOf2(query);
const picked = state.picked = new Set((query.compare || "").split(",").filter(Boolean));
const facets = facetsOf(overview2);
const filters = Object.fromEntries(["q", ...Object.keys(facets)].map((name) => [name, query[name] || ""]));
const order2 = { sort: query.sort || "", desc: query.desc === "1" };
const where = readWhere(query.where || "");
let shown = Math.max(step, history.state?.shown || 0);
let answer2 = null;
const write = () => replace("models", { ...filters, where: writeWhere(where), sort: order2.sort, desc: order2.sort && order2.desc ? "1" : "", columns: query.columns ? columns.join(",") : "", compare: [...picked].join(",") });
const table2 = region("Models", "table.list");
const said2 = h("p.soft.found");
const orders = h("div.sorts");
const more = h("div.more");
const tray = h("div.tray", { hidden: true });
const fields = {};
const show2 = async () => {
const mine = answer2 = await ask("list", { filters, ...order2, where: where.filter((w) => Number.isFinite(w.value)), columns, limit: shown, options: Object.fromEntries(Object.entries(facets).filter(([, f]) => f.counts).map(([name, f]) => [name, f.options])) });
if (answer2 !== mine || signal.aborted) return;
put(table2, answer2.total ? draw() : h("p.empty", "No model matches. ", linkTo(to("models"), "Show all models")));
put(said2, joined([answer2.total !== overview2.models && count(answer2.total, "model matches", "models match") + "."], " "), answer2.hidden > 0 && [" ", count(answer2.hidden, "deprecated or withdrawn one is", "deprecated or withdrawn ones are"), " hidden. ", h("button.link", { onclick: () => set("ended")("all") }, "Show them")]);
announce(count(answer2.total, "model"));
put(orders, choice("Sort by", [...sorts, ...columns.map((key) => [key, nameOfKey(key)])], order2.sort, (name) => sortBy(name, false)));
for (const [name, counts] of Object.entries(answer2.counts)) fields[name]?.(counts);
beyond();
};
const beyond = () => {
const rest = answer2.total - answer2.rows.length;
put(more, rest > 0 && [button(`Show ${Math.min(step, rest)} more`, next), h("span.soft", ` of ${numberText(rest)}`)]);
history.replaceState({ ...history.state, shown: answer2.rows.length }, "");
};
const next = async () => {
const from = answer2.rows.length;
shown = from + step;
const mine = answer2;
const { rows } = await ask("list", { filters, ...order2, where: where.filter((w) => Number.isFinite(w.value)), columns, limit: shown });
if (answer2 !== mine || answer2.rows.length !== from) return;
answer2.rows = rows;
append(table2.querySelector("tbody"), rows.slice(from).map(rowOf));
beyond();
};
const watch = new IntersectionObserver(([entry]) => {
if (entry.isIntersecting && more.firstChild && more.getBoundingClientRect().top < innerHeight + 600) next();
}, { rootMargin: "600px" });
watch.observe(more);
signal.addEventListener("abort", () => watch.disconnect());
const set = (name) => (value) => {
filters[name] = value;
shown = step;
write();
show2();
};
const sortBy = (name, again = true) => {
if (order2.sort === name && again) order2.desc = !order2.desc;
else Object.assign(order2, { sort: name, desc: ["runs", "released", "seen"].includes(name) || columns.includes(name) && !lessIsBetter(name) });
write();
show2();
};
const head = (name, text, attributes = {}, unit = null) => {
const isSorted = order2.sort === name;
return h(
"th",
{ scope: "col", "aria-sort": isSorted ? order2.desc ? "descending" : "ascending" : null, ...attributes },
h("button.sort", { onclick: () => sortBy(name) }, text, h("span.arrow", { "aria-hidden": "true" }, isSorted ? order2.desc ? " ↓" : " ↑" : ""), unit)
);
};
const draw = () => h(
"table",
h("thead", h(
"tr",
h("th.pick", { scope: "col" }, h("span.away", "Compare")),
head("model", "Model"),
head("runs", "Sellers"),
columns.map((key) => head(key, keyName(key), { class: "number" }, h("small", joined([unitText(answer2.bounds[key].unit), isSample(key) && "mean of tasks"], ", ") || " "))),
head("released", "Released", { class: "seen" })
)),
h("tbody", answer2.rows.map(rowOf))
);
const rowOf = (row) => h(
"tr",
{ class: row.ended ? "ended" : null },
h("td.pick", h("input", { type: "checkbox", "aria-label": "Compare " + plainName(row.identity), checked: picked.has(row.key), onchange: (e) => pick(row, e.target) })),
rowHead(linkTo(toModel(row.key), nameOf(row.identity)), row.conflicting && h("span.conflict", { title: "contradictory evidence" }, " ◆"), row.ended && h("small.soft", " ended")),
h("td.runs", { "data-label": "sellers" }, sellersOf(row, columns.length + 4)),
columns.map((key) => cellOf(key, row.cells[key], answer2.bounds[key], row.key, paddingOf(key))),
h("td.seen", { "data-label": "released" }, row.released || "–")
);
const paddingOf = (key) => (answer2.decimals ??= {})[key] ??= Math.min(4, Math.max(0, ...answer2.rows.map(({ cells: { [key]: c } }) => decimalsOf(c))));
const pick = (row, box) => {
if (box.checked && picked.size === 6) {
box.checked = false;
return announce("Six models are compared at most");
}
if (box.checked) picked.add(row.key);
else picked.delete(row.key);
write();
drawTray();
};
const drawTray = () => {
tray.hidden = picked.size === 0;
put(
tray,
h("span", count(picked.size, "model") + " picked, at most 6"),
[["compare", "Compare"], ["rank", "Ask about these"]].map(([path, name]) => h("a.button", { href: to(path, { models: [...picked].join(",") }) }, name)),
button("Clear", () => {
picked.clear();
write();
drawTray();
show2();
})
);
};
const lines = () => [
["model", "sellers", "measured on", ...columns.flatMap((key) => [key + " low", key + " high", key + " unit"]), "released", "holding", "observations", "last seen"],
...answer2.rows.map((row) => [
plainName(row.identity),
row.runtimes.join(" "),
row.harnesses.join(" "),
...columns.flatMap((key) => {
const c = row.cells[key];
return c?.n ? [c.low ?? c.texts.join(" "), c.high ?? "", c.unit] : [null, null, null];
}),
row.released ?? "",
row.holding,
row.total,
row.lastSeen
])
];
const all = async () => {
answer2 = { ...answer2, ...await ask("list", { filters, ...order2, where, columns, limit: 1e6 }) };
return lines();
};
const facet = ([name, { label: label2, options, text }]) => {
const draw2 = (counts) => {
const field = choice(label2, [["", "any"], ...counts.filter(([value, n]) => n || value === filters[name]).map(([value, n]) => counted(text(value), n, value))], filters[name], set(name));
if (node.contains(document.activeElement)) return void queueMicrotask(() => {
const was = node;
node = field;
was.replaceWith(field);
field.querySelector("select").focus();
});
node.replaceWith(field);
node = field;
};
let node = choice(label2, [["", "any"], ...(options ?? []).map((value) => [value, text(value)])], filters[name], set(name));
fields[name] = draw2;
return () => node;
};
const nodes = Object.entries(facets).filter(([, f]) => f.counts).map(facet);
append(
page,
summary(overview2),
h(
"div.filters",
h("label.field.search", h("span", "Model"), searchField(filters.q, "any spelling", 10, set("q"))),
unfolder(Object.entries(filters).some(([name, value]) => value && name !== "q") || where[0]),
nodes.map((node) => node()),
choice("Evidence", [["", "any"], ["holds", "some that holds"], ["expired", "all expired"], ["contradictory", "contradictory"]], filters.evidence, set("evidence")),
columnsField(columns, () => {
query.columns = "1";
write();
show2();
}),
whereField(where, () => {
shown = step;
write();
show2();
})
),
h("div.bar", said2, orders, tools("models", all)),
table2,
more,
tray
);
drawTray();
await show2();
if (history.state?.y) scrollTo(0, history.state.y);
}
function facetsOf({ keys: keys2, benchmark, asOf }) {
const known = new Set(keys2.filter((k) => k.holding).map((k) => k.key));
const months = (n) => new Date(Date.parse(asOf) - n * 30.44 * 864e5).toISOString().slice(0, 10);
const facets = {};
const add = (name, isThere2, facet) => {
if (isThere2) facets[name] = { counts: true, text: String, ...facet };
};
for (const [name, [label2, key]] of Object.entries(capabilities)) add(name, known.has(key), { label: label2, options: ["yes", "no"] });
add("price", known.has("price.output"), { label: "Output price", options: prices.map(String), text: (v) => "at most " + shortText(Number(v), "USD/token") });
add("context", known.has("limits.context"), { label: "Context", options: contexts.map(String), text: (v) => "at least " + numberText(Number(v)) });
add("maker", true, { label: "Maker" });
add("runs", true, { label: "Seller" });
add("since", known.has("lifecycle.released"), { label: "Released", options: [3, 6, 12, 24].map(months), text: (v) => "since " + v });
const samples = keys2.filter((k) => !k.fact && k.numeric && k.holding).sort((a, b) => (b.key === benchmark) - (a.key === benchmark) || b.holding - a.holding);
add("has", samples[0], { label: "Benchmark", options: samples.map((k) => k.key), text: nameOfKey });
return { ...facets, ended: {}, evidence: {} };
}
function sellersOf(row, width) {
const [first2, ...rest] = row.runtimes;
if (!first2) return row.harnesses[0] ? whereMeasured(row) : row.others?.length ? count(row.others.length, "other offer") : "–";
const node = h("button.link", { "aria-expanded": "false", title: row.runtimes.join(", "), onclick: async () => {
const below = node.closest("tr").nextElementSibling;
node.ariaExpanded = String(node.ariaExpanded !== "true");
if (below?.classList.contains("inside")) return void below.remove();
const m = await ask("model", { key: row.key });
if (node.ariaExpanded === "true") node.closest("tr").after(h("tr.inside", h("td", { colspan: width }, offers(m, true))));
} }, first2, rest.length > 0 && ` +${rest.length}`);
return node;
}
var whereMeasured = ({ harnesses }) => harnesses.length > 0 && "measured on " + harnesses.join(", ");
var isSample = (key) => infoOf(key)?.fact === false;
function columnsOf2(query) {
if (query.columns) return query.columns.split(",").filter(infoOf).slice(0, 8);
const { keys: keys2, benchmark } = state.overview;
const usual = [benchmark, "price.input", "price.output", "limits.context"].filter((key) => key && infoOf(key)?.holding);
const most = keys2.filter((k) => k.numeric && k.holding && !usual.includes(k.key)).sort((a, b) => b.fact - a.fact || b.holding - a.holding);
return usual.concat(most.slice(0, Math.max(0, 3 - usual.length)).map((k) => k.key));
}
var readWhere = (text) => text.split(",").map((part) => part.split(":")).filter(([op, , key]) => (op === "lte" || op === "gte") && key).map(([op, value, key]) => ({ op, value: Number(value || NaN), key: decodeURIComponentOr(key) })).slice(0, mostConditions);
var writeWhere = (where) => where.filter((w) => Number.isFinite(w.value)).map((w) => [w.op, w.value, encodeURIComponent(w.key)].join(":")).join(",");
function whereField(where, changed) {
const keys2 = state.overview.keys.filter((k) => k.numeric && k.units.length === 1);
const options = [["", "any number"], ...keys2.map(optionOf)];
const box = h("div.conditions");
const draw = () => put(
box,
where.map((w, i) => {
const known = keys2.find((k) => k.key === w.key);
const unit = known?.units[0];
const input = h("input", {
type: "text",
inputmode: "decimal",
value: Number.isFinite(w.value) ? typedText(w.value, unit) : "",
placeholder: unitText(unit) || "number",
"aria-label": `${w.op === "lte" ? "At most" : "At least"}, ${unitText(unit) || "a number"}`,
oninput: once(() => {
w.value = typedNumber(input.value, unit);
input.setAttribute("aria-invalid", String(input.value !== "" && !Number.isFinite(w.value)));
changed();
}, 150)
});
return h(
"div.line.condition",
choice(i ? "and" : "Where", known ? options.slice(1) : [[w.key, w.key], ...options.slice(1)], w.key, (key) => {
where[i] = newCondition(key);
draw();
changed();
focusLast();
}),
choice("is", [["lte", "at most"], ["gte", "at least"]], w.op, (op) => {
w.op = op;
draw();
changed();
}),
h("label.field.amount", h("span", unitText(unit) || "number"), input),
cross("the condition on " + w.key, () => {
where.splice(i, 1);
draw();
changed();
})
);
}),
where.length < mostConditions && keys2[0] && choice(where.length ? "and" : "Where", options, "", (key) => {
where.push(newCondition(key));
draw();
focusLast();
})
);
const newCondition = (key) => ({ key, op: lessIsBetter(key) ? "lte" : "gte", value: NaN });
const focusLast = () => [...box.querySelectorAll("input")].at(-1)?.focus();
draw();
return box;
}
function columnsField(columns, changed) {
const menu = h(
"details.columns",
h("summary", h("span", "Columns"), h("span.face", String(columns.length))),
h("div.menu", state.overview.keys.map((k) => h(
"label",
h("input", { type: "checkbox", checked: columns.includes(k.key), onchange: (e) => {
if (e.target.checked && columns.length < 8) columns.push(k.key);
else if (e.target.checked) return void (e.target.checked = false);
else columns.splice(columns.indexOf(k.key), 1);
menu.querySelector(".face").textContent = String(columns.length);
changed();
} }),
h("span", k.name || k.key, k.line && h("small.soft", k.line)),
h("small.soft", numberText(k.models))
)))
);
return menu;
}
var decimalsOf = (c) => c?.n && (c.low ?? null) !== null && c.low === c.high ? moneyText(c.low, c.unit).split(".")[1]?.length ?? 0 : 0;
var moneyText = (value, unit) => typeof value === "number" && (unit || "").startsWith("USD") ? shortText(value, unit).replace(" / M", "") : valueText(value, unit);
function cellOf(key, cell2, bounds, model3, decimals = 0) {
const name = labelOf(key, bounds?.unit);
if (!cell2 || !cell2.n && !cell2.last) return h("td.number.none", { "data-label": name }, "–");
const leads = (...text2) => linkTo(toModel(model3, key, cell2.only), text2);
if (!cell2.n) return h("td.number.gone", { "data-label": name, title: `${cell2.last.until ? "expired on " + day(cell2.last.until) : "invalid"}: ${exactText(cell2.last.value, cell2.last.unit)}` }, leads(valueText(cell2.last.value, cell2.last.unit)));
const { unit, means, texts = [], low = null, high = null } = cell2;
const exact2 = means?.[1] ? means.map((m) => `${conditionOf(m)}: ${wholeText(m.value, m.unit)}, ${count(m.estimate?.tasks || 1, "task")}`).join("\n") : low === null ? texts.map((t) => exactText(t, unit)).join(" or ") : low === high ? exactText(low, unit) : `${cell2.n} values from ${exactText(low)} to ${exactText(high, unit)}`;
const text = cell2.mixed ? "several units" : low === null ? texts.map((t) => saidBy(t, cell2)).flatMap((part, i) => i ? [" or ", part] : [part]) : low === high ? moneyText(low, unit) : h("span.whole", `${moneyText(low, unit)} – ${moneyText(high, unit)}`);
const ends = means?.[1] && low !== high && [means[0], means.at(-1)].map(conditionOf).join(" – ").replace(/(\w+=)(.*) – \1/, "$1$2 – ");
const point = typeof text === "string" ? text.split(".") : [];
const missing = decimals - (point[1]?.length ?? 0);
const pad = typeof text === "string" && missing > 0 && low === high && h("span.pad", { "aria-hidden": "true" }, (point[1] === void 0 ? "." : "") + "0".repeat(missing));
return h(
"td.number",
{ title: exact2, "data-label": name },
cell2.conflict && h("span.conflict", "◆ ", h("span.away", "contradictory: ")),
leads(text),
pad,
unit && bounds && unit !== bounds.unit && h("small", " " + unitText(unit)),
ends && h("small.soft.ends", ends)
);
}
function saidBy(value, { says: says2 }) {
const who = says2?.[value === true ? "yes" : "no"];
return who ? h("span", valueText(value), h("small.soft.who", " " + joined([...who.slice(0, 3), who.length > 3 && `${who.length - 3} more`], ", "))) : valueText(value);
}
var conditionOf = ({ execution: { workflow } }) => workflow?.condition || "unstated";
function summary(o) {
return h(
"div.summary",
title(numberText(o.models), h("span", o.models === 1 ? " model" : " models")),
h(
"p.soft",
ageText(o),
o.conflicting > 0 && ["On ", linkTo(to("models", { evidence: "contradictory" }), count(o.conflicting, "model")), " sources contradict each other. "],
o.silent > 0 && ["Of ", linkTo(to("models", { evidence: "expired", ended: "all" }), count(o.silent, "model")), " all evidence has expired. "],
(state.extras.notes ?? []).map((note) => note.replace(/\.?$/, ". "))
)
);
}

function failure(error, again) {
return h(
"div.failure",
{ role: "alert" },
h("h2", error.status ? "The server refused" : error.asked ? "The server does not answer" : "This page has a fault"),
h("p", error.asked && h("code", error.asked), error.status ? ` was answered with ${error.status}: ` : error.asked ? ": " : "", error.message),
again && button("Ask again", again)
);
}

var wide = { width: 900, height: 560, left: 64, right: 20, top: 28, bottom: 52 };
var narrow = { width: 420, height: 460, left: 48, right: 12, top: 28, bottom: 56 };
var size = wide;
async function plot(page, { query }, signal) {
const given = new Set(state.overview.pairs.slice(0, 12).flatMap(({ x, y }) => [x, y]));
const numeric = state.overview.keys.filter((k) => k.numeric && (!state.isReport || given.has(k.key)));
if (numeric.length < 2) return append(page, title("Plot"), h("p.empty", "A plot needs two numbers that hold. This catalog has ", count(numeric.length, "numeric key"), "."));
const known = new Map(numeric.map((k) => [k.key, k]));
const chosen = { ...query };
if (!known.has(chosen.x) || !known.has(chosen.y) || chosen.x === chosen.y) {
const [best] = state.overview.pairs;
chosen.x = [chosen.x, best?.x, ...known.keys()].find((key) => known.has(key));
chosen.y = [chosen.y, best?.y, ...known.keys()].find((key) => known.has(key) && key !== chosen.x);
}
const scaleName = () => ["log", "linear", "across"].includes(chosen.scale) ? chosen.scale : known.get(chosen.y).units[0] === "percent" ? "across" : "log";
const axis = (name) => {
const k = known.get(chosen[name]);
const family = k.families.includes(chosen[name + "task"]) ? chosen[name + "task"] : "";
const aggregation = k.fact ? "fact" : ["mean", "min", "max"].includes(chosen[name + "of"]) ? chosen[name + "of"] : "mean";
return { name, key: k.key, known: k, family, aggregation, less: chosen[name + "better"] ? chosen[name + "better"] === "less" : lessIsBetter(k.key), unit: k.units[0], log: k.low >= 0 && scaleName() !== "linear" && !(name === "y" && scaleName() === "across") };
};
const groups = groupsOf(numeric, (k) => k.key.split(".")[0]);
const keyOptions2 = [...groups].map(([group, list3]) => ({ group, options: list3.map(optionOf) }));
const write = () => replace("plot", chosen);
const controls = h("div.filters");
const unfold = unfolder(chosen.runs || chosen.q);
const lent = h("p.soft.sure");
const main = h("div.plot");
const side = h("aside.side", { "aria-live": "polite" });
const said2 = h("div.leftout");
const list2 = region("Points", "table");
const view = { highlight: (chosen.q || "").toLowerCase() };
const lines = () => [
["candidate", "runs on", view.x.key, "unit", "low", "high", view.y.key, "unit", "low", "high", "on the frontier"],
...view.points.flatMap((p) => p.where.map((where) => [plainName(p.model), where, ...[p.x, p.y].flatMap((v) => [v.value, v.unit, v.low, v.high]), p.front]))
];
append(page, h("div.bar", h("h1.head", { tabindex: "-1" }), tools("plot", lines)), controls, lent, h("div.halves", h("div", main, said2), side), h("section", h("h2", "The same points as a table"), list2));
const change = (name) => (value) => {
chosen[name] = value;
const other2 = { x: "y", y: "x" }[name];
if (other2) {
if (value === chosen[other2]) chosen[other2] = numeric.find((k) => k.key !== value).key;
for (const part of ["task", "of", "better"]) delete chosen[name + part];
}
write();
begin();
};
let leaving = null;
const begin = async () => {
leaving?.abort();
leaving = new AbortController();
signal.addEventListener("abort", () => leaving.abort());
const mine = leaving.signal;
const [x, y] = [axis("x"), axis("y")];
Object.assign(view, { points: [], x, y });
put(page.querySelector("h1"), nameOfKey(y.key), h("span", " against ", nameOfKey(x.key)));
put(main, h("p.soft.wait", "Asking for the points"));
try {
const asked = ({ key, family, aggregation }) => ({ key, family, aggregation });
const found = await points({ x: asked(x), y: asked(y), lend: chosen.lend || "" }, mine);
if (mine.aborted) return;
view.found = found ?? { points: [], left: [], total: 0 };
drawControls(x, y);
view.points = view.found.points.filter((p) => !chosen.runs || p.runtimes.includes(chosen.runs)).map((p) => chosen.runs ? { ...p, where: p.where.filter((_, i) => p.runtimes[i] === chosen.runs), runtimes: [chosen.runs] } : p).map((p) => ({ ...p, x: { ...p.x, ...interval(p.x.estimate) }, y: { ...p.y, ...interval(p.y.estimate) } }));
draw();
} catch (error) {
if (error.name !== "AbortError") put(main, failure(error, begin));
}
};
const drawControls = (x, y) => {
const ends = (a) => choice(`${a.name === "y" ? "Up" : "Across"}: better is`, ["less", "more"], a.less ? "less" : "more", change(a.name + "better"));
const task = (a) => a.known.families.length > 1 && choice(`Task of ${shortKey(a.key)}`, [["", "any"], ...a.known.families], a.family, change(a.name + "task"));
const means = (a) => !a.known.fact && choice(`${shortKey(a.key)} is the`, ["mean", ["min", "lowest"], ["max", "highest"]], a.aggregation, change(a.name + "of"));
const find2 = searchField(chosen.q || "", "part of a name", 80, (q) => {
chosen.q = q;
view.highlight = q.toLowerCase();
write();
draw();
});
const focused = [...controls.querySelectorAll("select")].indexOf(document.activeElement);
const wasOpen = controls.querySelector("details")?.open;
const harness = view.found.lent;
const lend = !state.isReport && choice("Lend evidence across", [["none", "nothing"], ["offers", "from benchmarks to offers"], ["all", "all"]], harness ? "offers" : chosen.lend || "none", change("lend"));
const of = groupsOf(view.found.points.flatMap((p) => p.runtimes.map((id) => [id, p.key])), ([id]) => id);
const places = [...of].map(([id, list3]) => [id, new Set(list3.map(([, key]) => key)).size]).sort((a, b) => b[1] - a[1] || compareText(a[0], b[0])).map((place) => counted(...place));
if (chosen.runs && !places.some(([id]) => id === chosen.runs)) places.push(counted(chosen.runs, 0));
put(
controls,
choice("Up", keyOptions2, y.key, change("y")),
choice("Across", keyOptions2, x.key, change("x")),
unfold,
places.length > 1 && choice("Runs on", [["", "anywhere"], ...places], chosen.runs || "", change("runs")),
choice("Scale", ["log", ["across", "log across, linear up"], "linear"], scaleName(), change("scale")),
h("label.field.search", h("span", "Highlight"), find2),
h("details.fold", { open: wasOpen }, h("summary", "More"), h("div.filters", ends(y), ends(x), task(y), task(x), means(y), means(x), lend))
);
if (focused >= 0) controls.querySelectorAll("select")[focused]?.focus();
put(lent, harness ? [
`The scores were measured with the benchmark’s own harness, ${harness.join(", ")}, and are carried over to the offers of each model. Prices are those of the offer. `,
!state.isReport && h("button.link", { onclick: () => change("lend")("none") }, "Do not carry scores over")
] : null);
};
const draw = () => {
size = { ...isNarrow() ? narrow : wide, width: Math.max(300, Math.floor(main.clientWidth)) };
const { points: points2, x, y } = view;
findFrontier(points2, x, y);
findDearer(points2, x.known.fact ? x : y);
findColours(points2);
if (points2.length) put(main, drawing(points2, x, y, view.highlight, detail));
else if (state.isReport) put(main, h("p.empty", "This report has no plot of these two."));
else put(main, chosen.runs ? h("p.empty", `Nothing that has both runs on ${chosen.runs}.`) : nothing(x, y, chosen.lend, change("lend")));
drawLeft();
detail(null);
drawTable();
announce(`${count(drawn2(), noun())} drawn of ${numberText(view.found.total)}`);
};
const noun = () => view.found.lent ? "offer" : "candidate";
const drawn2 = () => view.points.reduce((n, p) => n + p.where.length, 0);
const drawLeft = () => {
const { left, total } = view.found;
put(
said2,
h("p", h("strong", `${numberText(drawn2())} of ${count(total, noun())} drawn. `), left.length ? "Left out:" : ""),
h("div", left.map(({ reason, count: n, names }) => fold(`${numberText(n)}: ${reason}`, h("ul.names", names.map((name) => h("li", name)), n > names.length && h("li", `and ${numberText(n - names.length)} more`)))))
);
};
const byHeight = (a, b) => better(view.y, b.y.value) - better(view.y, a.y.value);
const detail = (p) => {
const { points: points2, x, y } = view;
const front = points2.filter((q) => q.front).sort(byHeight);
put(
side,
p ? h(
"div.point",
h("h2", linkTo(toModel(p.key), nameOf(p.model))),
h(
"dl",
[[y, p.y], [x, p.x]].map(([axis2, v]) => h("div", h("dt", nameOfKey(axis2.key)), h("dd", exact(v), evidence(p, axis2, v, wholeText), v.says && h("small", v.says)))),
terms([["runs on", whereOf(p)], p.lent && ["score", "carried over from the benchmark’s own harness"]])
)
) : h("div.hint.soft", points2[0] && legend(points2)),
front[0] && h(
"div.front",
h("h2.small", "No other is better on both than these"),
h(
"table",
h("thead", h("tr", h("td"), h("th.number", { scope: "col", title: y.key }, "↑ up"), h("th.number", { scope: "col", title: x.key }, "→ across"))),
h("tbody", front.slice(0, 12).map((q) => h("tr", rowHead(linkTo(toModel(q.key), tail(plainName(q.model))), isNamed(q) && h("small.soft", "on ", whereOf(q, 2))), h("td.number", evidence(q, y, q.y)), h("td.number", evidence(q, x, q.x)))))
),
front.length > 12 && h("p.soft", `and ${numberText(front.length - 12)} more, in the table below`),
!state.isReport && h("p", linkTo(to("rank", { q: JSON.stringify({ models: [...new Set(front.map((q) => q.model.id))], [y.less ? "minimize" : "maximize"]: [y.key], ...x.less !== y.less ? { [x.less ? "minimize" : "maximize"]: [x.key] } : { [y.less ? "minimize" : "maximize"]: [y.key, x.key] } }) }), "Ask about these"))
)
);
};
let most = 100;
const drawTable = () => {
const { points: points2, x, y } = view;
const sorted = [...points2].sort((a, b) => b.front - a.front || byHeight(a, b));
put(list2, h(
"table",
heads(["Model", "Runs on"], [y, x].map((a) => [keyName(a.key), h("small", unitText(a.unit) || " ")]), ["Frontier"]),
h("tbody", sorted.slice(0, most).map((p) => h(
"tr",
rowHead(linkTo(toModel(p.key), nameOf(p.model))),
h("td.runs", whereOf(p)),
[[y, p.y], [x, p.x]].map(([a, v]) => h("td.number", { ...exact(v), "data-label": labelOf(a.key, a.unit) }, evidence(p, a, v), v.low !== null && v.low !== v.value && h("small", " ", rangeOf(v.low, v.high, v.unit)))),
h("td.runs", p.front ? "on it" : "")
)))
));
if (points2.length > most) append(list2, h("p", button(`Show ${Math.min(100, points2.length - most)} more`, () => {
most += 100;
drawTable();
})));
};
const resized = new ResizeObserver(once(() => {
if (view.found && Math.floor(main.clientWidth) !== size.width) draw();
}, 200));
resized.observe(main);
signal.addEventListener("abort", () => resized.disconnect());
await begin();
}
var evidence = (p, axis, v, text = valueText) => linkTo(toModel(p.key, axis.key), text(v.value, v.unit));
function legend(points2) {
const mark = (text, shape) => h("p", s("svg", { width: 20, height: 12, viewBox: "0 0 20 12" }, shape), text);
const all = points2.every((p) => p.lent);
const dot = (kind, text, isSquare = all) => mark(text, isSquare ? s("rect", { x: 5, y: 1, width: 10, height: 10, class: "dot " + kind }) : s("circle", { cx: 10, cy: 6, r: 5, class: "dot " + kind }));
const some = (test, ...of) => points2.some(test) && dot(...of);
return [
dot("front" + (all ? " lent" : ""), "on the frontier: no other is better on both"),
some((p) => p.unsure, "front unsure", "on it, but perhaps no better than a cheaper one"),
all ? null : some((p) => p.lent, "lent", "rests on evidence that was lent", true),
[...groupsOf(points2.filter((p) => p.colour), (p) => p.colour)].sort(([a], [b]) => a - b).map(([colour, [p]]) => dot("series" + colour + (all ? " lent" : ""), makerOf(p))),
dot(all ? "lent" : "", "other makers"),
some((p) => p.dear, (all ? "lent " : "") + "dear", "a dearer offer of such a model"),
points2.some((p) => p.front && (p.x.low !== null || p.y.low !== null)) && mark("the range of a value", s("g.errors", line(10, 10, 0, 12))),
h("p", "Point at a mark, or move through them with the arrow keys.")
];
}
var isNamed = ({ id, model: model3 }) => id !== model3.id;
function whereOf({ where, runtimes, condition }, most = 99) {
if (where.length < 2) return where[0];
return joined([...runtimes.slice(0, most), runtimes.length > most && `${runtimes.length - most} more`, condition], ", ");
}
var fullName = (p) => plainName(p.model) + (isNamed(p) ? " on " + whereOf(p) : "");
var tail = (id) => id.slice(id.lastIndexOf("/") + 1);
var cut = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;
var short = (p) => cut(tail(plainName(p.model)), 34) + (isNamed(p) ? cut(" on " + whereOf(p, 1), isNarrow() ? 18 : 40) : "");
var shortKey = (key) => nameOfKey(key).length > 34 ? nameOfKey(key).slice(0, 32) + "…" : nameOfKey(key);
var better = (axis, value) => axis.less ? -value : value;
function interval(e) {
if (!e || e.low === null || e.basis === "exact") return { low: null, high: null, says: e && e.basis !== "exact" && "no interval" };
return { low: e.low, high: e.high, says: sureness(e) };
}
function findFrontier(points2, x, y) {
const order2 = [...points2].sort((a, b) => better(x, b.x.value) - better(x, a.x.value) || better(y, b.y.value) - better(y, a.y.value));
let best = null;
let reach = -Infinity;
for (const p of order2) {
p.front = best === null || better(y, p.y.value) > better(y, best.y.value) || p.x.value === best.x.value && p.y.value === best.y.value;
p.unsure = false;
if (!p.front) continue;
if (p.y.low !== null) {
const [worst, most] = y.less ? [-p.y.high, -p.y.low] : [p.y.low, p.y.high];
p.unsure = worst <= reach && p.y.value !== best.y.value;
reach = Math.max(reach, most);
}
best = p;
}
}
function findDearer(points2, axis) {
const best = new Map();
const group = (p) => p.key + " " + p.condition;
const value = (p) => better(axis, p[axis.name].value);
for (const p of points2) if (!(value(p) <= best.get(group(p)))) best.set(group(p), value(p));
for (const p of points2) p.dear = p.offer && !p.front && value(p) < best.get(group(p));
}
function findColours(points2) {
const makers = [...groupsOf(points2, makerOf)].filter(([maker]) => maker).sort((a, b) => b[1].length - a[1].length || compareText(a[0], b[0])).slice(0, 5).map(([maker]) => maker);
for (const p of points2) p.colour = makers.indexOf(makerOf(p)) + 1;
}
var makerOf = ({ model: { id } }) => id.includes("/") ? id.split("/")[0] : "";
function scaleOf(all, axis, from, to2) {
const positive = all.filter((v) => v > 0);
const log = axis.log && positive.length > 0;
const lane = log && positive.length < all.length ? (to2 - from) * 0.07 : 0;
let [low, high] = log ? [Math.min(...positive), Math.max(...positive)] : [Math.min(...all), Math.max(...all)];
if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 1, high + 1];
const room = log ? Math.pow(high / low, 0.05) : (high - low) * 0.05;
[low, high] = log ? [low / room, high * room] : [low - room, high + room];
const place = (v) => {
if (log && v <= 0) return from + lane * 0.4;
const share2 = log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
return from + lane + share2 * (to2 - from - lane);
};
return { place, log, lane, ticks: log ? logTicks(low, high, axis.unit) : linearTicks(low, high) };
}
function logTicks(low, high, unit) {
const powers = Math.log10(high / low);
const steps = powers > 5 ? [1] : powers > 2.5 ? [1, 3] : [1, 2, 5];
const ticks = [];
for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
for (const step2 of steps) {
const tick = Number(`${step2}e${e}`);
if (tick >= low && tick <= high) ticks.push(tick);
}
}
return ticks.length > 3 ? ticks : linearTicks(low, high);
}
function linearTicks(low, high) {
const raw = (high - low) / 6;
const power = 10 ** Math.floor(Math.log10(raw));
const step2 = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
const ticks = [];
for (let i = Math.ceil(low / step2); i * step2 <= high; i++) ticks.push(Number((i * step2).toPrecision(12)));
return ticks;
}
function tickText(value, unit) {
if (unit === perToken) return priceText(value, 0);
if (Math.abs(value) >= 1e6) return numberText(value / 1e6) + " M";
if (Math.abs(value) >= 1e4) return numberText(value / 1e3) + " k";
return numberText(value);
}
function drawing(points2, x, y, highlight, detail) {
const { width, height, left, right, top, bottom } = size;
const across = scaleOf(points2.map((p) => p.x.value), x, left, width - right);
const up = scaleOf(points2.map((p) => p.y.value), y, height - bottom, top);
const px = (p) => across.place(p.x.value);
const py = (p) => up.place(p.y.value);
const named = `${nameOfKey(y.key)} against ${nameOfKey(x.key)}: ${count(points2.length, "point")}`;
const hover = s("g.hover");
const front = points2.filter((p) => p.front).sort((a, b) => px(a) - px(b));
const path = frontPath(front, x, y, px, py);
const drawn2 = [...points2].sort((a, b) => px(a) - px(b) || py(a) - py(b));
const nodes = new Map();
const show2 = (p) => {
put(hover, p.front ? null : s("g.errors", barsOf([p])), label(px(p), py(p) - 12, short(p), px(p) > width * 0.7 ? "end" : px(p) < width * 0.3 ? "start" : "middle"));
detail(p);
};
const matches = (p) => highlight && fullName(p).toLowerCase().includes(highlight);
const nodeOf = (p) => {
if (nodes.has(p)) return nodes.get(p);
const kind = joined(["dot", p.front && "front", p.colour && "series" + p.colour, p.unsure && "unsure", p.lent && "lent", p.dear && "dear", highlight && (matches(p) ? "match" : "dim")], " ");
const [x2, y2, r] = [px(p), py(p), p.front ? 5 : p.dear ? 2 : 4];
const node = s("a", {
href: toModel(p.key),
class: "hit",
tabindex: p.front ? "0" : "-1",
"aria-label": `${fullName(p)}: ${wholeText(p.y.value, p.y.unit)}, ${wholeText(p.x.value, p.x.unit)}${p.front ? ", on the frontier" : ""}`,
onmouseenter: () => show2(p),
onfocus: () => show2(p),
onblur: () => put(hover),
onmouseleave: () => put(hover)
}, s("circle", { cx: x2, cy: y2, r: 12, class: "area" }), p.lent ? s("rect", { x: x2 - r, y: y2 - r, width: 2 * r, height: 2 * r, class: kind }) : s("circle", { cx: x2, cy: y2, r, class: kind }));
nodes.set(p, node);
return node;
};
const [before2, crowd] = [drawn2.filter((p) => p.front || matches(p)), drawn2.filter((p) => !p.front && !matches(p))];
const group = s("g");
const draw = (from) => {
append(group, crowd.slice(from, from + 400).map(nodeOf));
if (from + 400 < crowd.length) setTimeout(() => group.isConnected && draw(from + 400));
};
draw(0);
const move = (event) => {
const step2 = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
if (!step2) return;
const at2 = drawn2.findIndex((p) => nodeOf(p) === document.activeElement);
nodeOf(drawn2[(at2 + step2 + drawn2.length) % drawn2.length]).focus();
event.preventDefault();
};
const upTo = (v) => Math.min(height - bottom, Math.max(top, up.place(v)));
const acrossTo = (v) => Math.min(width - right, Math.max(left, across.place(v)));
const barsOf = (list2) => list2.flatMap((p) => [
p.y.low !== null && line(px(p), px(p), upTo(p.y.low), upTo(p.y.high)),
p.x.low !== null && line(acrossTo(p.x.low), acrossTo(p.x.high), py(p), py(p))
].filter(Boolean));
return s(
"svg",
{ viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "group", "aria-label": named, onkeydown: move },
s("g.grid", across.ticks.map((t) => line(across.place(t), across.place(t), top, height - bottom)), up.ticks.map((t) => line(left, width - right, up.place(t), up.place(t)))),
path && s("path", { d: path.region, class: "region" }),
across.lane > 0 && s("g.cut", line(left + across.lane * 0.8, left + across.lane * 0.8, top, height - bottom), label(left + across.lane * 0.4, height - bottom + 18, "0", "middle")),
up.lane > 0 && s("g.cut", line(left, width - right, height - bottom + up.lane * 0.8, height - bottom + up.lane * 0.8), label(left - 8, height - bottom + up.lane * 0.4 + 4, "0", "end")),
s("g.ticks", spaced(across.ticks, across.place, 44).map((t) => label(across.place(t), height - bottom + 18, tickText(t, x.unit), "middle")), spaced(up.ticks, up.place, 20).map((t) => label(left - 8, up.place(t) + 4, tickText(t, y.unit), "end"))),
s(
"g.names",
label(0, 14, `↑ ${labelOf(y.key, y.unit)}${endOf(y)}`),
label(width - right, height - 8, `${labelOf(x.key, x.unit)}${endOf(x)} →`, "end")
),
s("g.errors", barsOf(front)),
path && s("path", { d: path.line, class: "frontier" }),
group,
before2.map(nodeOf),
s("g.labels", labels(highlight ? drawn2.filter(matches) : front, drawn2, px, py)),
hover
);
}
var endOf = (axis) => isNarrow() ? "" : ` (${axis.less ? "less" : "more"} is better)`;
function spaced(ticks, place, gap) {
let last = -Infinity;
return [...ticks].sort((a, b) => place(a) - place(b)).filter((t) => {
if (place(t) - last < gap) return false;
last = place(t);
return true;
});
}
function frontPath(front, x, y, px, py) {
if (!front.length) return null;
const { width, height, left, right, top, bottom } = size;
const order2 = [...front].sort((a, b) => x.less ? px(a) - px(b) : px(b) - px(a));
const [near, far] = x.less ? [left, width - right] : [width - right, left];
const [worse, best] = y.less ? [top, height - bottom] : [height - bottom, top];
let line2 = `M${px(order2[0])} ${worse}`;
for (const p of order2) line2 += `H${px(p)}V${py(p)}`;
line2 += `H${far}`;
return { line: line2, region: `${line2}V${best}H${near}V${worse}Z` };
}
function labels(points2, all, px, py) {
const mark = (p) => ({ left: px(p) - 5, right: px(p) + 5, top: py(p) - 5, bottom: py(p) + 5 });
const taken = points2.map(mark);
const crowd = all.map(mark);
const isFree = (box, boxes) => !boxes.some((t) => box.left < t.right && box.right > t.left && box.top < t.bottom && box.bottom > t.top);
const out = [];
const last = points2.length - 1;
const font = isNarrow() ? 14 : 12;
const pen = h("canvas").getContext("2d");
pen.font = `${font}px ${getComputedStyle(document.body).fontFamily}`;
const list2 = points2.filter((_, i) => i % Math.ceil(last / 11 || 1) === 0 || i === last);
for (const p of list2) {
const text = tail(plainName(p.model)) + (points2.some((q) => q !== p && q.key === p.key) ? " " + (p.condition || "") : "");
const long = pen.measureText(text).width;
const places = [[px(p) - 8, py(p) - 8, "end"], [px(p) + 8, py(p) + 14, "start"], [px(p) + 8, py(p) - 8, "start"], [px(p) - 8, py(p) + 16, "end"], [px(p), py(p) - 14, "middle"], [px(p), py(p) - 28, "middle"]];
const boxes = places.map(([x, y, anchor]) => {
const begin = anchor === "end" ? x - long : anchor === "middle" ? x - long / 2 : x;
return { x, y, anchor, left: begin, right: begin + long, top: y - font, bottom: y + font / 4 };
}).filter((box2) => box2.left > size.left && box2.right < size.width - 4 && box2.top > 18 && box2.bottom < size.height - size.bottom && isFree(box2, taken));
const box = boxes.find((box2) => isFree(box2, crowd)) || boxes[0];
if (!box) continue;
taken.push(box);
out.push(label(box.x, box.y, text, box.anchor));
}
return out;
}
function nothing(x, y, now, lend) {
return h(
"div.empty",
h("p", "No candidate has evidence for both. They were measured under:"),
h("ul", [y, x].map((a) => h("li", h("strong", nameOfKey(a.key)), ", by ", count(a.known.holding, "model"), ": ", a.known.under.slice(0, 6).join("; "), a.known.under.length > 6 ? ` and ${numberText(a.known.under.length - 6)} more` : ""))),
now === "none" ? h("p", button("Carry scores over to the offers", () => lend("offers"))) : h("p", "If the two were measured under different runtimes or harnesses, lend evidence across them.")
);
}

var share = (part) => wholeText(100 * part, "percent");
var gaps = { MISSING: "no evidence", STALE: "the evidence has expired", CONFLICTING: "the evidence contradicts itself", INCOMPARABLE: "the evidence cannot be compared", AMBIGUOUS: "the evidence is of several kinds" };
var gapOf = (code, words = gaps) => words[Object.keys(words).find((word) => code.includes(word))];
var isUnmet = (r) => r.code === "REQUIREMENT_NOT_MET";
function unmetText(r, unitOf2, isWhole) {
const unit = unitOf2(r);
const text = (value) => typeof value === "number" && unit !== void 0 ? wholeText(value, unit) : JSON.stringify(value);
const [less, more] = typeof r.actual === "number" ? ["less than ", "more than "] : ["not at least ", "not at most "];
return `${keyOf(r)} is ${isWhole ? text(r.actual) + ", " : ""}${{ gte: less, lte: more }[r.summary.slice(-3)] || "not "}${text(r.expected)}`;
}
var obstacles = ({ reasons: reasons3 }, unitOf2) => [...new Set(reasons3.map((r) => {
const gap = gapOf(r.code);
if (isUnmet(r)) return unmetText(r, unitOf2);
if (r.code === "NO_EVIDENCE") return r.expected < 1 && `there is not evidence for ${share(r.expected)} of the weight`;
if (r.summary.endsWith("one unit")) return keyOf(r) + ": the candidates have values in more than one unit";
if (r.summary.endsWith("not numeric")) return keyOf(r) + ": the value is not a number";
const { matchedKinds, mismatchedDimensions: others } = r.executionApplicability || {};
const kinds = (r.ambiguity || []).map(({ dimension, values }) => `, by ${dimension} (${joined([...values.slice(0, 5).map((v) => v === null ? "none" : typeof v === "string" ? v : JSON.stringify(v)), values[5] !== void 0 && "and others"], ", ")})`);
return gap && `${keyOf(r)}: ${gap}${kinds.join("")}${r.code.startsWith("INC") && others?.[0] && !matchedKinds[0] ? others.join() === "runtime.id" ? ": it is about another provider" : ": it was measured with another " + enumeration(dimensionWords(others)) : ""}`;
}).filter(Boolean))];
var dimensionWords = (names) => [...new Set(names.map((name) => {
const [word, member] = name.split(".");
return { model: member, effectiveContextTokens: "length of context", toolSurface: "set of tools" }[word] || word;
}))];
var clause = (text) => text.replace(/^(.+?): the evidence /, "the evidence of $1 ").replace(/^(.+?): no evidence$/, "there is no evidence of $1");
function causeText({ excluded }) {
const all = excluded.length;
const unitOf2 = (r) => r.estimate?.unit;
const lists = excluded.map((e) => obstacles(e, unitOf2));
const counts = [...groupsOf(lists.flat(), (text) => text)].sort(([a, x], [b, y]) => y.length - x.length || compareText(a, b));
const [most, { length: n }] = counts[0] || ["", ""];
const alone = lists.filter((list2) => !list2[1] && list2[0] === most).length;
const cause = counts[1] && 2 * n > all && `${n === all ? "All of them" : `Most, ${numberText(n)} of ${numberText(all)},`} are excluded because ${clause(most)}${alone ? `, ${numberText(alone)} of them by nothing else` : ""}.`;
const [nearest] = excluded.map((e) => ({ ...e, ...distance(e) })).filter((e) => e.miss > 0 && e.miss < Infinity).sort((a, b) => a.miss - b.miss || b.reach - a.reach);
const unmet = nearest?.reasons.filter(isUnmet);
const by = unmet?.length === 1 && missOf(unmet[0]);
return joined([cause, nearest && all > 1 && `Nearest is ${nearest.candidateId}: its ${unmet.map((r) => unmetText(r, unitOf2, true)).join("; its ")}${by ? `; it misses by ${pointsText(Number.isInteger(by) ? by : Number(by.toPrecision(12)), unitOf2(unmet[0]))}` : ""}.`], " ");
}
var pointsText = (by, unit) => unit === "percent" ? count(by, "point") : wholeText(by, unit);
var missOf = ({ actual, expected }) => typeof actual === "number" && typeof expected === "number" ? Math.abs(actual - expected) : 0;
function distance({ reasons: reasons3 }) {
let [miss, reach] = [0, 0];
for (const r of reasons3) {
if (/_(MET|SCORE|VALUE)$/.test(r.code) && !isUnmet(r)) continue;
const by = missOf(r);
miss += !isUnmet(r) ? Infinity : by ? 1 + by / (by + Math.abs(r.expected)) : 2;
if (by) reach += r.expected < r.actual ? -r.actual : r.actual;
}
return { miss, reach };
}

var operators = { gte: "at least", lte: "at most", eq: "exactly" };
var versionOf = (request) => Number(/\/v(\d)$/.exec(request.schemaVersion || "")?.[1] || 0);
var isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
var usualTask = { inputTokens: 2e4, outputTokens: 3e3 };
async function rank2(page, { query }, signal) {
const board = new Board(page, signal);
board.frame();
if (state.isReport) return board.showGiven(Number(query.n) || 0);
try {
await board.begin(query);
} catch (error) {
board.refuse(["This link cannot be read: " + error.message + ". ", linkTo(to("rank"), "Ask another question")]);
}
}
function commonest() {
const key = state.overview.keys.filter((k) => k.numeric).sort((a, b) => b.holding - a.holding)[0]?.key;
return key ? { [endOf2(key)]: [key] } : { all: true };
}
var endOf2 = (key) => lessIsBetter(key) ? "minimize" : "maximize";
function aggregationOf(key) {
const k = infoOf(key);
return !k || k.fact ? "fact" : k.numeric ? "mean" : "success-rate";
}
function bound(key) {
const k = infoOf(key);
if (!k?.numeric) return { operator: "eq", value: true, unit: void 0 };
const isLess = lessIsBetter(key);
return { operator: isLess ? "lte" : "gte", value: (isLess ? k.high : k.low) ?? 0, unit: void 0 };
}
var roles = { preferences: "preference", requirements: "requirement", tieBreakers: "tieBreaker" };
var endText = (c) => (c.direction === "minimize" ? "less" : "more") + " is better";
function questionOf({ preferences, requirements }) {
const q = {};
for (const p of preferences) {
(q[p.direction] ||= []).push(p.measurementKey);
if (p.weight !== 1) (q.weights ||= {})[p.measurementKey] = p.weight;
}
for (const r of requirements) (q[{ gte: "atLeast", lte: "atMost", eq: "require" }[r.operator]] ||= {})[r.measurementKey] = r.value;
return q;
}
var criteriaMembers = ["maximize", "minimize", "weights", "atLeast", "atMost", "require", "keys"];
var Board = class {
constructor(page, signal) {
Object.assign(this, { page, signal, request: null, question: null, answer: null, name: "", hasLink: true, isAll: false, problem: h("div"), refused: null });
this.later = once(() => this.send(), 150);
}
frame() {
this.answered = h("div");
this.controls = h("div.controls");
this.results = h("div.results");
this.section = h("details.question", { open: !isNarrow() }, h("summary", state.isReport ? "The question" : "Change the question"), this.controls);
this.head = title("Answer");
append(this.page, h("div.bar", this.head, tools("ranking", () => this.lines(), () => this.hasLink)), this.answered, this.problem, h("div.halves.uneven", this.section, this.results));
}
async begin(query) {
if (query.q) {
const question = JSON.parse(query.q);
if (!isObject(question)) throw new Error("it has no question");
return this.ask(question);
}
if (query.r) return this.take(await unpack(query.r));
if (query.models) {
const { models: models3 } = await ask("together", { models: query.models.split(",") });
const known = state.overview.benchmark;
return this.ask({ models: [...new Set(models3.map((m) => m.identity.id))], ...known ? { maximize: [known] } : commonest(), all: void 0 });
}
const given = query.request ? state.extras.requests.find((r) => r.name === query.request) : state.extras.requests[0];
if (query.request && !given) throw new Error("the page knows no request " + query.request);
return this.open(given);
}
open(given) {
this.name = given?.name ?? "";
if (!given || given.question) return this.ask(given?.question ?? commonest());
return this.take(structuredClone(given.request));
}
ask(question) {
this.question = question;
this.request = null;
return this.send();
}
take(request) {
if (!isObject(request) || !Array.isArray(request.inventory)) throw new Error("this is not a rank request: it has no inventory");
this.question = null;
this.request = { requirements: [], preferences: [], ...request };
put(this.problem);
this.drawControls();
return this.send();
}
changed(redraw = false) {
if (this.question) for (const name of criteriaMembers) delete this.question[name];
if (this.question) Object.assign(this.question, questionOf(this.request));
if (redraw) this.drawControls();
this.later();
}
asked() {
const { request } = this;
return versionOf(request) >= 3 ? request : { ...request, preferences: (request.preferences || []).filter((p) => p.weight > 0) };
}
async send() {
if (this.refused) this.check(this.refused, true);
this.refused = null;
this.sending?.abort();
this.sending = new AbortController();
this.signal.addEventListener("abort", () => this.sending.abort());
const mine = this.sending.signal;
if (this.controls.querySelector("[aria-invalid=true]")) return this.keep();
try {
const result = await (this.question ? this.answerQuestion(mine) : rank(this.asked(), mine));
if (mine.aborted) return;
this.answer = result;
put(this.problem);
await this.link(mine);
if (!mine.aborted) this.drawResults();
} catch (error) {
if (error.name === "AbortError") return;
if (error.status >= 400 && error.status < 500) this.drawFault(error);
else put(this.results, failure(error, () => this.send()));
}
}
async link(mine) {
const query = this.question ? { q: JSON.stringify(this.question) } : { r: await pack(this.request) };
if (mine.aborted) return;
this.hasLink = Object.values(query)[0].length < longestLink;
replace("rank", this.hasLink ? query : {});
}
async answerQuestion(mine) {
const isPriced = infoOf("price.input") && infoOf("price.output");
const { request, result } = await answer({ ...this.question, cost: this.question.cost ?? (isPriced && !this.question.measuredCost ? usualTask : void 0) }, mine);
if (mine.aborted) return null;
const isFirst = !this.request;
const { preferences, requirements } = this.request ?? {};
this.request = { ...request, preferences: preferences ?? request.preferences, requirements: requirements ?? request.requirements };
if (isFirst) this.drawControls();
else put(this.counted, count(request.inventory.length, "candidate"));
return result;
}
refuse(message) {
put(this.problem, h("p.notice", { role: "alert" }, message));
}
check(field, isRight, message) {
const place = field.closest("[data-path]");
place.querySelector(".fault")?.remove();
field.setAttribute("aria-invalid", !isRight);
if (!isRight) append(place, h("p.fault", { role: "alert" }, message));
return isRight;
}
keep() {
put(this.problem, this.answer && h("p.notice", "The question has a fault: this answers the one before."));
}
drawFault(error) {
const path = error.path.replace(/^\$\.preferences\[(\d+)\]/, (_, i) => `$.preferences[${this.request.preferences.indexOf(this.asked().preferences[i])}]`);
const place = [...this.controls.querySelectorAll("[data-path]")].filter((node) => path.startsWith(node.dataset.path)).sort((a, b) => b.dataset.path.length - a.dataset.path.length)[0];
this.refused = place?.querySelector(/\.(value|weight)$/.test(path) ? "input:not([type=range])" : "select, input");
if (!this.refused) {
this.refuse(error.message);
return this.request || this.answer ? void 0 : append(this.problem, h("p", linkTo(to("rank"), "Ask another question")));
}
this.check(this.refused, false, error.message);
this.keep();
}
drawControls() {
const { request } = this;
const keys2 = state.overview.keys.filter((k) => k.holding);
const options = (value, list2) => [...list2.some((k) => k.key === value) || !value ? [] : [counted(value, 0)], ...list2.map(optionOf)];
const remove = (list2, i, name) => cross(name, () => {
list2.splice(i, 1);
this.changed(true);
});
const numeric = keys2.filter((k) => k.numeric || !k.fact);
const keyField = (c, list2) => c.sum ? h("span.key", c.id) : choice("Key", options(c.measurementKey, list2), c.measurementKey, (key) => {
Object.assign(c, { measurementKey: key, aggregation: aggregationOf(key) }, c.operator && bound(key));
if (c.direction) c.direction = endOf2(key);
this.changed(true);
});
const lineOf2 = (c) => h("p.soft.keyline", infoOf(c.measurementKey)?.line);
const section = (title2, list2, draw, ...more) => h("section", h("h2", title2), list2[0] && h("ol.criteria", list2.map(draw)), more);
const add = (text, list2, from, make, first2) => button(text, () => {
const { key } = !list2.some((c) => c.measurementKey === first2) && from.find((k) => k.key === first2) || from.find((k) => k.numeric && !list2.some((c) => c.measurementKey === k.key)) || from[0] || { key: "" };
list2.push({ measurementKey: key, aggregation: aggregationOf(key), ...make(key) });
this.changed(true);
const last = [...this.controls.querySelectorAll(`[data-path^="$.${list2 === request.requirements ? "requirements" : "preferences"}"]`)].at(-1);
const field = last.querySelector("input[type=text], input[type=number]") ?? last.querySelector("select");
field.focus();
field.select?.();
});
this.counted = h("p.soft");
put(this.counted, count(request.inventory.length, "candidate"));
put(
this.controls,
state.extras.requests[0] && choice("Request", [["", "–"], ...state.extras.requests.map((r) => [r.name, r.name])], this.name, (name) => {
const given = state.extras.requests.find((r) => r.name === name);
if (given) this.open(given);
}),
this.counted,
section(
"What is better",
request.preferences,
(p, i) => h(
"li.criterion",
{ "data-path": `$.preferences[${i}]` },
h("span", { class: `swatch series${i % 5 + 1}`, "aria-hidden": "true" }),
keyField(p, numeric),
lineOf2(p),
h("div.line", choice("Better is", [["maximize", "more"], ["minimize", "less"]], p.direction, (d) => {
p.direction = d;
this.changed();
}), this.weightField(p), remove(request.preferences, i, keyOf(p)))
),
add("Add a preference", request.preferences, numeric, (key) => ({ direction: endOf2(key), weight: 1 }))
),
section(
"What must be",
request.requirements,
(q, i) => h("li.criterion", { "data-path": `$.requirements[${i}]` }, keyField(q, keys2), lineOf2(q), h("div.line", this.boundFields(q), remove(request.requirements, i, keyOf(q)))),
Object.assign(add("Add a requirement", request.requirements, keys2, bound, "price.output"), { className: "must" })
),
this.question && this.questionFields(),
this.requestField()
);
}
weightField(p) {
const number3 = h("input", { type: "number", min: "0", step: "any", value: p.weight, "aria-label": "Weight of " + keyOf(p), oninput: () => set(number3.value, number3) });
const slider = h("input", { type: "range", min: "0", max: "10", step: "0.1", value: Math.min(p.weight, 10), "aria-label": "Weight of " + keyOf(p) + ", slider", oninput: () => set(slider.value, slider) });
const set = (text, from) => {
const weight = Number(text);
const isRight = text !== "" && weight < Infinity && (this.question ? weight > 0 : weight >= 0);
if (this.check(number3, isRight, `A weight is a number ${this.question ? "above" : "from"} 0.`)) p.weight = weight;
if (from !== number3) number3.value = text;
if (from !== slider) slider.value = Math.min(weight, 10);
this.changed();
};
return h("label.field.weight", h("span", "Weight"), h("span.line", slider, number3));
}
boundFields(q) {
const k = infoOf(q.measurementKey);
if (typeof q.value === "boolean") return choice("Must be", [["true", "yes"], ["false", "no"]], String(q.value), (v) => {
q.value = v === "true";
this.changed();
});
const unit = q.unit || k?.units[0] || null;
const read = (text) => {
const number3 = typedNumber(text, unit);
if (Number.isFinite(number3)) return number3;
try {
return JSON.parse(text);
} catch {
return text;
}
};
const value = h("input", { type: "text", value: typedText(q.value, unit), inputmode: "decimal", "aria-label": "Value", oninput: () => {
const number3 = read(value.value);
if (this.check(value, typeof number3 === "number" || !k?.numeric, "This is not a number.")) q.value = number3;
this.changed();
} });
return [choice("Must be", Object.entries(operators), q.operator, (o) => {
q.operator = o;
this.changed();
}), h("label.field", h("span", unitText(unit) || "Value"), value)];
}
questionFields() {
const q = this.question;
const set = (name, value) => {
if (value === void 0) delete q[name];
else q[name] = value;
this.changed();
};
const tokens = (name, text) => {
const field = h("input", { type: "text", inputmode: "numeric", value: numberText((q.cost ?? usualTask)[name], 15), oninput: () => {
const n = typedNumber(field.value, null);
if (this.check(field, Number.isSafeInteger(n) && n >= 0, "A task takes a whole number of tokens.")) q.cost = { ...usualTask, ...q.cost, [name]: n };
this.changed();
} });
return h("label.field", h("span", text), field);
};
const ways = { "": "the best score", cheapest: "the cheapest within 3% of the best", ...q.within !== void 0 && { within: `the cheapest within ${typeof q.within === "number" ? wholeText(100 * q.within, "percent") : q.within} of the best` }, five: "the cheapest within 5% of the best", ten: "the cheapest within 10% of the best" };
const way2 = q.within !== void 0 ? "within" : q.cheapest ? "cheapest" : "";
return [
h(
"section",
h("h2", "A task takes"),
h("div", { "data-path": "$.cost" }, h("div.line", tokens("inputTokens", "Input tokens"), tokens("outputTokens", "Output tokens"))),
choice("Take", Object.entries(ways), way2, (name) => {
delete q.within;
delete q.cheapest;
if (name === "cheapest") q.cheapest = true;
else if (name) q.within = { five: 0.05, ten: 0.1 }[name];
this.changed();
})
),
h("section", h("h2", "Who sells it"), h(
"div.line",
choice("Sellers", [["", "anybody"], ["major", "clouds and large hosts"], ["first-party", "the makers"]], q.sellerPolicy ?? "", (v) => set("sellerPolicy", v || void 0)),
choice("Service", [["", "as usual"], "free", "batch", "any", ...(q.services ?? []).filter((name) => !["free", "batch", "any"].includes(name))], q.services?.[0] ?? "", (v) => set("services", v ? [v] : void 0))
)),
q.models?.[0] && h("section", h("h2", "Among"), h("ul.names", q.models.map((id) => h("li", id)))),
q.models?.[0] && button("Ask about all models", () => {
delete q.models;
this.changed(true);
})
];
}
requestField() {
const paste = h("textarea", { rows: "4", "aria-label": "A question or a rank request as JSON", spellcheck: "false", placeholder: "paste a question or a request" });
const file = h("input", { type: "file", accept: ".json,application/json", "aria-label": "Open a question or a request", onchange: async () => file.files[0] && read(await file.files[0].text()) });
const read = (text) => {
try {
const value = JSON.parse(text);
if (isObject(value) && !("inventory" in value)) this.ask(value);
else this.take(value);
} catch (error) {
this.refuse("This cannot be read: " + error.message);
}
};
const catalog = quote(state.extras.catalogFile || "catalog.json");
const json2 = () => JSON.stringify(this.asked());
return fold("Request and answer", h(
"div.stack",
h(
"div.tools.left",
copyButton("Copy as curl", () => `curl -sS -H 'Content-Type: application/json' --data-binary @- ${new URL("/v1/rank", location.href).href} <<'REQUEST'
${json2()}
REQUEST
`),
copyButton("Copy as svc rank", () => `svc rank --catalog ${catalog} --output json - <<'REQUEST'
${json2()}
REQUEST
`),
button("Save request", () => save("request.json", JSON.stringify(this.asked(), null, 2) + "\n", "application/json"))
),
file,
paste,
button("Open what is pasted", () => read(paste.value))
));
}
showGiven(n) {
const { requests, answers } = state.extras;
if (!requests.length) return put(this.results, h("p.empty", "This report has no rank request."));
const at2 = Math.min(n, requests.length - 1);
this.request = { requirements: [], preferences: [], ...requests[at2].request };
this.answer = answers[at2];
const { name, options } = requests[at2];
const list2 = (title2, name2, says2) => this.request[name2]?.[0] && h("section", h("h2", title2), h("ol.criteria", this.request[name2].map((c, i) => h("li", name2 === "preferences" && h("span", { class: `swatch series${i % 5 + 1}` }), h("span", keyOf(c)), h("small.soft", " " + says2(c))))));
put(
this.controls,
requests.length > 1 ? choice("Request", requests.map((r, i) => [String(i), r.name]), String(at2), (i) => {
replace("rank", { n: i });
this.showGiven(Number(i));
}) : h("p", name),
list2("Preferences", "preferences", (c) => `${endText(c)}, weight ${numberText(c.weight)}`),
list2("Requirements", "requirements", (c) => `${operators[c.operator]} ${wholeText(c.value, c.unit || unitOfKey(c.measurementKey))}`),
list2("Tie breakers", "tieBreakers", endText),
h("p.soft", "To ask again:"),
h("p", h("code", `svc rank --catalog catalog.json ${(options || [name]).map(quote).join(" ")}`))
);
this.drawResults();
}
lines() {
if (!this.answer) return [["rank"]];
const columns = this.columns();
const actual = (e) => columns.map((c) => reasonFor(e, c)?.actual ?? null);
return [
["rank", "candidate", "model", "score", "best rank", "worst rank", ...columns.map((c) => c.key)],
...this.answer.ranked.map((e) => [e.rank, e.candidateId, plainName(e.model), e.score, e.rankInterval?.low ?? null, e.rankInterval?.high ?? null, ...actual(e)]),
...this.answer.excluded.map((e) => [null, e.candidateId, plainName(e.model), null, null, null, ...actual(e)])
];
}
columns() {
const request = this.asked();
return Object.entries(roles).flatMap(([name, role]) => (request[name] || []).map((c, i) => ({ role, key: keyOf(c), id: versionOf(request) >= 3 ? c.id || role + ":" + c.measurementKey : null, criterion: c, series: i % 5 + 1 })));
}
drawResults() {
const { answer: answer2 } = this;
const { ranked, excluded, scoreScale: { maximum } } = answer2;
const columns = this.columns();
put(this.head, "Answer", h("span", ` ${numberText(ranked.length)} ranked` + (excluded.length ? `, ${numberText(excluded.length)} excluded` : "")));
this.shown = columns.filter((c, i) => columns.findIndex((d) => d.key === c.key && d.criterion.aggregation === c.criterion.aggregation) === i);
this.isPriced = ranked.some((e) => e.cost);
const says2 = answer2.answer ?? { choice: [], notes: [], changes: [], next: null };
const list2 = (kind, name2, texts) => texts[0] && h("section.says." + kind, h("h2", name2), h("ul", texts.map((text) => h("li", text))));
put(
this.results,
ranked[0] && this.rows(columns, maximum),
list2("changes", "What would change this", [...says2.changes, says2.next].filter(Boolean)),
list2("notes", "What is taken as given, and what is missing", says2.notes),
this.excluded(columns)
);
this.results.classList.toggle("many", this.shown.length > 5);
this.results.style.setProperty("--n", String(this.shown.length > 5 ? 0 : this.shown.length + Number(this.isPriced)));
const [first2 = "", ...rest] = ranked[0] ? says2.choice : [joined([...says2.choice, says2.choice[0] && causeText(answer2)], " ")];
const name = answer2.choice?.candidateId || ranked[0]?.candidateId || "";
const at2 = Math.max(0, first2.indexOf(name));
put(this.answered, first2 && h("p.answer", first2.slice(0, at2), h("strong", first2.slice(at2, at2 + name.length)), first2.slice(at2 + name.length)), rest[0] && h("p.sure", rest.join(" ")));
announce(joined([first2, ...rest], " "));
}
rows(columns, maximum) {
const { ranked, frontier = [], choice: { candidateId, best } = {} } = this.answer;
const wanted = new Set([candidateId, best, ...frontier.map((step2) => step2.candidateId)]);
const few2 = this.isAll || frontier.length < 2 ? ranked : ranked.filter((e) => wanted.has(e.candidateId));
const draw = (list2) => h("ol.ranked", { "aria-label": "Ranked candidates" }, list2.slice(0, 200).map((e) => this.resultRow(e, columns, maximum)));
const place = h("div", few2.length < ranked.length && h("h2", "No other is both better and cheaper than these"), this.headRow(maximum), draw(few2));
const more = button(`Show all ${numberText(ranked.length)}`, () => {
this.isAll = true;
this.drawResults();
});
return [place, few2.length < ranked.length && h("div.more", more), few2.length > 200 && this.beyond(few2, columns, maximum, place)];
}
beyond(list2, columns, maximum, place) {
const more = h("div.more", button(`Show ${numberText(list2.length - 200)} more`, () => {
append(place.querySelector("ol"), list2.slice(200).map((e) => this.resultRow(e, columns, maximum)));
more.remove();
}));
return more;
}
headRow(maximum) {
return h(
"div.heads",
{ "aria-hidden": "true" },
h("span"),
h("span", "Candidate"),
this.shown.length > 5 ? null : this.shown.map((c) => h("span.number", keyName(c.key), h("small", unitText(unitOf(null, c)) || " "))),
this.isPriced && this.shown.length <= 5 && h("span.number", "A task", h("small", "$")),
h("span.whiskers", "Rank by the evidence", h("small", `1 to ${numberText(this.answer.ranked.length)}`)),
h("span.points", "Score", h("small", "of " + numberText(maximum)))
);
}
resultRow(e, columns, maximum) {
const detail = h("div.detail");
const row = h(
"details",
{ class: e.candidateId === this.answer.choice?.candidateId ? "result chosen" : "result", ontoggle: () => {
if (row.open && !detail.firstChild) ask("find", { identity: e.model }).then((model3) => put(detail, this.because(e, columns, model3)));
} },
h(
"summary",
h("span.place", { title: placesText(e) }, String(e.rank)),
h("span.who", nameOf({ ...e.model, id: e.candidateId }), h("small.soft.tie", placeText(e)), this.answer.frontier?.find((step2) => step2.candidateId === e.candidateId)?.isStepShown && h("small.soft.tie", "shown to be better than the next")),
h("span.values", this.shown.map((c) => valueOf(reasonFor(e, c), c)), this.isPriced && costOf(e)),
this.whisker(e) || scoreBar(e, columns, maximum),
h("span.points", { title: String(e.score) }, numberText(e.score))
),
detail
);
return h("li", row);
}
whisker({ rank: rank3, rankInterval, amongBest }) {
const n = this.answer.ranked.length;
if (!rankInterval || (amongBest ?? null) === null || n < 2) return null;
const x = (r) => 2 + (r - 1) / (n - 1) * 96;
return s("svg.score", { viewBox: "0 0 100 12", preserveAspectRatio: "none" }, line(2, 98, 6, 6, ".room"), line(x(rankInterval.low), x(rankInterval.high), 6, 6, ".whisker"), line(x(rank3), x(rank3), 1, 11, ".at"));
}
because(e, columns, model3) {
return h(
"div",
h("p.soft", joined([plainName(e.model) + " on " + runsOn(e.execution), e.coverage < 1 && `evidence for ${numberText(e.coverage * 100)}% of the weight`, placesText(e)])),
columns.map((c) => {
const r = reasonFor(e, c);
const evidence2 = (e.evidence || []).find((v) => c.id ? v.criterion === c.id : v.measurementKey === c.key);
const scale = this.answer.scoreScale.scales?.find((s2) => s2.criterion === c.id);
return h(
"section.because",
h("h3", c.role === "preference" && h("span", { class: "swatch series" + c.series }), c.key, h("span.soft", " " + (c.role === "tieBreaker" ? "tie breaker" : c.role))),
h("dl.members", terms([
["value", r?.actual !== void 0 ? h("span", { title: exactText(r.actual, unitOf(r, c)) }, wholeText(r.actual, unitOf(r, c))) : gapText(r)],
r?.estimate && r.estimate.low !== null && r.estimate.basis !== "exact" && ["how sure", sureness(r.estimate)],
c.role === "requirement" && r && ["required", `${operators[c.criterion.operator]} ${valueText(c.criterion.value, unitOf(r, c))}: ${r.code === "REQUIREMENT_MET" ? "met" : "not met"}`],
r?.contribution !== void 0 && ["adds", `${numberText(r.contribution)} of ${numberText(c.criterion.weight)}` + (scale ? `: the scale is from ${valueText(scale.low, unitOf(r, c))} to ${valueText(scale.high, unitOf(r, c))}, ` : ", ") + endText(c.criterion)],
evidence2?.observationIds[0] && ["observations", observations(evidence2.observationIds, model3)],
evidence2?.overruled?.[0] && ["overruled", observations(evidence2.overruled, model3)]
]))
);
}),
h("p", model3 ? linkTo(toModel(model3), "All about this model") : "The catalog has nothing of this model.")
);
}
excluded(columns) {
const { excluded } = this.answer;
if (!excluded.length) return null;
const unit = (r) => {
const c = columns.find((c2) => c2.role === "requirement" && (c2.id ? c2.id === r.criterion : c2.key === r.measurementKey));
return c && unitOf(r, c);
};
const whyOf = (e) => obstacles(e, unit).map(clause).join("; ");
return h(
"section.excluded",
h("h2", count(excluded.length, "candidate") + " excluded"),
folds(excluded, whyOf, (e) => h("li", e.candidateId, h("small.soft", " " + e.reasons.filter((r) => r.actual !== void 0).map((r) => `${keyOf(r)} ${valueText(r.actual, r.estimate ? r.estimate.unit : unitOfKey(r.measurementKey))}`).join(", "))))
);
}
};
function scoreBar(e, columns, maximum) {
const width = 320;
let x = 0;
return s(
"svg.score",
{ viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none" },
s("rect", { x: 0, y: 0, width, height: 10, class: "room" }),
columns.filter((c) => c.role === "preference").map((c) => {
const r = reasonFor(e, c);
const part = r?.contribution > 0 && maximum > 0 ? r.contribution / maximum * width : 0;
x += part;
return part > 0 && s("rect", { x: x - part, y: 0, width: part, height: 10, class: "series" + c.series });
})
);
}
var placeText = ({ candidateId, execution }) => execution.runtime && !candidateId.includes(" on " + execution.runtime.id) && `on ${execution.runtime.id}`;
function costOf({ cost }) {
const text = cost ? valueText(cost.usdPerTask, "USD") : "–";
return h("span.value", { title: cost && exactText(cost.usdPerTask, "USD") }, h("small.name", "a task "), h("span.plain", text), h("span.short", cost ? "$" + text : text));
}
function placesText({ rankInterval, amongBest }) {
if (!rankInterval || amongBest === null) return "";
return `by the evidence rank ${numberText(rankInterval.low)} to ${numberText(rankInterval.high)}`;
}
function observations(ids, model3) {
const name = (id) => h(model3 ? "a.mono" : "span.mono", { href: model3 && toModel(model3, "", id), title: id }, id.slice(0, 12));
return [ids.slice(0, 8).map((id) => [name(id), " "]), ids.length > 8 ? `and ${numberText(ids.length - 8)} more` : ""];
}
function valueOf(r, c) {
if (!r || r.actual === void 0) return h("span.value.none", h("small.name", nameOfKey(c.key) + " "), gapText(r));
const unit = unitOf(r, c);
const e = r.estimate;
const isRange = e && e.low !== e.high;
return h(
"span.value",
{ title: exactText(r.actual, unit) },
h("small.name", nameOfKey(c.key) + " "),
h("span.plain", valueText(r.actual, unit)),
h("span.short", shortText(r.actual, unit)),
isRange && h("small.soft.range", " ", rangeOf(e.low, e.high, e.unit))
);
}
function unitOfKey(key) {
const k = infoOf(key);
return k?.units.length === 1 ? k.units[0] : null;
}
var unitOf = (r, c) => r?.estimate ? r.estimate.unit : ["count", "success-rate"].includes(c.criterion.aggregation) ? null : unitOfKey(c.key);
var scored = new Set(["PREFERENCE_SCORE", "PREFERENCE_EVIDENCE_MISSING"]);
var required = new Set(["REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "MISSING_EVIDENCE"]);
function reasonFor(e, c) {
if (c.id) return e.reasons.find((r) => r.criterion === c.id);
return e.reasons.find((r) => r.measurementKey === c.key && !(c.role === "preference" ? required : scored).has(r.code));
}
function gapText(r) {
return r ? gapOf(r.code, { MISSING: "no evidence", STALE: "expired", CONFLICTING: "contradictory", INCOMPARABLE: "not comparable", AMBIGUOUS: "sources differ" }) || r.summary : "–";
}

var signs = { added: "+", revived: "+", backfilled: "+", renewed: "+", removed: "−", silenced: "−", expired: "−", changed: "~", settled: "~", contradicted: "◆" };
var order = ["silenced", "removed", "contradicted", "changed", "settled", "expired", "added", "revived", "renewed", "backfilled"];
async function changes(page, { query }) {
const { diff } = state.extras;
if (!diff) return append(page, title("Changes"), h("p.empty", "There is no older catalog to compare with. Start with --against OLD."));
const filters = { q: query.q || "", key: query.key || "", kind: query.kind || "" };
let shown = 100;
const all = rowsOf(diff);
const list2 = region("Changes", "table");
const said2 = h("p.soft.found");
const pass = (row) => (!filters.key || row.key === filters.key) && (!filters.kind || row.change === filters.kind) && filters.q.toLowerCase().split(/\s+/).every((w) => row.name.toLowerCase().includes(w));
const draw = () => {
const kept = all.filter(pass);
said2.textContent = count(kept.length, "change");
announce(said2.textContent);
put(list2, kept.length ? table(kept.slice(0, shown)) : h("p.empty", "No change matches."));
if (kept.length > shown) append(list2, h("p", button(`Show ${Math.min(100, kept.length - shown)} more`, () => {
shown += 100;
draw();
})));
};
const set = (name) => (value) => {
filters[name] = value;
shown = 100;
replace("changes", filters);
draw();
};
const keys2 = [...new Set(all.map((r) => r.key).filter(Boolean))].sort();
const kinds = order.filter((kind) => all.some((r) => r.change === kind));
const lines = () => [["change", "model", "runs on", "key", "old", "new", "unit", "ratio"], ...all.filter(pass).map((r) => [r.change, r.name, r.on, r.key, r.oldValue, r.newValue, r.unit, r.ratio])];
const when = day(diff.old.asOf) === day(diff.new.asOf) ? minute : day;
const sum2 = diff.summary;
const words = (counts, names) => names.filter((n) => counts[n]).map((n) => `${numberText(counts[n])} ${n}`).join(", ") || "none";
const again = ({ reaffirmed }) => reaffirmed ? `; ${numberText(reaffirmed)} reaffirmed` : "";
append(
page,
h("div.bar", title("Changes", h("span", ` from ${when(diff.old.asOf)} to ${when(diff.new.asOf)}`)), tools("changes", lines)),
h(
"dl.counts",
terms([
["models", words(sum2.models, ["added", "removed", "silenced", "revived", "changed"])],
["facts", words(sum2.facts, ["changed", "contradicted", "settled", "added", "removed", "renewed", "expired", "backfilled"]) + again(sum2.facts)],
["samples", words(sum2.samples, ["changed"]) + again(sum2.samples)],
["conflicts", words(sum2.conflicts, ["arisen", "ended", "changed"])]
])
),
diff.rankings.map((r, i) => ranking(r, endsOf(diff), state.extras.requests[i]?.name || r.request.sha256.slice(0, 12))),
h("h2.part", "Models and what is known of them"),
h(
"div.filters",
h("label.field.search", h("span", "Model"), searchField(filters.q, "part of the name", 60, set("q"))),
choice("Key", [["", "any"], ...keys2], filters.key, set("key")),
choice("Change", [["", "any"], ...kinds], filters.kind, set("kind"))
),
said2,
list2
);
draw();
if (Object.values(diff.leftOut).some(Boolean)) append(page, h("p.soft", "More than can be listed changed: left out are " + Object.entries(diff.leftOut).filter(([, n]) => n).map(([k, n]) => `${numberText(n)} ${k}`).join(", ") + "."));
}
function rowsOf(diff) {
const rows = [];
for (const [number3, m] of diff.models.entries()) {
const base = { model: m, number: number3, name: plainName(m.identity) };
const isWhole = m.change !== "changed";
const isNew = ["added", "revived"].includes(m.change);
if (isWhole) rows.push({ ...base, change: m.change, key: "", on: "", size: 0, says: isNew ? count(m.observations.holdingNew, "observation") + " hold" : count(m.observations.holdingOld, "observation") + " held" });
if (isWhole && !isNew) continue;
for (const f of m.facts) {
rows.push({ ...base, change: f.change, key: f.measurementKey, on: runsOn(f.execution), old: f.old, new: f.new, ratio: f.ratio, unit: (f.new || f.old).values[0]?.unit, oldValue: first(f.old), newValue: first(f.new), size: f.ratio === null ? 0 : Math.abs(Math.log(Math.abs(f.ratio))) });
}
for (const g of m.samples) rows.push({ ...base, change: m.change === "added" ? "added" : "changed", key: g.measurementKey, on: runsOn(g.execution), old: sampled(g.old), new: sampled(g.new), ratio: null, unit: (g.new?.n ? g.new : g.old)?.unit, oldValue: mean(g.old), newValue: mean(g.new), size: 0 });
}
const largest = new Map();
const place = (r) => order.indexOf(r.change === "settled" ? "changed" : r.change);
const ofAll = (r) => place(r) + r.model.key;
for (const r of rows) largest.set(ofAll(r), Math.max(largest.get(ofAll(r)) || 0, r.size));
const down = (x, y) => x === y ? 0 : y - x;
return rows.sort((a, b) => place(a) - place(b) || down(largest.get(ofAll(a)), largest.get(ofAll(b))) || a.number - b.number || down(a.size, b.size));
}
var mean = (a) => a ? a.successRate ?? a.mean : null;
var sampled = (a) => a?.n && { state: "value", n: a.n, valueCount: 1, values: [{ value: mean(a), unit: a.unit }] };
var first = (fact) => fact?.values[0]?.value ?? null;
function factText(fact) {
if (!fact) return h("span.none", "–");
const text = fact.values.slice(0, 3).map((v) => valueText(v.value, v.unit)).join(" or ") + (fact.valueCount > 3 ? ` or ${numberText(fact.valueCount - 3)} more` : "");
return h("span", { class: fact.state === "expired" ? "gone" : "" }, text, fact.n > 0 && h("small.soft", ` n ${numberText(fact.n)}`));
}
var number2 = (label2, text) => h("td.number", { "data-label": label2 }, text);
function table(rows) {
return h(
"table",
heads([h("span.away", "Change"), "Model", "On", "Key"], ["Old", "New", "By"], ["Unit"]),
h("tbody", rows.map((r) => h(
"tr",
h("td", { class: "sign " + r.change, title: r.change }, signs[r.change], h("span.away", r.change)),
rowHead(r.model.change === "removed" ? nameOf(r.model.identity) : linkTo(toModel(r.model.key), nameOf(r.model.identity))),
r.key ? [h("td.runs", r.on), h("td.keyname", r.key), number2("old", factText(r.old)), number2("new", factText(r.new)), h("td.number", r.ratio === null ? "" : changeText(r.ratio)), h("td.runs", unitText(r.unit))] : h("td", { colspan: "6", class: "runs" }, r.change + ", " + r.says)
)))
);
}
var slopesWide = { width: 900, from: 340, to: 560, longest: 38 };
var slopesNarrow = { width: 344, from: 140, to: 204, longest: 14 };
function ranking(r, ends, name) {
const { width, from, to: until, longest } = isNarrow() ? slopesNarrow : slopesWide;
const most = Math.min(Math.max(r.old.length, r.new.length, 1), 60);
const gap = 22;
const y = (rank3) => Math.min(rank3, most + 1) * gap + 6;
const isShort = longest < 20;
const clip = (id) => {
const text = isShort ? id.slice(id.lastIndexOf("/") + 1) : id;
return text.length > longest ? text.slice(0, longest - 1) + "…" : text;
};
const moves = [...new Set([...r.new, ...r.old])].map((id) => ({ id, from: r.old.indexOf(id) + 1, to: r.new.indexOf(id) + 1 })).filter((m) => Math.min(m.from || most + 1, m.to || most + 1) <= most);
const drawing2 = s(
"svg",
{ viewBox: `0 0 ${width} ${most * gap + 24}`, class: "slopes", role: "img", "aria-label": `Ranks before and after, ${name}` },
moves.map((m) => s(
"g",
{ class: !m.from ? "came" : !m.to ? "went" : m.to < m.from ? "up" : m.to > m.from ? "down" : "same" },
m.from > 0 && m.from <= most && s("text", { x: from - 10, y: y(m.from) + 4, "text-anchor": "end" }, `${clip(m.id)} ${m.from}`),
m.to > 0 && m.to <= most && s("text", { x: until + 10, y: y(m.to) + 4 }, `${m.to} ${clip(m.id)}`),
m.from && m.to ? line(from, until, y(m.from), y(m.to)) : m.from ? s("text.gone", { x: from + 10, y: y(m.from) + 4 }, isShort ? "×" : "× excluded") : label(until - 10, y(m.to) + 4, "new", "end")
))
);
const changed = r.candidates.filter((c) => c.old.rank !== c.new.rank || c.old.score !== c.new.score).sort((a, b) => (a.new.rank ?? Infinity) - (b.new.rank ?? Infinity));
const scoreOf = (p) => p.score === null ? p.outcome : numberText(p.score);
return h(
"section",
h("h2", name, h("span.soft", r.changed ? "" : " did not change")),
drawing2,
changed[0] && h("div.moves", few(changed, (c) => h(
"details.move",
h(
"summary",
h("span.sign", c.new.rank === null ? "×" : c.old.rank === null ? "+" : c.move > 0 ? "↑" : c.move < 0 ? "↓" : "~"),
h("span.who", nameOf({ id: c.candidateId })),
h("span.ranks", `${c.old.rank ?? "–"} → ${c.new.rank ?? "–"}`),
h("span.soft", scoreOf(c.old) === scoreOf(c.new) ? scoreOf(c.new) : `${scoreOf(c.old)} → ${scoreOf(c.new)}`),
h("span.why.soft", reasons2(c, ends).join(", "))
),
criteria(c)
)))
);
}
var signed = (f) => (f < 0 ? "" : "+") + numberText(f);
var cellText = (cell2) => cell2.value === null ? "–" : shortText(cell2.value, cell2.unit);
var lostOrWon = (c, k) => k.old && k.new && c.old.rank && c.new.rank ? k.new.contribution - k.old.contribution : 0;
var endsOf = (diff) => new Map(diff.models.flatMap((m) => m.facts.flatMap((f) => f.old ? f.old.observations.map((o) => [o.id, o.validUntil]) : [])));
function reasons2(c, ends) {
const words = { ok: "there is evidence now, ", missing: "there is no evidence any more", conflict: "the evidence contradicts itself", incomparable: "the evidence cannot be compared", ambiguous: "the evidence is ambiguous", stale: "the evidence expired" };
const out = [];
const fates = new Map();
for (const k of c.criteria) {
if (k.role === "advisory" || !k.old || !k.new) continue;
const key = k.measurementKey || k.criterion;
if (k.causes.includes("status")) {
const change = lostOrWon(c, k);
const last = k.new.status === "stale" && k.old.observationIds.map((id) => ends.get(id) || "").sort().at(-1);
const fate = words[k.new.status] + (k.new.status === "ok" ? cellText(k.new) : "") + (last && last <= state.extras.diff.new.asOf ? " on " + day(last) : "") + (change ? ` (${signed(change)})` : "");
const same = change ? void 0 : fates.get(fate);
if (same !== void 0) out[same] = out[same].replace(": ", `, ${key}: `);
else fates.set(fate, out.push(`${key}: ${fate}`) - 1);
continue;
}
const turned = k.causes.includes("requirement");
const { ofValue = 0, ofScale = 0 } = k.contribution || {};
if (k.causes.includes("value") && (turned || k.role !== "requirement")) out.push(`${key} ${cellText(k.old)} → ${cellText(k.new)}` + (ofValue ? ` (${signed(ofValue)})` : "") + (turned ? ": " + k.new.code.replaceAll("_", " ").toLowerCase() : ""));
if (ofScale && k.causes.includes("scale")) out.push(`scale of ${key} (${signed(ofScale)})`);
}
return out.length || c.new.rank === null || c.old.rank === null ? out : ["others moved"];
}
function criteria(c) {
const value = (cell2) => cell2 === null ? "not asked" : cell2.value === null ? cell2.status : h("span", exact(cell2), shortText(cell2.value, cell2.unit));
return h("div.table", h(
"table.causes",
heads(["Criterion", "Because"], ["Old", "New", "Adds", "by its value", "by the scale"]),
h("tbody", c.criteria.map((k) => h(
"tr",
rowHead(keyText(k.measurementKey || k.criterion)),
h("td", k.causes.join(", ")),
number2("old", value(k.old)),
number2("new", value(k.new)),
k.contribution ? [["adds", k.contribution.new - k.contribution.old], ["by its value", k.contribution.ofValue], ["by the scale", k.contribution.ofScale]].map(([label2, f]) => h("td.number", { title: String(f), "data-label": label2 }, signed(f))) : [number2("adds", lostOrWon(c, k) ? signed(lostOrWon(c, k)) : ""), h("td", { colspan: "2" })]
)))
));
}

var screens = { __proto__: null, models: models2, model: model2, compare, plot, rank: rank2, sources, changes };
var titles = { models: "Models", plot: "Plot", rank: "Answer", sources: "Sources", changes: "Changes" };
if (typeof document === "undefined") work();
else start(document.currentScript);
function start(script) {
const main = byId("main");
const missing = ["DecompressionStream", "Worker", "CompressionStream"].filter((name) => !globalThis[name]);
if (missing.length) {
put(main, h("p.notice", "This page needs a browser of 2023 or later: yours lacks " + missing.join(", ") + "."));
return;
}
const source = script.src || URL.createObjectURL(new Blob([script.textContent], { type: "text/javascript" }));
const begin = async () => {
const wait = h("p.wait.soft", { role: "status" }, "Reading the catalog");
put(main, wait);
try {
await open(source, (bytes) => wait.textContent = `Reading the catalog, ${numberText(Math.round(bytes / 1e5) / 10)} MB so far`);
} catch (error) {
put(main, failure(error, begin));
return;
}
drawHead();
addEventListener("hashchange", () => show(main, true));
history.scrollRestoration = "manual";
addEventListener("scroll", once(() => history.replaceState({ ...history.state, y: scrollY }, ""), 120));
show(main, false);
};
addEventListener("keydown", keys);
state.onother = other;
begin();
}
function drawHead() {
const skip = h("a.skip", { href: "#main", onclick: (event) => {
event.preventDefault();
byId("main").querySelector("h1")?.focus();
} }, "Skip to the content");
document.body.prepend(skip);
const { digest, asOf } = state.overview;
put(byId("tabs"), ...Object.entries(titles).filter(([name]) => name !== "changes" || state.extras.diff).map(([name, text]) => h("a", { href: to(name), "data-screen": name }, text)));
put(byId("asof"), h("span", "as of ", h("time", { datetime: asOf, title: asOf }, day(asOf))), " ", h("span.mono", { title: digest }, digest.slice(0, 12)));
}
var leave = null;
async function show(main, moved) {
leave?.abort();
leave = new AbortController();
const { signal } = leave;
const where = at(state.extras.requests.some((r) => !r.isDraft) ? "rank" : "models");
const draw = screens[where.screen] || models2;
const tab = { model: "models", compare: "models" }[where.screen] || where.screen;
for (const a of document.querySelectorAll("#tabs a")) a.ariaCurrent = a.dataset.screen === tab ? "page" : null;
const page = h("div", { class: "screen screen-" + where.screen });
put(main, page);
try {
await draw(page, where, signal);
} catch (error) {
if (error.name === "AbortError" || signal.aborted) return;
put(page, failure(error, () => show(main, true)));
}
if (signal.aborted) return;
const head = page.querySelector("h1");
const name = head?.textContent ?? titles[where.screen];
document.title = (name ? name + " · " : "") + document.documentElement.dataset.title;
main.dataset.ready = where.screen;
performance.mark("ready");
if (moved && head) head.focus({ preventScroll: true });
if (moved && !history.state?.y && !page.querySelector(".row[open]")) scrollTo(0, 0);
}
function other(catalog) {
const line2 = byId("other");
if (!line2.hidden) return;
line2.hidden = false;
put(line2, `The server has another catalog now, as of ${day(catalog.asOf)} (${catalog.digest.slice(0, 12)}). `, button("Reload", () => location.reload()));
}
var shortcuts = [["/", "to the search"], ["g m, g p, g a, g s, g c", "models, plot, answer, sources, changes"], ["Tab", "through controls and the points of the frontier"], ["arrows", "through the numbers of the list and the points of a plot; Enter leads to the row of its source"], ["m", "what must be: one more requirement of an answer"], ["Escape", "closes what is open"], ["?", "this list"]];
function walk(event) {
const rows = [...document.querySelectorAll(".list tbody tr:not(.inside)")].map((tr) => [...tr.querySelectorAll("th a, td.number a")]).filter((links2) => links2[1]);
const at2 = rows.findIndex((links2) => links2.includes(document.activeElement));
if (!rows[0] || at2 < 0 && event.key !== "ArrowDown") return;
const column = at2 < 0 ? 1 : rows[at2].indexOf(document.activeElement);
const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
const links = rows[at2 < 0 ? 0 : Math.min(Math.max(at2 + down, 0), rows.length - 1)];
links[Math.min(Math.max(column + right, 0), links.length - 1)].focus();
event.preventDefault();
}
var before = "";
function keys(event) {
const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "checkbox" && event.target.type !== "range";
const dialog = document.querySelector("dialog[open]");
if (event.key === "ArrowDown" && event.target.id === "search") return walk(event);
if (event.key === "Escape") {
for (const d of document.querySelectorAll("details.columns[open]")) d.open = false;
if (typing) event.target.blur();
}
if (typing || dialog || event.ctrlKey || event.metaKey || event.altKey) return;
const last = before;
before = event.key;
const screen = last === "g" && Object.keys(titles).find((name) => titles[name][0].toLowerCase() === event.key);
if (screen) location.hash = to(screen);
else if (event.key === "m" && document.querySelector("button.must")) {
event.preventDefault();
document.querySelector("button.must").click();
} else if (/^Arrow/.test(event.key)) walk(event);
else if (event.key === "/" && byId("search")) {
event.preventDefault();
byId("search").focus();
} else if (event.key === "?") {
const box = h(
"dialog",
{ "aria-labelledby": "keys-title", onclose: () => box.remove() },
h("h2", { id: "keys-title" }, "Keys"),
h("dl.members", terms(shortcuts.map(([key, text]) => [h("kbd", key), text]))),
button("Close", () => box.close())
);
append(document.body, box);
box.showModal();
}
}
})();
