// The screen of one model: what is known, since when, until when, from whom? And the table
// that compares up to six of them.
import { h, s, column, link, copy, announce, put, append } from "./dom.js";
import { compareKeys, count, keyText, day, exactText, minute, nameOf, numberText, plainName, runsOn, scopeRows, shortText, taskText, unitText, valueText, wholeText } from "./text.js";
import { to } from "./address.js";
import { ask, state } from "./source.js";
import { tools } from "./tools.js";
import { cellOf } from "./models.js";

const mostRows = 200;

export async function model(page, { rest: [key], query }) {
  const m = await ask("model", { key });
  if (!m) return append(page, h("h1", { tabindex: "-1" }, "No such model"), h("p", {}, "This catalog has no model with this key. ", h("a", { href: to("models") }, "All models")));
  const entries = m.observations.flatMap((o) => o.measurements.map((x) => ({ o, x, slot: x.key + "\n" + JSON.stringify(o.execution) + "\n" + JSON.stringify(o.task) })));
  const facts = entries.filter((e) => e.x.kind === "fact");
  const slots = slotsOf(facts);
  const contradictory = new Set(slots.filter((slot) => slot.values.length > 1).flatMap((slot) => slot.entries.map((e) => e.o.id + e.x.key)));
  append(page, 
    h("p", { class: "crumb" }, h("a", { href: to("models") }, "Models")),
    h("div", { class: "title" },
      h("h1", { tabindex: "-1", class: "name" }, nameOf(m.identity)),
      h("a", { class: "button", href: to("models", { compare: [...new Set([...state.picked, m.key])].slice(-6).join(",") }) }, "Compare")),
    h("p", { class: "soft" }, [m.runtimes.length ? "Runs on " + m.runtimes.join(", ") : "", `${numberText(m.holding)} of ${count(m.total, "observation")} hold`, "last seen " + day(m.lastSeen)].filter(Boolean).join(" · ")),
    m.holding === 0 ? h("p", { class: "notice" }, "Nothing that was said of this model holds any more.") : null,
    cards(m, slots),
    contradictions(m, slots, facts),
    timeLine(m, entries, contradictory, query));
}

// slotsOf gathers facts by slot: those that hold, and their distinct values.
function slotsOf(facts) {
  const slots = new Map();
  for (const e of facts) {
    if (!e.o.holds) continue;
    let slot = slots.get(e.slot);
    if (!slot) slots.set(e.slot, (slot = { key: e.x.key, scope: e.o.execution, task: e.o.task, entries: [], values: [] }));
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
  return h("section", {}, h("h2", {}, "Facts that hold"),
    h("dl", { class: "cards" }, slots.filter((slot) => !isPlain(slot)).map((slot) => h("div", { class: slot.values.length > 1 ? "card conflicting" : "card" },
      h("dt", {}, keyText(slot.key)),
      h("dd", {}, slot.values.map((v, i) => [i ? h("span", { class: "soft" }, " or ") : null, h("a", { class: "value", href: to("model/" + m.key, { k: slot.key }), title: exactText(v.value, v.unit) }, valueText(v.value, v.unit))]),
        slot.values.length > 1 ? h("span", { class: "conflict" }, " ◆") : null,
        h("small", {}, [unitText(slot.values[0].unit), scopes.size > 1 ? runsOn(slot.scope) : "", slot.task ? taskText(slot.task) : ""].filter(Boolean).join(" · ")))))),
    switches.length ? h("dl", { class: "switches" }, switches.map((slot) => h("div", { class: slot.values[0].value ? "" : "off" },
      h("dt", {}, keyText(slot.key), scopes.size > 1 ? h("small", {}, " " + runsOn(slot.scope)) : null), h("dd", { title: exactText(slot.values[0].value) }, h("a", { href: to("model/" + m.key, { k: slot.key }) }, valueText(slot.values[0].value)))))) : null);
}

// contradictions puts the facts of a slot side by side that say different things.
function contradictions(m, slots, facts) {
  const now = slots.filter((slot) => slot.values.length > 1);
  const past = m.conflicts.filter((c) => !now.some((slot) => slot.entries.some((e) => c.observationIds.includes(e.o.id) && e.x.key === c.measurementKey)));
  if (!now.length && !past.length) return null;
  return h("section", {}, h("h2", {}, "Contradictions ", h("span", { class: "conflict" }, "◆")),
    now.map((slot) => contradiction(slot.key, slot.scope, slot.entries, true)),
    past.map((c) => contradiction(c.measurementKey, c.execution, facts.filter((e) => e.x.key === c.measurementKey && c.observationIds.includes(e.o.id)), false)));
}

function contradiction(key, scope, entries, isNow) {
  const spans = disputes(entries);
  const until = spans.at(-1)?.[1];
  const classes = [...new Set(entries.map((e) => e.o.sourceClass))].filter((c) => said(entries.filter((e) => e.o.sourceClass === c)) === 1);
  const end = !isNow ? "It is over: they do not all hold any more." : (until ? `It ends by itself on ${day(until)}, as evidence expires` : "It does not end by itself") + (classes.length ? `; admitting ${classes.join(" or ")} evidence alone would end it.` : ".");
  return h("div", { class: "versus" },
    h("h3", {}, key, h("span", { class: "soft" }, " on " + runsOn(scope))),
    h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Contradiction of " + key }, h("table", {},
      h("thead", {}, h("tr", {}, ["Value", "Source", "Seen", "Holds until", "Evidence"].map((t) => column(t)))),
      h("tbody", {}, entries.map(({ o, x }) => h("tr", { class: o.holds ? "" : "gone" },
        h("td", { title: exactText(x.value, x.unit) }, wholeText(x.value, x.unit ?? null)), h("td", {}, o.sourceClass), h("td", {}, minute(o.freshness.observedAt)),
        h("td", {}, minute(o.freshness.validUntil)), h("td", {}, [...new Set(o.evidence.map((e) => e.uri || e.id))].map((e) => h("div", {}, link(e))))))))),
    h("p", { class: "soft" }, `They overlap ${spans.map(([from, to]) => `from ${day(from)} to ${to ? day(to) : "no end"}`).join(" and ")}. ${end}`));
}

