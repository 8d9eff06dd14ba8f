// The screen "Models": which are there, what can they do, and what do they cost?
import { announce, append, button, choice, h, linkTo, put, region, rowHead, title } from "./dom.js";
import {
  count,
  entryOf,
  infoOf,
  joined,
  keyName,
  lessIsBetter,
  nameOf,
  nameOfKey,
  numberText,
  plainName,
  unitText,
  yesFirst,
} from "./text.js";
import { replace, to, toModel } from "./address.js";
import { ask, state } from "./source.js";
import { cellOf, decimalsOf } from "./cell.js";
import { Filters } from "./filters.js";
import { offers } from "./model.js";
import { ageText } from "./sources.js";
import { tools } from "./tools.js";

/** @import { Listed, Overview, Row } from "./types" */

const step = 100;
const atOnce = 40; // rows that are drawn before anything else has a turn
const mostColumns = 8;
const mostPicked = 6;
const sorts = [
  ["", "benchmark, then release"],
  ["model", "name"],
  ["runs", "number of sellers"],
  ["released", "release"],
  ["seen", "last seen"],
];

export async function models(page, { query }, signal) {
  if (state.overview.models === 0) return append(page, h("p.empty", "This catalog has no models."));
  const list = new List(query, signal);
  const shown = list.show();
  list.frame(page);
  await shown;
  if (history.state?.y) scrollTo(0, history.state.y);
}

// List is the table of models with its filters.
class List {
  /**
   * @param {Record<string, string>} query
   * @param {AbortSignal} signal
   */
  constructor(query, signal) {
    this.signal = signal;
    this.filters = new Filters(query, () => this.restart());
    this.columns = columnsOf(query);
    this.areColumnsAsked = Boolean(query.columns);
    this.isDated = infoOf("lifecycle.released")?.holding > 0;
    this.sort = query.sort || "";
    this.isDown = query.desc === "1";
    this.picked = new Set((query.compare || "").split(",").filter(Boolean));
    state.picked = this.picked;
    this.until = Math.max(step, history.state?.shown || 0);
    /** @type {Listed} */
    this.answer = null;
    this.decimals = new Map(); // of a column
    this.table = region("Models", "table.list");
    this.said = h("p.soft.found");
    this.orders = h("div.sorts"); // where the table has no head
    this.more = h("div.more");
    this.tray = h("div.tray", { hidden: true });
  }

  frame(page) {
    const { filters } = this;
    append(
      page,
      summary(state.overview),
      h("div.filters", filters.search(), filters.unfolder(), filters.fields(this.columnsField())),
      h(
        "div.bar",
        this.said,
        this.orders,
        tools("models", () => this.lines()),
      ),
      this.table,
      this.more,
      this.tray,
    );
    this.drawTray();
    this.watch();
  }

  // write puts what is shown into the address.
  write() {
    replace("models", {
      ...this.filters.query,
      sort: this.sort,
      desc: this.sort && this.isDown ? "1" : "",
      columns: this.areColumnsAsked ? this.columns.join(",") : "",
      compare: [...this.picked].join(","),
    });
  }

  restart() {
    this.until = step;
    this.write();
    this.show();
  }

  get asked() {
    return { ...this.filters.asked, sort: this.sort, desc: this.isDown, columns: this.columns };
  }

  // show draws the first rows. How many models each option of a filter leaves comes after them.
  async show() {
    const { filters } = this;
    this.asking = ask("list", { ...this.asked, until: this.until });
    const { asking } = this;
    const answer = await asking;
    if (asking !== this.asking || this.signal.aborted) return;
    this.answer = answer;
    this.decimals.clear();
    put(this.more);
    put(this.table, answer.total ? this.draw() : this.nothing());
    this.say();
    const orders = [...sorts, ...this.columns.map((key) => [key, nameOfKey(key)])];
    put(
      this.orders,
      choice("Sort by", orders, this.sort, (name) => this.sortBy(name, false)),
    );
    const drawn = this.add(answer.rows);
    ask("passing", { ...filters.asked, options: filters.options }).then(
      ({ counts }) => asking === this.asking && filters.count(counts),
    );
    if (history.state?.y) await drawn; // the place is below the first
  }

  say() {
    const { total, hidden } = this.answer;
    const ended = count(hidden, "deprecated or withdrawn one is", "deprecated or withdrawn ones are");
    put(
      this.said,
      total !== state.overview.models && count(total, "model matches", "models match") + ".",
      hidden > 0 && [
        ` ${ended} hidden. `,
        h("button.link", { onclick: () => this.filters.set("ended", "all") }, "Show them"),
      ],
    );
    announce(count(total, "model"));
  }

  nothing() {
    return h("p.empty", "No model matches. ", linkTo(to("models"), "Show all models"));
  }

