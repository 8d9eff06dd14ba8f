// The screen "Plot": what is good and cheap?
import {
  allIn,
  announce,
  append,
  button,
  choice,
  fold,
  h,
  hasFocus,
  heads,
  line,
  linkTo,
  once,
  put,
  region,
  rowHead,
  s,
  terms,
  title,
} from "./dom.js";
import {
  count,
  exact,
  groupsOf,
  keyName,
  labelOf,
  lessIsBetter,
  nameOf,
  nameOfKey,
  numberText,
  optionOf,
  plainName,
  rangeOf,
  unitText,
  valueText,
  wholeText,
  yesFirst,
} from "./text.js";
import { replace, to, toModel } from "./address.js";
import { ask, points as askPoints, state } from "./source.js";
import { Drawing } from "./drawing.js";
import { failure } from "./failure.js";
import { Filters } from "./filters.js";
import { better, isNamed, makerOf, pointsOf, tail, whereOf } from "./points.js";
import { tools } from "./tools.js";

/** @import { Axis, Coordinate, Key, Plot, Point } from "./types" */

// What an address says of a plot besides the filters.
const members = [
  "x",
  "y",
  "scale",
  "lend",
  ...["x", "y"].flatMap((name) => [name + "task", name + "of", name + "better"]),
];

export async function plot(page, { query }, signal) {
  const given = new Set(state.overview.pairs.slice(0, 12).flatMap(({ x, y }) => [x, y])); // of a report
  const numeric = state.overview.keys.filter((k) => k.numeric && (!state.isReport || given.has(k.key)));
  if (numeric.length < 2)
    return append(
      page,
      title("Plot"),
      h("p.empty", "A plot needs two numbers that hold. This catalog has ", count(numeric.length, "numeric key"), "."),
    );
  const board = new Board(numeric, query, signal);
  board.frame(page);
  await board.begin();
}

// Board is a plot with its axes, filters and table.
class Board {
  /**
   * @param {Key[]} numeric
   * @param {Record<string, string>} query
   * @param {AbortSignal} signal
   */
  constructor(numeric, query, signal) {
    this.numeric = numeric;
    this.signal = signal;
    this.known = new Map(numeric.map((k) => [k.key, k]));
    this.chosen = Object.fromEntries(members.map((name) => [name, query[name]]));
    this.chooseAxes();
    this.filters = new Filters(query, () => {
      this.write();
      this.narrow();
    });
    this.unfolder = this.filters.unfolder();
    this.search = this.filters.search();
    this.fields = this.filters.fields();
    /** @type {Plot} */
    this.found = null;
    /** @type {Point[]} */
    this.points = [];
    this.most = 100; // rows of the table
    this.head = h("h1.head", { tabindex: "-1" });
    this.controls = h("div.filters");
    this.lent = h("p.soft.sure");
    this.main = h("div.plot");
    this.side = h("aside.side", { "aria-live": "polite" });
    this.said = h("div.leftout");
    this.list = region("Points", "table");
  }

  // chooseAxes takes the keys of the address, else the pair that most models have.
  chooseAxes() {
    const { known, chosen } = this;
    if (known.has(chosen.x) && known.has(chosen.y) && chosen.x !== chosen.y) return;
    const [best] = state.overview.pairs;
    chosen.x = [chosen.x, best?.x, ...known.keys()].find((key) => known.has(key));
    chosen.y = [chosen.y, best?.y, ...known.keys()].find((key) => known.has(key) && key !== chosen.x);
  }

  frame(page) {
    append(
      page,
      h(
        "div.bar",
        this.head,
        tools("plot", () => this.lines()),
      ),
      this.controls,
      this.lent,
      h("div.halves", h("div", this.main, this.said), this.side),
      h("section", h("h2", "The same points as a table"), this.list),
    );
    const resized = new ResizeObserver(
      once(() => {
        if (this.points.length && Math.floor(this.main.clientWidth) !== this.width) this.draw();
      }, 200),
    );
    resized.observe(this.main);
    this.signal.addEventListener("abort", () => resized.disconnect());
  }

  write() {
    replace("plot", { ...this.chosen, ...this.filters.query });
  }

  change(name, value) {
    const { chosen } = this;
    const other = { x: "y", y: "x" }[name];
    chosen[name] = value;
    if (other) {
      if (value === chosen[other]) chosen[other] = this.numeric.find((k) => k.key !== value).key;
      for (const part of ["task", "of", "better"]) delete chosen[name + part];
    }
    this.write();
    this.begin();
  }

  // scale is how the axes go. Shares of a hundred are no matter of powers of ten.
  get scale() {
    const { scale, y } = this.chosen;
    if (["log", "linear", "across"].includes(scale)) return scale;
    return this.known.get(y).units[0] === "percent" ? "across" : "log";
  }