// said counts the different values of facts.
const said = (entries) => new Set(entries.map(({ x }) => JSON.stringify([x.value, x.unit ?? null]))).size;

// disputes are the times in which facts say different things: [from, to], null for no end.
function disputes(entries) {
  const spans = [];
  const times = entries.flatMap(({ o }) => [o.freshness.observedAt, o.freshness.validUntil]);
  for (const at of [...new Set(times.filter(Boolean))].sort()) {
    const isOpen = spans.length && spans.at(-1)[1] === null;
    const differ = said(entries.filter(({ o: { freshness: f } }) => f.observedAt <= at && (!f.validUntil || f.validUntil > at))) > 1;
    if (differ && !isOpen) spans.push([at, null]);
    if (!differ && isOpen) spans.at(-1)[1] = at;
  }
  return spans;
}

// timeLine has a row for each observation and key, with a bar from when it was observed
// until when it holds.
function timeLine(m, entries, contradictory, { k: key, o: observation }) {
  const asOf = Date.parse(m.asOf);
  const byKey = new Map();
  for (const e of entries) byKey.set(e.x.kind + e.x.key, [...(byKey.get(e.x.kind + e.x.key) || []), e]);
  const groups = [...byKey.values()].sort((a, b) => (a[0].x.kind < b[0].x.kind ? -1 : a[0].x.kind > b[0].x.kind ? 1 : compareKeys(a[0].x.key, b[0].x.key)));
  for (const g of groups) g.sort((a, b) => (a.o.freshness.observedAt < b.o.freshness.observedAt ? 1 : -1));
  const begin = Math.min(...entries.map((e) => Date.parse(e.o.freshness.observedAt)));
  const ends = entries.map((e) => e.o.freshness.validUntil).filter(Boolean).map((t) => Date.parse(t));
  const room = Math.max((asOf - begin) * 0.35, 14 * 864e5);
  const end = Math.min(Math.max(asOf + room / 2, ...ends), asOf + room);
  const x = (at) => Math.max(0, Math.min(100, ((at - begin) / (end - begin)) * 100));
  const list = h("div", { class: "lines" });
  const now = h("div", { class: "nowline", "aria-hidden": "true" });
  now.style.setProperty("--at", x(asOf) / 100);
  let asked = null; // the row that the address names: the first of a key, or an observation
  const sources = new Map(); // which paper has below the rows, whose numbers name them
  const notes = (o) => [...new Set(o.evidence.map((e) => e.uri || e.id))].map((e) => sources.get(e) || sources.set(e, sources.size + 1).size).join(", ");
  const draw = (most) => {
    let n = 0;
    put(list, now);
    for (const group of groups) {
      if (n >= most) break;
      append(list, h("h3", {}, group[0].x.key, h("span", { class: "soft" }, ` ${group[0].x.kind}, ${count(group.length, "observation")}`)));
      for (const e of group) {
        if (n++ >= most) break;
        const row = lineOf(e, x, contradictory.has(e.o.id + e.x.key), m, notes(e.o));
        if (!asked && (!key || e.x.key === key) && (!observation || e.o.id === observation) && (key || observation)) asked = row;
        append(list, row);
      }
    }
    if (n >= most && entries.length > most) append(list, h("p", {}, h("button", { onclick: () => draw(Infinity) }, `Show all ${numberText(entries.length)}`)));
    append(list, h("ol", { class: "paper" }, [...sources.keys()].map((e) => h("li", {}, e))));
  };
  draw(mostRows);
  if (!asked && (key || observation)) draw(Infinity);
  if (asked) {
    asked.open = true;
    requestAnimationFrame(() => asked.scrollIntoView({ block: "center" }));
  }
  const lines = () => [["key", "kind", "value", "unit", "runs on", "task", "observed at", "valid until", "holds", "source class", "observation", "evidence"],
    ...groups.flat().map(({ o, x }) => [x.key, x.kind, x.value, x.unit ?? null, runsOn(o.execution), taskText(o.task), o.freshness.observedAt, o.freshness.validUntil, o.holds, o.sourceClass, o.id, o.evidence.map((e) => e.uri || e.id).join(" ")])];
  const mark = h("span", { class: "asof" }, "as of " + day(m.asOf));
  mark.style.left = Math.max(8, Math.min(85, x(asOf))) + "%";
  return h("section", {}, h("div", { class: "bar" }, h("h2", {}, "Time line"), tools("model", lines)),
    h("div", { class: "scale", "aria-hidden": "true" }, x(asOf) > 25 ? h("span", {}, day(new Date(begin).toISOString())) : null, mark), list);
}

