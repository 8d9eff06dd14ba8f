// The screen "Rank": who should do my job? It edits one rank request and shows what the
// API answers to it.
import { h, button, cross, fold, isNarrow, linkTo, s, choice, terms, title, copyButton, once, searchField, save, announce, put, append } from "./dom.js";
import { count, counted, exactText, infoOf, joined, keyOf, keyOptions, keyText, lessIsBetter as isLessBetter, nameOf, numberText, optionOf, plainName, rangeOf, runsOn, shortText, sureness, typedNumber, typedText, unitText, valueText, wholeText } from "./text.js";
import { longestLink, pack, replace, toModel, unpack } from "./address.js";
import { ask, inventoryOf, lending, rank as askRank, state } from "./source.js";
import { folds, tools } from "./tools.js";
import { answerText, causeText, clause, gapOf, obstacles } from "./answer.js";
import { failure } from "./failure.js";
import { quote } from "./model.js";

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
    board.refuse("The request of this link cannot be read: " + error.message);
    request = await board.first({});
  }
  if (signal.aborted) return;
  board.take(request);
}

// commonest is the number that most models have, where no price goes with another one.
const commonest = () => ({ y: state.overview.keys.filter((k) => k.numeric).sort((a, b) => b.holding - a.holding)[0]?.key });

// aggregationOf is the aggregation that a key is asked for with at first.
function aggregationOf(key) {
  const k = infoOf(key);
  return !k || k.fact ? "fact" : k.numeric ? "mean" : "success-rate";
}

const lessIsBetter = (key) => isLessBetter(key, unitOfKey(key));
const endOf = (key) => (lessIsBetter(key) ? "minimize" : "maximize");

// roles are those of criteria, by the members of a request that list them.
const roles = { preferences: "preference", requirements: "requirement", tieBreakers: "tieBreaker" };

// criteriaOf is all criteria of a request, and of sums their terms.
const criteriaOf = (request) => Object.keys(roles).flatMap((name) => request[name] || []).flatMap((c) => c.sum || [c]);

// lend carries what was measured over to candidates that were not.
function lend(criteria, isLent) {
  if (isLent) for (const c of criteria) if (c.aggregation !== "fact" && !c.transfer) Object.assign(c, lending);
}

const endText = (c) => (c.direction === "minimize" ? "less" : "more") + " is better";

class Board {
  constructor(page, signal) {
    Object.assign(this, { page, signal, request: null, answer: null, name: "", hasLink: true, problem: h("div"), refused: null });
    this.later = once(() => this.send(), 150);
  }

  frame() {
    this.answered = h("p.answer");
    this.controls = h("div.controls");
    this.results = h("div.results");
    // Where there is little room the answer comes before the question.
    this.question = h("details.question", { open: !isNarrow() }, h("summary", state.isReport ? "The question" : "Change the question"), this.controls);
    this.head = title("Rank");
    append(this.page, h("div.bar", this.head, tools("ranking", () => this.lines(), () => this.hasLink)), this.answered, this.problem, h("div.halves.uneven", this.question, this.results));
  }

  // first is the request that the address names, or one to begin with: price against the
  // benchmark that most models have with it.
  async first(query) {
    if (query.r) return unpack(query.r);
    const given = this.open(query.request) || (!query.models && this.open(state.extras.requests[0]?.name));
    if (given) return given;
    const [pair = commonest()] = await ask("pairs");
    const asked = query.keys ? JSON.parse(query.keys).filter(infoOf) : [];
    const preferences = (asked[0] ? asked : [pair.y, pair.x].filter(Boolean)).map((key) => this.preference(key));
    const models = query.models ? query.models.split(",") : pair.y ? (await ask("list", { has: pair.y, sort: pair.y, desc: true, limit: 1e6 })).rows.map((r) => r.key) : [];
    const found = await ask("candidates", { keys: preferences.map((p) => p.measurementKey), models });
    lend(preferences, found.lent);
    return { schemaVersion: "service.rank.request/v3", task: {}, inventory: inventoryOf(found.list), requirements: [], preferences };
  }

