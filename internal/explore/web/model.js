// The screen of one model: what is known, since when, until when, from whom? And the table
// that compares up to six of them.
import {
  h,
  button,
  fold,
  isNarrow,
  line,
  linkTo,
  region,
  rowHead,
  s,
  heads,
  label,
  terms,
  title,
  link,
  copyButton,
  announce,
  put,
  append,
} from "./dom.js";
import {
  compareKeys,
  compareText,
  contentOf,
  count,
  infoOf,
  keyName,
  day,
  exact,
  entryOf,
  groupsOf,
  holdsAt,
  joined,
  minute,
  nameOf,
  nameOfKey,
  namesOffer,
  numberText,
  placeOf,
  plainName,
  runsOn,
  scopeRows,
  shortText,
  sureness,
  taskText,
  unitText,
  valueText,
  versionText,
  way,
  wholeText,
  yesFirst,
} from "./text.js";
import { to, toModel } from "./address.js";
import { ask, state } from "./source.js";
import { tools } from "./tools.js";
import { cellOf, whereMeasured } from "./models.js";

const mostRows = 200;

export async function model(page, { rest: [key], query }) {
  const m = await ask("model", { key });
  if (!m)
    return append(
      page,
      title("No such model"),
      h("p", "No model of this catalog has this key. ", linkTo(to("models"), "All models")),
    );
  const entries = m.observations.flatMap((o) =>
    o.measurements.map((x) => ({
      o,
      x,
      slot: x.key + "\n" + JSON.stringify(o.execution) + "\n" + JSON.stringify(o.task),
    })),
  );
  const facts = entries.filter((e) => e.x.kind === "fact");
  const slots = slotsOf(facts);
  const contradictory = new Set(
    slots.filter((slot) => isTorn(slot)).flatMap((slot) => slot.entries.map((e) => e.o.id + e.x.key)),
  );
  append(
    page,
    h("p.crumb", linkTo(to("models"), "Models")),
    h(
      "div.title",
      h("h1.name", { tabindex: "-1" }, nameOf(m.identity)),
      h(
        "a.button",
        { href: to("models", { compare: [...new Set([...state.picked, m.key])].slice(-6).join(",") }) },
        "Compare",
      ),
    ),
    h(
      "p.soft",
      joined([
        m.runtimes.length > 6
          ? `Runs in ${m.runtimes.length} places`
          : m.runtimes[0] && "Runs on " + m.runtimes.join(", "),
        whereMeasured(m),
        `${numberText(m.holding)} of ${count(m.total, "observation")} hold`,
        "last seen " + day(m.lastSeen),
      ]),
    ),
    m.holding === 0 && h("p.notice", "Everything known of this model has expired."),
    offers(m),
    scores(m),
    history(m, facts),
    cards(m, slots),
    contradictions(m, slots, facts),
    timeLine(m, entries, contradictory, query),
  );
}

// isTorn: facts of the slot contradict each other.
const isTorn = (slot) => slot.values.length > 1 && !namesOffer(slot.key);

// slotsOf gathers facts by slot: those that hold, and their distinct values.
function slotsOf(facts) {
  const values = (entries) =>
    [...groupsOf(entries, ({ x }) => contentOf(x))].map(([text, [{ x }]]) => ({
      text,
      value: x.value,
      unit: x.unit ?? null,
    }));
  const slots = groupsOf(
    facts.filter((e) => e.o.holds),
    (e) => e.slot,
  );
  return [...slots.values()]
    .map((entries) => ({
      key: entries[0].x.key,
      scope: entries[0].o.execution,
      task: entries[0].o.task,
      entries,
      values: values(entries),
    }))
    .sort((a, b) => compareKeys(a.key, b.key) || (runsOn(a.scope) < runsOn(b.scope) ? -1 : 1));
}

// columnsOf are the numbers that most places state of a model that several sell.
const columnsOf = ({ places }) =>
  places.length < 2
    ? []
    : [
        ...groupsOf(
          places.flatMap((p) => Object.keys(p.cells).filter((key) => "low" in p.cells[key] && !key.includes("@"))),
          (key) => key,
        ),
      ]
        .sort((a, b) => b[1].length - a[1].length || compareKeys(a[0], b[0]))
        .slice(0, 6)
        .map(([key]) => key)
        .sort(compareKeys);

