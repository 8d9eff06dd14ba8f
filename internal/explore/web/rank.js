// The screen "Rank": who should do my job? It edits one rank request and shows what the
// API answers to it.
import { h, s, choice, copy, once, save, announce, put, append } from "./dom.js";
import { count, exactText, keyText, lessIsBetter as isLessBetter, nameOf, numberText, plainName, runsOn, shortText, typedNumber, typedText, unitText, valueText, wholeText } from "./text.js";
import { longestLink, pack, replace, to, unpack } from "./address.js";
import { Refusal, ask, rank as askRank, state } from "./source.js";
import { tools } from "./tools.js";
import { failure } from "./failure.js";
import { quote } from "./model.js";

const mostCandidates = 128;
const operators = { gte: "at least", lte: "at most", eq: "exactly" };
const versionOf = (request) => Number(/\/v(\d)$/.exec(request.schemaVersion || "")?.[1] || 0);

export async function rank(page, { query }, signal) {
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

// aggregationOf is the aggregation that a key is asked for with at first.
function aggregationOf(key) {
  const k = state.overview.keys.find((k) => k.key === key);
  return !k || k.fact ? "fact" : k.numeric ? "mean" : "success-rate";
}

const lessIsBetter = (key) => isLessBetter(key, unitOfKey(key));

class Board {
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
    const given = state.extras.requests.find((r) => r.name === query.request) || (!query.models && state.extras.requests[0]);
    if (given) {
      this.name = given.name;
      return structuredClone(given.request);
    }
    const [pair] = await ask("pairs");
    const asked = query.keys ? JSON.parse(query.keys).filter((key) => state.overview.keys.some((k) => k.key === key)) : [];
    const preferences = asked.length ? asked.map((key) => this.preference(key)) : pair ? [this.preference(pair.y, "maximize"), this.preference(pair.x, "minimize")] : [];
    const models = query.models ? query.models.split(",") : pair ? (await ask("list", { has: pair.y, sort: pair.y, desc: true, limit: 1e6 })).rows.map((r) => r.key) : [];
    const candidates = await ask("candidates", { keys: preferences.map((p) => p.measurementKey), models });
    return { schemaVersion: "service.rank.request/v3", task: {}, inventory: this.atMost(candidates, mostCandidates), requirements: [], preferences };
  }

  // atMost returns so many candidates, and notes how many are left out.
  atMost(candidates, most) {
    this.left = Math.max(0, candidates.length - most);
    return candidates.slice(0, most).map(({ id, model, execution }) => ({ id, model, execution }));
  }

  preference(key, direction) {
    return { measurementKey: key, aggregation: aggregationOf(key), direction: direction || (lessIsBetter(key) ? "minimize" : "maximize"), weight: 1 };
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
      const { answer } = await askRank(request, mine);
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
    const keys = state.overview.keys.filter((k) => k.holding);
    const options = (value) => [...(keys.some((k) => k.key === value) || !value ? [] : [[value, value + " (0)"]]), ...keys.map((k) => [k.key, `${k.key} (${numberText(k.holding)})`])];
    const remove = (list, i, name) => h("button", { class: "quiet", "aria-label": "Remove " + name, onclick: () => { list.splice(i, 1); this.changed(true); } }, "×");
    const add = (text, make) => h("button", { onclick: () => { make(); this.changed(true); } }, text);
    const nameOfCriterion = (c) => c.measurementKey || c.id || "sum";
    const keyField = (c) => c.sum ? h("span", { class: "key" }, c.id) : choice("Key", options(c.measurementKey), c.measurementKey, (key) => { Object.assign(c, { measurementKey: key, aggregation: aggregationOf(key) }, c.operator && bound(key)); if (c.direction) c.direction = lessIsBetter(key) ? "minimize" : "maximize"; this.changed(true); });
    const wayField = (c) => c.sum || aggregationOf(c.measurementKey) === "fact" && c.aggregation === "fact" ? null : choice("Of several", ["mean", "min", "max", "success-rate", "count", "fact"].map((w) => [w, w]), c.aggregation, (way) => { c.aggregation = way; this.changed(); });

    // bound is a requirement that every number of a key meets, to begin with.
    const bound = (key) => {
      const k = keys.find((k) => k.key === key);
      return lessIsBetter(key) ? { operator: "lte", value: k?.high ?? 0, unit: undefined } : { operator: "gte", value: k?.low ?? 0, unit: undefined };
    };

    const preference = (p, i) => {
      const number = h("input", { type: "number", min: "0", step: "any", value: p.weight, "aria-label": "Weight of " + nameOfCriterion(p), oninput: () => set(number.value, number) });
      const slider = h("input", { type: "range", min: "0", max: "10", step: "0.1", value: Math.min(p.weight, 10), "aria-label": "Weight of " + nameOfCriterion(p) + ", slider", oninput: () => set(slider.value, slider) });
      const set = (text, from) => {
        const weight = Number(text);
        if (text === "" || !Number.isFinite(weight) || weight < 0) return;
        p.weight = weight;
        if (from !== number) number.value = text;
        if (from !== slider) slider.value = Math.min(weight, 10);
        this.changed();
      };
      return h("li", { class: "criterion", "data-path": `$.preferences[${i}]` }, h("span", { class: `swatch series${(i % 5) + 1}`, "aria-hidden": "true" }), keyField(p),
        h("div", { class: "line" }, choice("Better is", [["maximize", "more"], ["minimize", "less"]], p.direction, (d) => { p.direction = d; this.changed(); }), wayField(p), h("label", { class: "field weight" }, h("span", {}, "Weight"), h("span", { class: "line" }, slider, number)), remove(request.preferences, i, nameOfCriterion(p))));
    };
    const requirement = (q, i) => {
      const k = state.overview.keys.find((k) => k.key === q.measurementKey);
      const unit = q.unit || (k && k.units[0]) || null;
      const read = (text) => { const number = typedNumber(text, unit); if (Number.isFinite(number)) return number; try { return JSON.parse(text); } catch { return text; } };
      const value = h("input", { type: "text", value: typedText(q.value, unit), inputmode: "decimal", "aria-label": "Value", oninput: () => { q.value = read(value.value); this.changed(); } });
      return h("li", { class: "criterion", "data-path": `$.requirements[${i}]` }, keyField(q),
        h("div", { class: "line" }, choice("Must be", [["gte", "at least"], ["lte", "at most"], ["eq", "exactly"]], q.operator, (o) => { q.operator = o; this.changed(); }), h("label", { class: "field" }, h("span", {}, unitText(unit) || "Value"), value), wayField(q), remove(request.requirements, i, nameOfCriterion(q))));
    };
    const breaker = (b, i) => h("li", { class: "criterion", "data-path": `$.tieBreakers[${i}]` }, keyField(b), h("div", { class: "line" }, choice("Better is", [["maximize", "more"], ["minimize", "less"]], b.direction, (d) => { b.direction = d; this.changed(); }), wayField(b), remove(request.tieBreakers, i, nameOfCriterion(b))));
    const section = (title, list, draw, ...more) => h("section", {}, h("h2", {}, title), list.length ? h("ol", { class: "criteria" }, list.map(draw)) : null, more);
    const free = (list) => (keys.find((k) => k.numeric && !list.some((c) => c.measurementKey === k.key)) || keys[0] || { key: "" }).key;

    put(this.controls, 
      state.extras.requests.length ? choice("Request", [["", "–"], ...state.extras.requests.map((r) => [r.name, r.name])], this.name, (name) => { const r = state.extras.requests.find((r) => r.name === name); this.name = name; this.left = 0; if (r) this.take(structuredClone(r.request)); }) : null,
      this.candidatesField(),
      section("Preferences", request.preferences, preference, add("Add a preference", () => request.preferences.push(this.preference(free(request.preferences))))),
      section("Requirements", request.requirements, requirement, add("Add a requirement", () => { const key = free(request.requirements); request.requirements.push({ measurementKey: key, aggregation: aggregationOf(key), ...bound(key) }); })),
      version >= 3 ? section("Tie breakers", (request.tieBreakers ||= []), breaker, add("Add a tie breaker", () => { const key = free(request.tieBreakers); request.tieBreakers.push({ measurementKey: key, aggregation: aggregationOf(key), direction: lessIsBetter(key) ? "minimize" : "maximize" }); })) : null,
      this.moreField(version, keys), this.requestField());
  }

  candidatesField() {
    const { inventory } = this.request;
    const found = h("ul", { class: "offers" });
    const search = h("input", { type: "search", id: "search", placeholder: "add a model", autocomplete: "off", "aria-label": "Add a model", oninput: once(async () => {
      if (!search.value.trim()) return put(found);
      const { rows } = await ask("list", { q: search.value, limit: 8 });
      put(found, ...rows.map((row) => h("li", {}, h("button", { onclick: () => this.addModels([row.key]) }, nameOf(row.identity)))));
    }, 60) });
    const numeric = state.overview.keys.filter((k) => k.holding);
    return h("section", { "data-path": "$.inventory" }, h("h2", {}, count(inventory.length, "candidate")),
      this.left ? h("p", { class: "soft" }, `A request has at most ${mostCandidates}: ${numberText(this.left)} are left out.`) : null,
      h("details", { class: "fold" }, h("summary", {}, "Who"), h("ul", { class: "names" }, inventory.map((c, i) => h("li", {}, c.id, h("small", { class: "soft" }, " " + runsOn(c.execution)), h("button", { class: "quiet", "aria-label": "Remove " + c.id, onclick: () => { inventory.splice(i, 1); this.changed(true); } }, "×"))))),
      h("div", { class: "line" }, search, h("button", { onclick: () => { this.request.inventory = this.atMost([], 0); this.changed(true); } }, "Remove all")), found,
      choice("All that have", [["", "choose a key"], ...numeric.map((k) => [k.key, `${k.key} (${numberText(k.holding)})`])], "", async (key) => {
        if (!key) return;
        const { rows } = await ask("list", { has: key, sort: key, desc: !lessIsBetter(key), limit: 1e6 });
        await this.addModels(rows.map((r) => r.key), true);
      }));
  }

  // addModels adds the candidates of models, or replaces all by them.
  async addModels(models, instead = false) {
    const criteria = [...(this.request.preferences || []), ...(this.request.requirements || []), ...(this.request.tieBreakers || [])];
    const all = await ask("candidates", { keys: criteria.flatMap((c) => c.sum ? c.sum.map((t) => t.measurementKey) : [c.measurementKey]), models });
    if (instead) this.request.inventory = [];
    const { inventory } = this.request;
    const taken = new Set(inventory.map((c) => c.id));
    inventory.push(...this.atMost(all.filter((c) => !taken.has(c.id)), Math.max(0, mostCandidates - inventory.length)));
    this.changed(true);
  }

  moreField(version, keys) {
    const { request } = this;
    const criteria = () => [...(request.preferences || []), ...(request.requirements || []), ...(request.tieBreakers || [])];
    const everywhere = (name, value) => { for (const c of criteria()) for (const m of c.sum || [c]) { if (value) m[name] = value; else delete m[name]; } this.changed(); };
    const now = (name) => { const c = criteria()[0]; const m = c && (c.sum ? c.sum[0] : c); return JSON.stringify((m && m[name]) || ""); };
    const field = (label, name, options) => choice(label, options.map(([v, t]) => [JSON.stringify(v), t]), now(name), (v) => everywhere(name, JSON.parse(v) || null));
    const families = [...new Set(keys.flatMap((k) => k.families))].sort();
    const family = (request.task && request.task.family) || "";
    return h("details", { class: "fold" }, h("summary", {}, "More: how evidence is read"), h("div", { class: "stack" },
      choice("Task", [...(version >= 3 ? [["", "every task"]] : []), ...(family && !families.includes(family) ? [[family, family]] : []), ...families.map((f) => [f, f])], family, (f) => { request.task = version >= 3 ? (f ? { family: f } : {}) : { family: f, suite: null }; this.changed(); }),
      field("Source", "sourceClasses", [["", "any"], [["first-party"], "first-party alone"], [["external"], "external alone"]]),
      version >= 3 ? [
        field("Lend evidence across", "transfer", [["", "nothing"], [["runtime"], "runtimes"], [["adapter", "runtime"], "adapters, runtimes"], [["execution"], "everything about the execution"]]),
        field("Where sources differ", "resolve", [["", "say so"], [["newest"], "the newest"], [["first-party"], "first-party before external"], [["most-specific", "newest"], "the most specific, then the newest"], [["lowest"], "the lowest"], [["highest"], "the highest"]]),
      ] : null));
  }

  requestField() {
    const paste = h("textarea", { rows: "4", "aria-label": "A rank request as JSON", spellcheck: "false", placeholder: "paste a request" });
    const file = h("input", { type: "file", accept: ".json,application/json", "aria-label": "Open a request", onchange: async () => file.files[0] && read(await file.files[0].text()) });
    const read = (text) => { this.left = 0; try { this.take(JSON.parse(text)); } catch (error) { put(this.problem, h("p", { class: "notice", role: "alert" }, "This is not JSON: " + error.message)); } };
    const button = (text, make) => { const b = h("button", { onclick: () => copy(make(), b) }, text); return b; };
    const catalog = quote(state.extras.catalogFile || "catalog.json");
    const json = () => JSON.stringify(this.asked());
    return h("details", { class: "fold" }, h("summary", {}, "Request and answer"), h("div", { class: "stack" },
      h("div", { class: "tools left" },
        button("Copy as curl", () => `curl -sS -H 'Content-Type: application/json' --data-binary @- ${new URL("/v1/rank", location.href).href} <<'REQUEST'\n${json()}\nREQUEST\n`),
        button("Copy as svc rank", () => `svc rank --catalog ${catalog} --output json - <<'REQUEST'\n${json()}\nREQUEST\n`),
        h("button", { onclick: () => save("request.json", JSON.stringify(this.asked(), null, 2) + "\n", "application/json") }, "Save request"),
        h("button", { onclick: () => this.answer && save("answer.json", JSON.stringify(this.answer) + "\n", "application/json") }, "Save answer")),
      file, paste, h("button", { onclick: () => read(paste.value) }, "Open what is pasted")));
  }

  // showGiven shows a request of a report with the answer that the report has.
  showGiven(n) {
    const { requests, answers } = state.extras;
    if (!requests.length) {
      put(this.results, h("p", { class: "empty" }, "This report was made without a rank request."), h("p", { class: "soft" }, "svc explore ranks by whatever weights you choose: ", h("code", {}, "svc explore --catalog " + quote(state.extras.catalogFile || "catalog.json"))));
      return;
    }
    const at = Math.min(n, requests.length - 1);
    this.request = { requirements: [], preferences: [], ...requests[at].request };
    this.answer = answers[at];
    const list = (name, says) => (this.request[name] || []).length ? h("section", {}, h("h2", {}, name === "tieBreakers" ? "Tie breakers" : name[0].toUpperCase() + name.slice(1)), h("ol", { class: "criteria" }, this.request[name].map((c, i) => h("li", {}, name === "preferences" ? h("span", { class: `swatch series${(i % 5) + 1}` }) : null, h("span", {}, c.measurementKey || c.id), h("small", { class: "soft" }, " " + says(c)))))) : null;
    put(this.controls, 
      requests.length > 1 ? choice("Request", requests.map((r, i) => [String(i), r.name]), String(at), (i) => { replace("rank", { n: i }); this.showGiven(Number(i)); }) : h("p", {}, requests[at].name),
      list("preferences", (c) => `${c.direction === "minimize" ? "less" : "more"} is better, weight ${numberText(c.weight)}`), list("requirements", (c) => `${operators[c.operator]} ${wholeText(c.value, c.unit || unitOfKey(c.measurementKey))}`), list("tieBreakers", (c) => (c.direction === "minimize" ? "less first" : "more first")),
      h("p", { class: "soft" }, "A report shows what was asked when it was made. To ask again:"), h("p", {}, h("code", {}, `svc rank --catalog ${quote(state.extras.catalogFile || "catalog.json")} ${quote(requests[at].name)}`)));
    this.drawResults();
  }

  lines() {
    if (!this.answer) return [["rank"]];
    const columns = this.columns();
    return [["rank", "candidate", "model", "score", "tie group", ...columns.map((c) => c.key)],
      ...this.answer.ranked.map((e) => [e.rank, e.candidateId, plainName(e.model), e.score, e.tieGroup ?? null, ...columns.map((c) => { const r = reasonFor(e, c); return r ? r.actual ?? null : null; })]),
      ...this.answer.excluded.map((e) => [null, e.candidateId, plainName(e.model), null, null, ...columns.map((c) => { const r = reasonFor(e, c); return r ? r.actual ?? null : null; })])];
  }

  columns() {
    const request = this.asked();
    const version = versionOf(request);
    const list = (name, role) => (request[name] || []).map((c, i) => ({ role, key: c.measurementKey || c.id, id: version >= 3 ? c.id || role + ":" + c.measurementKey : null, criterion: c, series: (i % 5) + 1 }));
    return [...list("preferences", "preference"), ...list("requirements", "requirement"), ...list("tieBreakers", "tieBreaker")];
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
    const rows = answer.ranked.map((e, i) => this.resultRow(e, columns, maximum, scales, answer.ranked[i - 1], answer.ranked[i + 1]));
    put(this.results, 
      answer.ranked.length ? [sureText(answer.ranked), this.headRow(maximum), h("ol", { class: "ranked", "aria-label": "Ranked candidates" }, rows)] : h("p", { class: "empty" }, this.request.inventory.length ? "No candidate meets the requirements." : "The request has no candidates yet."),
      this.excluded(columns));
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
    return h("div", { class: "heads", "aria-hidden": "true" }, h("span", {}), h("span", {}, "Candidate"),
      this.shown.length > 5 ? null : this.shown.map((c) => h("span", { class: "number" }, keyText(c.key), h("small", {}, unitText(unitOf(null, c)) || " "))), h("span", {}), h("span", { class: "points" }, "Score", h("small", {}, "of " + numberText(maximum))));
  }

  resultRow(e, columns, maximum, scales, before, after) {
    const tie = e.tieGroup === undefined ? "" : [before && before.tieGroup === e.tieGroup ? "joined" : "", after && after.tieGroup === e.tieGroup ? "joins" : ""].join(" ");
    const width = 320;
    let x = 0;
    const bar = s("svg", { class: "score", viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { x: 0, y: 0, width, height: 10, class: "room" }),
      columns.filter((c) => c.role === "preference").map((c) => {
        const r = reasonFor(e, c);
        const part = r && r.contribution > 0 && maximum > 0 ? (r.contribution / maximum) * width : 0;
        x += part;
        return part ? s("rect", { x: x - part, y: 0, width: part, height: 10, class: "series" + c.series }) : null;
      }));
    const detail = h("div", { class: "detail" });
    const row = h("details", { class: "result " + tie, ontoggle: () => { if (row.open && !detail.firstChild) ask("find", { identity: e.model }).then((model) => put(detail, this.because(e, columns, scales, model))); } },
      h("summary", {}, h("span", { class: "place" }, String(e.rank)), h("span", { class: "who" }, nameOf({ ...e.model, id: e.candidateId }), h("small", { class: "soft tie" }, placeText(e))),
        h("span", { class: "values" }, this.shown.map((c) => valueOf(reasonFor(e, c), c))),
        bar, h("span", { class: "points", title: String(e.score) }, numberText(e.score))),
      detail);
    return h("li", {}, row);
  }

  // because is what came of each criterion: value, how sure it is, how it was normalized,
  // and the observations behind it.
  because(e, columns, scales, model) {
    return h("div", {}, h("p", { class: "soft" }, plainName(e.model) + " on " + runsOn(e.execution), e.coverage !== undefined && e.coverage < 1 ? ` · evidence for ${numberText(e.coverage * 100)}% of the weight` : "", e.comparison ? ` · ${comparisonText(e.comparison)}` : ""),
      columns.map((c) => {
        const r = reasonFor(e, c);
        const evidence = (e.evidence || []).find((v) => (c.id ? v.criterion === c.id : v.measurementKey === c.key));
        const scale = scales.get(c);
        return h("section", { class: "because" }, h("h3", {}, c.role === "preference" ? h("span", { class: "swatch series" + c.series }) : null, c.key, h("span", { class: "soft" }, " " + { preference: "preference", requirement: "requirement", tieBreaker: "tie breaker" }[c.role])),
          h("dl", { class: "members" }, [
            ["value", r && r.actual !== undefined ? h("span", { title: exactText(r.actual, unitOf(r, c)) }, wholeText(r.actual, unitOf(r, c))) : gapText(r)],
            r && r.estimate && r.estimate.low !== null && r.estimate.method !== "exact" ? ["how sure", `${valueText(r.estimate.low, r.estimate.unit)} to ${valueText(r.estimate.high, r.estimate.unit)}, n ${numberText(r.estimate.n)}, ${r.estimate.method}`] : null,
            c.role === "requirement" && r ? ["required", `${operators[c.criterion.operator]} ${valueText(c.criterion.value, unitOf(r, c))}: ${r.code === "REQUIREMENT_MET" ? "met" : "not met"}`] : null,
            r && r.contribution !== undefined && scale ? ["adds", `${numberText(r.contribution)} of ${numberText(c.criterion.weight)}: the scale is from ${valueText(scale.low, unitOf(r, c))} to ${valueText(scale.high, unitOf(r, c))}, ${c.criterion.direction === "minimize" ? "less" : "more"} is better`] : null,
            evidence && evidence.observationIds.length ? ["observations", observations(evidence.observationIds, model)] : null,
            evidence && evidence.overruled && evidence.overruled.length ? ["overruled", observations(evidence.overruled, model)] : null,
          ].filter(Boolean).map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))));
      }),
      h("p", {}, model ? h("a", { href: to("model/" + model) }, "All that is known of this model") : "The catalog has nothing of this model."));
  }

  excluded(columns) {
    const { excluded } = this.answer;
    if (!excluded.length) return null;
    const groups = new Map();
    for (const e of excluded) {
      const why = e.reasons.filter((r) => r.code !== "REQUIREMENT_MET").map((r) => r.code === "COVERAGE_TOO_LOW" ? r.summary : r.code === "REQUIREMENT_NOT_MET" ? `${r.measurementKey || r.criterion} is not ${wordsOf(columns, r)}` : `${gapText(r)} for ${r.measurementKey || r.criterion}`).join("; ");
      groups.set(why, [...(groups.get(why) || []), e]);
    }
    return h("section", { class: "excluded" }, h("h2", {}, count(excluded.length, "candidate") + " excluded"),
      [...groups].sort((a, b) => b[1].length - a[1].length).map(([why, list]) => h("details", { class: "fold" }, h("summary", {}, `${numberText(list.length)}: ${why}`),
        h("ul", { class: "names" }, list.map((e) => h("li", {}, e.candidateId, h("small", { class: "soft" }, " " + e.reasons.filter((r) => r.actual !== undefined).map((r) => `${r.measurementKey || r.criterion} ${valueText(r.actual, r.estimate ? r.estimate.unit : unitOfKey(r.measurementKey))}`).join(", "))))))));
  }
}