function lineOf({ o, x: measured }, x, isConflict, m, notes) {
  const { observedAt, validUntil } = o.freshness;
  const [from, until] = [x(Date.parse(observedAt)), validUntil ? x(Date.parse(validUntil)) : 100];
  const state = isConflict ? "conflicting" : o.holds ? "holding" : "expired";
  const width = Math.max(until - from, 0.8);
  const id = "fade" + o.id.slice(0, 8) + Math.random().toString(36).slice(2, 8);
  const bar = s("svg", { class: "span " + state, viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true" },
    !validUntil ? s("defs", {}, s("linearGradient", { id }, s("stop", { offset: "0.6", class: "solid" }), s("stop", { offset: "1", class: "faded" }))) : null,
    s("rect", { x: Math.min(from, 99), y: 4, width, height: 4, fill: !validUntil ? `url(#${id})` : null, "vector-effect": "non-scaling-stroke" }));
  const says = isConflict ? "contradicted" : o.holds ? "holds" : "expired";
  const detail = h("div", { class: "detail" });
  const row = h("details", { class: "row " + state, ontoggle: () => { if (row.open && !detail.firstChild) append(detail, ...evidenceOf(o, m)); } },
    h("summary", {},
      h("span", { class: "scope", title: runsOn(o.execution) }, runsOn(o.execution), o.task ? h("span", { class: "soft" }, " · " + taskText(o.task)) : null),
      h("span", { class: "value", title: exactText(measured.value, measured.unit) }, isConflict ? h("span", { class: "conflict" }, "◆ ") : null, shortText(measured.value, measured.unit ?? null), h("span", { class: "paper soft" }, ` [${notes}]`)),
      bar, h("span", { class: "away" }, `${says}, ${minute(observedAt)} to ${minute(validUntil)}`)),
    detail);
  return row;
}

// evidenceOf is everything that an observation says: scope, task, uncertainty, evidence.
function evidenceOf(o, m) {
  const command = `svc show ${state.extras.catalogFile ? quote(state.extras.catalogFile) : "CATALOG"} ${o.id.slice(0, 12)}`;
  const button = h("button", { onclick: () => copy(command, button) }, "Copy");
  const rows = [
    ["observation", h("span", { class: "mono" }, o.id)],
    ["observed", minute(o.freshness.observedAt)], ["holds until", minute(o.freshness.validUntil)],
    ["source", o.sourceClass + ", " + o.kind + (o.outcome ? ", " + o.outcome.status + (o.outcome.reason ? ": " + o.outcome.reason : "") : "")],
    ...scopeRows(o.execution),
    ["task", taskText(o.task) + (o.task ? `, judged by ${o.task.evaluator.id}${o.task.evaluator.version ? " " + o.task.evaluator.version : ""}` : "")],
    ["uncertainty", o.uncertainty.level], ["basis", o.uncertainty.basis.join("; ")], ["gaps", o.uncertainty.gaps.join("; ") || "none named"],
    ...o.measurements.map((x) => [x.key, wholeText(x.value, x.unit ?? null)]),
  ];
  const { holds, ...whole } = o;
  return [
    h("dl", { class: "members" }, rows.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))),
    h("h4", {}, "Evidence"),
    h("ul", { class: "evidences" }, o.evidence.map((e) => h("li", {}, h("span", {}, e.kind + " "), h("span", { class: "mono" }, e.id), e.uri ? [h("br"), link(e.uri)] : null,
      e.digest ? h("div", { class: "mono soft" }, "sha256 " + e.digest.value) : null))),
    h("p", {}, h("code", {}, command), " ", button),
    h("details", { class: "fold" }, h("summary", {}, "The whole observation as JSON"), h("pre", { tabindex: "0" }, JSON.stringify(whole, null, 2))),
  ];
}