  /**
   * @param {"x" | "y"} name
   * @returns {Axis}
   */
  axis(name) {
    const { chosen, scale } = this;
    const k = this.known.get(chosen[name]);
    const [task, aggregation, end] = ["task", "of", "better"].map((part) => chosen[name + part]);
    const sampled = ["mean", "min", "max"].includes(aggregation) ? aggregation : "mean";
    return {
      name,
      key: k.key,
      known: k,
      family: k.families.includes(task) ? task : "",
      aggregation: k.fact ? "fact" : sampled,
      less: end ? end === "less" : lessIsBetter(k.key),
      unit: k.units[0],
      log: k.low >= 0 && scale !== "linear" && !(name === "y" && scale === "across"),
    };
  }

  // begin asks for the points.
  async begin() {
    this.leaving?.abort();
    this.leaving = new AbortController();
    this.signal.addEventListener("abort", () => this.leaving.abort());
    const mine = this.leaving.signal;
    this.x = this.axis("x");
    this.y = this.axis("y");
    this.points = [];
    put(this.head, nameOfKey(this.y.key), h("span", " against ", nameOfKey(this.x.key)));
    put(this.main, h("p.soft.wait", "Asking for the points"));
    try {
      const asked = ({ key, family, aggregation }) => ({ key, family, aggregation });
      const lend = this.chosen.lend || "";
      const found = await askPoints({ x: asked(this.x), y: asked(this.y), lend }, mine);
      if (mine.aborted) return;
      this.found = found ?? { points: [], left: [], total: 0 };
      this.drawControls();
      await this.narrow();
    } catch (error) {
      if (error.name !== "AbortError")
        put(
          this.main,
          failure(error, () => this.begin()),
        );
    }
  }

  // narrow draws the points of the models that pass the filters.
  async narrow() {
    if (!this.found) return;
    const { found, filters } = this;
    const among = [...new Set(found.points.map((p) => p.key))];
    this.asking = ask("passing", { ...filters.asked, options: filters.options, among });
    const { asking } = this;
    const { keys, hidden, counts } = await asking;
    if (asking !== this.asking || found !== this.found || this.signal.aborted) return;
    filters.count(counts);
    this.hidden = hidden;
    this.isWhole = keys.length + hidden === among.length;
    this.points = pointsOf(found, new Set(keys), filters.values.runs, this.x, this.y);
    this.draw();
  }

  drawControls() {
    const { x, y, numeric, controls } = this;
    const focused = allIn(controls, "select").findIndex(hasFocus);
    const groups = groupsOf(numeric, (k) => k.key.split(".")[0]);
    const options = [...groups].map(([group, list]) => ({ group, options: list.map(optionOf) }));
    const isOpen = controls.querySelector("details")?.open;
    put(
      controls,
      choice("Up", options, y.key, (key) => this.change("y", key)),
      choice("Across", options, x.key, (key) => this.change("x", key)),
      this.search,
      this.unfolder,
      h("details.fold", { open: isOpen }, h("summary", "More"), h("div.filters", this.axisFields())),
      this.fields,
    );
    if (focused >= 0) allIn(controls, "select")[focused]?.focus();
    const lent = this.found.lent;
    put(
      this.lent,
      lent && [
        `The scores were measured with the benchmark’s own harness, ${lent.join(", ")}, and are carried over to the offers of each model. Prices are those of the offer. `,
        !state.isReport && h("button.link", { onclick: () => this.change("lend", "none") }, "Do not carry scores over"),
      ],
    );
  }

  // axisFields are how the axes go, what each is of, and how evidence is lent.
  axisFields() {
    const { x, y, chosen } = this;
    const field = (label, options, value, name) => choice(label, options, value, (v) => this.change(name, v));
    const scales = ["log", ["across", "log across, linear up"], "linear"];
    const ends = ({ name, less }) =>
      field(`${name === "y" ? "Up" : "Across"}: better is`, ["less", "more"], less ? "less" : "more", name + "better");
    const task = ({ name, key, known, family }) =>
      known.families.length > 1 &&
      field(`Task of ${shortKey(key)}`, [["", "any"], ...known.families], family, name + "task");
    const sums = ["mean", ["min", "lowest"], ["max", "highest"]];
    const sum = ({ name, key, known, aggregation }) =>
      !known.fact && field(`${shortKey(key)} is the`, sums, aggregation, name + "of");
    const ways = [
      ["none", "nothing"],
      ["offers", "from benchmarks to offers"],
      ["all", "all"],
    ];
    const lend = this.found.lent ? "offers" : chosen.lend || "none";
    return [
      field("Scale", scales, this.scale, "scale"),
      ends(y),
      ends(x),
      task(y),
      task(x),
      sum(y),
      sum(x),
      !state.isReport && field("Lend evidence across", ways, lend, "lend"),
    ];
  }