// placeText says where a candidate runs, and which one it cannot be told from.
function placeText({ execution, comparison }) {
  const where = execution.runtime && `on ${execution.runtime.id}`;
  return [where, comparison && comparison.outcome === "tied" && `≈ cannot be told from ${comparison.leader}`].filter(Boolean).join(" · ");
}

// observations lead to their rows on the time line of the model.
function observations(ids, model) {
  const name = (id) => (model ? h("a", { href: to("model/" + model, { o: id }), class: "mono", title: id }, id.slice(0, 12)) : h("span", { class: "mono", title: id }, id.slice(0, 12)));
  return [ids.slice(0, 8).map((id) => [name(id), " "]), ids.length > 8 ? `and ${numberText(ids.length - 8)} more` : ""];
}

// valueOf is the value of a criterion in a row, and how sure it is.
function valueOf(r, c) {
  if (!r || r.actual === undefined) return h("span", { class: "value none" }, h("small", { class: "name" }, c.key + " "), gapText(r));
  const unit = unitOf(r, c);
  const e = r.estimate;
  const isRange = e && e.low !== null && e.low !== e.high && e.method !== "exact";
  return h("span", { class: "value", title: exactText(r.actual, unit) }, h("small", { class: "name" }, c.key + " "), h("span", { class: "plain" }, valueText(r.actual, unit)), h("span", { class: "short" }, shortText(r.actual, unit)),
    isRange ? h("small", { class: "soft range" }, ` ${valueText(e.low, e.unit)} – ${valueText(e.high, e.unit)}`) : null);
}