// quote makes one word for a shell of any text.
export const quote = (text) => (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-") ? text : "'" + text.replaceAll("'", "'\\''") + "'");

// compare shows up to six models side by side, the keys first in which they differ.
export async function compare(page, { query }) {
  const answer = await ask("together", { models: (query.models || "").split(",").filter(Boolean).slice(0, 6) });
  if (answer.models.length === 0) return append(page, h("h1", { tabindex: "-1" }, "Compare"), h("p", {}, "Pick models in the ", h("a", { href: to("models") }, "list"), " to compare them."));
  const text = (c) => (c && c.n ? JSON.stringify([c.low, c.high, c.texts, c.unit]) : "");
  const differs = (row) => new Set(row.cells.map(text)).size > 1;
  const known = (row) => row.cells.filter(text).length > 1;
  const rows = [...answer.rows].sort((a, b) => differs(b) - differs(a) || known(b) - known(a) || compareKeys(a.key, b.key));
  const lines = () => [["key", ...answer.models.map((m) => plainName(m.identity))], ...rows.map((r) => [r.key, ...r.cells.map((c) => (c && c.n ? c.low ?? c.texts.join(" ") : null))])];
  const same = rows.findIndex((r) => !differs(r));
  append(page, 
    h("h1", { tabindex: "-1" }, count(answer.models.length, "model"), h("span", {}, " side by side")),
    h("div", { class: "bar" }, h("p", { class: "soft" }, "What differs comes first."), tools("compare", lines)),
    h("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Comparison" }, h("table", { class: "sides" },
      h("thead", {}, h("tr", {}, column("Key"), answer.models.map((m) => column(h("a", { href: to("model/" + m.key) }, nameOf(m.identity)), true)))),
      h("tbody", {}, rows.map((row, i) => {
        const first = row.cells.find((c) => c && c.unit);
        return h("tr", { class: i === same && i ? "first same" : differs(row) ? "" : "same" },
          h("th", { scope: "row" }, keyText(row.key), first ? h("small", {}, " " + unitText(first.unit)) : null),
          row.cells.map((c, i) => cellOf(row.key, c, null, answer.models[i].key)));
      })))));
  announce(count(answer.models.length, "model") + " side by side");
}
