// The time line of a model: a row for each observation and key, with its evidence inside.
import { append, button, copyButton, fold, h, link, put, s, terms } from "./dom.js";
import {
  compareKeys,
  compareText,
  count,
  day,
  entryOf,
  exact,
  groupsOf,
  joined,
  minute,
  numberText,
  quote,
  runsOn,
  scopeRows,
  shortText,
  taskText,
  versionText,
  wholeText,
} from "./text.js";
import { state } from "./source.js";
import { tools } from "./tools.js";

/** @import { Detail, Entry, Observation } from "./types" */

const mostRows = 200;
const oneDay = 864e5;

// TimeLine has a bar in each row, from when something was observed until when it holds.
export class TimeLine {
  /**
   * @param {Detail} m
   * @param {Entry[]} entries
   * @param {Set<string>} contradictory the ids of observations with the keys that they contradict
   * @param {Record<string, string>} query names a row: the first of a key, or an observation
   */
  constructor(m, entries, contradictory, { k: key, o: observation }) {
    this.entries = entries;
    this.contradictory = contradictory;
    this.asOf = m.asOf;
    this.groups = [...groupsOf(entries, (e) => e.x.kind + e.x.key).values()].sort(
      (a, b) => compareText(a[0].x.kind, b[0].x.kind) || compareKeys(a[0].x.key, b[0].x.key),
    );
    for (const g of this.groups) g.sort((a, b) => (a.o.freshness.observedAt < b.o.freshness.observedAt ? 1 : -1));
    this.span();
    this.isAsked = (e) => (key || observation) && (!key || e.x.key === key) && (!observation || e.o.id === observation);
    /** @type {HTMLDetailsElement} */
    this.asked = null; // the row that the address names
    this.list = h("div.lines");
    this.papers = new Map(); // evidence, which paper has below the rows, by number
  }

  // span is from the first observation until what ends last, within reason.
  span() {
    const asOf = Date.parse(this.asOf);
    const ends = this.entries.map((e) => Date.parse(e.o.freshness.validUntil)).filter(Number.isFinite);
    this.begin = Math.min(...this.entries.map((e) => Date.parse(e.o.freshness.observedAt)));
    const room = Math.max((asOf - this.begin) * 0.35, 14 * oneDay);
    this.end = Math.min(Math.max(asOf + room / 2, ...ends), asOf + room);
  }

  // x is where a time is, in hundredths of the width.
  x(at) {
    return Math.max(0, Math.min(100, ((at - this.begin) / (this.end - this.begin)) * 100));
  }

  node() {
    this.draw(mostRows);
    if (!this.asked && this.entries.some(this.isAsked)) this.draw(Infinity);
    const { asked } = this;
    if (asked) {
      asked.open = true;
      requestAnimationFrame(() => asked.scrollIntoView({ block: "center" }));
    }
    const now = this.x(Date.parse(this.asOf));
    const mark = h("span.asof", "as of " + day(this.asOf));
    mark.style.left = Math.max(8, Math.min(85, now)) + "%";
    const begin = now > 25 && h("span", day(new Date(this.begin).toISOString()));
    return h(
      "section",
      h(
        "div.bar",
        h("h2", "Time line"),
        tools("model", () => this.lines()),
      ),
      h("div.scale", { "aria-hidden": "true" }, begin, mark),
      this.list,
    );
  }

  // draw draws the first rows, and below them the evidence that their numbers name.
  draw(most) {
    const { list, entries, groups } = this;
    const now = h("div.nowline", { "aria-hidden": "true" });
    now.style.setProperty("--at", String(this.x(Date.parse(this.asOf)) / 100));
    put(list, now);
    let room = most;
    for (const group of groups) {
      if (room <= 0) break;
      const [{ x }] = group;
      const rows = group.slice(0, room).map((e) => this.row(e));
      room -= rows.length;
      append(list, h("h3", x.key, h("span.soft", ` ${x.kind}, ${count(group.length, "observation")}`)), rows);
    }
    const all = () => this.draw(Infinity);
    append(
      list,
      entries.length > most && h("p", button(`Show all ${numberText(entries.length)}`, all)),
      h(
        "ol.paper",
        [...this.papers.keys()].map((e) => h("li", e)),
      ),
    );
  }

