// The screen "Answer": who should do my job? It edits a question, which the server answers with
// the request that it drafted and its result. A request of a file is ranked as it is.
import {
  allIn,
  h,
  button,
  cross,
  fold,
  isNarrow,
  linkTo,
  s,
  choice,
  line,
  terms,
  title,
  copyButton,
  once,
  save,
  announce,
  put,
  append,
} from "./dom.js";
import {
  count,
  counted,
  exactText,
  infoOf,
  joined,
  keyOf,
  keyName,
  lessIsBetter,
  nameOf,
  nameOfKey,
  numberText,
  optionOf,
  plainName,
  rangeOf,
  runsOn,
  shortText,
  sureness,
  typedNumber,
  typedText,
  unitText,
  valueText,
  wholeText,
} from "./text.js";
import { longestLink, pack, replace, to, toModel, unpack } from "./address.js";
import { answer as askAnswer, ask, rank as askRank, state } from "./source.js";
import { folds, tools } from "./tools.js";
import { failure } from "./failure.js";
import { quote } from "./model.js";

/** @import { Candidate, Column, Criterion, Known, Question, RankRequest, Reason, Result } from "./types" */

const operators = { gte: "at least", lte: "at most", eq: "exactly" };
const versionOf = (request) => Number(/\/v(\d)$/.exec(request.schemaVersion || "")?.[1] || 0);
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const usualTask = { inputTokens: 20000, outputTokens: 3000 }; // as the server has it

export async function rank(page, { query }, signal) {
  const board = new Board(page, signal);
  board.frame();
  if (state.isReport) return board.showGiven(Number(query.n) || 0);
  try {
    await board.begin(query);
  } catch (error) {
    board.refuse(["This link cannot be read: " + error.message + ". ", linkTo(to("rank"), "Ask another question")]);
  }
}

// commonest asks for the number that most models have, where there is no question to begin with.
function commonest() {
  const key = state.overview.keys.filter((k) => k.numeric).sort((a, b) => b.holding - a.holding)[0]?.key;
  return key ? { [endOf(key)]: [key] } : { all: true };
}

const endOf = (key) => (lessIsBetter(key) ? "minimize" : "maximize");

// aggregationOf is the aggregation that a key is asked for with at first.
function aggregationOf(key) {
  const k = infoOf(key);
  return !k || k.fact ? "fact" : k.numeric ? "mean" : "success-rate";
}

// bound is a requirement that every value of a key meets, to begin with.
function bound(key) {
  const k = infoOf(key);
  if (!k?.numeric) return { operator: "eq", value: true, unit: undefined };
  const isLess = lessIsBetter(key);
  return { operator: isLess ? "lte" : "gte", value: (isLess ? k.high : k.low) ?? 0, unit: undefined };
}

// roles are those of criteria, by the members of a request that list them.
const roles = { preferences: "preference", requirements: "requirement", tieBreakers: "tieBreaker" };

const endText = (c) => (c.direction === "minimize" ? "less" : "more") + " is better";

// questionOf is what the criteria of a form ask.
function questionOf({ preferences, requirements }) {
  /** @type {Question} */
  const q = {};
  for (const { direction, measurementKey: key, weight } of preferences) {
    q[direction] = [...(q[direction] ?? []), key];
    if (weight !== 1) q.weights = { ...q.weights, [key]: weight };
  }
  for (const { operator, measurementKey: key, value } of requirements) {
    const name = { gte: "atLeast", lte: "atMost", eq: "require" }[operator];
    q[name] = { ...q[name], [key]: value };
  }
  return q;
}

const criteriaMembers = ["maximize", "minimize", "weights", "atLeast", "atMost", "require", "keys"];

class Board {
  // Request is what is edited: of a file, or as the server drafted it of the question, of which
  // asked has all but the criteria.
  constructor(page, signal) {
    this.page = page;
    this.signal = signal;
    /** @type {RankRequest} */
    this.request = null;
    /** @type {Question} */
    this.question = null;
    /** @type {Result} */
    this.answer = null;
    /** @type {string[]} */
    this.lacks = []; // why candidates are excluded
    this.name = ""; // of a request that the page knows
    this.hasLink = true;
    this.isAll = false; // all candidates are shown
    this.problem = h("div");
    this.refused = null; // the field that the server found a fault in
    this.later = once(() => this.send(), 150);
  }