  draw() {
    const { points, x, y, main } = this;
    this.width = Math.max(300, Math.floor(main.clientWidth));
    if (points.length) put(main, new Drawing(points, x, y, this.width, (p) => this.drawSide(p)).node());
    else put(main, this.nothing());
    this.drawLeft();
    this.drawSide(null);
    this.drawTable();
    announce(`${count(this.drawn, this.noun)} drawn of ${numberText(this.found.total)}`);
  }

  // nothing says why nothing can be drawn.
  nothing() {
    if (state.isReport && !this.found.points.length) return h("p.empty", "This report has no plot of these two.");
    if (this.found.points.length)
      return h("p.empty", "No model that has both passes the filters. ", linkTo(to("plot", this.chosen), "Show all"));
    const under = ({ key, known }) => {
      const more = known.under.length > 6 ? ` and ${numberText(known.under.length - 6)} more` : "";
      const ways = known.under.slice(0, 6).join("; ") + more;
      return h("li", h("strong", nameOfKey(key)), ", by ", count(known.holding, "model"), ": ", ways);
    };
    return h(
      "div.empty",
      h("p", "No candidate has evidence for both. They were measured under:"),
      h("ul", under(this.y), under(this.x)),
      this.chosen.lend === "none"
        ? h(
            "p",
            button("Carry scores over to the offers", () => this.change("lend", "offers")),
          )
        : h("p", "If the two were measured under different runtimes or harnesses, lend evidence across them."),
    );
  }

  get noun() {
    return this.found.lent ? "offer" : "candidate";
  }

  get drawn() {
    return this.points.reduce((n, p) => n + p.where.length, 0);
  }

  drawLeft() {
    const { left, total } = this.found;
    const ended = count(this.hidden, "model has", "models have");
    const passed = !this.isWhole && "The filters leave out others. ";
    put(
      this.said,
      h("p", h("strong", `${numberText(this.drawn)} of ${count(total, this.noun)} drawn. `), passed, [
        this.hidden > 0 && [
          `${ended} ended, and are hidden. `,
          h("button.link", { onclick: () => this.filters.set("ended", "all") }, "Show them"),
        ],
        left.length ? " Left out:" : "",
      ]),
      h("div", left.map(leftOut)),
    );
  }

  /** @param {Point | null} p that is looked at */
  drawSide(p) {
    const { points } = this;
    put(this.side, p ? this.detail(p) : h("div.hint.soft", points[0] && legend(points)), this.frontier());
  }

  /** @param {Point} p */
  detail(p) {
    const lines = this.pairs(p).map(([axis, v]) =>
      h(
        "div",
        h("dt", nameOfKey(axis.key)),
        h("dd", exact(v), evidence(p, axis, v, wholeText), v.says && h("small", v.says)),
      ),
    );
    const more = [
      ["runs on", whereOf(p)],
      p.lent && ["score", "carried over from the benchmark’s own harness"],
      p.free && ["price", "free now, which may be limited or end"],
    ];
    return h("div.point", h("h2", linkTo(toModel(p.key), nameOf(p.model))), h("dl", lines, terms(more)));
  }

  /**
   * pairs are the axes with what a point has on them.
   * @param {Point} p
   * @returns {[Axis, Coordinate][]}
   */
  pairs(p) {
    return [
      [this.y, p.y],
      [this.x, p.x],
    ];
  }

  byHeight(a, b) {
    return better(this.y, b.y.value) - better(this.y, a.y.value);
  }

  // frontier is a table of the points that nobody beats on both.
  frontier() {
    const front = this.points.filter((q) => q.front).sort((a, b) => this.byHeight(a, b));
    if (!front.length) return null;
    const few = front.slice(0, 12);
    const more = front.length - few.length;
    const rowOf = (q) =>
      h(
        "tr",
        rowHead(linkTo(toModel(q.key), tail(plainName(q.model))), isNamed(q) && h("small.soft", "on ", whereOf(q, 2))),
        this.pairs(q).map(([axis, v]) => h("td.number", evidence(q, axis, v))),
      );
    const head = (axis, text) => h("th.number", { scope: "col", title: axis.key }, text);
    return h(
      "div.front",
      h("h2.small", "No other is better on both than these"),
      h(
        "table",
        h("thead", h("tr", h("td"), head(this.y, "↑\u00a0up"), head(this.x, "→\u00a0across"))),
        h("tbody", few.map(rowOf)),
      ),
      more > 0 && h("p.soft", `and ${numberText(more)} more, in the table below`),
      !state.isReport && h("p", linkTo(this.question(front), "Ask about these")),
    );
  }

