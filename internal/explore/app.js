// sha256 of the sources: a7369b46c9bc7743ebf473059ca1e367301c3409dbb5c628817d70f6405acc06
(() => {
// ../internal/explore/web/dom.js
function h(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}
function s(tag, attributes, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}
function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === null || value === void 0 || value === false) continue;
		if (typeof value === "function") node.addEventListener(name.slice(2), value);
		else if (name === "value") node.value = value;
		else node.setAttribute(name, value === true ? "" : value);
	}
	append(node, ...children);
	return node;
}
var present = (children) => children.flat(4).filter((child) => child !== null && child !== void 0 && child !== false);
var column = (text, isNumber) => h("th", { scope: "col", class: isNumber ? "number" : null }, text);
var append = (node, ...children) => node.append(...present(children));
var put = (node, ...children) => node.replaceChildren(...present(children));
function link(uri, text = uri) {
	if (!/^https?:\/\//i.test(uri)) return h("span", { class: "mono" }, text);
	return h("a", { href: uri, rel: "noreferrer noopener", target: "_blank", class: "evidence" }, text);
}
function choice(label2, options, value, onchange) {
	const entry = (o) => o.group !== void 0 ? h("optgroup", { label: o.group }, o.options.map(entry)) : h("option", { value: o[0], selected: o[0] === value }, o[1]);
	const select = h("select", { onchange: () => onchange(select.value) }, options.map(entry));
	return h("label", { class: "field" }, h("span", {}, label2), select);
}
function few(list2, draw) {
	const rest = list2.slice(20);
	const more = h("div", { class: "more" }, h("button", { onclick: () => more.replaceWith(...rest.map(draw)) }, `Show ${rest.length} more`));
	return [list2.slice(0, 20).map(draw), rest.length ? more : null];
}
function once(run, wait) {
	let timer = 0;
	return (...args) => {
		clearTimeout(timer);
		timer = setTimeout(() => run(...args), wait);
	};
}
function steadily(run, wait) {
	let timer = 0;
	let last = -Infinity;
	return () => {
		timer ||= setTimeout(() => {
			run();
			last = performance.now();
			timer = 0;
		}, Math.max(0, last + wait - performance.now()));
	};
}
function announce(text) {
	document.getElementById("said").textContent = text;
}
function save(name, text, type = "text/plain") {
	const url = URL.createObjectURL(new Blob([text], { type }));
	h("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 1e4);
}
async function copy(text, button) {
	try {
		await navigator.clipboard.writeText(text);
		say(button, "Copied");
	} catch {
		const area = h("textarea", { class: "away", "aria-hidden": "true" });
		area.value = text;
		document.body.append(area);
		area.select();
		say(button, document.execCommand("copy") ? "Copied" : "The browser refused");
		area.remove();
	}
}
function say(button, text) {
	button.dataset.name ??= button.textContent;
	button.textContent = text;
	announce(text);
	setTimeout(() => button.textContent = button.dataset.name, 1500);
}

// ../internal/explore/web/address.js
function at() {
	const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
	const parts = path.split("/").filter(Boolean).map(decodeURIComponentOr);
	return { screen: parts[0] || "models", rest: parts.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}
function decodeURIComponentOr(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
function to(path, query = {}) {
	const kept2 = Object.entries(query).filter(([, v]) => v !== "" && v !== null && v !== void 0);
	const text = new URLSearchParams(kept2).toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
	return "#/" + path + (text && "?" + text);
}
function replace(path, query) {
	history.replaceState(null, "", to(path, query));
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
	const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
	const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
	const parts = [];
	let size2 = 0;
	for (; ; ) {
		const { done: done2, value } = await reader.read();
		if (done2) break;
		size2 += value.length;
		if (size2 > most) {
			reader.cancel();
			throw new Error("the request in the link is larger than " + most + " bytes");
		}
		parts.push(value);
	}
	return JSON.parse(await new Blob(parts).text());
}

// ../internal/explore/web/text.js
var perToken = "USD/token";
function unitText(unit) {
	return unit === perToken ? "$ / M tokens" : unit || "";
}
var labelOf = (key, unit) => [key, unitText(unit)].filter(Boolean).join(", ");
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
	const kept2 = digits.replace(/9+$/, "");
	return kept2 ? { digits: kept2.slice(0, -1) + (Number(kept2.at(-1)) + 1), point: d.point } : { digits: "1", point: d.point + 1 };
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
	if (value === null || value === void 0) return "–";
	return sign(value) + sizeText(value, unit);
}
function wholeText(value, unit, million = "per million tokens") {
	if (typeof value !== "number") return valueText(value) + (unit ? " " + unit : "");
	const dollar = unit === perToken || unit === "USD" ? "$" : "";
	return sign(value) + dollar + sizeText(value, unit) + (unit === perToken ? " " + million : unit === "percent" ? "%" : unit && !dollar ? " " + unit : "");
}
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
function lessIsBetter(key, unit) {
	return /USD|seconds|^ms$/.test(unit || "") || /pric|cost|latency|time|error|rank\b|tokens_used/.test(key);
}
function exactText(value, unit) {
	return JSON.stringify(value) + (unit ? " " + unit : "");
}
function count(n, noun, nouns = noun + "s") {
	return numberText(n) + " " + (n === 1 ? noun : nouns);
}
var compareKeys = (a, b) => importance(a) - importance(b) || a.includes("@") - b.includes("@") || way(a) - way(b) || (a < b ? -1 : a > b ? 1 : 0);
var importance = (key) => /pric|cost/.test(key) ? 0 : /limit|context|tokens/.test(key) ? 1 : 2;
var way = (key) => /input$|prompt$|context/.test(key) ? 0 : /output$|completion$/.test(key) ? 1 : 2;
var day = (timestamp) => timestamp ? timestamp.slice(0, 10) : "–";
function minute(timestamp) {
	if (!timestamp) return "no end";
	return timestamp.endsWith("T00:00:00.000Z") ? day(timestamp) : timestamp.slice(0, 16).replace("T", " ");
}
function plainName(m) {
	return m.id + (m.revision ? "@" + m.revision : "") + (m.quantization ? " " + m.quantization : "");
}
function nameOf(m) {
	const at2 = m.id.indexOf("/") + 1;
	const more = (m.revision ? "@" + m.revision : "") + (m.quantization ? " " + m.quantization : "");
	return h("span", { class: "model" }, at2 ? h("span", { class: "maker" }, m.id.slice(0, at2)) : null, m.id.slice(at2), more ? h("span", { class: "maker" }, more) : null);
}
function runsOn(scope) {
	if (!scope) return "any execution";
	const parts = [scope.runtime, scope.adapter].filter(Boolean).map((c) => c.id);
	if (scope.workflow) parts.push(scope.workflow.id, scope.workflow.condition);
	return parts.filter(Boolean).join(", ") || "any runtime";
}
function scopeRows(scope) {
	if (!scope) return [["execution", "any"]];
	const version = (c) => c && c.id + (c.version ? " " + c.version : "");
	const { hardware: hw, workflow: wf } = scope;
	return [
		["runtime", version(scope.runtime)],
		["adapter", version(scope.adapter)],
		["context", scope.effectiveContextTokens === null || scope.effectiveContextTokens === void 0 ? null : valueText(scope.effectiveContextTokens, "tokens") + " tokens"],
		["tools", scope.toolSurface && (scope.toolSurface.join(", ") || "none")],
		["hardware", hw && [hw.class, hw.accelerator, hw.memoryBytes && numberText(hw.memoryBytes) + " bytes"].filter(Boolean).join(", ")],
		["workflow", wf && [version(wf), wf.condition].filter(Boolean).join(", ")]
	].map(([name, text]) => [name, text || (scope.kind === "partial" ? "any" : "none")]);
}
function taskText(task) {
	if (!task) return "every task";
	return [task.family, task.suite, task.taskId].filter(Boolean).join(" / ");
}
function keyText(key) {
	return key.split(/(?<=[._/:@-])/).flatMap((part, i) => i ? [document.createElement("wbr"), part] : [part]);
}

// ../internal/explore/web/source.js
var worker;
var number = 0;
var waiting = new Map();
var onread = () => {
};
var state = {
	overview: null,
	// of the catalog
	extras: { diff: null, requests: [], catalogFile: "" },
	isReport: false,
	picked: [],
	// keys of models that are to be compared
	onother: () => {
	}
	// the server has another catalog now
};
async function open(script, told) {
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
	const [overview2, extras] = await Promise.all([ask("open", { url: new URL("/v1/catalog/snapshot", location.href).href }), get("/explore/extras.json")]);
	state.overview = overview2;
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
function ask(question, options) {
	return new Promise((resolve, reject) => {
		waiting.set(++number, { resolve, reject });
		worker.postMessage({ number, ask: question, with: options });
	});
}
var isAbort = (error) => error && error.name === "AbortError";
var Refusal = class extends Error {
	constructor(status, message, code) {
		super(message);
		this.status = status;
		this.code = code;
		this.asked = "POST /v1/rank";
		this.path = (/\$[\w.[\]]*/.exec(message) || [""])[0];
	}
};
var running = 0;
var queue = [];
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
async function rank(request, signal) {
	const body = JSON.stringify(request);
	for (; ; ) {
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
			await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 30) * 1e3));
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
var perRequest = 128;
async function values(candidates2, criteria2, signal, told) {
	if (state.isReport) return told(candidates2.map((candidate) => ({ candidate, values: criteria2.map((c) => kept(candidate, c)) })));
	const parts = [];
	for (let i = 0; i < candidates2.length; i += perRequest) parts.push(candidates2.slice(i, i + perRequest));
	await Promise.all(parts.map(async (part) => {
		const found = new Map(part.map((candidate) => [candidate.id, { candidate, values: [] }]));
		const { answer } = await rank(valuesRequest(part, criteria2), signal);
		for (const entry of answer.ranked) {
			const byId = new Map(entry.advisories.map((a) => [a.id ?? a.criterion, a]));
			criteria2.forEach((c, i) => {
				const a = byId.get("value" + i);
				if (a) found.get(entry.candidateId).values[i] = valueOf(a);
			});
		}
		told([...found.values()]);
	}));
}
function valueOf(a) {
	return {
		status: a.status,
		value: a.value,
		unit: a.unit ?? null,
		estimate: a.estimate || null,
		transferred: a.executionApplicability && a.executionApplicability.transferredDimensions || [],
		observationIds: a.evidence.observationIds
	};
}
var inventoryOf = (candidates2) => candidates2.map(({ id, model: model3, execution }) => ({ id, model: model3, execution }));
function valuesRequest(candidates2, criteria2) {
	return {
		schemaVersion: "service.rank.request/v3",
		inventory: inventoryOf(candidates2),
		advisories: criteria2.map((c, i) => ({
			id: "value" + i,
			measurementKey: c.key,
			aggregation: c.aggregation,
			...c.family ? { task: { family: c.family } } : {},
			...c.transfer && c.transfer.length ? { transfer: c.transfer } : {}
		}))
	};
}
function kept(candidate, c) {
	const { profiles, series } = state.extras.values;
	const { id, quantization, revision } = candidate.model;
	const at2 = profiles[JSON.stringify({ execution: candidate.execution, model: { id, quantization, revision } })];
	const list2 = series[JSON.stringify([c.key, c.family, c.aggregation])];
	const found = list2 && at2 !== void 0 && list2[at2];
	if (!found) return { status: "missing", value: null, unit: null, estimate: null, transferred: [], observationIds: [] };
	return { transferred: [], observationIds: [], estimate: null, unit: null, ...found };
}

// ../internal/explore/web/candidates.js
var encoder = new TextEncoder();
var fits = (text) => text === null || text === void 0 || text.length * 3 <= 256 || encoder.encode(text).length <= 256;
var nothing = { adapter: null, effectiveContextTokens: null, hardware: null, runtime: null, toolSurface: [], workflow: null };
var plainProfile = (runtime) => ({ ...nothing, runtime: { id: runtime, version: null } });
function profileOf(scope) {
	const profile = {};
	for (const name of Object.keys(nothing)) profile[name] = scope[name] ?? nothing[name];
	return profile;
}
var ways = new WeakMap();
var plainWays = new Map();
function wayOf(scope) {
	let way2 = ways.get(scope);
	if (!way2) ways.set(scope, way2 = newWay(profileOf(scope)));
	return way2;
}
function plainWayOf(runtime) {
	let way2 = plainWays.get(runtime);
	if (!way2) plainWays.set(runtime, way2 = newWay(plainProfile(runtime)));
	return way2;
}
var newWay = (execution) => ({ execution, json: JSON.stringify(execution), fits: profileFits(execution) });
function profileFits(p) {
	const { runtime, adapter, hardware, workflow } = p;
	const texts = [...p.toolSurface];
	for (const c of [runtime, adapter]) if (c) texts.push(c.id, c.version);
	if (hardware) texts.push(hardware.class, hardware.accelerator);
	if (workflow) texts.push(workflow.id, workflow.version, workflow.condition);
	return texts.every(fits);
}
function candidatesOf(models2, keys2) {
	const wanted = new Set(keys2);
	const taken = new Set(models2.map((m) => m.identity.id));
	const order2 = [...models2].sort((a, b) => compareText(a.identity.id, b.identity.id));
	const byName = new Map();
	const all = [];
	for (const m of order2) {
		const { id, revision, quantization } = m.identity;
		if (![id, revision, quantization].every(fits)) continue;
		const list2 = waysToRun(m, wanted);
		all.push(...list2);
		byName.set(id, [...byName.get(id) || [], ...list2]);
	}
	for (const [id, list2] of byName) {
		if (list2.length < 2) continue;
		let last = 0;
		for (const c of [...list2].sort((a, b) => compareText(a.json, b.json))) {
			do
				c.id = id + "#" + ++last;
			while (taken.has(c.id));
		}
	}
	return all.filter((c) => fits(c.id)).map(({ id, model: model3, execution, key }) => ({ id, model: model3, execution, key }));
}
function waysToRun(m, wanted) {
	const exact = new Map();
	const plain2 = new Map();
	for (const { execution: scope, measurements } of m.observations) {
		if (!scope) continue;
		if (scope.kind === "exact" && measurements.some((x) => wanted.has(x.key))) exact.set(wayOf(scope).json, wayOf(scope));
		if (scope.runtime && measurements.some((x) => x.kind === "fact")) plain2.set(scope.runtime.id, plainWayOf(scope.runtime.id));
	}
	const found = exact.size ? exact : plain2.size ? plain2 : new Map([["any", plainWayOf("any")]]);
	const { id, revision, quantization } = m.identity;
	const identity = JSON.stringify({ id, quantization, revision });
	return [...found.values()].filter((way2) => way2.fits).map(({ execution, json }) => ({ id, model: { id, revision, quantization }, execution, key: m.key, json: `{"execution":${json},"model":${identity}}` })).sort((a, b) => compareText(a.json, b.json));
}
var compareText = (a, b) => a < b ? -1 : a > b ? 1 : 0;

// ../internal/explore/web/worker.js
var catalog = null;
var rows = [];
var byKey = new Map();
var spans = new Map();
function work() {
	const answers = { open: open2, overview, list, model, candidates, together, pairs, find };
	self.onmessage = async ({ data: { number: number2, ask: ask2, with: options } }) => {
		try {
			postMessage({ number: number2, answer: await answers[ask2](options || {}) });
		} catch (error) {
			postMessage({ number: number2, error: { message: String(error.message || error), status: error.status || 0, asked: error.asked || "" } });
		}
	};
}
async function open2({ url, packed }) {
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
	let size2 = 0;
	let told = 0;
	for (; ; ) {
		const { done: done2, value } = await reader.read();
		if (done2) break;
		size2 += value.length;
		parts.push(decoder.decode(value, { stream: true }));
		if (size2 - told > 1 << 19) {
			told = size2;
			postMessage({ read: size2 });
		}
	}
	return parts.join("") + decoder.decode();
}
var holds = (o) => o.freshness.observedAt <= catalog.asOf && (o.freshness.validUntil === null || o.freshness.validUntil > catalog.asOf);
function index() {
	const asOf = catalog.asOf;
	const conflicts = new Map();
	for (const c of catalog.conflicts) conflicts.set(c.modelKey, [...conflicts.get(c.modelKey) || [], c]);
	rows = [];
	byKey = new Map();
	spans = new Map();
	const scopes = new Map();
	for (const m of catalog.models) {
		const row = {
			key: m.key,
			identity: m.identity,
			name: plainName(m.identity),
			lower: plainName(m.identity).toLowerCase(),
			runtimes: new Set(),
			total: m.observations.length,
			holding: 0,
			lastSeen: "",
			conflicting: false,
			past: conflicts.get(m.key) || [],
			cells: { __proto__: null }
			// a key may have the name of what all objects have
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
				const cell2 = row.cells[x.key] ||= newCell();
				if (x.kind === "sample") addSample(cell2, x, o, isFresh && !invalid);
				else addFact(slots, cell2, x, o, isFresh, where);
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
function newCell() {
	return { fact: false, sample: false, n: 0, low: null, high: null, texts: [], unit: null, mixed: false, conflict: false, last: null, lastAt: "" };
}
function addValue(cell2, x) {
	if (cell2.n++ === 0) cell2.unit = x.unit ?? null;
	else if ((x.unit ?? null) !== cell2.unit) cell2.mixed = true;
	if (typeof x.value === "number") {
		cell2.low = cell2.low === null ? x.value : Math.min(cell2.low, x.value);
		cell2.high = cell2.high === null ? x.value : Math.max(cell2.high, x.value);
	} else if (!cell2.texts.includes(x.value) && cell2.texts.length < 4) cell2.texts.push(x.value);
}
function addSample(cell2, x, o, isUsed) {
	cell2.sample = true;
	if (isUsed) addValue(cell2, x);
	else expire(cell2, x, o);
}
function addFact(slots, cell2, x, o, isFresh, where) {
	cell2.fact = true;
	if (!isFresh) return expire(cell2, x, o);
	const slotKey = x.key + "\n" + where;
	let slot = slots.get(slotKey);
	if (!slot) slots.set(slotKey, slot = { cell: cell2, values: new Set() });
	slot.values.add(JSON.stringify([x.value, x.unit ?? null]));
	addValue(cell2, x);
}
function expire(cell2, x, o) {
	if (o.freshness.observedAt >= cell2.lastAt) {
		cell2.lastAt = o.freshness.observedAt;
		cell2.last = { value: x.value, unit: x.unit ?? null, until: holds(o) ? null : o.freshness.validUntil };
	}
}
function overview() {
	const runtimes = { __proto__: null };
	const keys2 = new Map();
	for (const row of rows) {
		for (const id of row.runtimes) runtimes[id] = (runtimes[id] || 0) + 1;
		for (const [key, cell2] of Object.entries(row.cells)) {
			let k = keys2.get(key);
			if (!k) keys2.set(key, k = { key, fact: false, sample: false, models: 0, holding: 0, units: new Set(), numeric: false, positive: true, boolean: false, families: new Set(), under: new Set(), low: null, high: null });
			k.models++;
			k.fact ||= cell2.fact;
			k.sample ||= cell2.sample;
			if (cell2.n === 0) continue;
			k.holding++;
			k.units.add(cell2.unit);
			if (cell2.low !== null) {
				k.numeric = true;
				k.low = k.low === null ? cell2.low : Math.min(k.low, cell2.low);
				k.high = k.high === null ? cell2.high : Math.max(k.high, cell2.high);
			}
			k.boolean ||= cell2.texts.some((v) => typeof v === "boolean");
		}
	}
	const times = new Map();
	let first2 = catalog.asOf;
	for (const m of catalog.models) {
		for (const o of m.observations) {
			const { observedAt, validUntil } = o.freshness;
			times.set(observedAt, (times.get(observedAt) || 0) + 1);
			if (observedAt < first2) first2 = observedAt;
			if (validUntil !== null) times.set(validUntil, (times.get(validUntil) || 0) - 1);
			const under = runsOn(o.execution);
			for (const x of o.measurements) {
				const k = keys2.get(x.key);
				if (o.task) k.families.add(o.task.family);
				if (k.under.size < 50) k.under.add(under);
			}
		}
	}
	return {
		digest: catalog.digest,
		asOf: catalog.asOf,
		models: rows.length,
		observations: rows.reduce((n, r) => n + r.total, 0),
		holding: rows.reduce((n, r) => n + r.holding, 0),
		silent: rows.filter((r) => r.holding === 0).length,
		conflicting: rows.filter((r) => r.conflicting).length,
		conflicts: catalog.conflicts.length,
		runtimes,
		keys: [...keys2.values()].map((k) => ({ ...k, units: [...k.units], families: [...k.families].sort(compareText), under: [...k.under].sort(compareText) })).sort((a, b) => compareText(a.key, b.key)),
		curve: curve(times, first2)
	};
}
function curve(times, first2) {
	const last = new Date(Date.parse(catalog.asOf) + 60 * 864e5).toISOString();
	const steps = [];
	let n = 0;
	for (const at2 of [...times.keys()].sort(compareText)) {
		n += times.get(at2);
		if (at2 > last) break;
		steps.push([at2, n]);
	}
	const gap = Math.ceil(steps.length / 240);
	return steps.filter((_, i) => i % gap === 0 || i === steps.length - 1);
}
function list({ q = "", runs = "", has = "", evidence: evidence2 = "", sort = "", desc = false, columns = [], limit = 100, where = [] }) {
	const words = q.toLowerCase().split(/\s+/).filter(Boolean);
	const kept2 = rows.filter((r) => words.every((w) => r.lower.includes(w)) && (!runs || r.runtimes.has(runs)) && (!has || r.cells[has] && r.cells[has].n > 0) && (evidence2 !== "holds" || r.holding > 0) && (evidence2 !== "expired" || r.holding === 0) && (evidence2 !== "contradictory" || r.conflicting) && where.every((w) => passes(r.cells[w.key], w)));
	const place = {
		__proto__: null,
		"": (r) => r.lower,
		model: (r) => r.lower,
		runs: (r) => [...r.runtimes].sort().join(" "),
		holds: (r) => r.holding / r.total,
		seen: (r) => r.lastSeen
	}[sort] || ((r) => sortValue(r.cells[sort], desc));
	const placed = kept2.map((r) => [place(r), r]);
	placed.sort(([a, x], [b, y]) => {
		if (a === null || b === null) return (a === null) - (b === null) || compareText(x.lower, y.lower);
		return (desc ? -1 : 1) * compareText(a, b) || compareText(x.lower, y.lower);
	});
	return {
		total: kept2.length,
		bounds: Object.fromEntries(columns.map((key) => [key, spanOf(key)])),
		rows: placed.slice(0, limit).map(([, r]) => ({
			key: r.key,
			identity: r.identity,
			runtimes: [...r.runtimes].sort(compareText),
			total: r.total,
			holding: r.holding,
			lastSeen: r.lastSeen,
			conflicting: r.conflicting,
			cells: Object.fromEntries(columns.map((key) => [key, r.cells[key] || null]))
		}))
	};
}
function spanOf(key) {
	let span = spans.get(key);
	if (span) return span;
	spans.set(key, span = { low: Infinity, high: -Infinity, unit: null });
	for (const { cells } of rows) {
		const c = cells[key];
		if (!c || c.low === null) continue;
		if (span.high === -Infinity) span.unit = c.unit;
		if (c.low > 0) span.low = Math.min(span.low, c.low);
		span.high = Math.max(span.high, c.high);
	}
	return span;
}
function passes(cell2, { op, value }) {
	return Boolean(cell2) && cell2.n > 0 && cell2.low !== null && !cell2.mixed && (op === "lte" ? cell2.low <= value : cell2.high >= value);
}
function sortValue(cell2, desc) {
	if (!cell2 || cell2.n === 0) return null;
	if (cell2.low !== null) return desc ? cell2.high : cell2.low;
	return String(cell2.texts[0]);
}
function model({ key }) {
	const m = byKey.get(key);
	if (!m) return null;
	const row = rows.find((r) => r.key === key);
	return {
		key,
		identity: m.identity,
		asOf: catalog.asOf,
		total: row.total,
		holding: row.holding,
		lastSeen: row.lastSeen,
		runtimes: [...row.runtimes].sort(compareText),
		observations: m.observations.map((o) => ({ ...o, holds: holds(o) })),
		conflicts: row.past,
		cells: row.cells
	};
}
function find({ identity }) {
	const name = plainName(identity);
	const row = rows.find((r) => r.name === name);
	return row ? row.key : null;
}
function candidates({ keys: keys2, models: models2 = null, points = false }) {
	const all = candidatesOf(catalog.models, keys2);
	if (models2) {
		const place = new Map(models2.map((key, i) => [key, i]));
		const known = new Map(catalog.models.map((m) => [m.key, m.observations.filter(holds)]));
		const isOf = (o, c) => !(o.execution && o.execution.runtime) || o.execution.runtime.id === c.execution.runtime?.id;
		const lacks = (c) => keys2.filter((key) => !known.get(c.key).some((o) => isOf(o, c) && o.measurements.some((x) => x.key === key))).length;
		return all.filter((c) => place.has(c.key)).map((c) => [lacks(c), place.get(c.key), c]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , c]) => c);
	}
	if (!points) return all;
	const ready = new Set(rows.filter((r) => keys2.every((key) => r.cells[key] && r.cells[key].n > 0)).map((r) => r.key));
	return [...all.filter((c) => ready.has(c.key)), ...all.filter((c) => !ready.has(c.key))];
}
function together({ models: models2 }) {
	const found = models2.map((key) => rows.find((r) => r.key === key)).filter(Boolean);
	const keys2 = [...new Set(found.flatMap((r) => r.keys))].sort(compareText);
	return {
		models: found.map((r) => ({ key: r.key, identity: r.identity, runtimes: [...r.runtimes] })),
		rows: keys2.map((key) => ({ key, cells: found.map((r) => r.cells[key] || null) }))
	};
}
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
var preferred = ({ x, y }) => (/output|completion/.test(x) ? 0 : 1) + (/rank|count|cases/.test(y) ? 2 : 0);

// ../internal/explore/web/tools.js
function tools(name, lines, hasLink = () => true) {
	const link2 = h("button", { onclick: () => {
		if (hasLink() && location.href.length <= longestLink) copy(location.href, link2);
		else say(link2, "Too long for a link");
	} }, "Copy link");
	return h(
		"div",
		{ class: "tools" },
		link2,
		lines && h("button", { onclick: () => save(name + ".csv", csv(lines()), "text/csv") }, "CSV"),
		h("button", { onclick: () => window.print() }, "Print")
	);
}
function csv(lines) {
	return lines.map((line) => line.map(cell).join(",")).join("\n") + "\n";
}
function cell(value) {
	if (value === null || value === void 0) return "";
	if (typeof value === "number" || typeof value === "boolean") return String(value);
	let text = String(value);
	if (/^[=+\-@\t\r]/.test(text)) text = "'" + text;
	return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

// ../internal/explore/web/models.js
var step = 100;
var mostConditions = 4;
async function models(page, { query }) {
	const { overview: overview2 } = state;
	if (overview2.models === 0) return append(page, h("p", { class: "empty" }, "This catalog has no models."));
	const columns = columnsOf(query);
	const picked = state.picked = new Set((query.compare || "").split(",").filter(Boolean));
	const filters = { q: query.q || "", runs: query.runs || "", has: query.has || "", evidence: query.evidence || "", sort: query.sort || "", desc: query.desc === "1" };
	const where = readWhere(query.where || "");
	let shown = step;
	let answer = null;
	const write = () => replace("models", { ...filters, where: writeWhere(where), desc: filters.desc ? "1" : "", columns: query.columns ? columns.join(",") : "", compare: [...picked].join(",") });
	const table2 = h("div", { class: "table", role: "region", "aria-label": "Models", tabindex: "0" });
	const said2 = h("p", { class: "soft found" });
	const sorts = h("div", { class: "sorts" });
	const more = h("div", { class: "more" });
	const tray = h("div", { class: "tray", hidden: true });
	const show2 = async () => {
		answer = await ask("list", { ...filters, where: where.filter((w) => Number.isFinite(w.value)), columns, limit: shown });
		put(table2, answer.total ? draw() : h("p", { class: "empty" }, "No model matches. ", h("a", { href: to("models") }, "Show all models")));
		said2.textContent = answer.total === overview2.models ? "" : count(answer.total, "model matches", "models match");
		announce(count(answer.total, "model"));
		put(sorts, choice("Sort by", [["model", "Model"], ...columns.map((key) => [key, key]), ["holds", "share that holds"], ["seen", "last seen"]], filters.sort || "model", (name) => sortBy(name, false)));
		put(more, ...answer.total > shown ? [h("button", { onclick: () => {
			shown += step;
			show2();
		} }, `Show ${Math.min(step, answer.total - shown)} more`), h("span", { class: "soft" }, ` of ${numberText(answer.total - shown)}`)] : []);
	};
	const set = (name) => (value) => {
		filters[name] = value;
		shown = step;
		write();
		show2();
	};
	const typed = once(() => set("q")(search.value), 10);
	const search = h("input", { type: "search", id: "search", value: filters.q, placeholder: "part of the name", autocomplete: "off", spellcheck: "false", oninput: typed });
	const sortBy = (name, again = true) => {
		if (filters.sort === name && again) filters.desc = !filters.desc;
		else Object.assign(filters, { sort: name, desc: name === "holds" || name === "seen" || columns.includes(name) && !lessIsBetter(name, answer.bounds[name].unit) });
		write();
		show2();
	};
	const head = (name, text, attributes = {}, unit = null) => {
		const isSorted = (filters.sort || "model") === name;
		return h(
			"th",
			{ scope: "col", "aria-sort": isSorted ? filters.desc ? "descending" : "ascending" : null, ...attributes },
			h("button", { class: "sort", onclick: () => sortBy(name) }, text, h("span", { class: "arrow", "aria-hidden": "true" }, isSorted ? filters.desc ? " ↓" : " ↑" : ""), unit)
		);
	};
	const draw = () => h(
		"table",
		{},
		h("thead", {}, h(
			"tr",
			{},
			h("th", { scope: "col", class: "pick" }, h("span", { class: "away" }, "Compare")),
			head("model", "Model"),
			head("runs", "Runs on"),
			columns.map((key) => head(key, keyText(key), { class: "number" }, h("small", {}, unitText(answer.bounds[key].unit) || " "))),
			head("holds", "That holds", { class: "held" }),
			head("seen", "Last seen")
		)),
		h("tbody", {}, answer.rows.map((row) => h(
			"tr",
			{},
			h("td", { class: "pick" }, h("input", { type: "checkbox", "aria-label": "Compare " + plainName(row.identity), checked: picked.has(row.key), onchange: (e) => pick(row, e.target) })),
			h("th", { scope: "row" }, h("a", { href: to("model/" + row.key) }, nameOf(row.identity)), row.conflicting ? h("span", { class: "conflict", title: "contradictory evidence" }, " ◆") : null),
			h("td", { class: "runs" }, row.runtimes.join(", ") || "–"),
			columns.map((key) => cellOf(key, row.cells[key], answer.bounds[key], row.key)),
			h("td", { class: "held" }, heldBar(row)),
			h("td", { class: "seen" }, day(row.lastSeen))
		)))
	);
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
			h("span", {}, count(picked.size, "model") + " picked, at most 6"),
			h("a", { class: "button", href: to("compare", { models: [...picked].join(",") }) }, "Compare"),
			h("a", { class: "button", href: to("rank", { models: [...picked].join(",") }) }, "Rank"),
			h("button", { onclick: () => {
				picked.clear();
				write();
				drawTray();
				show2();
			} }, "Clear")
		);
	};
	const lines = () => [
		["model", "runs on", ...columns.flatMap((key) => [key + " low", key + " high", key + " unit"]), "holding", "observations", "last seen"],
		...answer.rows.map((row) => [
			plainName(row.identity),
			row.runtimes.join(" "),
			...columns.flatMap((key) => {
				const c = row.cells[key];
				return c && c.n ? [c.low ?? c.texts.join(" "), c.high ?? "", c.unit] : [null, null, null];
			}),
			row.holding,
			row.total,
			row.lastSeen
		])
	];
	const unfold = h("button", {
		class: "unfold",
		"aria-expanded": `${!!(filters.runs || filters.has || filters.evidence || where[0])}`,
		onclick: () => {
			unfold.ariaExpanded = unfold.ariaExpanded === "false";
		}
	}, "Filters");
	append(
		page,
		summary(overview2),
		h(
			"div",
			{ class: "filters" },
			h("label", { class: "field search" }, h("span", {}, "Model"), search),
			unfold,
			choice("Runs on", [["", "any"], ...Object.entries(overview2.runtimes).sort((a, b) => b[1] - a[1]).map(([id, n]) => [id, `${id} (${numberText(n)})`])], filters.runs, set("runs")),
			choice("Has", [["", "any"], ...overview2.keys.filter((k) => k.holding).map((k) => [k.key, `${k.key} (${numberText(k.holding)})`])], filters.has, set("has")),
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
		h("div", { class: "bar" }, said2, sorts, tools("models", lines)),
		table2,
		more,
		tray
	);
	drawTray();
	await show2();
}
function columnsOf(query) {
	const known = new Map(state.overview.keys.map((k) => [k.key, k]));
	if (query.columns) return query.columns.split(",").filter((key) => known.has(key)).slice(0, 8);
	const rank3 = (k) => k.units.some((u) => (u || "").startsWith("USD")) ? 0 : k.numeric ? 1 : 2;
	return state.overview.keys.filter((k) => k.fact && k.numeric).filter((k, _, all) => k.holding >= 0.6 * Math.max(...all.map((o) => o.holding))).sort((a, b) => rank3(a) - rank3(b) || way(a.key) - way(b.key) || b.holding - a.holding).slice(0, 3).map((k) => k.key);
}
var readWhere = (text) => text.split(",").map((part) => part.split(":")).filter(([op, , key]) => (op === "lte" || op === "gte") && key).map(([op, value, key]) => ({ op, value: Number(value || NaN), key: decodeURIComponentOr(key) })).slice(0, mostConditions);
var writeWhere = (where) => where.filter((w) => Number.isFinite(w.value)).map((w) => [w.op, w.value, encodeURIComponent(w.key)].join(":")).join(",");
function whereField(where, changed) {
	const keys2 = state.overview.keys.filter((k) => k.numeric && k.units.length === 1);
	const options = [["", "any number"], ...keys2.map((k) => [k.key, `${k.key} (${numberText(k.holding)})`])];
	const box = h("div", { class: "conditions" });
	const draw = () => put(
		box,
		where.map((w, i) => {
			const known = keys2.find((k) => k.key === w.key);
			const unit = known && known.units[0];
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
				"div",
				{ class: "line condition" },
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
				h("label", { class: "field amount" }, h("span", {}, unitText(unit) || "number"), input),
				h("button", { class: "quiet", "aria-label": "Remove the condition on " + w.key, onclick: () => {
					where.splice(i, 1);
					draw();
					changed();
				} }, "×")
			);
		}),
		where.length < mostConditions && keys2.length ? choice(where.length ? "and" : "Where", options, "", (key) => {
			where.push(newCondition(key));
			draw();
			focusLast();
		}) : null
	);
	const newCondition = (key) => ({ key, op: lessIsBetter(key, (keys2.find((k) => k.key === key) || { units: [] }).units[0]) ? "lte" : "gte", value: NaN });
	const focusLast = () => {
		const inputs = box.querySelectorAll("input");
		if (inputs.length) inputs[inputs.length - 1].focus();
	};
	draw();
	return box;
}
function columnsField(columns, changed) {
	const menu = h(
		"details",
		{ class: "columns" },
		h("summary", {}, h("span", {}, "Columns"), h("span", { class: "face" }, String(columns.length))),
		h("div", { class: "menu" }, state.overview.keys.map((k) => h(
			"label",
			{},
			h("input", { type: "checkbox", checked: columns.includes(k.key), onchange: (e) => {
				if (e.target.checked && columns.length < 8) columns.push(k.key);
				else if (e.target.checked) return void (e.target.checked = false);
				else columns.splice(columns.indexOf(k.key), 1);
				menu.querySelector(".face").textContent = String(columns.length);
				changed();
			} }),
			h("span", {}, k.key),
			h("small", { class: "soft" }, numberText(k.models))
		)))
	);
	return menu;
}
function cellOf(key, cell2, bounds, model3) {
	const leads = (...text2) => h("a", { href: to("model/" + model3, { k: key }) }, text2);
	const label2 = labelOf(key, bounds && bounds.unit);
	if (!cell2) return h("td", { class: "number none", "data-label": label2 }, "–");
	if (cell2.n === 0) return h("td", { class: "number gone", "data-label": label2, title: `${cell2.last.until ? "expired on " + day(cell2.last.until) : "invalid"}: ${exactText(cell2.last.value, cell2.last.unit)}` }, leads(valueText(cell2.last.value, cell2.last.unit)));
	const title = cell2.low === null ? cell2.texts.map((t) => exactText(t, cell2.unit)).join(" or ") : cell2.low === cell2.high ? exactText(cell2.low, cell2.unit) : `${cell2.n} values from ${exactText(cell2.low)} to ${exactText(cell2.high, cell2.unit)}`;
	const text = cell2.mixed ? "several units" : cell2.low === null ? cell2.texts.map((t) => valueText(t)).join(" or ") : cell2.low === cell2.high ? valueText(cell2.low, cell2.unit) : valueText(cell2.low, cell2.unit) + " – " + valueText(cell2.high, cell2.unit);
	return h(
		"td",
		{ class: "number", title, "data-label": label2 },
		cell2.conflict ? h("span", { class: "conflict" }, "◆ ", h("span", { class: "away" }, "contradictory: ")) : null,
		leads(text),
		cell2.unit && bounds && cell2.unit !== bounds.unit ? h("small", {}, " " + unitText(cell2.unit)) : null,
		bounds && cell2.high > 0 ? sizeBar(cell2.high, bounds) : null
	);
}
function sizeBar(value, { low, high }) {
	const share = high > low ? (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low)) : 1;
	const width = 72;
	return s(
		"svg",
		{ class: "size", width, height: 3, viewBox: `0 0 ${width} 3`, "aria-hidden": "true" },
		s("rect", { x: 0, y: 0, width: Math.max(2, Math.round((0.04 + 0.96 * share) * width)), height: 3 })
	);
}
function heldBar({ holding, total }) {
	const parts = 6;
	const full = Math.ceil(holding / total * (holding < total ? parts - 1 : parts));
	return [
		s(
			"svg",
			{ class: "heldbar", width: 48, height: 8, viewBox: "0 0 48 8", "aria-hidden": "true" },
			Array.from({ length: parts }, (_, i) => s("rect", { x: i * 8 + 0.5, y: 1.5, width: 6, height: 5, class: i < full ? "full" : "hollow" }))
		),
		h("span", {}, ` ${numberText(holding)}/${numberText(total)}`)
	];
}
function summary(o) {
	return h(
		"div",
		{ class: "summary" },
		h(
			"div",
			{},
			h("h1", { tabindex: "-1" }, numberText(o.models), h("span", {}, o.models === 1 ? " model" : " models")),
			h(
				"p",
				{},
				`${numberText(o.holding)} of ${numberText(o.observations)} observations hold, `,
				o.silent ? h("a", { href: to("models", { evidence: "expired" }) }, o.silent === 1 ? "1 model has none that does" : `${numberText(o.silent)} models have none that does`) : "every model has some that does",
				", ",
				o.conflicting ? h("a", { href: to("models", { evidence: "contradictory" }) }, o.conflicting === 1 ? "1 model has contradictions" : `${numberText(o.conflicting)} models have contradictions`) : "no contradictions",
				"."
			)
		),
		curve2(o)
	);
}
function curve2({ curve: steps, asOf, holding }) {
	if (steps.length < 2) return null;
	const [width, height, foot] = [360, 84, 18];
	const begin = Date.parse(steps[0][0]);
	const end = Math.max(Date.parse(steps.at(-1)[0]), Date.parse(asOf)) + 864e5;
	const most = Math.max(...steps.map((p) => p[1]), 1);
	const x = (at2) => (at2 - begin) / (end - begin) * width;
	const y = (n) => height - n / most * (height - 8);
	let path = `M0 ${height}`;
	for (const [at2, n] of steps) path += `H${x(Date.parse(at2)).toFixed(1)}V${y(n).toFixed(1)}`;
	path += `H${width}`;
	const line = x(Date.parse(asOf));
	const isEarly = line < 110;
	const next = steps.find(([at2, n], i) => at2 > asOf && n < (steps[i - 1] || [0, 0])[1]);
	const label2 = `Observations that hold over time: ${holding} at ${day(asOf)}` + (next ? `, ${next[1]} at ${day(next[0])}` : "");
	return h(
		"figure",
		{ class: "curve" },
		s(
			"svg",
			{ viewBox: `0 0 ${width} ${height + foot}`, role: "img", "aria-label": label2 },
			s("path", { d: path + `V${height}Z`, class: "area" }),
			s("path", { d: path, class: "line" }),
			s("line", { x1: 0, x2: width, y1: height, y2: height, class: "axis" }),
			s("line", { x1: line, x2: line, y1: 0, y2: height, class: "now" }),
			line > 180 ? s("text", { x: 0, y: height + 13 }, steps[0][0].slice(0, 10)) : null,
			s("text", { x: Math.min(line, width), y: height + 13, "text-anchor": isEarly ? "start" : "end" }, "as of " + day(asOf)),
			next && width - line > (isEarly ? 180 : 90) ? s("text", { x: width, y: height + 13, "text-anchor": "end" }, day(steps.at(-1)[0])) : null
		),
		h("figcaption", { class: "soft" }, next ? `${numberText(next[1])} hold after ${day(next[0])}` : "Observations that hold over time")
	);
}

// ../internal/explore/web/model.js
var mostRows = 200;
async function model2(page, { rest: [key], query }) {
	const m = await ask("model", { key });
	if (!m) return append(page, h("h1", { tabindex: "-1" }, "No such model"), h("p", {}, "This catalog has no model with this key. ", h("a", { href: to("models") }, "All models")));
	const entries = m.observations.flatMap((o) => o.measurements.map((x) => ({ o, x, slot: x.key + "\n" + JSON.stringify(o.execution) + "\n" + JSON.stringify(o.task) })));
	const facts = entries.filter((e) => e.x.kind === "fact");
	const slots = slotsOf(facts);
	const contradictory = new Set(slots.filter((slot) => slot.values.length > 1).flatMap((slot) => slot.entries.map((e) => e.o.id + e.x.key)));
	append(
		page,
		h("p", { class: "crumb" }, h("a", { href: to("models") }, "Models")),
		h(
			"div",
			{ class: "title" },
			h("h1", { tabindex: "-1", class: "name" }, nameOf(m.identity)),
			h("a", { class: "button", href: to("models", { compare: [...new Set([...state.picked, m.key])].slice(-6).join(",") }) }, "Compare")
		),
		h("p", { class: "soft" }, [m.runtimes.length ? "Runs on " + m.runtimes.join(", ") : "", `${numberText(m.holding)} of ${count(m.total, "observation")} hold`, "last seen " + day(m.lastSeen)].filter(Boolean).join(" · ")),
		m.holding === 0 ? h("p", { class: "notice" }, "Nothing that was said of this model holds any more.") : null,
		cards(m, slots),
		contradictions(m, slots, facts),
		timeLine(m, entries, contradictory, query)
	);
}
function slotsOf(facts) {
	const slots = new Map();
	for (const e of facts) {
		if (!e.o.holds) continue;
		let slot = slots.get(e.slot);
		if (!slot) slots.set(e.slot, slot = { key: e.x.key, scope: e.o.execution, task: e.o.task, entries: [], values: [] });
		slot.entries.push(e);
		const text = JSON.stringify([e.x.value, e.x.unit ?? null]);
		if (!slot.values.some((v) => v.text === text)) slot.values.push({ text, value: e.x.value, unit: e.x.unit ?? null });
	}
	return [...slots.values()].sort((a, b) => compareKeys(a.key, b.key) || (runsOn(a.scope) < runsOn(b.scope) ? -1 : 1));
}
function cards(m, slots) {
	if (!slots.length) return null;
	const scopes = new Set(slots.map((slot) => runsOn(slot.scope)));
	const isPlain = (slot) => slot.values.length === 1 && typeof slot.values[0].value === "boolean";
	const switches = slots.filter(isPlain);
	return h(
		"section",
		{},
		h("h2", {}, "Facts that hold"),
		h("dl", { class: "cards" }, slots.filter((slot) => !isPlain(slot)).map((slot) => h(
			"div",
			{ class: slot.values.length > 1 ? "card conflicting" : "card" },
			h("dt", {}, keyText(slot.key)),
			h(
				"dd",
				{},
				slot.values.map((v, i) => [i ? h("span", { class: "soft" }, " or ") : null, h("a", { class: "value", href: to("model/" + m.key, { k: slot.key }), title: exactText(v.value, v.unit) }, valueText(v.value, v.unit))]),
				slot.values.length > 1 ? h("span", { class: "conflict" }, " ◆") : null,
				h("small", {}, [unitText(slot.values[0].unit), scopes.size > 1 ? runsOn(slot.scope) : "", slot.task ? taskText(slot.task) : ""].filter(Boolean).join(" · "))
			)
		))),
		switches.length ? h("dl", { class: "switches" }, switches.map((slot) => h(
			"div",
			{ class: slot.values[0].value ? "" : "off" },
			h("dt", {}, keyText(slot.key), scopes.size > 1 ? h("small", {}, " " + runsOn(slot.scope)) : null),
			h("dd", { title: exactText(slot.values[0].value) }, h("a", { href: to("model/" + m.key, { k: slot.key }) }, valueText(slot.values[0].value)))
		))) : null
	);
}
function contradictions(m, slots, facts) {
	const now = slots.filter((slot) => slot.values.length > 1);
	const past = m.conflicts.filter((c) => !now.some((slot) => slot.entries.some((e) => c.observationIds.includes(e.o.id) && e.x.key === c.measurementKey)));
	if (!now.length && !past.length) return null;
	return h(
		"section",
		{},
		h("h2", {}, "Contradictions ", h("span", { class: "conflict" }, "◆")),
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
		"div",
		{ class: "versus" },
		h("h3", {}, key, h("span", { class: "soft" }, " on " + runsOn(scope))),
		h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Contradiction of " + key }, h(
			"table",
			{},
			h("thead", {}, h("tr", {}, ["Value", "Source", "Seen", "Holds until", "Evidence"].map((t) => column(t)))),
			h("tbody", {}, entries.map(({ o, x }) => h(
				"tr",
				{ class: o.holds ? "" : "gone" },
				h("td", { title: exactText(x.value, x.unit) }, wholeText(x.value, x.unit ?? null)),
				h("td", {}, o.sourceClass),
				h("td", {}, minute(o.freshness.observedAt)),
				h("td", {}, minute(o.freshness.validUntil)),
				h("td", {}, [...new Set(o.evidence.map((e) => e.uri || e.id))].map((e) => h("div", {}, link(e))))
			)))
		)),
		h("p", { class: "soft" }, `They overlap ${spans2.map(([from, to2]) => `from ${day(from)} to ${to2 ? day(to2) : "no end"}`).join(" and ")}. ${end}`)
	);
}
var said = (entries) => new Set(entries.map(({ x }) => JSON.stringify([x.value, x.unit ?? null]))).size;
function disputes(entries) {
	const spans2 = [];
	const times = entries.flatMap(({ o }) => [o.freshness.observedAt, o.freshness.validUntil]);
	for (const at2 of [...new Set(times.filter(Boolean))].sort()) {
		const isOpen = spans2.length && spans2.at(-1)[1] === null;
		const differ = said(entries.filter(({ o: { freshness: f } }) => f.observedAt <= at2 && (!f.validUntil || f.validUntil > at2))) > 1;
		if (differ && !isOpen) spans2.push([at2, null]);
		if (!differ && isOpen) spans2.at(-1)[1] = at2;
	}
	return spans2;
}
function timeLine(m, entries, contradictory, { k: key, o: observation }) {
	const asOf = Date.parse(m.asOf);
	const byKey2 = new Map();
	for (const e of entries) byKey2.set(e.x.kind + e.x.key, [...byKey2.get(e.x.kind + e.x.key) || [], e]);
	const groups = [...byKey2.values()].sort((a, b) => a[0].x.kind < b[0].x.kind ? -1 : a[0].x.kind > b[0].x.kind ? 1 : compareKeys(a[0].x.key, b[0].x.key));
	for (const g of groups) g.sort((a, b) => a.o.freshness.observedAt < b.o.freshness.observedAt ? 1 : -1);
	const begin = Math.min(...entries.map((e) => Date.parse(e.o.freshness.observedAt)));
	const ends = entries.map((e) => e.o.freshness.validUntil).filter(Boolean).map((t) => Date.parse(t));
	const room = Math.max((asOf - begin) * 0.35, 14 * 864e5);
	const end = Math.min(Math.max(asOf + room / 2, ...ends), asOf + room);
	const x = (at2) => Math.max(0, Math.min(100, (at2 - begin) / (end - begin) * 100));
	const list2 = h("div", { class: "lines" });
	const now = h("div", { class: "nowline", "aria-hidden": "true" });
	now.style.setProperty("--at", x(asOf) / 100);
	let asked = null;
	const sources = new Map();
	const notes = (o) => [...new Set(o.evidence.map((e) => e.uri || e.id))].map((e) => sources.get(e) || sources.set(e, sources.size + 1).size).join(", ");
	const draw = (most) => {
		let n = 0;
		put(list2, now);
		for (const group of groups) {
			if (n >= most) break;
			append(list2, h("h3", {}, group[0].x.key, h("span", { class: "soft" }, ` ${group[0].x.kind}, ${count(group.length, "observation")}`)));
			for (const e of group) {
				if (n++ >= most) break;
				const row = lineOf(e, x, contradictory.has(e.o.id + e.x.key), m, notes(e.o));
				if (!asked && (!key || e.x.key === key) && (!observation || e.o.id === observation) && (key || observation)) asked = row;
				append(list2, row);
			}
		}
		if (n >= most && entries.length > most) append(list2, h("p", {}, h("button", { onclick: () => draw(Infinity) }, `Show all ${numberText(entries.length)}`)));
		append(list2, h("ol", { class: "paper" }, [...sources.keys()].map((e) => h("li", {}, e))));
	};
	draw(mostRows);
	if (!asked && (key || observation)) draw(Infinity);
	if (asked) {
		asked.open = true;
		requestAnimationFrame(() => asked.scrollIntoView({ block: "center" }));
	}
	const lines = () => [
		["key", "kind", "value", "unit", "runs on", "task", "observed at", "valid until", "holds", "source class", "observation", "evidence"],
		...groups.flat().map(({ o, x: x2 }) => [x2.key, x2.kind, x2.value, x2.unit ?? null, runsOn(o.execution), taskText(o.task), o.freshness.observedAt, o.freshness.validUntil, o.holds, o.sourceClass, o.id, o.evidence.map((e) => e.uri || e.id).join(" ")])
	];
	const mark = h("span", { class: "asof" }, "as of " + day(m.asOf));
	mark.style.left = Math.max(8, Math.min(85, x(asOf))) + "%";
	return h(
		"section",
		{},
		h("div", { class: "bar" }, h("h2", {}, "Time line"), tools("model", lines)),
		h("div", { class: "scale", "aria-hidden": "true" }, x(asOf) > 25 ? h("span", {}, day(new Date(begin).toISOString())) : null, mark),
		list2
	);
}
function lineOf({ o, x: measured }, x, isConflict, m, notes) {
	const { observedAt, validUntil } = o.freshness;
	const [from, until] = [x(Date.parse(observedAt)), validUntil ? x(Date.parse(validUntil)) : 100];
	const state2 = isConflict ? "conflicting" : o.holds ? "holding" : "expired";
	const width = Math.max(until - from, 0.8);
	const id = "fade" + o.id.slice(0, 8) + Math.random().toString(36).slice(2, 8);
	const bar = s(
		"svg",
		{ class: "span " + state2, viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true" },
		!validUntil ? s("defs", {}, s("linearGradient", { id }, s("stop", { offset: "0.6", class: "solid" }), s("stop", { offset: "1", class: "faded" }))) : null,
		s("rect", { x: Math.min(from, 99), y: 4, width, height: 4, fill: !validUntil ? `url(#${id})` : null, "vector-effect": "non-scaling-stroke" })
	);
	const says = isConflict ? "contradicted" : o.holds ? "holds" : "expired";
	const detail = h("div", { class: "detail" });
	const row = h(
		"details",
		{ class: "row " + state2, ontoggle: () => {
			if (row.open && !detail.firstChild) append(detail, ...evidenceOf(o, m));
		} },
		h(
			"summary",
			{},
			h("span", { class: "scope", title: runsOn(o.execution) }, runsOn(o.execution), o.task ? h("span", { class: "soft" }, " · " + taskText(o.task)) : null),
			h("span", { class: "value", title: exactText(measured.value, measured.unit) }, isConflict ? h("span", { class: "conflict" }, "◆ ") : null, shortText(measured.value, measured.unit ?? null), h("span", { class: "paper soft" }, ` [${notes}]`)),
			bar,
			h("span", { class: "away" }, `${says}, ${minute(observedAt)} to ${minute(validUntil)}`)
		),
		detail
	);
	return row;
}
function evidenceOf(o, m) {
	const command = `svc show ${state.extras.catalogFile ? quote(state.extras.catalogFile) : "CATALOG"} ${o.id.slice(0, 12)}`;
	const button = h("button", { onclick: () => copy(command, button) }, "Copy");
	const rows2 = [
		["observation", h("span", { class: "mono" }, o.id)],
		["observed", minute(o.freshness.observedAt)],
		["holds until", minute(o.freshness.validUntil)],
		["source", o.sourceClass + ", " + o.kind + (o.outcome ? ", " + o.outcome.status + (o.outcome.reason ? ": " + o.outcome.reason : "") : "")],
		...scopeRows(o.execution),
		["task", taskText(o.task) + (o.task ? `, judged by ${o.task.evaluator.id}${o.task.evaluator.version ? " " + o.task.evaluator.version : ""}` : "")],
		["uncertainty", o.uncertainty.level],
		["basis", o.uncertainty.basis.join("; ")],
		["gaps", o.uncertainty.gaps.join("; ") || "none named"],
		...o.measurements.map((x) => [x.key, wholeText(x.value, x.unit ?? null)])
	];
	const { holds: holds2, ...whole } = o;
	return [
		h("dl", { class: "members" }, rows2.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
		h("h4", {}, "Evidence"),
		h("ul", { class: "evidences" }, o.evidence.map((e) => h(
			"li",
			{},
			h("span", {}, e.kind + " "),
			h("span", { class: "mono" }, e.id),
			e.uri ? [h("br"), link(e.uri)] : null,
			e.digest ? h("div", { class: "mono soft" }, "sha256 " + e.digest.value) : null
		))),
		h("p", {}, h("code", {}, command), " ", button),
		h("details", { class: "fold" }, h("summary", {}, "The whole observation as JSON"), h("pre", { tabindex: "0" }, JSON.stringify(whole, null, 2)))
	];
}
var quote = (text) => /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-") ? text : "'" + text.replaceAll("'", "'\\''") + "'";
async function compare(page, { query }) {
	const answer = await ask("together", { models: (query.models || "").split(",").filter(Boolean).slice(0, 6) });
	if (answer.models.length === 0) return append(page, h("h1", { tabindex: "-1" }, "Compare"), h("p", {}, "Pick models in the ", h("a", { href: to("models") }, "list"), " to compare them."));
	const text = (c) => c && c.n ? JSON.stringify([c.low, c.high, c.texts, c.unit]) : "";
	const differs = (row) => new Set(row.cells.map(text)).size > 1;
	const known = (row) => row.cells.filter(text).length > 1;
	const rows2 = [...answer.rows].sort((a, b) => differs(b) - differs(a) || known(b) - known(a) || compareKeys(a.key, b.key));
	const lines = () => [["key", ...answer.models.map((m) => plainName(m.identity))], ...rows2.map((r) => [r.key, ...r.cells.map((c) => c && c.n ? c.low ?? c.texts.join(" ") : null)])];
	const same = rows2.findIndex((r) => !differs(r));
	append(
		page,
		h("h1", { tabindex: "-1" }, count(answer.models.length, "model"), h("span", {}, " side by side")),
		h("div", { class: "bar" }, h("p", { class: "soft" }, "What differs comes first."), tools("compare", lines)),
		h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Comparison" }, h(
			"table",
			{ class: "sides" },
			h("thead", {}, h("tr", {}, column("Key"), answer.models.map((m) => column(h("a", { href: to("model/" + m.key) }, nameOf(m.identity)), true)))),
			h("tbody", {}, rows2.map((row, i) => {
				const first2 = row.cells.find((c) => c && c.unit);
				return h(
					"tr",
					{ class: i === same && i ? "first same" : differs(row) ? "" : "same" },
					h("th", { scope: "row" }, keyText(row.key), first2 ? h("small", {}, " " + unitText(first2.unit)) : null),
					row.cells.map((c, i2) => cellOf(row.key, c, null, answer.models[i2].key))
				);
			}))
		))
	);
	announce(count(answer.models.length, "model") + " side by side");
}