  frame() {
    this.answered = h("div");
    this.controls = h("div.controls");
    this.results = h("div.results");
    // Where there is little room the answer comes before the question.
    this.section = h(
      "details.question",
      { open: !isNarrow() },
      h("summary", state.isReport ? "The question" : "Change the question"),
      this.controls,
    );
    this.head = title("Answer");
    append(
      this.page,
      h(
        "div.bar",
        this.head,
        tools(
          "ranking",
          () => this.lines(),
          () => this.hasLink,
        ),
      ),
      this.answered,
      this.problem,
      h("div.halves.uneven", this.section, this.results),
    );
  }

  // begin asks what the address names, or what the page knows first. What cannot be read changes
  // nothing.
  async begin(query) {
    if (query.q) {
      const question = JSON.parse(query.q);
      if (!isObject(question)) throw new Error("it has no question");
      return this.ask(question);
    }
    if (query.r) return this.take(await unpack(query.r));
    if (query.models) {
      const { models } = await ask("together", { models: query.models.split(",") });
      const known = state.overview.benchmark;
      return this.ask({
        models: [...new Set(models.map((m) => m.identity.id))],
        ...(known ? { maximize: [known] } : commonest()),
        all: undefined,
      });
    }
    const given = query.request
      ? state.extras.requests.find((r) => r.name === query.request)
      : state.extras.requests[0];
    if (query.request && !given) throw new Error("the page knows no request " + query.request);
    return this.open(given);
  }

  // open begins with what the page knows, or with the commonest number.
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
    if (!isObject(request) || !Array.isArray(request.inventory))
      throw new Error("this is not a rank request: it has no inventory");
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

  // asked is the request as it is sent: before version 3 what has no weight is left out.
  asked() {
    const { request } = this;
    return versionOf(request) >= 3
      ? request
      : { ...request, preferences: (request.preferences || []).filter((p) => p.weight > 0) };
  }