// offers is a table of the places that sell a model: those that do so as usual first, the cheapest
// before all. The lowest price of each column is bold, unless lists contradict each other about it.
export function offers(m, isInside) {
  const keys = columnsOf(m);
  if (!keys.length)
    return isInside
      ? h("p.soft", "One seller offers it: ", linkTo(toModel(m.key), "what is known of the offer"))
      : null;
  const bounds = Object.fromEntries(
    keys.map((key) => {
      const held = m.places
        .filter((p) => p.usual)
        .map((p) => p.cells[key])
        .filter((c) => c?.n);
      return [key, { least: Math.min(...held.map((c) => c.low)), unit: held[0]?.unit ?? null }];
    }),
  );
  const isPrice = (key) => (bounds[key].unit || "").startsWith("USD");
  const by = keys.find((key) => isPrice(key) && way(key) === 1) || keys[0];
  const value = (p) => (p.cells[by]?.n ? p.cells[by].low : Infinity);
  const rows = [...m.places].sort(
    (a, b) => b.usual - a.usual || (value(a) === value(b) ? (a.place < b.place ? -1 : 1) : value(a) - value(b)),
  );
  const cell = (p, key) => {
    const said = p.cells[key];
    const node = cellOf(key, said?.low === undefined && said?.n ? null : said, bounds[key], m.key);
    if (p.usual && isPrice(key) && said?.n && !said.conflict && said.low === bounds[key].least)
      node.classList.add("least");
    return node;
  };
  const table = h(
    "table",
    heads(
      ["Seller", "Service"],
      keys.map((key) => [keyName(key), h("small", unitText(bounds[key].unit) || " ")]),
      ["Holds until"],
    ),
    h(
      "tbody",
      rows.map((p) =>
        h(
          "tr",
          { class: p.usual ? "" : "gone" },
          rowHead(p.parts.length ? p.place.slice(0, p.place.indexOf(":")) : p.place),
          h("td.runs", { "data-label": "service" }, joined([...p.parts, p.ended && "ended"], ", ") || "as usual"),
          keys.map((key) => cell(p, key)),
          h("td.runs", { "data-label": "until" }, day(p.until)),
        ),
      ),
    ),
  );
  if (isInside) return table;
  return h(
    "section",
    h("h2", "Offers"),
    h("p.soft.sure", `By ${nameOfKey(by)}.${isPrice(by) ? " The lowest price of each column is bold." : ""}`),
    region("Offers", "table.places", table),
  );
}