  /** @param {Entry} e */
  row(e) {
    const numbers = papersOf(e.o).map((paper) => entryOf(this.papers, paper, () => this.papers.size + 1));
    const row = this.line(e, numbers.join(", "));
    if (!this.asked && this.isAsked(e)) this.asked = row;
    return row;
  }

  /** @param {Entry} e */
  line({ o, x }, numbers) {
    const { observedAt, validUntil } = o.freshness;
    const isTorn = this.contradictory.has(o.id + x.key);
    const state = isTorn ? "conflicting" : o.holds ? "holding" : "expired";
    const says = isTorn ? "contradicted" : o.holds ? "holds" : "expired";
    const detail = h("div.detail");
    const ontoggle = () => {
      if (row.open && !detail.firstChild) append(detail, ...evidenceOf(o));
    };
    const row = h(
      "details",
      { class: "row " + state, ontoggle },
      h(
        "summary",
        h(
          "span.scope",
          { title: runsOn(o.execution) },
          runsOn(o.execution),
          o.task && h("span.soft", " · " + taskText(o.task)),
        ),
        h(
          "span.value",
          exact(x),
          isTorn && h("span.conflict", "◆ "),
          shortText(x.value, x.unit),
          h("span.paper.soft", ` [${numbers}]`),
        ),
        this.bar(o.freshness, state),
        h("span.away", `${says}, ${minute(observedAt)} to ${minute(validUntil)}`),
      ),
      detail,
    );
    return row;
  }

  bar({ observedAt, validUntil }, state) {
    const [from, until] = [this.x(Date.parse(observedAt)), validUntil ? this.x(Date.parse(validUntil)) : 100];
    const width = Math.max(until - from, 0.8);
    return s(
      "svg",
      { class: `span ${state}${validUntil ? "" : " open"}`, viewBox: "0 0 100 12", preserveAspectRatio: "none" },
      s("rect", { x: Math.min(from, 99), y: 4, width, height: 4, "vector-effect": "non-scaling-stroke" }),
    );
  }

  // lines are all rows, as a file has them.
  lines() {
    const heads = ["key", "kind", "value", "unit", "runs on", "task", "observed at", "valid until", "holds"];
    const rows = this.groups
      .flat()
      .map(({ o, x }) => [
        x.key,
        x.kind,
        x.value,
        x.unit ?? null,
        runsOn(o.execution),
        taskText(o.task),
        o.freshness.observedAt,
        o.freshness.validUntil,
        o.holds,
        o.sourceClass,
        o.id,
        papersOf(o).join(" "),
      ]);
    return [[...heads, "source class", "observation", "evidence"], ...rows];
  }
}

/**
 * papersOf is what the evidence of an observation is.
 * @param {Observation} o
 */
export const papersOf = (o) => [...new Set(o.evidence.map((e) => e.uri || e.id))];

/**
 * evidenceOf is everything that an observation says: scope, task, uncertainty, evidence.
 * @param {Observation} o
 */
function evidenceOf(o) {
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
    ...o.measurements.map((x) => [x.key, wholeText(x.value, x.unit)]),
  ];
  const { holds, ...whole } = o;
  return [
    h("dl.members", terms(rows)),
    h("h4", "Evidence"),
    h(
      "ul.evidences",
      o.evidence.map((e) =>
        h(
          "li",
          h("span", e.kind + " "),
          h("span.mono", e.id),
          e.uri && [h("br"), link(e.uri)],
          e.digest && h("div.mono.soft", "sha256 " + e.digest.value),
        ),
      ),
    ),
    h(
      "p",
      h("code", command),
      " ",
      copyButton("Copy", () => command),
    ),
    fold("The whole observation as JSON", h("pre", { tabindex: "0" }, JSON.stringify(whole, null, 2))),
  ];
}
