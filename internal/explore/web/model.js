// The screen of one model: what is known, since when, until when, from whom?
import { h, isNarrow, line, linkTo, region, rowHead, s, heads, label, title, link, append } from "./dom.js";
import {
  compareKeys,
  contentOf,
  count,
  infoOf,
  keyName,
  day,
  exact,
  groupsOf,
  holdsAt,
  joined,
  minute,
  nameOf,
  nameOfKey,
  namesOffer,
  numberText,
  placeOf,
  runsOn,
  shortText,
  sureness,
  taskText,
  unitText,
  valueText,
  way,
  wholeText,
} from "./text.js";
import { to, toModel } from "./address.js";
import { ask, state } from "./source.js";
import { whereMeasured } from "./models.js";
import { cellOf } from "./cell.js";
import { papersOf, TimeLine } from "./timeline.js";

/** @import { Detail, Entry, Slot } from "./types" */

export async function model(page, { rest: [key], query }) {
  /** @type {Detail | null} */
  const m = await ask("model", { key });
  if (!m)
    return append(
      page,
      title("No such model"),
      h("p", "No model of this catalog has this key. ", linkTo(to("models"), "All models")),
    );
  /** @type {Entry[]} */
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
    new TimeLine(m, entries, contradictory, query).node(),
  );
}

/**
 * isTorn: facts of the slot contradict each other.
 * @param {Slot} slot
 */
const isTorn = (slot) => slot.values.length > 1 && !namesOffer(slot.key);

/**
 * slotsOf gathers facts by slot: those that hold, and their distinct values.
 * @param {Entry[]} facts
 * @returns {Slot[]}
 */
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
  const keys = Object.keys(m.cells)
    .filter((key) => m.cells[key].means)
    .sort(compareKeys);
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