  // open is a request that the page knows, if it has one of a name.
  open(name = "") {
    const given = state.extras.requests.find((r) => r.name === name);
    this.name = name;
    return given && structuredClone(given.request);
  }

  // criterion asks for a key. Where evidence is lent to the others it is to this one.
  criterion(key, more) {
    const c = { measurementKey: key, aggregation: aggregationOf(key), ...more };
    lend([c], this.request && criteriaOf(this.request).some((d) => d.transfer));
    return c;
  }

  preference(key) {
    return this.criterion(key, { direction: endOf(key), weight: 1 });
  }

  take(request) {
    if (typeof request !== "object" || request === null || !Array.isArray(request.inventory)) {
      this.refuse("This is not a rank request: it has no inventory.");
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

  // asked is the request as it is sent: before version 3 what has no weight is left out.
  asked() {
    const { request } = this;
    return versionOf(request) >= 3 ? request : { ...request, preferences: (request.preferences || []).filter((p) => p.weight > 0) };
  }

  async send() {
    if (this.refused) this.check(this.refused, true); // until it is refused again
    this.refused = null;
    const request = this.asked();
    this.sending?.abort();
    this.sending = new AbortController();
    this.signal.addEventListener("abort", () => this.sending.abort());
    const mine = this.sending.signal;
    if (this.controls.querySelector("[aria-invalid=true]")) return this.keep();
    const packed = await pack(this.request);
    if (mine.aborted) return;
    this.hasLink = packed.length < longestLink;
    replace("rank", this.hasLink ? { r: packed } : {});
    try {
      const answer = await askRank(request, mine);
      if (mine.aborted) return;
      this.answer = answer;
      put(this.problem);
      this.drawResults();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status >= 400 && error.status < 500) this.drawFault(error);
      else put(this.results, failure(error, () => this.send()));
    }
  }

  refuse(message) {
    put(this.problem, h("p.notice", { role: "alert" }, message));
  }

  // check marks a field that does not have what it takes. Nothing is asked until it has.
  check(field, isRight, message) {
    const place = field.closest("[data-path]");
    place.querySelector(".fault")?.remove();
    field.setAttribute("aria-invalid", !isRight);
    if (!isRight) append(place, h("p.fault", { role: "alert" }, message));
    return isRight;
  }

  // keep says that what is shown does not answer what the fields say now.
  keep() {
    put(this.problem, this.answer && h("p.notice", "The question has a fault: this answers the one before."));
  }

  // drawFault shows a refusal at the field that its path names.
  drawFault(error) {
    const path = error.path.replace(/^\$\.preferences\[(\d+)\]/, (_, i) => `$.preferences[${this.request.preferences.indexOf(this.asked().preferences[i])}]`);
    const place = [...this.controls.querySelectorAll("[data-path]")].filter((node) => path.startsWith(node.dataset.path)).sort((a, b) => b.dataset.path.length - a.dataset.path.length)[0];
    this.refused = place?.querySelector(/\.(value|weight)$/.test(path) ? "input:not([type=range])" : "select, input");
    if (!this.refused) return this.refuse(error.message);
    this.check(this.refused, false, error.message);
    this.keep();
  }

  drawControls() {
    const { request } = this;
    const version = versionOf(request);
    const keys = state.overview.keys.filter((k) => k.holding);
    const options = (value) => [...(keys.some((k) => k.key === value) || !value ? [] : [counted(value, 0)]), ...keys.map(optionOf)];
    const remove = (list, i, name) => cross(name, () => { list.splice(i, 1); this.changed(true); });
    const add = (text, make) => button(text, () => { make(); this.changed(true); });
    const keyField = (c) => c.sum ? h("span.key", c.id) : choice("Key", options(c.measurementKey), c.measurementKey, (key) => { Object.assign(c, { measurementKey: key, aggregation: aggregationOf(key) }, c.operator && bound(key)); if (c.direction) c.direction = endOf(key); this.changed(true); });
    const endField = (c) => choice("Better is", [["maximize", "more"], ["minimize", "less"]], c.direction, (d) => { c.direction = d; this.changed(); });
    const wayField = (c) => c.sum || aggregationOf(c.measurementKey) === "fact" && c.aggregation === "fact" ? null : choice("Of several", ["mean", "min", "max", "success-rate", "count", "fact"], c.aggregation, (way) => { c.aggregation = way; this.changed(); });

    // bound is a requirement that every number of a key meets, to begin with.
    const bound = (key) => {
      const k = infoOf(key);
      const isLess = lessIsBetter(key);
      return { operator: isLess ? "lte" : "gte", value: (isLess ? k?.high : k?.low) ?? 0, unit: undefined };
    };

    const preference = (p, i) => {
      const number = h("input", { type: "number", min: "0", step: "any", value: p.weight, "aria-label": "Weight of " + keyOf(p), oninput: () => set(number.value, number) });
      const slider = h("input", { type: "range", min: "0", max: "10", step: "0.1", value: Math.min(p.weight, 10), "aria-label": "Weight of " + keyOf(p) + ", slider", oninput: () => set(slider.value, slider) });
      const set = (text, from) => {
        const weight = Number(text);
        if (this.check(number, text !== "" && weight >= 0 && weight < Infinity, "A weight is a number from 0.")) p.weight = weight;
        if (from !== number) number.value = text;
        if (from !== slider) slider.value = Math.min(weight, 10);
        this.changed();
      };
      return h("li.criterion", { "data-path": `$.preferences[${i}]` }, h("span", { class: `swatch series${(i % 5) + 1}`, "aria-hidden": "true" }), keyField(p),
        h("div.line", endField(p), wayField(p), h("label.field.weight", h("span", "Weight"), h("span.line", slider, number)), remove(request.preferences, i, keyOf(p))));
    };
    const requirement = (q, i) => {
      const k = infoOf(q.measurementKey);
      const unit = q.unit || (k?.units[0]) || null;
      const read = (text) => { const number = typedNumber(text, unit); if (Number.isFinite(number)) return number; try { return JSON.parse(text); } catch { return text; } };
      const value = h("input", { type: "text", value: typedText(q.value, unit), inputmode: "decimal", "aria-label": "Value", oninput: () => {
        const number = read(value.value);
        if (this.check(value, typeof number === "number" || !k?.numeric, "This is not a number.")) q.value = number;
        this.changed();
      } });
      return h("li.criterion", { "data-path": `$.requirements[${i}]` }, keyField(q),
        h("div.line", choice("Must be", Object.entries(operators), q.operator, (o) => { q.operator = o; this.changed(); }), h("label.field", h("span", unitText(unit) || "Value"), value), wayField(q), remove(request.requirements, i, keyOf(q))));
    };
    const breaker = (b, i) => h("li.criterion", { "data-path": `$.tieBreakers[${i}]` }, keyField(b), h("div.line", endField(b), wayField(b), remove(request.tieBreakers, i, keyOf(b))));
    const section = (title, list, draw, ...more) => h("section", h("h2", title), list[0] && h("ol.criteria", list.map(draw)), more);
    const free = (list) => (keys.find((k) => k.numeric && !list.some((c) => c.measurementKey === k.key)) || keys[0] || { key: "" }).key;

    put(this.controls, 
      state.extras.requests[0] && choice("Request", [["", "–"], ...state.extras.requests.map((r) => [r.name, r.name])], this.name, (name) => { const given = this.open(name); if (given) this.take(given); }),
      this.candidatesField(),
      section("Preferences", request.preferences, preference, add("Add a preference", () => request.preferences.push(this.preference(free(request.preferences))))),
      section("Requirements", request.requirements, requirement, add("Add a requirement", () => { const key = free(request.requirements); request.requirements.push(this.criterion(key, bound(key))); })),
      version >= 3 ? section("Tie breakers", (request.tieBreakers ||= []), breaker, add("Add a tie breaker", () => { const key = free(request.tieBreakers); request.tieBreakers.push(this.criterion(key, { direction: endOf(key) })); })) : null,
      this.moreField(version, keys), this.requestField());
  }

  candidatesField() {
    const { inventory } = this.request;
    const found = h("ul.offers");
    const search = searchField("", "add a model", 60, async (q) => {
      const { rows } = q.trim() ? await ask("list", { q, limit: 8 }) : { rows: [] };
      put(found, rows.map((row) => h("li", button(nameOf(row.identity), () => this.addModels([row.key])))));
    }, { "aria-label": "Add a model" });
    return h("section", { "data-path": "$.inventory" }, h("h2", count(inventory.length, "candidate")),
      fold("Who", h("ul.names", inventory.map((c, i) => h("li", c.id, h("small.soft", " " + runsOn(c.execution)), cross(c.id, () => { inventory.splice(i, 1); this.changed(true); }))))),
      h("div.line", search, button("Remove all", () => { this.request.inventory = []; this.changed(true); })), found,
      choice("All that have", [["", "choose a key"], ...keyOptions()], "", async (key) => {
        if (!key) return;
        const { rows } = await ask("list", { has: key, sort: key, desc: !lessIsBetter(key), limit: 1e6 });
        await this.addModels(rows.map((r) => r.key), true);
      }));
  }

  // addModels adds the candidates of models, or replaces all by them.
  async addModels(models, instead = false) {
    const criteria = criteriaOf(this.request);
    const { list, lent } = await ask("candidates", { keys: criteria.map((c) => c.measurementKey), models });
    lend(criteria, lent);
    if (instead) this.request.inventory = [];
    const { inventory } = this.request;
    const taken = new Set(inventory.map((c) => c.id));
    inventory.push(...inventoryOf(list.filter((c) => !taken.has(c.id))));
    this.changed(true);
  }

  moreField(version, keys) {
    const { request } = this;
    const isLending = (value) => value + "" === lending.transfer + "";
    const everywhere = (name, value) => { for (const c of criteriaOf(request)) if (value && !(isLending(value) && c.aggregation === "fact")) c[name] = value; else delete c[name]; this.changed(); };
    const now = (name) => JSON.stringify(criteriaOf(request).find((c) => c[name])?.[name] || "");
    const field = (label, name, options) => choice(label, options.map(([v, t]) => [JSON.stringify(v), t]), now(name), (v) => everywhere(name, JSON.parse(v) || null));
    const families = [...new Set(keys.flatMap((k) => k.families))].sort();
    const family = (request.task && request.task.family) || "";
    return fold("More: how evidence is read", h("div.stack",
      choice("Task", [...(version >= 3 ? [["", "every task"]] : []), ...(family && !families.includes(family) ? [family] : []), ...families], family, (f) => { request.task = version >= 3 ? (f ? { family: f } : {}) : { family: f, suite: null }; this.changed(); }),
      field("Source", "sourceClasses", [["", "any"], [["first-party"], "first-party alone"], [["external"], "external alone"]]),
      version >= 3 ? [
        field("Lend evidence across", "transfer", [["", "nothing"], [["runtime"], "runtimes"], [["adapter", "runtime"], "adapters, runtimes"], [lending.transfer, "all but the condition"], [["execution"], "the whole execution"]]),
        field("Where sources differ", "resolve", [["", "say so"], [["newest"], "the newest"], [["first-party"], "first-party first"], [["most-specific", "newest"], "the most specific, then the newest"]]),
      ] : null));
  }

  requestField() {
    const paste = h("textarea", { rows: "4", "aria-label": "A rank request as JSON", spellcheck: "false", placeholder: "paste a request" });
    const file = h("input", { type: "file", accept: ".json,application/json", "aria-label": "Open a request", onchange: async () => file.files[0] && read(await file.files[0].text()) });
    const read = (text) => { try { this.take(JSON.parse(text)); } catch (error) { this.refuse("This is not JSON: " + error.message); } };
    const catalog = quote(state.extras.catalogFile || "catalog.json");
    const json = () => JSON.stringify(this.asked());
    return fold("Request and answer", h("div.stack",
      h("div.tools.left",
        copyButton("Copy as curl", () => `curl -sS -H 'Content-Type: application/json' --data-binary @- ${new URL("/v1/rank", location.href).href} <<'REQUEST'\n${json()}\nREQUEST\n`),
        copyButton("Copy as svc rank", () => `svc rank --catalog ${catalog} --output json - <<'REQUEST'\n${json()}\nREQUEST\n`),
        button("Save request", () => save("request.json", JSON.stringify(this.asked(), null, 2) + "\n", "application/json"))),
      file, paste, button("Open what is pasted", () => read(paste.value))));
  }

  // showGiven shows a request of a report with the answer that the report has.
  showGiven(n) {
    const { requests, answers } = state.extras;
    if (!requests.length) return put(this.results, h("p.empty", "This report has no rank request."));
    const at = Math.min(n, requests.length - 1);
    this.request = { requirements: [], preferences: [], ...requests[at].request };
    this.answer = answers[at];
    const { name, options } = requests[at];
    const list = (title, name, says) => this.request[name]?.[0] && h("section", h("h2", title), h("ol.criteria", this.request[name].map((c, i) => h("li", name === "preferences" && h("span", { class: `swatch series${(i % 5) + 1}` }), h("span", keyOf(c)), h("small.soft", " " + says(c))))));
    put(this.controls, 
      requests.length > 1 ? choice("Request", requests.map((r, i) => [String(i), r.name]), String(at), (i) => { replace("rank", { n: i }); this.showGiven(Number(i)); }) : h("p", name),
      list("Preferences", "preferences", (c) => `${endText(c)}, weight ${numberText(c.weight)}`), list("Requirements", "requirements", (c) => `${operators[c.operator]} ${wholeText(c.value, c.unit || unitOfKey(c.measurementKey))}`), list("Tie breakers", "tieBreakers", endText),
      h("p.soft", "To ask again:"), h("p", h("code", `svc rank --catalog catalog.json ${(options || [name]).map(quote).join(" ")}`)));
    this.drawResults();
  }

  lines() {
    if (!this.answer) return [["rank"]];
    const columns = this.columns();
    const actual = (e) => columns.map((c) => reasonFor(e, c)?.actual ?? null);
    return [["rank", "candidate", "model", "score", "best rank", "worst rank", ...columns.map((c) => c.key)],
      ...this.answer.ranked.map((e) => [e.rank, e.candidateId, plainName(e.model), e.score, e.rankInterval?.low ?? null, e.rankInterval?.high ?? null, ...actual(e)]),
      ...this.answer.excluded.map((e) => [null, e.candidateId, plainName(e.model), null, null, null, ...actual(e)])];
  }

  columns() {
    const request = this.asked();
    return Object.entries(roles).flatMap(([name, role]) => (request[name] || []).map((c, i) => ({ role, key: keyOf(c), id: versionOf(request) >= 3 ? c.id || role + ":" + c.measurementKey : null, criterion: c, series: (i % 5) + 1 })));
  }

  drawResults() {
    const { answer } = this;
    const { ranked, excluded, scoreScale: { maximum, scales } } = answer;
    const columns = this.columns();
    put(this.head, "Rank", h("span", ` ${numberText(ranked.length)} ranked` + (excluded.length ? `, ${numberText(excluded.length)} excluded` : "")));
    const shown = this.shown = columns.filter((c, i) => columns.findIndex((d) => d.key === c.key && d.criterion.aggregation === c.criterion.aggregation) === i);
    const rows = ranked.map((e) => this.resultRow(e, columns, maximum));
    put(this.results, 
      ranked[0] && [answer.answer && h("p.soft.sure", answer.answer.notes.join(" ")), this.headRow(maximum), h("ol.ranked", { "aria-label": "Ranked candidates" }, rows)],
      this.excluded(columns));
    this.results.classList.toggle("many", shown.length > 5);
    this.results.style.setProperty("--n", String(shown.length > 5 ? 0 : shown.length));
    const first = ranked[0]?.candidateId || "";
    const text = joined([answerText(answer), !first && scales && causeText(answer)], " ");
    const name = answer.choice?.candidateId || first;
    const at = Math.max(0, text.indexOf(name));
    put(this.answered, text.slice(0, at), h("strong", name), text.slice(at + name.length), answer.answer?.changes[0] && fold("What would change this", h("ul", [...answer.answer.changes, answer.answer.next].filter(Boolean).map((line) => h("li", line)))));
    announce(text);
  }

  // headRow names the columns of values, with their units. Where rows are too narrow for
  // columns each value has its key.
  headRow(maximum) {
    return h("div.heads", { "aria-hidden": "true" }, h("span"), h("span", "Candidate"),
      this.shown.length > 5 ? null : this.shown.map((c) => h("span.number", keyText(c.key), h("small", unitText(unitOf(null, c)) || " "))), h("span"), h("span.points", "Score", h("small", "of " + numberText(maximum))));
  }

  resultRow(e, columns, maximum) {
    const width = 320;
    let x = 0;
    const bar = s("svg.score", { viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none" }, s("rect", { x: 0, y: 0, width, height: 10, class: "room" }),
      columns.filter((c) => c.role === "preference").map((c) => {
        const r = reasonFor(e, c);
        const part = r?.contribution > 0 && maximum > 0 ? (r.contribution / maximum) * width : 0;
        x += part;
        return part > 0 && s("rect", { x: x - part, y: 0, width: part, height: 10, class: "series" + c.series });
      }));
    const detail = h("div.detail");
    const row = h("details", { class: e.candidateId === this.answer.choice?.candidateId ? "result chosen" : "result", ontoggle: () => { if (row.open && !detail.firstChild) ask("find", { identity: e.model }).then((model) => put(detail, this.because(e, columns, model))); } },
      h("summary", h("span.place", { title: placesText(e) }, String(e.rank)), h("span.who", nameOf({ ...e.model, id: e.candidateId }), h("small.soft.tie", placeText(e))),
        h("span.values", this.shown.map((c) => valueOf(reasonFor(e, c), c))),
        bar, h("span.points", { title: String(e.score) }, numberText(e.score))),
      detail);
    return h("li", row);
  }

  // because is what came of each criterion: value, how sure it is, how it was normalized,
  // and the observations behind it.
  because(e, columns, model) {
    return h("div", h("p.soft", joined([plainName(e.model) + " on " + runsOn(e.execution), e.coverage < 1 && `evidence for ${numberText(e.coverage * 100)}% of the weight`, placesText(e)])),
      columns.map((c) => {
        const r = reasonFor(e, c);
        const evidence = (e.evidence || []).find((v) => (c.id ? v.criterion === c.id : v.measurementKey === c.key));
        const scale = this.answer.scoreScale.scales?.find((s) => s.criterion === c.id); // of version 3
        return h("section.because", h("h3", c.role === "preference" && h("span", { class: "swatch series" + c.series }), c.key, h("span.soft", " " + (c.role === "tieBreaker" ? "tie breaker" : c.role))),
          h("dl.members", terms([
            ["value", r?.actual !== undefined ? h("span", { title: exactText(r.actual, unitOf(r, c)) }, wholeText(r.actual, unitOf(r, c))) : gapText(r)],
            r?.estimate && r.estimate.low !== null && r.estimate.basis !== "exact" && ["how sure", sureness(r.estimate)],
            c.role === "requirement" && r && ["required", `${operators[c.criterion.operator]} ${valueText(c.criterion.value, unitOf(r, c))}: ${r.code === "REQUIREMENT_MET" ? "met" : "not met"}`],
            r?.contribution !== undefined && ["adds", `${numberText(r.contribution)} of ${numberText(c.criterion.weight)}` + (scale ? `: the scale is from ${valueText(scale.low, unitOf(r, c))} to ${valueText(scale.high, unitOf(r, c))}, ` : ", ") + endText(c.criterion)],
            evidence?.observationIds[0] && ["observations", observations(evidence.observationIds, model)],
            evidence?.overruled?.[0] && ["overruled", observations(evidence.overruled, model)],
          ])));
      }),
      h("p", model ? linkTo(toModel(model), "All about this model") : "The catalog has nothing of this model."));
  }

  excluded(columns) {
    const { excluded } = this.answer;
    if (!excluded.length) return null;
    const unit = (r) => {
      const c = columns.find((c) => c.role === "requirement" && (c.id ? c.id === r.criterion : c.key === r.measurementKey));
      return c && unitOf(r, c);
    };
    const whyOf = (e) => obstacles(e, unit).map(clause).join("; ");
    return h("section.excluded", h("h2", count(excluded.length, "candidate") + " excluded"),
      folds(excluded, whyOf, (e) => h("li", e.candidateId, h("small.soft", " " + e.reasons.filter((r) => r.actual !== undefined).map((r) => `${keyOf(r)} ${valueText(r.actual, r.estimate ? r.estimate.unit : unitOfKey(r.measurementKey))}`).join(", ")))));
  }
}

// placeText says where a candidate runs, and what a task costs there.
function placeText({ candidateId, execution, cost }) {
  const where = execution.runtime && !candidateId.includes(" on " + execution.runtime.id) && `on ${execution.runtime.id}`;
  return joined([where, cost && wholeText(cost.usdPerTask, "USD") + " a task"], ", ");
}

// placesText says which ranks the evidence allows.
function placesText({ rankInterval, amongBest }) {
  if (!rankInterval || amongBest === null) return "";
  return `by the evidence rank ${numberText(rankInterval.low)} to ${numberText(rankInterval.high)}`;
}

// observations lead to their rows on the time line of the model.
function observations(ids, model) {
  const name = (id) => h(model ? "a.mono" : "span.mono", { href: model && toModel(model, "", id), title: id }, id.slice(0, 12));
  return [ids.slice(0, 8).map((id) => [name(id), " "]), ids.length > 8 ? `and ${numberText(ids.length - 8)} more` : ""];
}

// valueOf is the value of a criterion in a row, and how sure it is.
function valueOf(r, c) {
  if (!r || r.actual === undefined) return h("span.value.none", h("small.name", c.key + " "), gapText(r));
  const unit = unitOf(r, c);
  const e = r.estimate;
  const isRange = e && e.low !== e.high;
  return h("span.value", { title: exactText(r.actual, unit) }, h("small.name", c.key + " "), h("span.plain", valueText(r.actual, unit)), h("span.short", shortText(r.actual, unit)),
    isRange && h("small.soft.range", " ", rangeOf(e.low, e.high, e.unit)));
}

function unitOfKey(key) {
  const k = infoOf(key);
  return k?.units.length === 1 ? k.units[0] : null;
}

const unitOf = (r, c) => (r?.estimate ? r.estimate.unit : ["count", "success-rate"].includes(c.criterion.aggregation) ? null : unitOfKey(c.key));

const scored = new Set(["PREFERENCE_SCORE", "PREFERENCE_EVIDENCE_MISSING"]);
const required = new Set(["REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "MISSING_EVIDENCE"]);

// reasonFor finds the reason that a criterion gave. Before version 3 reasons name keys
// alone: a criterion is told by its key and what its reasons can say.
function reasonFor(e, c) {
  if (c.id) return e.reasons.find((r) => r.criterion === c.id);
  return e.reasons.find((r) => r.measurementKey === c.key && !(c.role === "preference" ? required : scored).has(r.code));
}

function gapText(r) {
  return r ? gapOf(r.code, { MISSING: "no evidence", STALE: "expired", CONFLICTING: "contradictory", INCOMPARABLE: "not comparable", AMBIGUOUS: "sources differ" }) || r.summary : "–";
}