// ../internal/explore/web/failure.js
function failure(error, again) {
	return h(
		"div",
		{ class: "failure", role: "alert" },
		h("h2", {}, error.status ? "The server refused" : "The server does not answer"),
		h("p", {}, error.asked ? h("code", {}, error.asked) : null, error.status ? ` was answered with ${error.status}: ` : ": ", error.message),
		again ? h("button", { onclick: again }, "Ask again") : null
	);
}

// ../internal/explore/web/plot.js
var wide = { width: 900, height: 560, left: 64, right: 20, top: 28, bottom: 52 };
var narrow = { width: 420, height: 460, left: 48, right: 12, top: 28, bottom: 56 };
var size = wide;
async function plot(page, { query }, signal) {
	const numeric = state.overview.keys.filter((k) => k.numeric);
	if (numeric.length < 2) return append(page, h("h1", { tabindex: "-1" }, "Plot"), h("p", { class: "empty" }, "A plot needs two numbers that hold. This catalog has ", count(numeric.length, "numeric key"), "."));
	const known = new Map(numeric.map((k) => [k.key, k]));
	const chosen = { ...query };
	if (!known.has(chosen.x) || !known.has(chosen.y) || chosen.x === chosen.y) {
		const [best] = await ask("pairs");
		const first2 = known.has(chosen.x) ? chosen.x : best ? best.x : numeric[0].key;
		chosen.y = known.has(chosen.y) && chosen.y !== first2 ? chosen.y : best && best.y !== first2 ? best.y : numeric.find((k) => k.key !== first2).key;
		chosen.x = first2;
	}
	const axis = (name) => {
		const k = known.get(chosen[name]);
		const families = k.families;
		const family = chosen[name + "task"] && families.includes(chosen[name + "task"]) ? chosen[name + "task"] : "";
		const aggregation = k.fact ? "fact" : ["mean", "min", "max"].includes(chosen[name + "of"]) ? chosen[name + "of"] : "mean";
		return { name, key: k.key, known: k, family, aggregation, less: chosen[name + "better"] ? chosen[name + "better"] === "less" : lessIsBetter(k.key, k.units[0]), unit: k.units[0], log: k.positive && k.low >= 0 && chosen.scale !== "linear" && !(name === "y" && chosen.scale === "across") };
	};
	const keyOptions = () => {
		const groups = new Map();
		for (const k of numeric) groups.set(k.key.split(".")[0], [...groups.get(k.key.split(".")[0]) || [], [k.key, `${k.key} (${k.holding})`]]);
		return [...groups].map(([group, options]) => ({ group, options }));
	};
	const write = () => replace("plot", chosen);
	const controls = h("div", { class: "filters" });
	const main = h("div", { class: "plot" });
	const side = h("aside", { class: "side", "aria-live": "polite" });
	const said2 = h("div", { class: "leftout" });
	const list2 = h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Points" });
	const state_ = { points: [], left: new Map(), x: null, y: null, total: 0, known: 0, highlight: (chosen.q || "").toLowerCase() };
	const lines = () => [
		["candidate", "runs on", state_.x.key, "unit", "low", "high", state_.y.key, "unit", "low", "high", "on the frontier"],
		...state_.points.map((p) => [p.candidate.id, runsOn(p.candidate.execution), p.x.value, p.x.unit, p.x.low, p.x.high, p.y.value, p.y.unit, p.y.low, p.y.high, Boolean(p.front)])
	];
	append(page, h("div", { class: "bar" }, h("h1", { tabindex: "-1", class: "head" }), tools("plot", lines)), controls, h("div", { class: "halves" }, h("div", {}, main, said2), side), h("section", {}, h("h2", {}, "The same points as a table"), list2));
	const change = (name) => (value) => {
		chosen[name] = value;
		if (name === "x" && value === chosen.y) chosen.y = numeric.find((k) => k.key !== value).key;
		if (name === "y" && value === chosen.x) chosen.x = numeric.find((k) => k.key !== value).key;
		for (const a of ["x", "y"]) if (name === a) for (const part of ["task", "of", "better"]) delete chosen[a + part];
		write();
		begin();
	};
	let leaving = null;
	const begin = async () => {
		if (leaving) leaving.abort();
		leaving = new AbortController();
		signal.addEventListener("abort", () => leaving.abort());
		const mine = leaving.signal;
		const [x, y] = [axis("x"), axis("y")];
		const transfer = { runtime: ["runtime"], adapter: ["adapter", "runtime"], workflow: ["workflow", "adapter", "runtime"], all: ["execution"] }[chosen.lend] || [];
		Object.assign(state_, { points: [], left: new Map(), x, y, known: 0 });
		drawControls(x, y);
		put(page.querySelector("h1"), keyText(y.key), h("span", {}, " against ", keyText(x.key)));
		const candidates2 = await ask("candidates", { keys: [x.key, y.key], points: true });
		if (mine.aborted) return;
		state_.total = candidates2.length;
		const redraw = steadily(() => !mine.aborted && state_.known < state_.total && draw(), 400);
		try {
			await values(candidates2, [x, y].map(({ key, aggregation, family }) => ({ key, aggregation, family, transfer })), mine, (part) => {
				for (const { candidate, values: [a, b] } of part) add(candidate, a, b);
				state_.known += part.length;
				redraw();
			});
			draw();
		} catch (error) {
			if (error.name !== "AbortError") put(main, failure(error, begin));
		}
	};
	const add = (candidate, a, b) => {
		const reasons2 = [[state_.x, a], [state_.y, b]].flatMap(([axis2, v]) => {
			if (!v || v.status !== "present") return [reasonOf(axis2.key, v ? v.status : "missing")];
			return typeof v.value === "number" ? [] : [`${shortKey(axis2.key)} is not a number`];
		});
		if (reasons2.length) {
			const reason = [...new Set(reasons2)].join("; ");
			state_.left.set(reason, [...state_.left.get(reason) || [], candidate]);
			return;
		}
		const number2 = (v) => ({ value: v.value, unit: v.unit, ...interval(v.estimate) });
		state_.points.push({ candidate, x: number2(a), y: number2(b), lent: [...new Set([...a.transferred, ...b.transferred])] });
	};
	const drawControls = (x, y) => {
		const ends = (a) => choice(`${a.name === "y" ? "Up" : "Across"}: better is`, [["less", "less"], ["more", "more"]], a.less ? "less" : "more", change(a.name + "better"));
		const task = (a) => a.known.families.length > 1 ? choice(`Task of ${shortKey(a.key)}`, [["", "any"], ...a.known.families.map((f) => [f, f])], a.family, change(a.name + "task")) : null;
		const means = (a) => !a.known.fact ? choice(`${shortKey(a.key)} is the`, [["mean", "mean"], ["min", "lowest"], ["max", "highest"]], a.aggregation, change(a.name + "of")) : null;
		const find2 = h("input", { type: "search", id: "search", value: chosen.q || "", placeholder: "part of a name", oninput: once(() => {
			chosen.q = find2.value;
			state_.highlight = find2.value.toLowerCase();
			write();
			draw();
		}, 80) });
		const more = [ends(y), ends(x), task(y), task(x), means(y), means(x)].filter(Boolean);
		const wasOpen = controls.querySelector("details") && controls.querySelector("details").open;
		put(
			controls,
			choice("Up", keyOptions(), y.key, change("y")),
			choice("Across", keyOptions(), x.key, change("x")),
			choice("Scale", [["log", "log"], ["across", "log across, linear up"], ["linear", "linear"]], ["linear", "across"].includes(chosen.scale) ? chosen.scale : "log", change("scale")),
			state.isReport ? null : choice("Lend evidence across", [["", "nothing"], ["runtime", "runtimes"], ["adapter", "adapters, runtimes"], ["workflow", "workflows, adapters, runtimes"], ["all", "all"]], chosen.lend || "", change("lend")),
			h("label", { class: "field" }, h("span", {}, "Highlight"), find2),
			h("details", { class: "fold", open: wasOpen }, h("summary", {}, "More"), h("div", { class: "filters" }, more))
		);
	};
	const draw = () => {
		size = matchMedia("(max-width: 719px)").matches ? narrow : wide;
		const { points, x, y, total } = state_;
		findFrontier(points, x, y);
		const waits = state_.known < total;
		if (points.length === 0) {
			put(main, waits ? h("p", { class: "soft wait" }, `Asked about ${numberText(state_.known)} of ${count(total, "candidate")}`) : nothing2(x, y));
		} else put(main, drawing(points, x, y, state_.highlight, detail));
		drawLeft(waits);
		detail(null);
		drawTable();
		if (!waits) announce(`${count(points.length, "candidate")} drawn of ${numberText(total)}`);
	};
	const drawLeft = (waits) => {
		const { points, left, total } = state_;
		put(
			said2,
			h("p", {}, h("strong", {}, `${numberText(points.length)} of ${count(total, "candidate")} drawn. `), waits ? "More are asked for." : left.size ? "Left out:" : ""),
			h("div", {}, [...left].sort((a, b) => b[1].length - a[1].length).map(([reason, list3]) => {
				const names = h("ul", { class: "names" });
				const fill2 = () => names.firstChild || append(names, list3.slice(0, 500).map((c) => h("li", {}, h("a", { href: to("model/" + c.key) }, c.id))), list3.length > 500 ? h("li", {}, `and ${numberText(list3.length - 500)} more`) : null);
				return h("details", { class: "fold", ontoggle: fill2 }, h("summary", {}, `${numberText(list3.length)}: ${reason}`), names);
			}))
		);
	};
	const detail = (p) => {
		const { points, x, y } = state_;
		const front = points.filter((q) => q.front).sort((a, b) => better(y, b.y.value) - better(y, a.y.value));
		put(
			side,
			p ? h(
				"div",
				{ class: "point" },
				h("h2", {}, h("a", { href: to("model/" + p.candidate.key) }, nameOf({ ...p.candidate.model, id: p.candidate.id }))),
				h(
					"dl",
					{},
					[[y, p.y], [x, p.x]].map(([axis2, v]) => h("div", {}, h("dt", {}, axis2.key), h("dd", { title: exactText(v.value, v.unit) }, evidence(p, axis2, v, wholeText), v.says ? h("small", {}, v.says) : null))),
					h("div", {}, h("dt", {}, "runs on"), h("dd", {}, runsOn(p.candidate.execution))),
					p.lent.length ? h("div", {}, h("dt", {}, "lent across"), h("dd", {}, p.lent.join(", "))) : null
				)
			) : h("div", { class: "hint soft" }, points.length ? legend(points) : null),
			front.length ? h(
				"div",
				{ class: "front" },
				h("h2", { class: "small" }, "Nobody is better on both than"),
				h(
					"table",
					{},
					h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col", class: "number", title: y.key }, "↑ up"), h("th", { scope: "col", class: "number", title: x.key }, "→ across"))),
					h("tbody", {}, front.slice(0, 12).map((q) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: to("model/" + q.candidate.key) }, tail(q.candidate.id))), h("td", { class: "number" }, evidence(q, y, q.y)), h("td", { class: "number" }, evidence(q, x, q.x)))))
				),
				front.length > 12 ? h("p", { class: "soft" }, `and ${numberText(front.length - 12)} more, in the table below`) : null,
				h("p", {}, h("a", { href: to("rank", { models: [...new Set(front.map((q) => q.candidate.key))].slice(0, 32).join(","), keys: JSON.stringify([y.key, x.key]) }) }, front.length > 32 ? "Rank the first 32" : "Rank these"))
			) : null
		);
	};
	let most = 100;
	const drawTable = () => {
		const { points, x, y } = state_;
		const sorted = [...points].sort((a, b) => Boolean(b.front) - Boolean(a.front) || better(y, b.y.value) - better(y, a.y.value));
		put(list2, h(
			"table",
			{},
			h("thead", {}, h("tr", {}, column("Candidate"), column("Runs on"), [y, x].map((a) => column([a.key, h("small", {}, unitText(a.unit) || " ")], true)), column("Frontier"))),
			h("tbody", {}, sorted.slice(0, most).map((p) => h(
				"tr",
				{},
				h("th", { scope: "row" }, h("a", { href: to("model/" + p.candidate.key) }, nameOf({ ...p.candidate.model, id: p.candidate.id }))),
				h("td", { class: "runs" }, runsOn(p.candidate.execution)),
				[[y, p.y], [x, p.x]].map(([a, v]) => h("td", { class: "number", title: exactText(v.value, v.unit), "data-label": labelOf(a.key, a.unit) }, evidence(p, a, v), v.low !== null && v.low !== v.value ? h("small", {}, ` ${valueText(v.low, v.unit)} – ${valueText(v.high, v.unit)}`) : null)),
				h("td", { class: "runs" }, p.front ? "on it" : "")
			)))
		));
		if (points.length > most) append(list2, h("p", {}, h("button", { onclick: () => {
			most += 100;
			drawTable();
		} }, `Show ${Math.min(100, points.length - most)} more`)));
	};
	await begin();
}
var evidence = (p, axis, v, text = valueText) => h("a", { href: to("model/" + p.candidate.key, { k: axis.key }) }, text(v.value, v.unit));
function legend(points) {
	const mark = (kind, text, isSquare) => h("p", {}, s("svg", { width: 20, height: 12, viewBox: "0 0 20 12", "aria-hidden": "true" }, isSquare ? s("rect", { x: 5, y: 1, width: 10, height: 10, class: "dot " + kind }) : s("circle", { cx: 10, cy: 6, r: 5, class: "dot " + kind })), text);
	const some = (test, ...of) => points.some(test) ? mark(...of) : null;
	return [
		mark("front", "on the frontier: nobody is better on both"),
		some((p) => p.unsure, "front unsure", "on it, but not shown to be better than one before"),
		some((p) => p.lent.length, "lent", "rests on evidence that was lent", true),
		mark("", "someone is as good on both, and better on one"),
		points.some((p) => p.x.low !== null || p.y.low !== null) ? h("p", {}, s("svg", { width: 20, height: 12, viewBox: "0 0 20 12", "aria-hidden": "true", class: "drawing" }, s("g", { class: "errors" }, s("line", { x1: 10, x2: 10, y1: 0, y2: 12 }))), "how sure: where the value may lie") : null,
		h("p", {}, "Point at a mark, or move through them with the arrow keys.")
	];
}
var tail = (id) => id.slice(id.lastIndexOf("/") + 1);
var short = (id) => tail(id).replace(/^(.{33}).{2,}$/su, "$1…");
var shortKey = (key) => key.length > 34 ? "…" + key.slice(-32) : key;
var better = (axis, value) => axis.less ? -value : value;
function reasonOf(key, status) {
	const words = { missing: "no evidence for", stale: "expired:", conflicting: "contradictory:", incomparable: "measured under another execution, or in several units:", ambiguous: "several sources differ on" };
	return (words[status] || status + ":") + " " + shortKey(key);
}
function interval(e) {
	if (!e || e.low === null || e.method === "exact" || e.method === "unknown") return { low: null, high: null, says: e && e.method === "exact" ? "" : e ? `n ${numberText(e.n)}, how sure is not known` : "" };
	const words = { "cluster-robust": "spread over tasks", wilson: "share of trials", reported: "as the source reports", trials: "from the number of trials", sum: "of its parts" };
	return { low: e.low, high: e.high, says: `n ${numberText(e.n)}, ${valueText(e.low, e.unit)} to ${valueText(e.high, e.unit)} (${words[e.method] || e.method})` };
}
function findFrontier(points, x, y) {
	const order2 = [...points].sort((a, b) => better(x, b.x.value) - better(x, a.x.value) || better(y, b.y.value) - better(y, a.y.value));
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
		const share = log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
		return from + lane + share * (to2 - from - lane);
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
function drawing(points, x, y, highlight, detail) {
	const { width, height, left, right, top, bottom } = size;
	const across = scaleOf(points.map((p) => p.x.value), x, left, width - right);
	const up = scaleOf(points.map((p) => p.y.value), y, height - bottom, top);
	const px = (p) => across.place(p.x.value);
	const py = (p) => up.place(p.y.value);
	const named = `${y.key} against ${x.key}: ${count(points.length, "candidate")}`;
	const hover = s("g", { class: "hover" });
	const front = points.filter((p) => p.front).sort((a, b) => px(a) - px(b));
	const path = frontPath(front, x, y, px, py);
	const drawn = [...points].sort((a, b) => px(a) - px(b) || py(a) - py(b));
	const nodes = new Map();
	const show2 = (p) => {
		put(hover, ...p ? [label(px(p), py(p) - 12, short(p.candidate.id), px(p) > width * 0.7 ? "end" : px(p) < width * 0.3 ? "start" : "middle")] : []);
		detail(p);
	};
	const matches = (p) => highlight && plainName({ ...p.candidate.model, id: p.candidate.id }).toLowerCase().includes(highlight);
	const nodeOf = (p) => {
		if (nodes.has(p)) return nodes.get(p);
		const kind = ["dot", p.front ? "front" : "", p.unsure ? "unsure" : "", p.lent.length ? "lent" : "", highlight ? matches(p) ? "match" : "dim" : ""].join(" ");
		const [x2, y2, r] = [px(p), py(p), p.front ? 5 : 4];
		const node = s("a", {
			href: to("model/" + p.candidate.key),
			class: "hit",
			tabindex: p.front ? "0" : "-1",
			"aria-label": `${p.candidate.id}: ${wholeText(p.y.value, p.y.unit)}, ${wholeText(p.x.value, p.x.unit)}${p.front ? ", on the frontier" : ""}`,
			onmouseenter: () => show2(p),
			onfocus: () => show2(p),
			onblur: () => put(hover),
			onmouseleave: () => put(hover)
		}, s("circle", { cx: x2, cy: y2, r: 12, class: "area" }), p.lent.length ? s("rect", { x: x2 - r, y: y2 - r, width: 2 * r, height: 2 * r, class: kind }) : s("circle", { cx: x2, cy: y2, r, class: kind }));
		nodes.set(p, node);
		return node;
	};
	const [before2, crowd] = [drawn.filter((p) => p.front || matches(p)), drawn.filter((p) => !p.front && !matches(p))];
	const group = s("g", {});
	const draw = (from) => {
		append(group, crowd.slice(from, from + 400).map(nodeOf));
		if (from + 400 < crowd.length) setTimeout(() => group.isConnected && draw(from + 400));
	};
	draw(0);
	const move = (event) => {
		const step2 = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
		if (!step2) return;
		const at2 = drawn.findIndex((p) => nodeOf(p) === document.activeElement);
		nodeOf(drawn[(at2 + step2 + drawn.length) % drawn.length]).focus();
		event.preventDefault();
	};
	const upTo = (v) => Math.min(height - bottom, Math.max(top, up.place(v)));
	const acrossTo = (v) => Math.min(width - right, Math.max(left, across.place(v)));
	const bars = drawn.flatMap((p) => [
		p.y.low !== null ? s("line", { x1: px(p), x2: px(p), y1: upTo(p.y.low), y2: upTo(p.y.high) }) : null,
		p.x.low !== null ? s("line", { x1: acrossTo(p.x.low), x2: acrossTo(p.x.high), y1: py(p), y2: py(p) }) : null
	].filter(Boolean));
	return s(
		"svg",
		{ viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "group", "aria-label": named, onkeydown: move },
		s("g", { class: "grid" }, across.ticks.map((t) => s("line", { x1: across.place(t), x2: across.place(t), y1: top, y2: height - bottom })), up.ticks.map((t) => s("line", { x1: left, x2: width - right, y1: up.place(t), y2: up.place(t) }))),
		path ? s("path", { d: path.region, class: "region" }) : null,
		across.lane ? s("g", { class: "cut" }, s("line", { x1: left + across.lane * 0.8, x2: left + across.lane * 0.8, y1: top, y2: height - bottom }), s("text", { x: left + across.lane * 0.4, y: height - bottom + 18, "text-anchor": "middle" }, "0")) : null,
		up.lane ? s("g", { class: "cut" }, s("line", { x1: left, x2: width - right, y1: height - bottom + up.lane * 0.8, y2: height - bottom + up.lane * 0.8 }), s("text", { x: left - 8, y: height - bottom + up.lane * 0.4 + 4, "text-anchor": "end" }, "0")) : null,
		s("g", { class: "ticks" }, spaced(across.ticks, across.place, 44).map((t) => s("text", { x: across.place(t), y: height - bottom + 18, "text-anchor": "middle" }, tickText(t, x.unit))), spaced(up.ticks, up.place, 20).map((t) => s("text", { x: left - 8, y: up.place(t) + 4, "text-anchor": "end" }, tickText(t, y.unit)))),
		s(
			"g",
			{ class: "names" },
			s("text", { x: 0, y: 14 }, `↑ ${labelOf(nameOfAxis(y.key), y.unit)} (${y.less ? "less" : "more"} is better)`),
			s("text", { x: width - right, y: height - 8, "text-anchor": "end" }, `${labelOf(nameOfAxis(x.key), x.unit)} (${x.less ? "less" : "more"} is better) →`)
		),
		s("g", { class: "errors" }, bars),
		path ? s("path", { d: path.line, class: "frontier" }) : null,
		group,
		before2.map(nodeOf),
		s("g", { class: "labels" }, labels(highlight ? drawn.filter(matches) : front, drawn, px, py)),
		hover
	);
}
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
	let line = `M${px(order2[0])} ${worse}`;
	for (const p of order2) line += `H${px(p)}V${py(p)}`;
	line += `H${far}`;
	return { line, region: `${line}V${best}H${near}V${worse}Z` };
}
var nameOfAxis = (key) => size === narrow ? key.slice(key.lastIndexOf(".", key.length - 8) + 1) : key;
function label(x, y, text, anchor) {
	return s("text", { x, y, "text-anchor": anchor }, text);
}
function labels(points, all, px, py) {
	const mark = (p) => ({ left: px(p) - 5, right: px(p) + 5, top: py(p) - 5, bottom: py(p) + 5 });
	const taken = points.map(mark);
	const crowd = all.map(mark);
	const isFree = (box, boxes) => !boxes.some((t) => box.left < t.right && box.right > t.left && box.top < t.bottom && box.bottom > t.top);
	const out = [];
	const last = points.length - 1;
	const font = size === narrow ? 14 : 12;
	const pen = h("canvas").getContext("2d");
	pen.font = `${font}px ${getComputedStyle(document.body).fontFamily}`;
	const list2 = points.filter((_, i) => i % Math.ceil(last / 11 || 1) === 0 || i === last);
	for (const p of list2) {
		const text = short(p.candidate.id);
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
function nothing2(x, y) {
	return h(
		"div",
		{ class: "empty" },
		h("p", {}, "No candidate has evidence for both. They were measured under:"),
		h("ul", {}, [y, x].map((a) => h("li", {}, h("strong", {}, a.key), ", by ", count(a.known.holding, "model"), ": ", a.known.under.slice(0, 6).join("; "), a.known.under.length > 6 ? ` and ${numberText(a.known.under.length - 6)} more` : ""))),
		h("p", {}, "If the two were measured under different runtimes or harnesses, lend evidence across them.")
	);
}

// ../internal/explore/web/rank.js
var mostCandidates = 128;
var operators = { gte: "at least", lte: "at most", eq: "exactly" };
var versionOf = (request) => Number(/\/v(\d)$/.exec(request.schemaVersion || "")?.[1] || 0);
async function rank2(page, { query }, signal) {
	const board = new Board(page, signal);
	board.frame();
	if (state.isReport) return board.showGiven(Number(query.n) || 0);
	let request;
	try {
		request = await board.first(query);
	} catch (error) {
		put(board.problem, h("p", { class: "notice" }, "The request of this link cannot be read: " + error.message));
		request = await board.first({});
	}
	if (signal.aborted) return;
	board.take(request);
}
function aggregationOf(key) {
	const k = state.overview.keys.find((k2) => k2.key === key);
	return !k || k.fact ? "fact" : k.numeric ? "mean" : "success-rate";
}
var lessIsBetter2 = (key) => lessIsBetter(key, unitOfKey(key));
var Board = class {
	constructor(page, signal) {
		Object.assign(this, { page, signal, request: null, text: "", answer: null, name: "", hasLink: true, left: 0, problem: h("div", {}) });
		this.later = once(() => this.send(), 150);
	}
	frame() {
		this.controls = h("div", { class: "controls" });
		this.results = h("div", { class: "results" });
		this.leader = h("button", { class: "leader", hidden: true, onclick: () => this.results.scrollIntoView() });
		this.head = h("h1", { tabindex: "-1" }, "Rank");
		append(this.page, h("div", { class: "bar" }, this.head, tools("ranking", () => this.lines(), () => this.hasLink)), this.problem, h("div", { class: "halves wide" }, h("div", {}, this.controls, this.leader), this.results));
	}
	// first is the request that the address names, or one to begin with: price against the
	// benchmark that most models have with it.
	async first(query) {
		if (query.r) return unpack(query.r);
		const given = state.extras.requests.find((r) => r.name === query.request) || !query.models && state.extras.requests[0];
		if (given) {
			this.name = given.name;
			return structuredClone(given.request);
		}
		const [pair] = await ask("pairs");
		const asked = query.keys ? JSON.parse(query.keys).filter((key) => state.overview.keys.some((k) => k.key === key)) : [];
		const preferences = asked.length ? asked.map((key) => this.preference(key)) : pair ? [this.preference(pair.y, "maximize"), this.preference(pair.x, "minimize")] : [];
		const models2 = query.models ? query.models.split(",") : pair ? (await ask("list", { has: pair.y, sort: pair.y, desc: true, limit: 1e6 })).rows.map((r) => r.key) : [];
		const candidates2 = await ask("candidates", { keys: preferences.map((p) => p.measurementKey), models: models2 });
		return { schemaVersion: "service.rank.request/v3", task: {}, inventory: this.atMost(candidates2, mostCandidates), requirements: [], preferences };
	}
	// atMost returns so many candidates, and notes how many are left out.
	atMost(candidates2, most) {
		this.left = Math.max(0, candidates2.length - most);
		return candidates2.slice(0, most).map(({ id, model: model3, execution }) => ({ id, model: model3, execution }));
	}
	preference(key, direction) {
		return { measurementKey: key, aggregation: aggregationOf(key), direction: direction || (lessIsBetter2(key) ? "minimize" : "maximize"), weight: 1 };
	}
	take(request) {
		if (typeof request !== "object" || request === null || !Array.isArray(request.inventory)) {
			put(this.problem, h("p", { class: "notice", role: "alert" }, "This is not a rank request: it has no inventory."));
			return;
		}
		this.request = { requirements: [], preferences: [], ...request };
		put(this.problem);
		this.drawControls();
		this.send();
	}
	changed(redraw = false) {
		if (redraw) this.drawControls();
		this.later();
	}
	// asked is the request as it is sent: what has no weight is left out.
	asked() {
		return { ...this.request, preferences: (this.request.preferences || []).filter((p) => p.weight > 0) };
	}
	async send() {
		const request = this.asked();
		this.text = JSON.stringify(request);
		if (this.sending) this.sending.abort();
		this.sending = new AbortController();
		this.signal.addEventListener("abort", () => this.sending.abort());
		const mine = this.sending.signal;
		const packed = await pack(this.request);
		if (mine.aborted) return;
		this.hasLink = packed.length < longestLink;
		replace("rank", this.hasLink ? { r: packed } : {});
		try {
			const { answer } = await rank(request, mine);
			if (mine.aborted) return;
			this.answer = answer;
			this.clearFaults();
			this.drawResults();
		} catch (error) {
			if (error.name === "AbortError") return;
			if (error instanceof Refusal && error.status >= 400 && error.status < 500) this.drawFault(error);
			else put(this.results, failure(error, () => this.send()));
		}
	}
	clearFaults() {
		put(this.problem);
		for (const node of this.controls.querySelectorAll(".fault")) node.remove();
	}
	// drawFault shows a refusal at the field that its path names.
	drawFault(error) {
		this.clearFaults();
		const place = [...this.controls.querySelectorAll("[data-path]")].filter((node) => error.path.startsWith(node.dataset.path)).sort((a, b) => b.dataset.path.length - a.dataset.path.length)[0];
		const message = h("p", { class: "fault", role: "alert" }, error.message);
		if (place) place.append(message);
		else put(this.problem, h("p", { class: "notice", role: "alert" }, error.message));
		put(this.results, h("p", { class: "empty" }, "The request cannot be ranked yet."));
	}
	drawControls() {
		const { request } = this;
		const version = versionOf(request);
		const keys2 = state.overview.keys.filter((k) => k.holding);
		const options = (value) => [...keys2.some((k) => k.key === value) || !value ? [] : [[value, value + " (0)"]], ...keys2.map((k) => [k.key, `${k.key} (${numberText(k.holding)})`])];
		const remove = (list2, i, name) => h("button", { class: "quiet", "aria-label": "Remove " + name, onclick: () => {
			list2.splice(i, 1);
			this.changed(true);
		} }, "×");
		const add = (text, make) => h("button", { onclick: () => {
			make();
			this.changed(true);
		} }, text);
		const nameOfCriterion = (c) => c.measurementKey || c.id || "sum";
		const keyField = (c) => c.sum ? h("span", { class: "key" }, c.id) : choice("Key", options(c.measurementKey), c.measurementKey, (key) => {
			Object.assign(c, { measurementKey: key, aggregation: aggregationOf(key) }, c.operator && bound(key));
			if (c.direction) c.direction = lessIsBetter2(key) ? "minimize" : "maximize";
			this.changed(true);
		});
		const wayField = (c) => c.sum || aggregationOf(c.measurementKey) === "fact" && c.aggregation === "fact" ? null : choice("Of several", ["mean", "min", "max", "success-rate", "count", "fact"].map((w) => [w, w]), c.aggregation, (way2) => {
			c.aggregation = way2;
			this.changed();
		});
		const bound = (key) => {
			const k = keys2.find((k2) => k2.key === key);
			return lessIsBetter2(key) ? { operator: "lte", value: k?.high ?? 0, unit: void 0 } : { operator: "gte", value: k?.low ?? 0, unit: void 0 };
		};
		const preference = (p, i) => {
			const number2 = h("input", { type: "number", min: "0", step: "any", value: p.weight, "aria-label": "Weight of " + nameOfCriterion(p), oninput: () => set(number2.value, number2) });
			const slider = h("input", { type: "range", min: "0", max: "10", step: "0.1", value: Math.min(p.weight, 10), "aria-label": "Weight of " + nameOfCriterion(p) + ", slider", oninput: () => set(slider.value, slider) });
			const set = (text, from) => {
				const weight = Number(text);
				if (text === "" || !Number.isFinite(weight) || weight < 0) return;
				p.weight = weight;
				if (from !== number2) number2.value = text;
				if (from !== slider) slider.value = Math.min(weight, 10);
				this.changed();
			};
			return h(
				"li",
				{ class: "criterion", "data-path": `$.preferences[${i}]` },
				h("span", { class: `swatch series${i % 5 + 1}`, "aria-hidden": "true" }),
				keyField(p),
				h("div", { class: "line" }, choice("Better is", [["maximize", "more"], ["minimize", "less"]], p.direction, (d) => {
					p.direction = d;
					this.changed();
				}), wayField(p), h("label", { class: "field weight" }, h("span", {}, "Weight"), h("span", { class: "line" }, slider, number2)), remove(request.preferences, i, nameOfCriterion(p)))
			);
		};
		const requirement = (q, i) => {
			const k = state.overview.keys.find((k2) => k2.key === q.measurementKey);
			const unit = q.unit || k && k.units[0] || null;
			const read = (text) => {
				const number2 = typedNumber(text, unit);
				if (Number.isFinite(number2)) return number2;
				try {
					return JSON.parse(text);
				} catch {
					return text;
				}
			};
			const value = h("input", { type: "text", value: typedText(q.value, unit), inputmode: "decimal", "aria-label": "Value", oninput: () => {
				q.value = read(value.value);
				this.changed();
			} });
			return h(
				"li",
				{ class: "criterion", "data-path": `$.requirements[${i}]` },
				keyField(q),
				h("div", { class: "line" }, choice("Must be", [["gte", "at least"], ["lte", "at most"], ["eq", "exactly"]], q.operator, (o) => {
					q.operator = o;
					this.changed();
				}), h("label", { class: "field" }, h("span", {}, unitText(unit) || "Value"), value), wayField(q), remove(request.requirements, i, nameOfCriterion(q)))
			);
		};
		const breaker = (b, i) => h("li", { class: "criterion", "data-path": `$.tieBreakers[${i}]` }, keyField(b), h("div", { class: "line" }, choice("Better is", [["maximize", "more"], ["minimize", "less"]], b.direction, (d) => {
			b.direction = d;
			this.changed();
		}), wayField(b), remove(request.tieBreakers, i, nameOfCriterion(b))));
		const section = (title, list2, draw, ...more) => h("section", {}, h("h2", {}, title), list2.length ? h("ol", { class: "criteria" }, list2.map(draw)) : null, more);
		const free = (list2) => (keys2.find((k) => k.numeric && !list2.some((c) => c.measurementKey === k.key)) || keys2[0] || { key: "" }).key;
		put(
			this.controls,
			state.extras.requests.length ? choice("Request", [["", "–"], ...state.extras.requests.map((r) => [r.name, r.name])], this.name, (name) => {
				const r = state.extras.requests.find((r2) => r2.name === name);
				this.name = name;
				this.left = 0;
				if (r) this.take(structuredClone(r.request));
			}) : null,
			this.candidatesField(),
			section("Preferences", request.preferences, preference, add("Add a preference", () => request.preferences.push(this.preference(free(request.preferences))))),
			section("Requirements", request.requirements, requirement, add("Add a requirement", () => {
				const key = free(request.requirements);
				request.requirements.push({ measurementKey: key, aggregation: aggregationOf(key), ...bound(key) });
			})),
			version >= 3 ? section("Tie breakers", request.tieBreakers ||= [], breaker, add("Add a tie breaker", () => {
				const key = free(request.tieBreakers);
				request.tieBreakers.push({ measurementKey: key, aggregation: aggregationOf(key), direction: lessIsBetter2(key) ? "minimize" : "maximize" });
			})) : null,
			this.moreField(version, keys2),
			this.requestField()
		);
	}
	candidatesField() {
		const { inventory } = this.request;
		const found = h("ul", { class: "offers" });
		const search = h("input", { type: "search", id: "search", placeholder: "add a model", autocomplete: "off", "aria-label": "Add a model", oninput: once(async () => {
			if (!search.value.trim()) return put(found);
			const { rows: rows2 } = await ask("list", { q: search.value, limit: 8 });
			put(found, ...rows2.map((row) => h("li", {}, h("button", { onclick: () => this.addModels([row.key]) }, nameOf(row.identity)))));
		}, 60) });
		const numeric = state.overview.keys.filter((k) => k.holding);
		return h(
			"section",
			{ "data-path": "$.inventory" },
			h("h2", {}, count(inventory.length, "candidate")),
			this.left ? h("p", { class: "soft" }, `A request has at most ${mostCandidates}: ${numberText(this.left)} are left out.`) : null,
			h("details", { class: "fold" }, h("summary", {}, "Who"), h("ul", { class: "names" }, inventory.map((c, i) => h("li", {}, c.id, h("small", { class: "soft" }, " " + runsOn(c.execution)), h("button", { class: "quiet", "aria-label": "Remove " + c.id, onclick: () => {
				inventory.splice(i, 1);
				this.changed(true);
			} }, "×"))))),
			h("div", { class: "line" }, search, h("button", { onclick: () => {
				this.request.inventory = this.atMost([], 0);
				this.changed(true);
			} }, "Remove all")),
			found,
			choice("All that have", [["", "choose a key"], ...numeric.map((k) => [k.key, `${k.key} (${numberText(k.holding)})`])], "", async (key) => {
				if (!key) return;
				const { rows: rows2 } = await ask("list", { has: key, sort: key, desc: !lessIsBetter2(key), limit: 1e6 });
				await this.addModels(rows2.map((r) => r.key), true);
			})
		);
	}
	// addModels adds the candidates of models, or replaces all by them.
	async addModels(models2, instead = false) {
		const criteria2 = [...this.request.preferences || [], ...this.request.requirements || [], ...this.request.tieBreakers || []];
		const all = await ask("candidates", { keys: criteria2.flatMap((c) => c.sum ? c.sum.map((t) => t.measurementKey) : [c.measurementKey]), models: models2 });
		if (instead) this.request.inventory = [];
		const { inventory } = this.request;
		const taken = new Set(inventory.map((c) => c.id));
		inventory.push(...this.atMost(all.filter((c) => !taken.has(c.id)), Math.max(0, mostCandidates - inventory.length)));
		this.changed(true);
	}
	moreField(version, keys2) {
		const { request } = this;
		const criteria2 = () => [...request.preferences || [], ...request.requirements || [], ...request.tieBreakers || []];
		const everywhere = (name, value) => {
			for (const c of criteria2()) for (const m of c.sum || [c]) {
				if (value) m[name] = value;
				else delete m[name];
			}
			this.changed();
		};
		const now = (name) => {
			const c = criteria2()[0];
			const m = c && (c.sum ? c.sum[0] : c);
			return JSON.stringify(m && m[name] || "");
		};
		const field = (label2, name, options) => choice(label2, options.map(([v, t]) => [JSON.stringify(v), t]), now(name), (v) => everywhere(name, JSON.parse(v) || null));
		const families = [...new Set(keys2.flatMap((k) => k.families))].sort();
		const family = request.task && request.task.family || "";
		return h("details", { class: "fold" }, h("summary", {}, "More: how evidence is read"), h(
			"div",
			{ class: "stack" },
			choice("Task", [...version >= 3 ? [["", "every task"]] : [], ...family && !families.includes(family) ? [[family, family]] : [], ...families.map((f) => [f, f])], family, (f) => {
				request.task = version >= 3 ? f ? { family: f } : {} : { family: f, suite: null };
				this.changed();
			}),
			field("Source", "sourceClasses", [["", "any"], [["first-party"], "first-party alone"], [["external"], "external alone"]]),
			version >= 3 ? [
				field("Lend evidence across", "transfer", [["", "nothing"], [["runtime"], "runtimes"], [["adapter", "runtime"], "adapters, runtimes"], [["execution"], "everything about the execution"]]),
				field("Where sources differ", "resolve", [["", "say so"], [["newest"], "the newest"], [["first-party"], "first-party before external"], [["most-specific", "newest"], "the most specific, then the newest"], [["lowest"], "the lowest"], [["highest"], "the highest"]])
			] : null
		));
	}
	requestField() {
		const paste = h("textarea", { rows: "4", "aria-label": "A rank request as JSON", spellcheck: "false", placeholder: "paste a request" });
		const file = h("input", { type: "file", accept: ".json,application/json", "aria-label": "Open a request", onchange: async () => file.files[0] && read(await file.files[0].text()) });
		const read = (text) => {
			this.left = 0;
			try {
				this.take(JSON.parse(text));
			} catch (error) {
				put(this.problem, h("p", { class: "notice", role: "alert" }, "This is not JSON: " + error.message));
			}
		};
		const button = (text, make) => {
			const b = h("button", { onclick: () => copy(make(), b) }, text);
			return b;
		};
		const catalog2 = quote(state.extras.catalogFile || "catalog.json");
		const json = () => JSON.stringify(this.asked());
		return h("details", { class: "fold" }, h("summary", {}, "Request and answer"), h(
			"div",
			{ class: "stack" },
			h(
				"div",
				{ class: "tools left" },
				button("Copy as curl", () => `curl -sS -H 'Content-Type: application/json' --data-binary @- ${new URL("/v1/rank", location.href).href} <<'REQUEST'
${json()}
REQUEST
`),
				button("Copy as svc rank", () => `svc rank --catalog ${catalog2} --output json - <<'REQUEST'
${json()}
REQUEST
`),
				h("button", { onclick: () => save("request.json", JSON.stringify(this.asked(), null, 2) + "\n", "application/json") }, "Save request"),
				h("button", { onclick: () => this.answer && save("answer.json", JSON.stringify(this.answer) + "\n", "application/json") }, "Save answer")
			),
			file,
			paste,
			h("button", { onclick: () => read(paste.value) }, "Open what is pasted")
		));
	}
	// showGiven shows a request of a report with the answer that the report has.
	showGiven(n) {
		const { requests, answers } = state.extras;
		if (!requests.length) {
			put(this.results, h("p", { class: "empty" }, "This report was made without a rank request."), h("p", { class: "soft" }, "svc explore ranks by whatever weights you choose: ", h("code", {}, "svc explore --catalog " + quote(state.extras.catalogFile || "catalog.json"))));
			return;
		}
		const at2 = Math.min(n, requests.length - 1);
		this.request = { requirements: [], preferences: [], ...requests[at2].request };
		this.answer = answers[at2];
		const list2 = (name, says) => (this.request[name] || []).length ? h("section", {}, h("h2", {}, name === "tieBreakers" ? "Tie breakers" : name[0].toUpperCase() + name.slice(1)), h("ol", { class: "criteria" }, this.request[name].map((c, i) => h("li", {}, name === "preferences" ? h("span", { class: `swatch series${i % 5 + 1}` }) : null, h("span", {}, c.measurementKey || c.id), h("small", { class: "soft" }, " " + says(c)))))) : null;
		put(
			this.controls,
			requests.length > 1 ? choice("Request", requests.map((r, i) => [String(i), r.name]), String(at2), (i) => {
				replace("rank", { n: i });
				this.showGiven(Number(i));
			}) : h("p", {}, requests[at2].name),
			list2("preferences", (c) => `${c.direction === "minimize" ? "less" : "more"} is better, weight ${numberText(c.weight)}`),
			list2("requirements", (c) => `${operators[c.operator]} ${wholeText(c.value, c.unit || unitOfKey(c.measurementKey))}`),
			list2("tieBreakers", (c) => c.direction === "minimize" ? "less first" : "more first"),
			h("p", { class: "soft" }, "A report shows what was asked when it was made. To ask again:"),
			h("p", {}, h("code", {}, `svc rank --catalog ${quote(state.extras.catalogFile || "catalog.json")} ${quote(requests[at2].name)}`))
		);
		this.drawResults();
	}
	lines() {
		if (!this.answer) return [["rank"]];
		const columns = this.columns();
		return [
			["rank", "candidate", "model", "score", "tie group", ...columns.map((c) => c.key)],
			...this.answer.ranked.map((e) => [e.rank, e.candidateId, plainName(e.model), e.score, e.tieGroup ?? null, ...columns.map((c) => {
				const r = reasonFor(e, c);
				return r ? r.actual ?? null : null;
			})]),
			...this.answer.excluded.map((e) => [null, e.candidateId, plainName(e.model), null, null, ...columns.map((c) => {
				const r = reasonFor(e, c);
				return r ? r.actual ?? null : null;
			})])
		];
	}
	columns() {
		const request = this.asked();
		const version = versionOf(request);
		const list2 = (name, role) => (request[name] || []).map((c, i) => ({ role, key: c.measurementKey || c.id, id: version >= 3 ? c.id || role + ":" + c.measurementKey : null, criterion: c, series: i % 5 + 1 }));
		return [...list2("preferences", "preference"), ...list2("requirements", "requirement"), ...list2("tieBreakers", "tieBreaker")];
	}
	drawResults() {
		const { answer } = this;
		const columns = this.columns();
		const maximum = answer.scoreScale.maximum;
		const scales = new Map(columns.filter((c) => c.role === "preference").map((c) => {
			const all = answer.ranked.map((e) => reasonFor(e, c)).filter((r) => r && r.code === "PREFERENCE_SCORE").map((r) => r.actual);
			return [c, c.criterion.scale || (all.length ? { low: Math.min(...all), high: Math.max(...all) } : null)];
		}));
		put(this.head, "Rank", h("span", {}, ` ${numberText(answer.ranked.length)} ranked` + (answer.excluded.length ? `, ${numberText(answer.excluded.length)} excluded` : "")));
		this.shown = columns.filter((c, i) => columns.findIndex((d) => d.key === c.key && d.criterion.aggregation === c.criterion.aggregation) === i);
		const rows2 = answer.ranked.map((e, i) => this.resultRow(e, columns, maximum, scales, answer.ranked[i - 1], answer.ranked[i + 1]));
		put(
			this.results,
			answer.ranked.length ? [sureText(answer.ranked), this.headRow(maximum), h("ol", { class: "ranked", "aria-label": "Ranked candidates" }, rows2)] : h("p", { class: "empty" }, this.request.inventory.length ? "No candidate meets the requirements." : "The request has no candidates yet."),
			this.excluded(columns)
		);
		const shown = this.shown;
		this.results.classList.toggle("many", shown.length > 5);
		this.results.style.setProperty("--n", String(shown.length > 5 ? 0 : shown.length));
		this.leader.hidden = answer.ranked.length === 0;
		if (answer.ranked.length) put(this.leader, h("span", {}, "1  ", answer.ranked[0].candidateId), h("span", {}, numberText(answer.ranked[0].score), " ↓"));
		announce(answer.ranked.length ? `${answer.ranked[0].candidateId} is first of ${count(answer.ranked.length, "candidate")}` : "nobody is ranked");
	}
	// headRow names the columns of values, with their units. Where rows are too narrow for
	// columns each value has its key.
	headRow(maximum) {
		return h(
			"div",
			{ class: "heads", "aria-hidden": "true" },
			h("span", {}),
			h("span", {}, "Candidate"),
			this.shown.length > 5 ? null : this.shown.map((c) => h("span", { class: "number" }, keyText(c.key), h("small", {}, unitText(unitOf(null, c)) || " "))),
			h("span", {}),
			h("span", { class: "points" }, "Score", h("small", {}, "of " + numberText(maximum)))
		);
	}
	resultRow(e, columns, maximum, scales, before2, after) {
		const tie = e.tieGroup === void 0 ? "" : [before2 && before2.tieGroup === e.tieGroup ? "joined" : "", after && after.tieGroup === e.tieGroup ? "joins" : ""].join(" ");
		const width = 320;
		let x = 0;
		const bar = s(
			"svg",
			{ class: "score", viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
			s("rect", { x: 0, y: 0, width, height: 10, class: "room" }),
			columns.filter((c) => c.role === "preference").map((c) => {
				const r = reasonFor(e, c);
				const part = r && r.contribution > 0 && maximum > 0 ? r.contribution / maximum * width : 0;
				x += part;
				return part ? s("rect", { x: x - part, y: 0, width: part, height: 10, class: "series" + c.series }) : null;
			})
		);
		const detail = h("div", { class: "detail" });
		const row = h(
			"details",
			{ class: "result " + tie, ontoggle: () => {
				if (row.open && !detail.firstChild) ask("find", { identity: e.model }).then((model3) => put(detail, this.because(e, columns, scales, model3)));
			} },
			h(
				"summary",
				{},
				h("span", { class: "place" }, String(e.rank)),
				h("span", { class: "who" }, nameOf({ ...e.model, id: e.candidateId }), h("small", { class: "soft tie" }, placeText(e))),
				h("span", { class: "values" }, this.shown.map((c) => valueOf2(reasonFor(e, c), c))),
				bar,
				h("span", { class: "points", title: String(e.score) }, numberText(e.score))
			),
			detail
		);
		return h("li", {}, row);
	}
	// because is what came of each criterion: value, how sure it is, how it was normalized,
	// and the observations behind it.
	because(e, columns, scales, model3) {
		return h(
			"div",
			{},
			h("p", { class: "soft" }, plainName(e.model) + " on " + runsOn(e.execution), e.coverage !== void 0 && e.coverage < 1 ? ` · evidence for ${numberText(e.coverage * 100)}% of the weight` : "", e.comparison ? ` · ${comparisonText(e.comparison)}` : ""),
			columns.map((c) => {
				const r = reasonFor(e, c);
				const evidence2 = (e.evidence || []).find((v) => c.id ? v.criterion === c.id : v.measurementKey === c.key);
				const scale = scales.get(c);
				return h(
					"section",
					{ class: "because" },
					h("h3", {}, c.role === "preference" ? h("span", { class: "swatch series" + c.series }) : null, c.key, h("span", { class: "soft" }, " " + { preference: "preference", requirement: "requirement", tieBreaker: "tie breaker" }[c.role])),
					h("dl", { class: "members" }, [
						["value", r && r.actual !== void 0 ? h("span", { title: exactText(r.actual, unitOf(r, c)) }, wholeText(r.actual, unitOf(r, c))) : gapText(r)],
						r && r.estimate && r.estimate.low !== null && r.estimate.method !== "exact" ? ["how sure", `${valueText(r.estimate.low, r.estimate.unit)} to ${valueText(r.estimate.high, r.estimate.unit)}, n ${numberText(r.estimate.n)}, ${r.estimate.method}`] : null,
						c.role === "requirement" && r ? ["required", `${operators[c.criterion.operator]} ${valueText(c.criterion.value, unitOf(r, c))}: ${r.code === "REQUIREMENT_MET" ? "met" : "not met"}`] : null,
						r && r.contribution !== void 0 && scale ? ["adds", `${numberText(r.contribution)} of ${numberText(c.criterion.weight)}: the scale is from ${valueText(scale.low, unitOf(r, c))} to ${valueText(scale.high, unitOf(r, c))}, ${c.criterion.direction === "minimize" ? "less" : "more"} is better`] : null,
						evidence2 && evidence2.observationIds.length ? ["observations", observations(evidence2.observationIds, model3)] : null,
						evidence2 && evidence2.overruled && evidence2.overruled.length ? ["overruled", observations(evidence2.overruled, model3)] : null
					].filter(Boolean).map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text))))
				);
			}),
			h("p", {}, model3 ? h("a", { href: to("model/" + model3) }, "All that is known of this model") : "The catalog has nothing of this model.")
		);
	}
	excluded(columns) {
		const { excluded } = this.answer;
		if (!excluded.length) return null;
		const groups = new Map();
		for (const e of excluded) {
			const why = e.reasons.filter((r) => r.code !== "REQUIREMENT_MET").map((r) => r.code === "COVERAGE_TOO_LOW" ? r.summary : r.code === "REQUIREMENT_NOT_MET" ? `${r.measurementKey || r.criterion} is not ${wordsOf(columns, r)}` : `${gapText(r)} for ${r.measurementKey || r.criterion}`).join("; ");
			groups.set(why, [...groups.get(why) || [], e]);
		}
		return h(
			"section",
			{ class: "excluded" },
			h("h2", {}, count(excluded.length, "candidate") + " excluded"),
			[...groups].sort((a, b) => b[1].length - a[1].length).map(([why, list2]) => h(
				"details",
				{ class: "fold" },
				h("summary", {}, `${numberText(list2.length)}: ${why}`),
				h("ul", { class: "names" }, list2.map((e) => h("li", {}, e.candidateId, h("small", { class: "soft" }, " " + e.reasons.filter((r) => r.actual !== void 0).map((r) => `${r.measurementKey || r.criterion} ${valueText(r.actual, r.estimate ? r.estimate.unit : unitOfKey(r.measurementKey))}`).join(", ")))))
			))
		);
	}
};
function placeText({ execution, comparison }) {
	const where = execution.runtime && `on ${execution.runtime.id}`;
	return [where, comparison && comparison.outcome === "tied" && `≈ cannot be told from ${comparison.leader}`].filter(Boolean).join(" · ");
}
function observations(ids, model3) {
	const name = (id) => model3 ? h("a", { href: to("model/" + model3, { o: id }), class: "mono", title: id }, id.slice(0, 12)) : h("span", { class: "mono", title: id }, id.slice(0, 12));
	return [ids.slice(0, 8).map((id) => [name(id), " "]), ids.length > 8 ? `and ${numberText(ids.length - 8)} more` : ""];
}
function valueOf2(r, c) {
	if (!r || r.actual === void 0) return h("span", { class: "value none" }, h("small", { class: "name" }, c.key + " "), gapText(r));
	const unit = unitOf(r, c);
	const e = r.estimate;
	const isRange = e && e.low !== null && e.low !== e.high && e.method !== "exact";
	return h(
		"span",
		{ class: "value", title: exactText(r.actual, unit) },
		h("small", { class: "name" }, c.key + " "),
		h("span", { class: "plain" }, valueText(r.actual, unit)),
		h("span", { class: "short" }, shortText(r.actual, unit)),
		isRange ? h("small", { class: "soft range" }, ` ${valueText(e.low, e.unit)} – ${valueText(e.high, e.unit)}`) : null
	);
}
function sureText(ranked) {
	const steps = ranked.map((e) => e.comparison).filter(Boolean);
	if (!steps.length) return null;
	const some = (outcome) => steps.filter((c) => c.outcome === outcome);
	const [sure, tied, unknown] = [some("separable"), some("tied"), some("unknown")];
	const why = [...new Set(unknown.flatMap((c) => c.unknown))];
	return h("p", { class: "soft sure" }, [
		sure.length ? count(sure.length, "candidate is", "candidates are") + " certainly behind the one that leads the group before" : "",
		tied.length ? count(tied.length, "candidate cannot", "candidates cannot") + " be told from the one that leads its group (≈)" : "",
		unknown.length ? count(unknown.length, "cannot be judged", "cannot be judged") + (why.length ? ", since too little is known of " + why.map((id) => id.replace(/^(preference|tieBreaker):/, "")).join(", ") : "") : ""
	].filter(Boolean).join("; ") + ".");
}
function unitOfKey(key) {
	const k = state.overview.keys.find((k2) => k2.key === key);
	return k && k.units.length === 1 ? k.units[0] : null;
}
var unitOf = (r, c) => r && r.estimate ? r.estimate.unit : ["count", "success-rate"].includes(c.criterion.aggregation) ? null : unitOfKey(c.key);
var scored = new Set(["PREFERENCE_SCORE", "PREFERENCE_EVIDENCE_MISSING"]);
var required = new Set(["REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "MISSING_EVIDENCE"]);
function reasonFor(e, c) {
	if (c.id) return e.reasons.find((r) => r.criterion === c.id);
	return e.reasons.find((r) => r.measurementKey === c.key && !(c.role === "preference" ? required : scored).has(r.code));
}
function gapText(r) {
	const words = { MISSING_EVIDENCE: "no evidence", PREFERENCE_EVIDENCE_MISSING: "no evidence", TIE_BREAKER_EVIDENCE_MISSING: "no evidence", STALE_EVIDENCE: "expired", CONFLICTING_EVIDENCE: "contradictory", INCOMPARABLE_EVIDENCE: "not comparable", AMBIGUOUS_EVIDENCE: "sources differ" };
	return r ? words[r.code] || r.summary : "–";
}
function wordsOf(columns, r) {
	const c = columns.find((c2) => c2.role === "requirement" && (c2.id ? c2.id === r.criterion : c2.key === r.measurementKey));
	return c ? `${operators[c.criterion.operator]} ${wholeText(r.expected, unitOf(r, c))}` : valueText(r.expected);
}
function comparisonText(c) {
	if (c.margin === null) return "cannot be compared with " + c.leader;
	const isTied = c.outcome === "tied";
	return `${isTied ? "cannot be told" : "told apart"} from ${c.leader}: ${numberText(c.difference)} behind, ${isTied ? "within" : "beyond"} the margin of ${numberText(c.margin)}`;
}

// ../internal/explore/web/changes.js
var signs = { added: "+", revived: "+", backfilled: "+", renewed: "+", removed: "−", silenced: "−", expired: "−", changed: "~", settled: "~", contradicted: "◆" };
var order = ["silenced", "removed", "contradicted", "changed", "settled", "expired", "added", "revived", "renewed", "backfilled"];
async function changes(page, { query }) {
	const { diff } = state.extras;
	if (!diff) return append(page, h("h1", { tabindex: "-1" }, "Changes"), h("p", { class: "empty" }, "There is no older catalog to compare with. Start with --against OLD."));
	const filters = { q: query.q || "", key: query.key || "", kind: query.kind || "" };
	let shown = 100;
	const all = rowsOf(diff);
	const list2 = h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Changes" });
	const said2 = h("p", { class: "soft found" });
	const pass = (row) => (!filters.key || row.key === filters.key) && (!filters.kind || row.change === filters.kind) && filters.q.toLowerCase().split(/\s+/).every((w) => row.name.toLowerCase().includes(w));
	const draw = () => {
		const kept2 = all.filter(pass);
		said2.textContent = count(kept2.length, "change");
		announce(said2.textContent);
		put(list2, kept2.length ? table(kept2.slice(0, shown)) : h("p", { class: "empty" }, "No change matches."));
		if (kept2.length > shown) append(list2, h("p", {}, h("button", { onclick: () => {
			shown += 100;
			draw();
		} }, `Show ${Math.min(100, kept2.length - shown)} more`)));
	};
	const set = (name) => (value) => {
		filters[name] = value;
		shown = 100;
		replace("changes", filters);
		draw();
	};
	const search = h("input", { type: "search", id: "search", value: filters.q, placeholder: "part of the name", oninput: once(() => set("q")(search.value), 60) });
	const keys2 = [...new Set(all.map((r) => r.key).filter(Boolean))].sort();
	const kinds = order.filter((kind) => all.some((r) => r.change === kind));
	const lines = () => [["change", "model", "runs on", "key", "old", "new", "unit", "ratio"], ...all.filter(pass).map((r) => [r.change, r.name, r.on, r.key, r.oldValue, r.newValue, r.unit, r.ratio])];
	const when = day(diff.old.asOf) === day(diff.new.asOf) ? minute : day;
	const sum = diff.summary;
	const words = (counts, names) => names.filter((n) => counts[n]).map((n) => `${numberText(counts[n])} ${n}`).join(", ") || "none";
	const again = ({ reaffirmed }) => reaffirmed ? `; ${numberText(reaffirmed)} reaffirmed` : "";
	append(
		page,
		h("div", { class: "bar" }, h("h1", { tabindex: "-1" }, "Changes", h("span", {}, ` from ${when(diff.old.asOf)} to ${when(diff.new.asOf)}`)), tools("changes", lines)),
		h(
			"dl",
			{ class: "counts" },
			[
				["models", words(sum.models, ["added", "removed", "silenced", "revived", "changed"])],
				["facts", words(sum.facts, ["changed", "contradicted", "settled", "added", "removed", "renewed", "expired", "backfilled"]) + again(sum.facts)],
				["samples", words(sum.samples, ["changed"]) + again(sum.samples)],
				["conflicts", words(sum.conflicts, ["arisen", "ended", "changed"])]
			].map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))
		),
		diff.rankings.map((r, i) => ranking(r, endsOf(diff), (state.extras.requests[i] || {}).name || r.request.sha256.slice(0, 12))),
		h("h2", { class: "part" }, "Models and what is known of them"),
		h(
			"div",
			{ class: "filters" },
			h("label", { class: "field search" }, h("span", {}, "Model"), search),
			choice("Key", [["", "any"], ...keys2.map((k) => [k, k])], filters.key, set("key")),
			choice("Change", [["", "any"], ...kinds.map((k) => [k, k])], filters.kind, set("kind"))
		),
		said2,
		list2
	);
	draw();
	if (Object.values(diff.leftOut).some(Boolean)) append(page, h("p", { class: "soft" }, "More than can be listed changed: left out are " + Object.entries(diff.leftOut).filter(([, n]) => n).map(([k, n]) => `${numberText(n)} ${k}`).join(", ") + "."));
}
function rowsOf(diff) {
	const rows2 = [];
	for (const [number2, m] of diff.models.entries()) {
		const base = { model: m, number: number2, name: plainName(m.identity) };
		const isWhole = m.change !== "changed";
		if (isWhole) rows2.push({ ...base, change: m.change, key: "", on: "", size: 0, says: m.change === "added" || m.change === "revived" ? count(m.observations.holdingNew, "observation") + " hold" : count(m.observations.holdingOld, "observation") + " held" });
		if (isWhole && m.change !== "revived" && m.change !== "added") continue;
		for (const f of m.facts) {
			rows2.push({ ...base, change: f.change, key: f.measurementKey, on: runsOn(f.execution), old: f.old, new: f.new, ratio: f.ratio, unit: ((f.new || f.old).values[0] || {}).unit, oldValue: first(f.old), newValue: first(f.new), size: f.ratio === null ? 0 : Math.abs(Math.log(Math.abs(f.ratio))) });
		}
		for (const g of m.samples) rows2.push({ ...base, change: m.change === "added" ? "added" : "changed", key: g.measurementKey, on: runsOn(g.execution), old: sampled(g.old), new: sampled(g.new), ratio: null, unit: (g.new?.n ? g.new : g.old)?.unit, oldValue: mean(g.old), newValue: mean(g.new), size: 0 });
	}
	const largest = new Map();
	const place = (r) => order.indexOf(r.change === "settled" ? "changed" : r.change);
	const ofAll = (r) => place(r) + r.model.key;
	for (const r of rows2) largest.set(ofAll(r), Math.max(largest.get(ofAll(r)) || 0, r.size));
	const down = (x, y) => x === y ? 0 : y - x;
	return rows2.sort((a, b) => place(a) - place(b) || down(largest.get(ofAll(a)), largest.get(ofAll(b))) || a.number - b.number || down(a.size, b.size));
}
var mean = (a) => a ? a.successRate ?? a.mean : null;
var sampled = (a) => a && a.n && { state: "value", n: a.n, valueCount: 1, values: [{ value: mean(a), unit: a.unit }] };
var first = (fact) => fact && fact.values.length ? fact.values[0].value : null;
function factText(fact) {
	if (!fact) return h("span", { class: "none" }, "–");
	const text = fact.values.slice(0, 3).map((v) => valueText(v.value, v.unit)).join(" or ") + (fact.valueCount > 3 ? ` or ${numberText(fact.valueCount - 3)} more` : "");
	return h("span", { class: fact.state === "expired" ? "gone" : "" }, text, fact.n ? h("small", { class: "soft" }, ` n ${numberText(fact.n)}`) : null);
}
function table(rows2) {
	return h(
		"table",
		{},
		h("thead", {}, h("tr", {}, column(h("span", { class: "away" }, "Change")), ["Model", "On", "Key"].map((t) => column(t)), ["Old", "New", "By"].map((t) => column(t, true)), column("Unit"))),
		h("tbody", {}, rows2.map((r) => h(
			"tr",
			{},
			h("td", { class: "sign " + r.change, title: r.change }, signs[r.change], h("span", { class: "away" }, r.change)),
			h("th", { scope: "row" }, r.model.change === "removed" ? nameOf(r.model.identity) : h("a", { href: to("model/" + r.model.key) }, nameOf(r.model.identity))),
			r.key ? [h("td", { class: "runs" }, r.on), h("td", { class: "keyname" }, r.key), h("td", { class: "number", "data-label": "old" }, factText(r.old)), h("td", { class: "number", "data-label": "new" }, factText(r.new)), h("td", { class: "number" }, r.ratio === null ? "" : changeText(r.ratio)), h("td", { class: "runs" }, unitText(r.unit))] : h("td", { colspan: "6", class: "runs" }, r.change + ", " + r.says)
		)))
	);
}
var slopesWide = { width: 900, from: 340, to: 560, longest: 38 };
var slopesNarrow = { width: 344, from: 140, to: 204, longest: 14 };
function ranking(r, ends, name) {
	const { width, from, to: until, longest } = matchMedia("(max-width: 719px)").matches ? slopesNarrow : slopesWide;
	const most = Math.min(Math.max(r.old.length, r.new.length, 1), 60);
	const gap = 22;
	const y = (rank3) => Math.min(rank3, most + 1) * gap + 6;
	const isNarrow = longest < 20;
	const clip = (id) => {
		const text = isNarrow ? id.slice(id.lastIndexOf("/") + 1) : id;
		return text.length > longest ? text.slice(0, longest - 1) + "…" : text;
	};
	const moves = [...new Set([...r.new, ...r.old])].map((id) => ({ id, from: r.old.indexOf(id) + 1, to: r.new.indexOf(id) + 1 })).filter((m) => Math.min(m.from || most + 1, m.to || most + 1) <= most);
	const drawing2 = s(
		"svg",
		{ viewBox: `0 0 ${width} ${most * gap + 24}`, class: "slopes", role: "img", "aria-label": `Ranks before and after, ${name}` },
		moves.map((m) => s(
			"g",
			{ class: !m.from ? "came" : !m.to ? "went" : m.to < m.from ? "up" : m.to > m.from ? "down" : "same" },
			m.from && m.from <= most ? s("text", { x: from - 10, y: y(m.from) + 4, "text-anchor": "end" }, `${clip(m.id)} ${m.from}`) : null,
			m.to && m.to <= most ? s("text", { x: until + 10, y: y(m.to) + 4 }, `${m.to} ${clip(m.id)}`) : null,
			m.from && m.to ? s("line", { x1: from, x2: until, y1: y(m.from), y2: y(m.to) }) : m.from ? s("text", { x: from + 10, y: y(m.from) + 4, class: "gone" }, isNarrow ? "×" : "× excluded") : s("text", { x: until - 10, y: y(m.to) + 4, "text-anchor": "end" }, "new")
		))
	);
	const changed = r.candidates.filter((c) => c.old.rank !== c.new.rank || c.old.score !== c.new.score).sort((a, b) => (a.new.rank ?? Infinity) - (b.new.rank ?? Infinity));
	const scoreOf = (p) => p.score === null ? p.outcome : numberText(p.score);
	return h(
		"section",
		{},
		h("h2", {}, name, h("span", { class: "soft" }, r.changed ? "" : " did not change")),
		drawing2,
		changed.length ? h("div", { class: "moves" }, few(changed, (c) => h(
			"details",
			{ class: "move" },
			h(
				"summary",
				{},
				h("span", { class: "sign" }, c.new.rank === null ? "×" : c.old.rank === null ? "+" : c.move > 0 ? "↑" : c.move < 0 ? "↓" : "~"),
				h("span", { class: "who" }, nameOf({ id: c.candidateId })),
				h("span", { class: "ranks" }, `${c.old.rank ?? "–"} → ${c.new.rank ?? "–"}`),
				h("span", { class: "soft" }, scoreOf(c.old) === scoreOf(c.new) ? scoreOf(c.new) : `${scoreOf(c.old)} → ${scoreOf(c.new)}`),
				h("span", { class: "why soft" }, reasons(c, ends).join(", "))
			),
			criteria(c)
		))) : null
	);
}
var signed = (f) => (f < 0 ? "" : "+") + numberText(f);
var cellText = (cell2) => cell2.value === null ? "–" : shortText(cell2.value, cell2.unit);
var lostOrWon = (c, k) => k.old && k.new && c.old.rank && c.new.rank ? k.new.contribution - k.old.contribution : 0;
var endsOf = (diff) => new Map(diff.models.flatMap((m) => m.facts.flatMap((f) => f.old ? f.old.observations.map((o) => [o.id, o.validUntil]) : [])));
function reasons(c, ends) {
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
	const value = (cell2) => cell2 === null ? "not asked" : cell2.value === null ? cell2.status : h("span", { title: exactText(cell2.value, cell2.unit) }, shortText(cell2.value, cell2.unit));
	return h("div", { class: "table" }, h(
		"table",
		{ class: "causes" },
		h("thead", {}, h("tr", {}, ["Criterion", "Because"].map((t) => column(t)), ["Old", "New", "Adds", "by its value", "by the scale"].map((t) => column(t, true)))),
		h("tbody", {}, c.criteria.map((k) => h(
			"tr",
			{},
			h("th", { scope: "row" }, keyText(k.measurementKey || k.criterion)),
			h("td", {}, k.causes.join(", ")),
			h("td", { class: "number", "data-label": "old" }, value(k.old)),
			h("td", { class: "number", "data-label": "new" }, value(k.new)),
			k.contribution ? [["adds", k.contribution.new - k.contribution.old], ["by its value", k.contribution.ofValue], ["by the scale", k.contribution.ofScale]].map(([label2, f]) => h("td", { class: "number", title: String(f), "data-label": label2 }, signed(f))) : [h("td", { class: "number", "data-label": "adds" }, lostOrWon(c, k) ? signed(lostOrWon(c, k)) : ""), h("td", { colspan: "2" })]
		)))
	));
}