  async send() {
    if (this.refused) this.check(this.refused, true); // until it is refused again
    this.refused = null;
    this.sending?.abort();
    this.sending = new AbortController();
    this.signal.addEventListener("abort", () => this.sending.abort());
    const mine = this.sending.signal;
    if (this.controls.querySelector("[aria-invalid=true]")) return this.keep();
    try {
      const answered = await (this.question ? this.answerQuestion(mine) : askRank(this.asked(), mine));
      if (mine.aborted) return;
      [this.answer, this.lacks] = [answered.result, answered.because];
      put(this.problem);
      await this.link(mine);
      if (!mine.aborted) this.drawResults();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status >= 400 && error.status < 500) this.drawFault(error);
      else
        put(
          this.results,
          failure(error, () => this.send()),
        );
    }
  }

  // link puts what was asked into the address: the question, or a request as far as it fits.
  async link(mine) {
    const query = this.question ? { q: JSON.stringify(this.question) } : { r: await pack(this.request) };
    if (mine.aborted) return;
    this.hasLink = Object.values(query)[0].length < longestLink;
    replace("rank", this.hasLink ? query : {});
  }

  // answerQuestion asks the question. What was drafted of it is what the form shows at first.
  async answerQuestion(mine) {
    const isPriced = infoOf("price.input") && infoOf("price.output");
    const answered = await askAnswer(
      {
        ...this.question,
        cost: this.question.cost ?? (isPriced && !this.question.measuredCost ? usualTask : undefined),
      },
      mine,
    );
    if (mine.aborted) return null;
    const isFirst = !this.request;
    const { request } = answered;
    const { preferences, requirements } = this.request ?? {};
    this.request = {
      ...request,
      preferences: preferences ?? request.preferences,
      requirements: requirements ?? request.requirements,
    };
    if (isFirst) this.drawControls();
    else put(this.counted, count(request.inventory.length, "candidate"));
    return answered;
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
    const path = error.path.replace(
      /^\$\.preferences\[(\d+)\]/,
      (_, i) => `$.preferences[${this.request.preferences.indexOf(this.asked().preferences[i])}]`,
    );
    const place = allIn(this.controls, "[data-path]")
      .filter((node) => path.startsWith(node.dataset.path))
      .sort((a, b) => b.dataset.path.length - a.dataset.path.length)[0];
    this.refused = place?.querySelector(/\.(value|weight)$/.test(path) ? "input:not([type=range])" : "select, input");
    if (!this.refused) {
      this.refuse(error.message);
      return this.request || this.answer
        ? undefined
        : append(this.problem, h("p", linkTo(to("rank"), "Ask another question")));
    }
    this.check(this.refused, false, error.message);
    this.keep();
  }

  drawControls() {
    const { request } = this;
    const keys = state.overview.keys.filter((k) => k.holding);
    const options = (value, list) => [
      ...(list.some((k) => k.key === value) || !value ? [] : [counted(value, 0)]),
      ...list.map(optionOf),
    ];
    const remove = (list, i, name) =>
      cross(name, () => {
        list.splice(i, 1);
        this.changed(true);
      });
    const numeric = keys.filter((k) => k.numeric || !k.fact);
    const keyField = (c, list) =>
      c.sum
        ? h("span.key", c.id)
        : choice("Key", options(c.measurementKey, list), c.measurementKey, (key) => {
            Object.assign(c, { measurementKey: key, aggregation: aggregationOf(key) }, c.operator && bound(key));
            if (c.direction) c.direction = endOf(key);
            this.changed(true);
          });
    const lineOf = (c) => h("p.soft.keyline", infoOf(c.measurementKey)?.line);
    const section = (title, list, draw, ...more) =>
      h("section", h("h2", title), list[0] && h("ol.criteria", list.map(draw)), more);
    const add = (text, list, from, make, first) =>
      button(text, () => {
        const { key } = (!list.some((c) => c.measurementKey === first) && from.find((k) => k.key === first)) ||
          from.find((k) => k.numeric && !list.some((c) => c.measurementKey === k.key)) ||
          from[0] || { key: "" };
        list.push({ measurementKey: key, aggregation: aggregationOf(key), ...make(key) });
        this.changed(true);
        const last = allIn(
          this.controls,
          `[data-path^="$.${list === request.requirements ? "requirements" : "preferences"}"]`,
        ).at(-1);
        const field = last.querySelector("input:not([type=range])") ?? last.querySelector("select");
        if (field instanceof HTMLElement) field.focus();
        if (field instanceof HTMLInputElement) field.select();
      });
    this.counted = h("p.soft");
    put(this.counted, count(request.inventory.length, "candidate"));
    put(
      this.controls,
      state.extras.requests[0] &&
        choice("Request", [["", "–"], ...state.extras.requests.map((r) => [r.name, r.name])], this.name, (name) => {
          const given = state.extras.requests.find((r) => r.name === name);
          if (given) this.open(given);
        }),
      this.counted,
      section(
        "What is better",
        request.preferences,
        (p, i) =>
          h(
            "li.criterion",
            { "data-path": `$.preferences[${i}]` },
            h("span", { class: `swatch series${(i % 5) + 1}`, "aria-hidden": "true" }),
            keyField(p, numeric),
            lineOf(p),
            h(
              "div.line",
              choice(
                "Better is",
                [
                  ["maximize", "more"],
                  ["minimize", "less"],
                ],
                p.direction,
                (d) => {
                  p.direction = d;
                  this.changed();
                },
              ),
              this.weightField(p),
              remove(request.preferences, i, keyOf(p)),
            ),
          ),
        add("Add a preference", request.preferences, numeric, (key) => ({ direction: endOf(key), weight: 1 })),
      ),
      section(
        "What must be",
        request.requirements,
        (q, i) =>
          h(
            "li.criterion",
            { "data-path": `$.requirements[${i}]` },
            keyField(q, keys),
            lineOf(q),
            h("div.line", this.boundFields(q), remove(request.requirements, i, keyOf(q))),
          ),
        Object.assign(add("Add a requirement", request.requirements, keys, bound, "price.output"), {
          className: "must",
        }),
      ),
      this.question && this.questionFields(),
      this.requestField(),
    );
  }

  weightField(p) {
    const number = h("input", {
      type: "number",
      min: "0",
      step: "any",
      value: p.weight,
      "aria-label": "Weight of " + keyOf(p),
      oninput: () => set(number.value, number),
    });
    const slider = h("input", {
      type: "range",
      min: "0",
      max: "10",
      step: "0.1",
      value: Math.min(p.weight, 10),
      "aria-label": "Weight of " + keyOf(p) + ", slider",
      oninput: () => set(slider.value, slider),
    });
    const set = (text, from) => {
      const weight = Number(text);
      const isRight = text !== "" && weight < Infinity && (this.question ? weight > 0 : weight >= 0);
      if (this.check(number, isRight, `A weight is a number ${this.question ? "above" : "from"} 0.`)) p.weight = weight;
      if (from !== number) number.value = text;
      if (from !== slider) slider.value = String(Math.min(weight, 10));
      this.changed();
    };
    return h("label.field.weight", h("span", "Weight"), h("span.line", slider, number));
  }

  // boundFields are what must be of a key: a number, yes or no, or a text.
  boundFields(q) {
    const k = infoOf(q.measurementKey);
    if (typeof q.value === "boolean")
      return choice(
        "Must be",
        [
          ["true", "yes"],
          ["false", "no"],
        ],
        String(q.value),
        (v) => {
          q.value = v === "true";
          this.changed();
        },
      );
    const unit = q.unit || k?.units[0] || null;
    const read = (text) => {
      const number = typedNumber(text, unit);
      if (Number.isFinite(number)) return number;
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    };
    const value = h("input", {
      type: "text",
      value: typedText(q.value, unit),
      inputmode: "decimal",
      "aria-label": "Value",
      oninput: () => {
        const number = read(value.value);
        if (this.check(value, typeof number === "number" || !k?.numeric, "This is not a number.")) q.value = number;
        this.changed();
      },
    });
    return [
      choice("Must be", Object.entries(operators), q.operator, (o) => {
        q.operator = o;
        this.changed();
      }),
      h("label.field", h("span", unitText(unit) || "Value"), value),
    ];
  }

  // questionFields are what a question says besides its criteria: how to choose, what a task takes,
  // who sells and how, and which models it is about.
  questionFields() {
    const q = this.question;
    const set = (name, value) => {
      if (value === undefined) delete q[name];
      else q[name] = value;
      this.changed();
    };
    const tokens = (name, text) => {
      const field = h("input", {
        type: "text",
        inputmode: "numeric",
        value: numberText((q.cost ?? usualTask)[name], 15),
        oninput: () => {
          const n = typedNumber(field.value, null);
          if (this.check(field, Number.isSafeInteger(n) && n >= 0, "A task takes a whole number of tokens."))
            q.cost = { ...usualTask, ...q.cost, [name]: n };
          this.changed();
        },
      });
      return h("label.field", h("span", text), field);
    };
    const ways = {
      "": "the best score",
      cheapest: "the cheapest within 3% of the best",
      ...(q.within !== undefined && {
        within: `the cheapest within ${typeof q.within === "number" ? wholeText(100 * q.within, "percent") : q.within} of the best`,
      }),
      five: "the cheapest within 5% of the best",
      ten: "the cheapest within 10% of the best",
    };
    const way = q.within !== undefined ? "within" : q.cheapest ? "cheapest" : "";
    return [
      h(
        "section",
        h("h2", "A task takes"),
        h(
          "div",
          { "data-path": "$.cost" },
          h("div.line", tokens("inputTokens", "Input tokens"), tokens("outputTokens", "Output tokens")),
        ),
        choice("Take", Object.entries(ways), way, (name) => {
          delete q.within;
          delete q.cheapest;
          if (name === "cheapest") q.cheapest = true;
          else if (name) q.within = { five: 0.05, ten: 0.1 }[name];
          this.changed();
        }),
      ),
      h(
        "section",
        h("h2", "Who sells it"),
        h(
          "div.line",
          choice(
            "Sellers",
            [
              ["", "anybody"],
              ["major", "clouds and large hosts"],
              ["first-party", "the makers"],
            ],
            q.sellerPolicy ?? "",
            (v) => set("sellerPolicy", v || undefined),
          ),
          choice(
            "Service",
            [
              ["", "as usual"],
              "free",
              "batch",
              "any",
              ...(q.services ?? []).filter((name) => !["free", "batch", "any"].includes(name)),
            ],
            q.services?.[0] ?? "",
            (v) => set("services", v ? [v] : undefined),
          ),
        ),
      ),
      q.models?.[0] &&
        h(
          "section",
          h("h2", "Among"),
          h(
            "ul.names",
            q.models.map((id) => h("li", id)),
          ),
        ),
      q.models?.[0] &&
        button("Ask about all models", () => {
          delete q.models;
          this.changed(true);
        }),
    ];
  }

  requestField() {
    const paste = h("textarea", {
      rows: "4",
      "aria-label": "A question or a rank request as JSON",
      spellcheck: "false",
      placeholder: "paste a question or a request",
    });
    const file = h("input", {
      type: "file",
      accept: ".json,application/json",
      "aria-label": "Open a question or a request",
      onchange: async () => file.files[0] && read(await file.files[0].text()),
    });
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
    const json = () => JSON.stringify(this.asked());
    return fold(
      "Request and answer",
      h(
        "div.stack",
        h(
          "div.tools.left",
          copyButton(
            "Copy as curl",
            () =>
              `curl -sS -H 'Content-Type: application/json' --data-binary @- ${new URL("/v1/rank", location.href).href} <<'REQUEST'\n${json()}\nREQUEST\n`,
          ),
          copyButton(
            "Copy as svc rank",
            () => `svc rank --catalog ${catalog} --output json - <<'REQUEST'\n${json()}\nREQUEST\n`,
          ),
          button("Save request", () =>
            save("request.json", JSON.stringify(this.asked(), null, 2) + "\n", "application/json"),
          ),
        ),
        file,
        paste,
        button("Open what is pasted", () => read(paste.value)),
      ),
    );
  }

  // showGiven shows a request of a report with the answer that the report has.
  showGiven(n) {
    const { requests, answers } = state.extras;
    if (!requests.length) return put(this.results, h("p.empty", "This report has no rank request."));
    const at = Math.min(n, requests.length - 1);
    this.request = { requirements: [], preferences: [], ...requests[at].request };
    [this.answer, this.lacks] = [answers[at].result, answers[at].because];
    const { name, options } = requests[at];
    const list = (title, name, says) =>
      this.request[name]?.[0] &&
      h(
        "section",
        h("h2", title),
        h(
          "ol.criteria",
          this.request[name].map((c, i) =>
            h(
              "li",
              name === "preferences" && h("span", { class: `swatch series${(i % 5) + 1}` }),
              h("span", keyOf(c)),
              h("small.soft", " " + says(c)),
            ),
          ),
        ),
      );
    put(
      this.controls,
      requests.length > 1
        ? choice(
            "Request",
            requests.map((r, i) => [String(i), r.name]),
            String(at),
            (i) => {
              replace("rank", { n: i });
              this.showGiven(Number(i));
            },
          )
        : h("p", name),
      list("Preferences", "preferences", (c) => `${endText(c)}, weight ${numberText(c.weight)}`),
      list(
        "Requirements",
        "requirements",
        (c) => `${operators[c.operator]} ${wholeText(c.value, c.unit || unitOfKey(c.measurementKey))}`,
      ),
      list("Tie breakers", "tieBreakers", endText),
      h("p.soft", "To ask again:"),
      h("p", h("code", `svc rank --catalog catalog.json ${(options || [name]).map(quote).join(" ")}`)),
    );
    this.drawResults();
  }

  lines() {
    if (!this.answer) return [["rank"]];
    const columns = this.columns();
    const actual = (e) => columns.map((c) => reasonFor(e, c)?.actual ?? null);
    return [
      ["rank", "candidate", "model", "score", "best rank", "worst rank", ...columns.map((c) => c.key)],
      ...this.answer.ranked.map((e) => [
        e.rank,
        e.candidateId,
        plainName(e.model),
        e.score,
        e.rankInterval?.low ?? null,
        e.rankInterval?.high ?? null,
        ...actual(e),
      ]),
      ...this.answer.excluded.map((e) => [null, e.candidateId, plainName(e.model), null, null, null, ...actual(e)]),
    ];
  }

  columns() {
    const request = this.asked();
    return Object.entries(roles).flatMap(([name, role]) =>
      (request[name] || []).map((c, i) => ({
        role,
        key: keyOf(c),
        id: versionOf(request) >= 3 ? c.id || role + ":" + c.measurementKey : null,
        criterion: c,
        series: (i % 5) + 1,
      })),
    );
  }

  drawResults() {
    const { answer } = this;
    const {
      ranked,
      excluded,
      scoreScale: { maximum },
    } = answer;
    const columns = this.columns();
    put(
      this.head,
      "Answer",
      h(
        "span",
        ` ${numberText(ranked.length)} ranked` + (excluded.length ? `, ${numberText(excluded.length)} excluded` : ""),
      ),
    );
    this.shown = columns.filter(
      (c, i) => columns.findIndex((d) => d.key === c.key && d.criterion.aggregation === c.criterion.aggregation) === i,
    );
    this.isPriced = ranked.some((e) => e.cost);
    const says = answer.answer ?? { choice: [], notes: [], changes: [], next: null };
    const list = (kind, name, texts) =>
      texts[0] &&
      h(
        "section.says." + kind,
        h("h2", name),
        h(
          "ul",
          texts.map((text) => h("li", text)),
        ),
      );
    put(
      this.results,
      ranked[0] && this.rows(columns, maximum),
      list("changes", "What would change this", [...says.changes, says.next].filter(Boolean)),
      list("notes", "What is taken as given, and what is missing", says.notes),
      this.excluded(),
    );
    this.results.classList.toggle("many", this.shown.length > 5);
    this.results.style.setProperty(
      "--n",
      String(this.shown.length > 5 ? 0 : this.shown.length + Number(this.isPriced)),
    );
    const [first = "", ...rest] = ranked[0] ? says.choice : [says.choice.join(" ")];
    const name = answer.choice?.candidateId || ranked[0]?.candidateId || "";
    const at = Math.max(0, first.indexOf(name));
    put(
      this.answered,
      first &&
        h(
          "p.answer",
          first.slice(0, at),
          h("strong", first.slice(at, at + name.length)),
          first.slice(at + name.length),
        ),
      rest[0] && h("p.sure", rest.join(" ")),
    );
    announce(joined([first, ...rest], " "));
  }

  // rows are the candidates that nobody beats in score and cost at once, the choice and the best
  // where there is a cost, else all of them.
  rows(columns, maximum) {
    const { ranked, frontier = [], choice: { candidateId, best } = {} } = this.answer;
    const wanted = new Set([candidateId, best, ...frontier.map((step) => step.candidateId)]);
    const few = this.isAll || frontier.length < 2 ? ranked : ranked.filter((e) => wanted.has(e.candidateId));
    const draw = (list) =>
      h(
        "ol.ranked",
        { "aria-label": "Ranked candidates" },
        list.slice(0, 200).map((e) => this.resultRow(e, columns, maximum)),
      );
    const place = h(
      "div",
      few.length < ranked.length && h("h2", "No other is both better and cheaper than these"),
      this.headRow(maximum),
      draw(few),
    );
    const more = button(`Show all ${numberText(ranked.length)}`, () => {
      this.isAll = true;
      this.drawResults();
    });
    return [
      place,
      few.length < ranked.length && h("div.more", more),
      few.length > 200 && this.beyond(few, columns, maximum, place),
    ];
  }

  // beyond draws the rest of many rows when it is wanted.
  beyond(list, columns, maximum, place) {
    const more = h(
      "div.more",
      button(`Show ${numberText(list.length - 200)} more`, () => {
        append(
          place.querySelector("ol"),
          list.slice(200).map((e) => this.resultRow(e, columns, maximum)),
        );
        more.remove();
      }),
    );
    return more;
  }

  // headRow names the columns of values, with their units. Where rows are too narrow for
  // columns each value has its key.
  headRow(maximum) {
    return h(
      "div.heads",
      { "aria-hidden": "true" },
      h("span"),
      h("span", "Candidate"),
      this.shown.length > 5
        ? null
        : this.shown.map((c) => h("span.number", keyName(c.key), h("small", unitText(unitOf(null, c)) || " "))),
      this.isPriced && this.shown.length <= 5 && h("span.number", "A task", h("small", "$")),
      h("span.whiskers", "Rank by the evidence", h("small", `1 to ${numberText(this.answer.ranked.length)}`)),
      h("span.points", "Score", h("small", "of " + numberText(maximum))),
    );
  }

  resultRow(e, columns, maximum) {
    const detail = h("div.detail");
    const row = h(
      "details",
      {
        class: e.candidateId === this.answer.choice?.candidateId ? "result chosen" : "result",
        ontoggle: () => {
          if (row.open && !detail.firstChild)
            ask("find", { identity: e.model }).then((model) => put(detail, this.because(e, columns, model)));
        },
      },
      h(
        "summary",
        h("span.place", { title: placesText(e) }, String(e.rank)),
        h(
          "span.who",
          nameOf({ ...e.model, id: e.candidateId }),
          h("small.soft.tie", placeText(e)),
          e.offer?.speed && h("small.soft.tie", speedText(e.offer.speed)),
          this.answer.frontier?.find((step) => step.candidateId === e.candidateId)?.isStepShown &&
            h("small.soft.tie", "shown to be better than the next"),
        ),
        h(
          "span.values",
          this.shown.map((c) => valueCell(reasonFor(e, c), c)),
          this.isPriced && costOf(e),
        ),
        this.whisker(e) || scoreBar(e, columns, maximum),
        h("span.points", { title: String(e.score) }, numberText(e.score)),
      ),
      detail,
    );
    return h("li", row);
  }

  // whisker shows the ranks that the evidence allows a candidate, from the first on the left to the
  // last, and that of its score.
  whisker({ rank, rankInterval, amongBest }) {
    const n = this.answer.ranked.length;
    if (!rankInterval || (amongBest ?? null) === null || n < 2) return null;
    const x = (r) => 2 + ((r - 1) / (n - 1)) * 96;
    return s(
      "svg.score",
      { viewBox: "0 0 100 12", preserveAspectRatio: "none" },
      line(2, 98, 6, 6, ".room"),
      line(x(rankInterval.low), x(rankInterval.high), 6, 6, ".whisker"),
      line(x(rank), x(rank), 1, 11, ".at"),
    );
  }

  // because is what came of each criterion: value, how sure it is, how it was normalized,
  // and the observations behind it.
  because(e, columns, model) {
    return h(
      "div",
      h(
        "p.soft",
        joined([
          plainName(e.model) + " on " + runsOn(e.execution),
          e.coverage < 1 && `evidence for ${numberText(e.coverage * 100)}% of the weight`,
          placesText(e),
        ]),
      ),
      columns.map((c) => {
        const r = reasonFor(e, c);
        const evidence = (e.evidence || []).find((v) => (c.id ? v.criterion === c.id : v.measurementKey === c.key));
        const scale = this.answer.scoreScale.scales?.find((s) => s.criterion === c.id); // of version 3
        return h(
          "section.because",
          h(
            "h3",
            c.role === "preference" && h("span", { class: "swatch series" + c.series }),
            c.key,
            h("span.soft", " " + (c.role === "tieBreaker" ? "tie breaker" : c.role)),
          ),
          h(
            "dl.members",
            terms([
              [
                "value",
                r?.actual !== undefined
                  ? h("span", { title: exactText(r.actual, unitOf(r, c)) }, wholeText(r.actual, unitOf(r, c)))
                  : gapText(r),
              ],
              r?.estimate &&
                r.estimate.low !== null &&
                r.estimate.basis !== "exact" && ["how sure", sureness(r.estimate)],
              c.role === "requirement" &&
                r && [
                  "required",
                  `${operators[c.criterion.operator]} ${valueText(c.criterion.value, unitOf(r, c))}: ${r.code === "REQUIREMENT_MET" ? "met" : "not met"}`,
                ],
              r?.contribution !== undefined && [
                "adds",
                `${numberText(r.contribution)} of ${numberText(c.criterion.weight)}` +
                  (scale
                    ? `: the scale is from ${valueText(scale.low, unitOf(r, c))} to ${valueText(scale.high, unitOf(r, c))}, `
                    : ", ") +
                  endText(c.criterion),
              ],
              evidence?.observationIds[0] && ["observations", observations(evidence.observationIds, model)],
              evidence?.overruled?.[0] && ["overruled", observations(evidence.overruled, model)],
            ]),
          ),
        );
      }),
      h("p", model ? linkTo(toModel(model), "All about this model") : "The catalog has nothing of this model."),
    );
  }

  excluded() {
    const { excluded } = this.answer;
    if (!excluded.length) return null;
    const because = new Map(excluded.map((e, i) => [e, this.lacks[i]]));
    return h(
      "section.excluded",
      h("h2", count(excluded.length, "candidate") + " excluded"),
      folds(
        excluded,
        (e) => because.get(e),
        (e) =>
          h(
            "li",
            e.candidateId,
            h(
              "small.soft",
              " " +
                e.reasons
                  .filter((r) => r.actual !== undefined)
                  .map(
                    (r) =>
                      `${keyOf(r)} ${valueText(r.actual, r.estimate ? r.estimate.unit : unitOfKey(r.measurementKey))}`,
                  )
                  .join(", "),
            ),
          ),
      ),
    );
  }
}

