// The form of a question: what is better, what must be, what a task takes, and who sells it.
import { allIn, button, choice, copyButton, cross, fold, h, put, save } from "./dom.js";
import {
  count,
  counted,
  infoOf,
  keyOf,
  numberText,
  optionOf,
  quote,
  typedNumber,
  typedText,
  unitText,
  wholeText,
} from "./text.js";
import { aggregationOf, bound, endOf, operators, usualTask } from "./criteria.js";
import { state } from "./source.js";

/** @import { Board } from "./rank.js" */
/** @import { Criterion, Key } from "./types" */

export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// Form edits the request of a board, and its question.
export class Form {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.node = h("div.controls");
    this.counted = h("p.soft");
  }

  count() {
    put(this.counted, count(this.board.request.inventory.length, "candidate"));
  }

  draw() {
    const { requests } = state.extras;
    const { board } = this;
    const known = [["", "–"], ...requests.map((r) => [r.name, r.name])];
    const open = (name) => {
      const given = requests.find((r) => r.name === name);
      if (given) board.open(given);
    };
    this.count();
    put(
      this.node,
      requests[0] && choice("Request", known, board.name, open),
      this.counted,
      this.preferences(),
      this.requirements(),
      board.question && [this.task(), this.sellers(), this.among()],
      this.requestField(),
    );
  }

  preferences() {
    const list = this.board.request.preferences;
    const keys = state.overview.keys.filter((k) => k.holding && (k.numeric || !k.fact));
    const make = (key) => ({ direction: endOf(key), weight: 1 });
    const row = (p, i) => {
      const set = (direction) => {
        p.direction = direction;
        this.board.changed();
      };
      const ends = [
        ["maximize", "more"],
        ["minimize", "less"],
      ];
      return h(
        "li.criterion",
        { "data-path": `$.preferences[${i}]` },
        h("span", { class: `swatch series${(i % 5) + 1}`, "aria-hidden": "true" }),
        this.keyField(p, keys),
        h("div.line", choice("Better is", ends, p.direction, set), this.weightField(p), this.remove(list, i)),
      );
    };
    return section("What is better", list.map(row), this.add("Add a preference", "preferences", keys, make));
  }

  requirements() {
    const list = this.board.request.requirements;
    const keys = state.overview.keys.filter((k) => k.holding);
    const row = (q, i) =>
      h(
        "li.criterion",
        { "data-path": `$.requirements[${i}]` },
        this.keyField(q, keys),
        h("div.line", this.boundFields(q), this.remove(list, i)),
      );
    const add = this.add("Add a requirement", "requirements", keys, bound, "price.output");
    add.classList.add("must");
    return section("What must be", list.map(row), add);
  }

  // keyField chooses the key of a criterion, and says what it measures.
  keyField(c, keys) {
    if (c.sum) return h("span.key", c.id);
    const key = c.measurementKey;
    const lost = key && !keys.some((k) => k.key === key) ? [counted(key, 0)] : [];
    const set = (chosen) => {
      Object.assign(c, { measurementKey: chosen, aggregation: aggregationOf(chosen) }, c.operator && bound(chosen));
      if (c.direction) c.direction = endOf(chosen);
      this.board.changed(true);
    };
    return [choice("Key", [...lost, ...keys.map(optionOf)], key, set), h("p.soft.keyline", infoOf(key)?.line)];
  }

  remove(list, i) {
    return cross(keyOf(list[i]), () => {
      list.splice(i, 1);
      this.board.changed(true);
    });
  }

  /**
   * add is a button that adds a criterion: of the first key, or of one that is not asked for yet.
   * @param {Key[]} keys
   * @param {(key: string) => Partial<Criterion>} make
   */
  add(text, member, keys, make, first = "") {
    const list = this.board.request[member];
    const isNew = (k) => !list.some((c) => c.measurementKey === k.key);
    return button(text, () => {
      const best = keys.find((k) => k.key === first && isNew(k)) ?? keys.find((k) => k.numeric && isNew(k)) ?? keys[0];
      const key = best?.key ?? "";
      list.push({ measurementKey: key, aggregation: aggregationOf(key), ...make(key) });
      this.board.changed(true);
      const last = allIn(this.node, `[data-path^="$.${member}"]`).at(-1);
      const field = last.querySelector("input:not([type=range])") ?? last.querySelector("select");
      if (field instanceof HTMLElement) field.focus();
      if (field instanceof HTMLInputElement) field.select();
    });
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
      const isRight = text !== "" && weight < Infinity && (this.board.question ? weight > 0 : weight >= 0);
      if (this.board.check(number, isRight, `A weight is a number ${this.board.question ? "above" : "from"} 0.`))
        p.weight = weight;
      if (from !== number) number.value = text;
      if (from !== slider) slider.value = String(Math.min(weight, 10));
      this.board.changed();
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
          this.board.changed();
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
        if (this.board.check(value, typeof number === "number" || !k?.numeric, "This is not a number."))
          q.value = number;
        this.board.changed();
      },
    });
    return [
      choice("Must be", Object.entries(operators), q.operator, (o) => {
        q.operator = o;
        this.board.changed();
      }),
      h("label.field", h("span", unitText(unit) || "Value"), value),
    ];
  }

  // task is what a task takes, and how to choose by what it costs.
  task() {
    const q = this.board.question;
    const percent = (share) => (typeof share === "number" ? wholeText(100 * share, "percent") : share);
    const ways = {
      "": "the best score",
      cheapest: "the cheapest within 3% of the best",
      ...(q.within !== undefined && { within: `the cheapest within ${percent(q.within)} of the best` }),
      five: "the cheapest within 5% of the best",
      ten: "the cheapest within 10% of the best",
    };
    const set = (way) => {
      delete q.within;
      delete q.cheapest;
      if (way === "cheapest") q.cheapest = true;
      else if (way) q.within = { five: 0.05, ten: 0.1 }[way];
      this.board.changed();
    };
    const now = q.within !== undefined ? "within" : q.cheapest ? "cheapest" : "";
    const tokens = h(
      "div.line",
      this.tokens("inputTokens", "Input tokens"),
      this.tokens("outputTokens", "Output tokens"),
    );
    return h(
      "section",
      h("h2", "A task takes"),
      h("div", { "data-path": "$.cost" }, tokens),
      choice("Take", Object.entries(ways), now, set),
    );
  }

  tokens(name, text) {
    const q = this.board.question;
    const take = () => {
      const n = typedNumber(field.value, null);
      const isRight = Number.isSafeInteger(n) && n >= 0;
      if (this.board.check(field, isRight, "A task takes a whole number of tokens."))
        q.cost = { ...usualTask, ...q.cost, [name]: n };
      this.board.changed();
    };
    const value = numberText((q.cost ?? usualTask)[name], 15);
    const field = h("input", { type: "text", inputmode: "numeric", value, oninput: take });
    return h("label.field", h("span", text), field);
  }

  sellers() {
    const q = this.board.question;
    const policies = [
      ["", "anybody"],
      ["major", "clouds and large hosts"],
      ["first-party", "the makers"],
    ];
    const services = [...new Set(["free", "batch", "any", ...(q.services ?? [])])];
    const set = (name, value) => {
      if (value === undefined) delete q[name];
      else q[name] = value;
      this.board.changed();
    };
    return h(
      "section",
      h("h2", "Who sells it"),
      h(
        "div.line",
        choice("Sellers", policies, q.sellerPolicy ?? "", (v) => set("sellerPolicy", v || undefined)),
        choice("Service", [["", "as usual"], ...services], q.services?.[0] ?? "", (v) =>
          set("services", v ? [v] : undefined),
        ),
      ),
    );
  }

  // among names the models that the question is about, if it is about some.
  among() {
    const q = this.board.question;
    if (!q.models?.[0]) return null;
    const all = () => {
      delete q.models;
      this.board.changed(true);
    };
    const names = q.models.map((id) => h("li", id));
    return [h("section", h("h2", "Among"), h("ul.names", names)), button("Ask about all models", all)];
  }

  // requestField takes a question or a request of a file, and gives the one that is asked.
  requestField() {
    const { board } = this;
    const read = (text) => {
      try {
        const value = JSON.parse(text);
        if (isObject(value) && !("inventory" in value)) board.ask(value);
        else board.take(value);
      } catch (error) {
        board.refuse("This cannot be read: " + error.message);
      }
    };
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
    const open = button("Open what is pasted", () => read(paste.value));
    return fold("Request and answer", h("div.stack", this.copies(), file, paste, open));
  }

  // copies are ways to ask elsewhere.
  copies() {
    const catalog = quote(state.extras.catalogFile || "catalog.json");
    const here = (command) => `${command} <<'REQUEST'\n${JSON.stringify(this.board.asked())}\nREQUEST\n`;
    const url = new URL("/v1/rank", location.href).href;
    const curl = `curl -sS -H 'Content-Type: application/json' --data-binary @- ${url}`;
    const keep = () => save("request.json", JSON.stringify(this.board.asked(), null, 2) + "\n", "application/json");
    return h(
      "div.tools.left",
      copyButton("Copy as curl", () => here(curl)),
      copyButton("Copy as svc rank", () => here(`svc rank --catalog ${catalog} --output json -`)),
      button("Save request", keep),
    );
  }
}

const section = (name, rows, ...more) => h("section", h("h2", name), rows[0] && h("ol.criteria", rows), more);