// sureText says in a sentence how sure the order is.
function sureText(ranked) {
  const steps = ranked.map((e) => e.comparison).filter(Boolean);
  if (!steps.length) return null;
  const some = (outcome) => steps.filter((c) => c.outcome === outcome);
  const [sure, tied, unknown] = [some("separable"), some("tied"), some("unknown")];
  const why = [...new Set(unknown.flatMap((c) => c.unknown))];
  return h("p", { class: "soft sure" }, [
    sure.length ? count(sure.length, "candidate is", "candidates are") + " certainly behind the one that leads the group before" : "",
    tied.length ? count(tied.length, "candidate cannot", "candidates cannot") + " be told from the one that leads its group (≈)" : "",
    unknown.length ? count(unknown.length, "cannot be judged", "cannot be judged") + (why.length ? ", since too little is known of " + why.map((id) => id.replace(/^(preference|tieBreaker):/, "")).join(", ") : "") : "",
  ].filter(Boolean).join("; ") + ".");
}

function unitOfKey(key) {
  const k = state.overview.keys.find((k) => k.key === key);
  return k && k.units.length === 1 ? k.units[0] : null;
}

const unitOf = (r, c) => (r && r.estimate ? r.estimate.unit : ["count", "success-rate"].includes(c.criterion.aggregation) ? null : unitOfKey(c.key));