  // beyond says what is beyond the rows that are drawn: it comes when it is scrolled to, or by its
  // button.
  beyond() {
    const { rows, total } = this.answer;
    const rest = total - rows.length;
    put(
      this.more,
      rest > 0 && [
        button(`Show ${Math.min(step, rest)} more`, () => this.next()),
        h("span.soft", ` of ${numberText(rest)}`),
      ],
    );
    history.replaceState({ ...history.state, shown: rows.length }, "");
  }

  async next() {
    const { answer } = this;
    const from = answer.rows.length;
    put(this.more);
    this.until = from + step;
    const { rows } = await ask("list", { ...this.asked, from, until: this.until });
    if (this.answer !== answer || answer.rows.length !== from) return;
    answer.rows.push(...rows);
    await this.add(rows);
  }

  watch() {
    const isNear = () => this.more.firstChild && this.more.getBoundingClientRect().top < innerHeight + 600;
    const seen = new IntersectionObserver(([entry]) => entry.isIntersecting && isNear() && this.next(), {
      rootMargin: "600px",
    });
    seen.observe(this.more);
    this.signal.addEventListener("abort", () => seen.disconnect());
  }

  sortBy(name, again = true) {
    if (this.sort === name && again) this.isDown = !this.isDown;
    else {
      this.isDown = ["runs", "released", "seen"].includes(name) || (this.columns.includes(name) && !lessIsBetter(name));
      this.sort = name;
    }
    this.write();
    this.show();
  }

  draw() {
    const numbers = this.columns.map((key) => {
      const unit = joined([unitText(this.answer.bounds[key].unit), isSample(key) && "mean of tasks"], ", ") || " ";
      return this.head(key, keyName(key), { class: "number" }, h("small", unit));
    });
    return h(
      "table",
      h(
        "thead",
        h(
          "tr",
          h("th.pick", { scope: "col" }, h("span.away", "Compare")),
          this.head("model", "Model"),
          this.head("runs", "Sellers"),
          numbers,
          this.isDated && this.head("released", "Released", { class: "seen" }),
        ),
      ),
      h("tbody"),
    );
  }

  /**
   * add draws rows below those that are there, some at a time, and says what is beyond them.
   * @param {Row[]} rows
   */
  async add(rows) {
    const body = this.table.querySelector("tbody");
    for (let from = 0; from < rows.length; from += atOnce) {
      if (from) await new Promise((done) => setTimeout(done));
      if (!body.isConnected) return;
      append(
        body,
        rows.slice(from, from + atOnce).map((row) => this.row(row)),
      );
    }
    this.beyond();
  }

  // head is the head of a column, which sorts by it.
  head(name, text, attributes = {}, unit = null) {
    const isSorted = this.sort === name;
    const order = isSorted ? (this.isDown ? "descending" : "ascending") : null;
    const arrow = isSorted ? (this.isDown ? " ↓" : " ↑") : "";
    return h(
      "th",
      { scope: "col", "aria-sort": order, ...attributes },
      h(
        "button.sort",
        { onclick: () => this.sortBy(name) },
        text,
        h("span.arrow", { "aria-hidden": "true" }, arrow),
        unit,
      ),
    );
  }

  /** @param {Row} row */
  row(row) {
    const name = plainName(row.identity);
    const isPicked = this.picked.has(row.key);
    const onchange = (event) => this.pick(row, event.target);
    return h(
      "tr",
      { class: row.ended ? "ended" : null },
      h("td.pick", h("input", { type: "checkbox", "aria-label": "Compare " + name, checked: isPicked, onchange })),
      rowHead(
        linkTo(toModel(row.key), nameOf(row.identity)),
        row.conflicting && h("span.conflict", { title: "contradictory evidence" }, " ◆"),
        row.ended && h("small.soft", " ended"),
      ),
      h("td.runs", { "data-label": "sellers" }, sellersOf(row, this.columns.length + 4)),
      this.columns.map((key) => cellOf(key, row.cells[key], this.answer.bounds[key], row.key, this.padding(key))),
      this.isDated && h("td.seen", { "data-label": "released" }, row.released || "–"),
    );
  }

  // padding is as many decimals as a number of a column needs, so that all have their points below
  // each other.
  padding(key) {
    const decimals = () => Math.min(4, Math.max(0, ...this.answer.rows.map(({ cells }) => decimalsOf(cells[key]))));
    return entryOf(this.decimals, key, decimals);
  }

  pick(row, box) {
    if (box.checked && this.picked.size === mostPicked) {
      box.checked = false;
      return announce("Six models are compared at most");
    }
    if (box.checked) this.picked.add(row.key);
    else this.picked.delete(row.key);
    this.write();
    this.drawTray();
  }