// scores is a table of what benchmarks came to, as a ranking has it.
function scores(m) {
  const keys = m.keys.filter((key) => m.cells[key].means).sort(compareKeys);
  if (!keys.length) return null;
  return h(
    "section",
    h("h2", "Benchmarks"),
    region(
      "Benchmarks",
      "table",
      h(
        "table",
        heads(["Benchmark"], ["Mean of tasks"], ["How sure", "Measured with"]),
        h(
          "tbody",
          keys.flatMap((key) =>
            m.cells[key].means.map((v) =>
              h(
                "tr",
                rowHead(linkTo(toModel(m.key, key), keyName(key)), h("small.soft.keyline", infoOf(key)?.line)),
                h("td.number", exact(v), wholeText(v.value, v.unit)),
                h("td.runs", v.estimate && v.estimate.low !== null ? sureness(v.estimate) : ""),
                h("td.runs", runsOn(v.execution)),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

// history draws prices that changed, a line for each seller.
function history(m, facts) {
  const end = Date.parse(m.asOf);
  const isPrice = ({ o, x }) =>
    typeof x.value === "number" && (x.unit || "").startsWith("USD") && placeOf(o.execution) && !x.key.includes("@");
  const figures = [...groupsOf(facts.filter(isPrice), (e) => e.x.key)]
    .sort(([a], [b]) => compareKeys(a, b))
    .map(([key, entries]) => {
      const lines = [...groupsOf(entries, (e) => placeOf(e.o.execution))]
        .map(([place, list]) => ({
          place,
          steps: list
            .map(({ o, x }) => ({
              from: Date.parse(o.freshness.observedAt),
              until: Math.min(end, o.freshness.validUntil ? Date.parse(o.freshness.validUntil) : end),
              value: x.value,
              unit: x.unit,
            }))
            .sort((a, b) => a.from - b.from),
        }))
        .filter(({ steps }) => new Set(steps.map((step) => step.value)).size > 1)
        .slice(0, 6);
      return lines[0] && h("figure", h("figcaption.soft", keyName(key)), chart(key, lines, end));
    })
    .filter(Boolean)
    .slice(0, 3);
  return figures[0] && h("section", h("h2", "Prices over time"), h("div.halves", figures));
}

function chart(key, lines, end) {
  const [width, height, foot, room] = [isNarrow() ? 340 : 520, 160, 20, 130];
  const steps = lines.flatMap((l) => l.steps);
  const begin = Math.min(...steps.map((step) => step.from));
  const most = Math.max(...steps.map((step) => step.value)) || 1;
  const x = (at) => ((at - begin) / Math.max(1, end - begin)) * (width - room);
  const y = (value) => height - (value / most) * (height - 16);
  const names = lines.map(({ place, steps }) => ({ place, at: 0, ...steps.at(-1) })).sort((a, b) => a.value - b.value);
  let last = -Infinity;
  for (const name of names) {
    last = Math.max(last + 14, height - y(name.value));
    name.at = last;
  }
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} ${height + foot}`,
      width,
      height: height + foot,
      role: "img",
      "aria-label": `${nameOfKey(key)} over time: ${lines.map(({ place, steps }) => `${place} from ${shortText(steps[0].value, steps[0].unit)} to ${shortText(steps.at(-1).value, steps.at(-1).unit)}`).join("; ")}`,
      class: "history",
    },
    line(0, width - room, height, height, ".axis"),
    label(0, height + 15, day(new Date(begin).toISOString())),
    label(width - room, height + 15, day(new Date(end).toISOString()), "end"),
    lines.map(({ steps }, i) =>
      s("path", {
        class: "series" + ((i % 5) + 1),
        d: steps
          .map(
            (step, k) =>
              `${k ? "L" : "M"}${x(step.from).toFixed(1)} ${y(step.value).toFixed(1)}H${x(step.until).toFixed(1)}`,
          )
          .join(""),
      }),
    ),
    names.map((name) =>
      label(width - room + 6, height - name.at + 4, `${shortText(name.value, name.unit)} ${name.place}`.slice(0, 22)),
    ),
  );
}

function cards(m, slots) {
  const told = columnsOf(m); // in the table of places
  slots = slots.filter(
    (slot) => (!(told.includes(slot.key) && placeOf(slot.scope)) && !slot.key.startsWith("offer.")) || isTorn(slot),
  );
  if (!slots.length) return null;
  const all = new Set(slots.map((slot) => runsOn(slot.scope))).size;
  const isPlain = (slot) => slot.values.length === 1 && typeof slot.values[0].value === "boolean";
  // What several places say alike is said once.
  const groups = [
    ...groupsOf(slots, (slot) => JSON.stringify([slot.key, slot.task, slot.values.map((v) => v.text)])).values(),
  ];
  const where = (group) => {
    const names = [...new Set(group.map((slot) => runsOn(slot.scope)))];
    return names.length === all ? "" : names.length > 2 ? `${names.length} places` : names.join(", ");
  };
  const link = (slot, v) => h("a.value", { href: toModel(m.key, slot.key), ...exact(v) }, valueText(v.value, v.unit));
  const switches = groups.filter(([slot]) => isPlain(slot));
  return h(
    "section",
    h("h2", "Facts that hold"),
    h(
      "dl.cards",
      groups
        .filter(([slot]) => !isPlain(slot))
        .map(([slot, ...more]) =>
          h(
            "div",
            { class: isTorn(slot) ? "card conflicting" : "card" },
            h("dt", keyName(slot.key)),
            h(
              "dd",
              slot.values.map((v, i) => [i > 0 && h("span.soft", " or "), link(slot, v)]),
              isTorn(slot) && h("span.conflict", " ◆"),
              h(
                "small",
                joined([unitText(slot.values[0].unit), where([slot, ...more]), slot.task && taskText(slot.task)]),
              ),
            ),
          ),
        ),
    ),
    switches[0] &&
      h(
        "dl.switches",
        switches.map(([slot, ...more]) =>
          h(
            "div",
            { class: slot.values[0].value ? "" : "off" },
            h("dt", keyName(slot.key), h("small", " " + where([slot, ...more]))),
            h("dd", link(slot, slot.values[0])),
          ),
        ),
      ),
  );
}

// contradictions puts the facts of a slot side by side that say different things.
function contradictions(m, slots, facts) {
  const now = slots.filter((slot) => isTorn(slot));
  const past = m.past.filter(
    (c) =>
      !now.some((slot) => slot.entries.some((e) => c.observationIds.includes(e.o.id) && e.x.key === c.measurementKey)),
  );
  if (!now.length && !past.length) return null;
  return h(
    "section",
    h("h2", "Contradictions ", h("span.conflict", "◆")),
    now.map((slot) => contradiction(slot.key, slot.scope, slot.entries, true)),
    past.map((c) =>
      contradiction(
        c.measurementKey,
        c.execution,
        facts.filter((e) => e.x.key === c.measurementKey && c.observationIds.includes(e.o.id)),
        false,
      ),
    ),
  );
}

function contradiction(key, scope, entries, isNow) {
  const spans = disputes(entries);
  const until = spans.at(-1)?.[1];
  const classes = [...new Set(entries.map((e) => e.o.sourceClass))].filter(
    (c) => said(entries.filter((e) => e.o.sourceClass === c)) === 1,
  );
  const end = !isNow
    ? "It is over: they do not all hold any more."
    : (until ? `It ends by itself on ${day(until)}, as evidence expires` : "It does not end by itself") +
      (classes.length ? `; admitting ${classes.join(" or ")} evidence alone would end it.` : ".");
  return h(
    "div.versus",
    h("h3", key, h("span.soft", " on " + runsOn(scope))),
    region(
      "Contradiction of " + key,
      "table",
      h(
        "table",
        heads(["Value", "Source", "Seen", "Holds until", "Evidence"]),
        h(
          "tbody",
          entries.map(({ o, x }) =>
            h(
              "tr",
              { class: o.holds ? "" : "gone" },
              h("td", exact(x), wholeText(x.value, x.unit)),
              h("td", o.sourceClass),
              h("td", minute(o.freshness.observedAt)),
              h("td", minute(o.freshness.validUntil)),
              h(
                "td",
                papersOf(o).map((e) => h("div", link(e))),
              ),
            ),
          ),
        ),
      ),
    ),
    h(
      "p.soft",
      `They overlap ${spans.map(([from, to]) => `from ${day(from)} to ${to ? day(to) : "no end"}`).join(" and ")}. ${end}`,
    ),
  );
}

// papersOf is what the evidence of an observation is.
const papersOf = (o) => [...new Set(o.evidence.map((e) => e.uri || e.id))];

// said counts the different values of facts.
const said = (entries) => new Set(entries.map(({ x }) => contentOf(x))).size;

// disputes are the times in which facts say different things: [from, to], null for no end.
function disputes(entries) {
  const spans = [];
  const times = entries.flatMap(({ o }) => [o.freshness.observedAt, o.freshness.validUntil]);
  for (const at of [...new Set(times.filter(Boolean))].sort()) {
    const isOpen = spans.length && spans.at(-1)[1] === null;
    const differ = said(entries.filter(({ o }) => holdsAt(o.freshness, at))) > 1;
    if (differ && !isOpen) spans.push([at, null]);
    if (!differ && isOpen) spans.at(-1)[1] = at;
  }
  return spans;
}

// timeLine has a row for each observation and key, with a bar from when it was observed
// until when it holds.
function timeLine(m, entries, contradictory, { k: key, o: observation }) {
  const asOf = Date.parse(m.asOf);
  const groups = [...groupsOf(entries, (e) => e.x.kind + e.x.key).values()].sort(
    (a, b) => compareText(a[0].x.kind, b[0].x.kind) || compareKeys(a[0].x.key, b[0].x.key),
  );
  for (const g of groups) g.sort((a, b) => (a.o.freshness.observedAt < b.o.freshness.observedAt ? 1 : -1));
  const begin = Math.min(...entries.map((e) => Date.parse(e.o.freshness.observedAt)));
  const ends = entries
    .map((e) => e.o.freshness.validUntil)
    .filter(Boolean)
    .map((t) => Date.parse(t));
  const room = Math.max((asOf - begin) * 0.35, 14 * 864e5);
  const end = Math.min(Math.max(asOf + room / 2, ...ends), asOf + room);
  const x = (at) => Math.max(0, Math.min(100, ((at - begin) / (end - begin)) * 100));
  const list = h("div.lines");
  const now = h("div.nowline", { "aria-hidden": "true" });
  now.style.setProperty("--at", String(x(asOf) / 100));
  /** @type {HTMLDetailsElement} */
  let asked = null; // the row that the address names: the first of a key, or an observation
  const sources = new Map(); // which paper has below the rows, whose numbers name them
  const notes = (o) =>
    papersOf(o)
      .map((e) => entryOf(sources, e, () => sources.size + 1))
      .join(", ");
  const draw = (most) => {
    let n = 0;
    put(list, now);
    for (const group of groups) {
      if (n >= most) break;
      append(
        list,
        h("h3", group[0].x.key, h("span.soft", ` ${group[0].x.kind}, ${count(group.length, "observation")}`)),
      );
      for (const e of group) {
        if (n++ >= most) break;
        const row = lineOf(e, x, contradictory.has(e.o.id + e.x.key), notes(e.o));
        if (!asked && (!key || e.x.key === key) && (!observation || e.o.id === observation) && (key || observation))
          asked = row;
        append(list, row);
      }
    }
    if (n >= most && entries.length > most)
      append(
        list,
        h(
          "p",
          button(`Show all ${numberText(entries.length)}`, () => draw(Infinity)),
        ),
      );
    append(
      list,
      h(
        "ol.paper",
        [...sources.keys()].map((e) => h("li", e)),
      ),
    );
  };
  draw(mostRows);
  if (!asked && (key || observation)) draw(Infinity);
  if (asked) {
    asked.open = true;
    requestAnimationFrame(() => asked.scrollIntoView({ block: "center" }));
  }
  const lines = () => [
    [
      "key",
      "kind",
      "value",
      "unit",
      "runs on",
      "task",
      "observed at",
      "valid until",
      "holds",
      "source class",
      "observation",
      "evidence",
    ],
    ...groups
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
      ]),
  ];
  const mark = h("span.asof", "as of " + day(m.asOf));
  mark.style.left = Math.max(8, Math.min(85, x(asOf))) + "%";
  return h(
    "section",
    h("div.bar", h("h2", "Time line"), tools("model", lines)),
    h("div.scale", { "aria-hidden": "true" }, x(asOf) > 25 && h("span", day(new Date(begin).toISOString())), mark),
    list,
  );
}

function lineOf({ o, x: measured }, x, isConflict, notes) {
  const { observedAt, validUntil } = o.freshness;
  const [from, until] = [x(Date.parse(observedAt)), validUntil ? x(Date.parse(validUntil)) : 100];
  const state = isConflict ? "conflicting" : o.holds ? "holding" : "expired";
  const width = Math.max(until - from, 0.8);
  const bar = s(
    "svg",
    { class: `span ${state}${validUntil ? "" : " open"}`, viewBox: "0 0 100 12", preserveAspectRatio: "none" },
    s("rect", { x: Math.min(from, 99), y: 4, width, height: 4, "vector-effect": "non-scaling-stroke" }),
  );
  const says = isConflict ? "contradicted" : o.holds ? "holds" : "expired";
  const detail = h("div.detail");
  const row = h(
    "details",
    {
      class: "row " + state,
      ontoggle: () => {
        if (row.open && !detail.firstChild) append(detail, ...evidenceOf(o));
      },
    },
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
        exact(measured),
        isConflict && h("span.conflict", "◆ "),
        shortText(measured.value, measured.unit),
        h("span.paper.soft", ` [${notes}]`),
      ),
      bar,
      h("span.away", `${says}, ${minute(observedAt)} to ${minute(validUntil)}`),
    ),
    detail,
  );
  return row;
}

// evidenceOf is everything that an observation says: scope, task, uncertainty, evidence.
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

// quote makes one word for a shell of any text.
export const quote = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");

// compare shows up to six models side by side, the keys first in which they differ.
export async function compare(page, { query }) {
  const answer = await ask("together", { models: (query.models || "").split(",").filter(Boolean).slice(0, 6) });
  if (answer.models.length === 0)
    return append(
      page,
      title("Compare"),
      h("p", "Pick models in the ", linkTo(to("models"), "list"), " to compare them."),
    );
  const text = (c) => (c?.n ? JSON.stringify([c.means?.map((m) => m.value), c.low, c.high, c.texts, c.unit]) : "");
  // The best number is marked where the dictionary says which end is good.
  const best = (row) => {
    const info = infoOf(row.key);
    const held = row.cells.map((c) =>
      c?.n && !c.mixed && !c.conflict && (c.low ?? null) !== null ? (info.less ? c.low : c.high) : null,
    );
    const known = held.filter((v) => v !== null);
    const top =
      ["price", "limit", "quality", "speed"].includes(info?.family) && new Set(known).size > 1
        ? info.less
          ? Math.min(...known)
          : Math.max(...known)
        : null;
    const isDoubtful = row.cells.some((c) => c?.n && c.conflict && (info.less ? c.low < top : c.high > top)); // lists contradict each other about one that may be better
    return held.map((v) => top !== null && v === top && !isDoubtful);
  };
  const differs = (row) => new Set(row.cells.map(text)).size > 1;
  const known = (row) => row.cells.filter(text).length > 1;
  const rows = answer.rows
    .filter((row) => !row.key.startsWith("offer."))
    .sort((a, b) => yesFirst(differs(a), differs(b)) || yesFirst(known(a), known(b)) || compareKeys(a.key, b.key));
  const lines = () => [
    ["key", ...answer.models.map((m) => plainName(m.identity))],
    ...rows.map((r) => [
      r.key,
      ...r.cells.map((c) => (c?.n ? c.means?.map((m) => m.value).join(" ") || (c.low ?? c.texts.join(" ")) : null)),
    ]),
  ];
  const same = rows.findIndex((r) => !differs(r));
  append(
    page,
    title(count(answer.models.length, "model"), h("span", " side by side")),
    h("div.bar", h("p.soft", "What differs comes first. The best number of a row is bold."), tools("compare", lines)),
    region(
      "Comparison",
      "wide",
      h(
        "table.sides",
        heads(
          ["Key"],
          answer.models.map((m) => linkTo(toModel(m.key), nameOf(m.identity))),
        ),
        h(
          "tbody",
          rows.map((row, i) => {
            const first = row.cells.find((c) => c?.unit);
            const marks = best(row);
            return h(
              "tr",
              { class: i === same && i ? "first same" : differs(row) ? "" : "same" },
              rowHead(
                keyName(row.key),
                first && h("small", " " + unitText(first.unit)),
                h("small.soft.keyline", infoOf(row.key)?.line),
              ),
              row.cells.map((c, i) => {
                const node = cellOf(row.key, c, null, answer.models[i].key);
                if (marks[i]) append(node, h("span.away", ", the best"));
                if (marks[i]) node.classList.add("least");
                return node;
              }),
            );
          }),
        ),
      ),
    ),
  );
  announce(count(answer.models.length, "model") + " side by side");
}