// ../internal/explore/web/main.js
var screens = { __proto__: null, models, model: model2, compare, plot, rank: rank2, changes };
var titles = { models: "Models", plot: "Plot", rank: "Rank", changes: "Changes" };
if (typeof document === "undefined") work();
else start(document.currentScript);
function start(script) {
	const main = document.getElementById("main");
	const needed = { DecompressionStream: "DecompressionStream", Worker: "Worker", CompressionStream: "CompressionStream" };
	const missing = Object.keys(needed).filter((name) => typeof globalThis[name] === "undefined");
	if (missing.length) {
		put(main, h("p", { class: "notice" }, "This page needs a browser of 2023 or later: yours lacks " + missing.join(", ") + "."));
		return;
	}
	const source = script.src || URL.createObjectURL(new Blob([script.textContent], { type: "text/javascript" }));
	const begin = async () => {
		const wait = h("p", { class: "wait soft", role: "status" }, "Reading the catalog");
		put(main, wait);
		try {
			await open(source, (bytes) => wait.textContent = `Reading the catalog, ${numberText(Math.round(bytes / 1e5) / 10)} MB so far`);
		} catch (error) {
			put(main, failure(error, begin));
			return;
		}
		drawHead();
		addEventListener("hashchange", () => show(main, true));
		show(main, false);
	};
	addEventListener("keydown", keys);
	state.onother = other;
	begin();
}
function drawHead() {
	const { digest, asOf } = state.overview;
	put(document.getElementById("tabs"), ...Object.entries(titles).filter(([name]) => name !== "changes" || state.extras.diff).map(([name, text]) => h("a", { href: to(name), "data-screen": name }, text)));
	put(document.getElementById("asof"), h("span", {}, "as of ", h("time", { datetime: asOf, title: asOf }, day(asOf))), " ", h("span", { class: "mono", title: digest }, digest.slice(0, 12)));
}
var leave = null;
async function show(main, moved) {
	if (leave) leave.abort();
	leave = new AbortController();
	const { signal } = leave;
	const where = at();
	const draw = screens[where.screen] || models;
	const tab = { model: "models", compare: "models" }[where.screen] || where.screen;
	for (const a of document.querySelectorAll("#tabs a")) {
		if (a.dataset.screen === tab) a.setAttribute("aria-current", "page");
		else a.removeAttribute("aria-current");
	}
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
	const name = head ? head.textContent : titles[where.screen] || "";
	document.title = (name ? name + " · " : "") + document.documentElement.dataset.title;
	main.dataset.ready = where.screen;
	if (moved && head) head.focus({ preventScroll: true });
	if (moved && !page.querySelector(".row[open]")) scrollTo(0, 0);
}
function other(catalog2) {
	const line = document.getElementById("other");
	if (!line.hidden) return;
	line.hidden = false;
	put(line, `The server has another catalog now, as of ${day(catalog2.asOf)} (${catalog2.digest.slice(0, 12)}). `, h("button", { onclick: () => location.reload() }, "Reload"));
}
var shortcuts = [["/", "to the search"], ["g m", "models"], ["g p", "plot"], ["g r", "rank"], ["g c", "changes"], ["Tab", "through controls and the points of the frontier"], ["arrows", "through the points of a plot"], ["Escape", "closes what is open"], ["?", "this list"]];
var before = "";
function keys(event) {
	const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "checkbox" && event.target.type !== "range";
	const dialog = document.querySelector("dialog[open]");
	if (event.key === "Escape") {
		for (const d of document.querySelectorAll("details.columns[open]")) d.open = false;
		if (typing) event.target.blur();
	}
	if (typing || dialog || event.ctrlKey || event.metaKey || event.altKey) return;
	const last = before;
	before = event.key;
	const screen = last === "g" && { m: "models", p: "plot", r: "rank", c: "changes" }[event.key];
	if (screen) location.hash = to(screen);
	else if (event.key === "/" && document.getElementById("search")) {
		event.preventDefault();
		document.getElementById("search").focus();
	} else if (event.key === "?") {
		const box = h(
			"dialog",
			{ "aria-labelledby": "keys-title", onclose: () => box.remove() },
			h("h2", { id: "keys-title" }, "Keys"),
			h("dl", { class: "members" }, shortcuts.map(([key, text]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)))),
			h("button", { onclick: () => box.close() }, "Close")
		);
		append(document.body, box);
		box.showModal();
	}
}
})();