  drawTray() {
    const { picked, tray } = this;
    const clear = () => {
      picked.clear();
      this.write();
      this.drawTray();
      this.show();
    };
    const leads = (path, name) => h("a.button", { href: to(path, { models: [...picked].join(",") }) }, name);
    tray.hidden = picked.size === 0;
    put(
      tray,
      h("span", count(picked.size, "model") + " picked, at most 6"),
      leads("compare", "Compare"),
      leads("rank", "Ask about these"),
      button("Clear", clear),
    );
  }

  // lines are all rows that pass, as a file has them.
  async lines() {
    const { rows } = await ask("list", { ...this.asked, until: Infinity });
    const values = ({ cells }, key) => {
      const c = cells[key];
      return c?.n ? [c.low ?? c.texts.join(" "), c.high ?? "", c.unit] : [null, null, null];
    };
    const heads = this.columns.flatMap((key) => [key + " low", key + " high", key + " unit"]);
    return [
      ["model", "sellers", "measured on", ...heads, "released", "holding", "observations", "last seen"],
      ...rows.map((row) => [
        plainName(row.identity),
        row.runtimes.join(" "),
        row.harnesses.join(" "),
        ...this.columns.flatMap((key) => values(row, key)),
        row.released ?? "",
        row.holding,
        row.total,
        row.lastSeen,
      ]),
    ];
  }

  // columnsField chooses which keys the table has.
  columnsField() {
    const { columns } = this;
    const face = h("span.face", String(columns.length));
    const choose = (key, box) => {
      if (box.checked && columns.length === mostColumns) {
        box.checked = false;
        return;
      }
      if (box.checked) columns.push(key);
      else columns.splice(columns.indexOf(key), 1);
      face.textContent = String(columns.length);
      this.areColumnsAsked = true;
      this.write();
      this.show();
    };
    const lineOf = (k) => {
      const onchange = (event) => choose(k.key, event.target);
      return h(
        "label",
        h("input", { type: "checkbox", checked: columns.includes(k.key), onchange }),
        h("span", k.name || k.key, k.line && h("small.soft", k.line)),
        h("small.soft", numberText(k.models)),
      );
    };
    const menu = h("div.menu", state.overview.keys.map(lineOf));
    return h("details.columns", h("summary", h("span", "Columns"), face), menu);
  }
}

// sellersOf names who sells a model. A press shows the offers below the row.
function sellersOf(row, width) {
  const [first, ...rest] = row.runtimes;
  if (!first)
    return row.harnesses[0] ? whereMeasured(row) : row.others?.length ? count(row.others.length, "other offer") : "–";
  const unfold = async () => {
    const line = node.closest("tr");
    const below = line.nextElementSibling;
    const isOpen = node.ariaExpanded === "true";
    node.ariaExpanded = String(!isOpen);
    if (below?.classList.contains("inside")) return below.remove();
    const m = await ask("model", { key: row.key });
    if (node.ariaExpanded === "true") line.after(h("tr.inside", h("td", { colspan: width }, offers(m, true))));
  };
  const node = h(
    "button.link",
    { "aria-expanded": "false", title: row.runtimes.join(", "), onclick: unfold },
    first,
    rest.length > 0 && ` +${rest.length}`,
  );
  return node;
}

// whereMeasured names where a model was measured that is not sold there.
export const whereMeasured = ({ harnesses }) => harnesses.length > 0 && "measured on " + harnesses.join(", ");

const isSample = (key) => infoOf(key)?.fact === false;

// columnsOf returns the keys that are shown: those of the address, else the benchmark that most
// models with a price have, prices and the context, or what else most models have.
function columnsOf(query) {
  if (query.columns) return query.columns.split(",").filter(infoOf).slice(0, mostColumns);
  const { keys, benchmark } = state.overview;
  const usual = [benchmark, "price.input", "price.output", "limits.context"].filter(
    (key) => key && infoOf(key)?.holding,
  );
  const most = keys
    .filter((k) => k.numeric && k.holding && !usual.includes(k.key))
    .sort((a, b) => yesFirst(a.fact, b.fact) || b.holding - a.holding);
  return usual.concat(most.slice(0, Math.max(0, 3 - usual.length)).map((k) => k.key));
}

/**
 * summary says how many models there are and how old the catalog is, by the reader's clock.
 * @param {Overview} o
 */
function summary(o) {
  const some = (query, n) => linkTo(to("models", query), count(n, "model"));
  const clash = ["On ", some({ evidence: "contradictory" }, o.conflicting), " sources contradict each other. "];
  const gone = ["Of ", some({ evidence: "expired", ended: "all" }, o.silent), " all evidence has expired. "];
  return h(
    "div.summary",
    title(numberText(o.models), h("span", o.models === 1 ? " model" : " models")),
    h(
      "p.soft",
      ageText(o),
      o.conflicting > 0 && clash,
      o.silent > 0 && gone,
      (state.extras.notes ?? []).map((note) => note.replace(/\.?$/, ". ")),
    ),
  );
}
