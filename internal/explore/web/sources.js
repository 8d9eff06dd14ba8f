// The screen "Sources": where the numbers come from, of what day, and what was left out.
import { append, fold, h, heads, link, number, region, rowHead, title } from "./dom.js";
import { count, day, joined, numberText, valueText } from "./text.js";
import { state } from "./source.js";
import { tools } from "./tools.js";

/** @import { Source } from "./types" */

const sum = (counts) => Object.values(counts ?? {}).reduce((a, b) => a + b, 0);
const reasons = (counts) =>
  Object.entries(counts ?? {})
    .map(([name, n]) => `${numberText(n)} ${name}`)
    .join("\n");

// ageText says how old the catalog is and how many prices have expired since, by the reader's clock.
export function ageText({ asOf, expiry }) {
  const today = new Date().toISOString().slice(0, 10);
  const days = daysSince(asOf);
  const gone = expiry.filter((e) => e.day <= today).reduce((n, e) => n + e.prices, 0);
  return [
    `As of ${day(asOf)}`,
    days > 0 && `, ${count(days, "day")} ago`,
    gone > 0 && `; ${count(gone, "price has", "prices have")} expired since`,
    ". ",
  ];
}

const daysSince = (at) => Math.floor((Date.now() - Date.parse(at)) / 864e5);

/**
 * listed are the sources that the catalog has rows of, and those that its build says more of.
 * @returns {Source[]}
 */
function listed() {
  const built = new Map((state.extras.sources ?? []).map((s) => [s.id, s]));
  const cited = new Map(state.overview.sources.map((s) => [s.id, s]));
  return [...new Set([...cited.keys(), ...built.keys()])].map((id) => {
    const own = cited.get(id) ?? { id, rows: 0, observations: 0, seen: "" };
    const more = built.get(id);
    const { observations } = own;
    return { ...own, ...more, observations, rows: more?.rows ?? own.rows, seen: more?.seenAt ?? own.seen };
  });
}

// lines are the sources, as a file has them.
const lines = (list) => [
  [
    "source",
    "attribution",
    "site",
    "licence",
    "revision",
    "seen",
    "rows",
    "rows imported",
    "rows skipped",
    "values left out",
    "observations",
    "why not newer",
  ],
  ...list.map((s) => [
    s.id,
    s.attribution,
    s.site,
    s.license,
    s.revision,
    s.seen,
    s.rows,
    s.imported,
    sum(s.skipped),
    sum(s.leftOut),
    s.observations,
    s.reason,
  ]),
];

export function sources(page) {
  const { overview, extras } = state;
  const list = listed();
  const head = heads(["Source", "Seen", "Licence"], ["Rows read", "Left out", "Observations"], ["What is missing"]);
  append(
    page,
    h(
      "div.bar",
      title(count(list.length, "source")),
      tools("sources", () => lines(list)),
    ),
    h(
      "p.soft",
      ageText(overview),
      !extras.sources &&
        "No record of the build is beside the catalog: licences, and rows that were left out, are not known.",
    ),
    region("Sources", "table", h("table", head, h("tbody", list.map(row)))),
  );
}

/** @param {Source} s */
function row(s) {
  const left = s.skipped ? `${numberText(sum(s.skipped))} rows, ${numberText(sum(s.leftOut))} values` : "–";
  const why = joined([reasons(s.skipped), reasons(s.leftOut)], "\n");
  return h(
    "tr",
    rowHead(s.site ? link(s.site, s.attribution || s.id) : s.id, s.attribution && h("small.soft.keyline", s.id)),
    h(
      "td.runs",
      { "data-label": "seen" },
      day(s.seen),
      s.seen && `, ${count(Math.max(0, daysSince(s.seen)), "day")} ago`,
      s.revision && h("small.soft.keyline", s.revision.slice(0, 12)),
    ),
    h("td.runs", { "data-label": "licence" }, s.license || (s.state ? "none stated" : "–")),
    number("rows", numberText(s.rows)),
    number("left out", left, why),
    number("observations", numberText(s.observations)),
    h("td.runs", { "data-label": (s.reason || s.unknown?.[0]) && "missing" }, s.reason, unknown(s)),
  );
}

/**
 * unknown are the rows of a source that are of no model here.
 * @param {Source} s
 */
function unknown(s) {
  if (!s.unknown?.[0]) return null;
  const names = s.unknown
    .slice(0, 500)
    .map(({ label, values: [first] }) => h("li", label, first && h("small.soft", " " + valueText(first.value))));
  return fold(`${count(s.unknown.length, "row is", "rows are")} no model here`, h("ul.names", names));
}