// scoreBar shows what each preference adds to a score of which nobody knows how sure it is.
function scoreBar(e, columns, maximum) {
  const width = 320;
  let x = 0;
  return s(
    "svg.score",
    { viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none" },
    s("rect", { x: 0, y: 0, width, height: 10, class: "room" }),
    columns
      .filter((c) => c.role === "preference")
      .map((c) => {
        const r = reasonFor(e, c);
        const part = r?.contribution > 0 && maximum > 0 ? (r.contribution / maximum) * width : 0;
        x += part;
        return part > 0 && s("rect", { x: x - part, y: 0, width: part, height: 10, class: "series" + c.series });
      }),
  );
}

// placeText says where a candidate runs.
const placeText = ({ candidateId, execution }) =>
  execution.runtime && !candidateId.includes(" on " + execution.runtime.id) && `on ${execution.runtime.id}`;

// speedText says how fast an offer answers.
function speedText({ ttft, throughput, uptime }) {
  const text = (n, unit, before, after) => n !== null && before + wholeText(Number(n.toPrecision(3)), unit) + after;
  return joined([
    text(ttft, "s", "first token after ", ""),
    text(throughput, "tokens/s", "", ""),
    text(uptime, "percent", "", " up"),
  ]);
}

// costOf is what a task costs.
function costOf({ cost }) {
  const text = cost ? valueText(cost.usdPerTask, "USD") : "–";
  return h(
    "span.value",
    { title: cost && exactText(cost.usdPerTask, "USD") },
    h("small.name", "a task "),
    h("span.plain", text),
    h("span.short", cost ? "$" + text : text),
  );
}

// placesText says which ranks the evidence allows.
function placesText({ rankInterval, amongBest }) {
  if (!rankInterval || amongBest === null) return "";
  return `by the evidence rank ${numberText(rankInterval.low)} to ${numberText(rankInterval.high)}`;
}

// observations lead to their rows on the time line of the model.
function observations(ids, model) {
  const name = (id) =>
    h(model ? "a.mono" : "span.mono", { href: model && toModel(model, "", id), title: id }, id.slice(0, 12));
  return [ids.slice(0, 8).map((id) => [name(id), " "]), ids.length > 8 ? `and ${numberText(ids.length - 8)} more` : ""];
}

// valueCell is the value of a criterion in a row, and how sure it is.
function valueCell(r, c) {
  if (!r || r.actual === undefined) return h("span.value.none", h("small.name", nameOfKey(c.key) + " "), gapText(r));
  const unit = unitOf(r, c);
  const e = r.estimate;
  const isRange = e && e.low !== e.high;
  return h(
    "span.value",
    { title: exactText(r.actual, unit) },
    h("small.name", nameOfKey(c.key) + " "),
    h("span.plain", valueText(r.actual, unit)),
    h("span.short", shortText(r.actual, unit)),
    isRange && h("small.soft.range", " ", rangeOf(e.low, e.high, e.unit)),
  );
}

function unitOfKey(key) {
  const k = infoOf(key);
  return k?.units.length === 1 ? k.units[0] : null;
}

const unitOf = (r, c) =>
  r?.estimate ? r.estimate.unit : ["count", "success-rate"].includes(c.criterion.aggregation) ? null : unitOfKey(c.key);

const scored = new Set(["PREFERENCE_SCORE", "PREFERENCE_EVIDENCE_MISSING"]);
const required = new Set(["REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "MISSING_EVIDENCE"]);

// reasonFor finds the reason that a criterion gave. Before version 3 reasons name keys
// alone: a criterion is told by its key and what its reasons can say.
function reasonFor(e, c) {
  if (c.id) return e.reasons.find((r) => r.criterion === c.id);
  return e.reasons.find(
    (r) => r.measurementKey === c.key && !(c.role === "preference" ? required : scored).has(r.code),
  );
}

// gaps say in a cell what is wrong with evidence, by a word of the code of its reason.
const gaps = {
  MISSING: "no evidence",
  STALE: "expired",
  CONFLICTING: "contradictory",
  INCOMPARABLE: "not comparable",
  AMBIGUOUS: "sources differ",
};

const gapText = (r) => (r ? gaps[Object.keys(gaps).find((word) => r.code.includes(word))] || r.summary : "–");