  // question is the address that asks who of some models is best by both numbers.
  question(points) {
    const q = { models: [...new Set(points.map((p) => p.model.id))] };
    for (const { less, key } of [this.y, this.x]) {
      const end = less ? "minimize" : "maximize";
      q[end] = [...(q[end] ?? []), key];
    }
    return to("rank", { q: JSON.stringify(q) });
  }

  drawTable() {
    const { points, x, y, most } = this;
    const sorted = [...points].sort((a, b) => yesFirst(a.front, b.front) || this.byHeight(a, b));
    const numbers = [y, x].map((a) => [keyName(a.key), h("small", unitText(a.unit) || " ")]);
    const rows = sorted.slice(0, most).map((p) => this.row(p));
    const next = () => {
      this.most += 100;
      this.drawTable();
    };
    put(
      this.list,
      h("table", heads(["Model", "Runs on"], numbers, ["Frontier"]), h("tbody", rows)),
      points.length > most && h("p", button(`Show ${Math.min(100, points.length - most)} more`, next)),
    );
  }

  /** @param {Point} p */
  row(p) {
    const cells = this.pairs(p).map(([axis, v]) =>
      h(
        "td.number",
        { ...exact(v), "data-label": labelOf(axis.key, axis.unit) },
        evidence(p, axis, v),
        v.low !== null && v.low !== v.value && h("small", " ", rangeOf(v.low, v.high, v.unit)),
      ),
    );
    return h(
      "tr",
      rowHead(linkTo(toModel(p.key), nameOf(p.model))),
      h("td.runs", whereOf(p)),
      cells,
      h("td.runs", p.front ? "on it" : ""),
    );
  }

  // lines are all points, as a file has them.
  lines() {
    const heads = [this.x, this.y].flatMap(({ key }) => [key, "unit", "low", "high"]);
    const rows = this.points.flatMap((p) =>
      p.where.map((where) => [
        plainName(p.model),
        where,
        ...[p.x, p.y].flatMap((v) => [v.value, v.unit, v.low, v.high]),
        p.front,
      ]),
    );
    return [["candidate", "runs on", ...heads, "on the frontier"], ...rows];
  }
}

// leftOut says why candidates have no point.
function leftOut({ reason, count: n, names }) {
  const rest = n - names.length;
  const list = names.map((name) => h("li", name));
  return fold(`${numberText(n)}: ${reason}`, h("ul.names", list, rest > 0 && h("li", `and ${numberText(rest)} more`)));
}

// evidence is a value that leads to its place on the time line of the model.
const evidence = (p, axis, v, text = valueText) => linkTo(toModel(p.key, axis.key), text(v.value, v.unit));

const shortKey = (key) => (nameOfKey(key).length > 34 ? nameOfKey(key).slice(0, 32) + "…" : nameOfKey(key));

/**
 * legend says what the marks mean that are drawn.
 * @param {Point[]} points
 */
function legend(points) {
  const mark = (text, shape) => h("p", s("svg", { width: 20, height: 12, viewBox: "0 0 20 12" }, shape), text);
  const all = points.every((p) => p.lent);
  const dot = (kind, text, isSquare = all) => {
    const name = "dot " + kind + (all ? " lent" : "");
    const shape = isSquare
      ? s("rect", { x: 5, y: 1, width: 10, height: 10, class: name })
      : s("circle", { cx: 10, cy: 6, r: 5, class: name });
    return mark(text, shape);
  };
  const some = (test, ...of) => points.some(test) && dot(...of);
  const coloured = groupsOf(
    points.filter((p) => p.colour),
    (p) => p.colour,
  );
  return [
    dot("front", "on the frontier: no other is better on both"),
    some((p) => p.unsure, "front unsure", "on it, but perhaps no better than a cheaper one"),
    points.some((p) => p.free) &&
      h(
        "p",
        "At $0 is what is free now, which may be limited or end: it takes nothing that is paid for off the frontier.",
      ),
    !all && some((p) => p.lent, "lent", "rests on evidence that was lent", true),
    [...coloured].sort(([a], [b]) => a - b).map(([colour, [p]]) => dot("series" + colour, makerOf(p))),
    dot("", "other makers"),
    some((p) => p.dear, "dear", "a dearer offer of such a model"),
    points.some((p) => p.front && (p.x.low !== null || p.y.low !== null)) &&
      mark("the range of a value", s("g.errors", line(10, 10, 0, 12))),
    h("p", "Point at a mark, or move through them with the arrow keys."),
  ];
}