const scored = new Set(["PREFERENCE_SCORE", "PREFERENCE_EVIDENCE_MISSING"]);
const required = new Set(["REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "MISSING_EVIDENCE"]);

// reasonFor finds the reason that a criterion gave. Before version 3 reasons name keys
// alone: a criterion is told by its key and what its reasons can say.
function reasonFor(e, c) {
  if (c.id) return e.reasons.find((r) => r.criterion === c.id);
  return e.reasons.find((r) => r.measurementKey === c.key && !(c.role === "preference" ? required : scored).has(r.code));
}

function gapText(r) {
  const words = { MISSING_EVIDENCE: "no evidence", PREFERENCE_EVIDENCE_MISSING: "no evidence", TIE_BREAKER_EVIDENCE_MISSING: "no evidence", STALE_EVIDENCE: "expired", CONFLICTING_EVIDENCE: "contradictory", INCOMPARABLE_EVIDENCE: "not comparable", AMBIGUOUS_EVIDENCE: "sources differ" };
  return r ? words[r.code] || r.summary : "–";
}

function wordsOf(columns, r) {
  const c = columns.find((c) => c.role === "requirement" && (c.id ? c.id === r.criterion : c.key === r.measurementKey));
  return c ? `${operators[c.criterion.operator]} ${wholeText(r.expected, unitOf(r, c))}` : valueText(r.expected);
}

function comparisonText(c) {
  if (c.margin === null) return "cannot be compared with " + c.leader;
  const isTied = c.outcome === "tied";
  return `${isTied ? "cannot be told" : "told apart"} from ${c.leader}: ${numberText(c.difference)} behind, ${isTied ? "within" : "beyond"} the margin of ${numberText(c.margin)}`;
}
