// The screen "Sources": where the numbers come from, of what day, and what was left out.
import { append, fold, h, heads, link, region, rowHead, title } from "./dom.js";
import { count, day, joined, numberText, valueText } from "./text.js";
import { state } from "./source.js";
import { tools } from "./tools.js";

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

export function sources(page) {
  const { overview, extras } = state;
  const built = new Map((extras.sources ?? []).map((s) => [s.id, s]));
  const list = [
    ...overview.sources,
    ...(extras.sources ?? [])
      .filter((s) => !overview.sources.some((o) => o.id === s.id))
      .map((s) => ({ id: s.id, rows: 0, observations: 0, seen: s.seenAt })),
  ].map((s) => ({
    ...s,
    ...built.get(s.id),
    rows: built.get(s.id)?.rows ?? s.rows,
    observations: s.observations,
    seen: built.get(s.id)?.seenAt ?? s.seen,
  }));
  const lines = () => [
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
  append(
    page,
    h("div.bar", title(count(list.length, "source")), tools("sources", lines)),
    h(
      "p.soft",
      ageText(overview),
      extras.sources
        ? ""
        : "No record of the build is beside the catalog: licences, and rows that were left out, are not known.",
    ),
    region(
      "Sources",
      "table",
      h(
        "table",
        heads(["Source", "Seen", "Licence"], ["Rows read", "Left out", "Observations"], ["What is missing"]),
        h(
          "tbody",
          list.map((s) =>
            h(
              "tr",
              rowHead(
                s.site ? link(s.site, s.attribution || s.id) : s.id,
                s.attribution && h("small.soft.keyline", s.id),
              ),
              h(
                "td.runs",
                { "data-label": "seen" },
                day(s.seen),
                s.seen && `, ${count(Math.max(0, daysSince(s.seen)), "day")} ago`,
                s.revision && h("small.soft.keyline", s.revision.slice(0, 12)),
              ),
              h("td.runs", { "data-label": "licence" }, s.license || (s.state ? "none stated" : "–")),
              h("td.number", { "data-label": "rows" }, numberText(s.rows)),
              h(
                "td.number",
                { "data-label": "left out", title: joined([reasons(s.skipped), reasons(s.leftOut)], "\n") },
                s.skipped ? `${numberText(sum(s.skipped))} rows, ${numberText(sum(s.leftOut))} values` : "–",
              ),
              h("td.number", { "data-label": "observations" }, numberText(s.observations)),
              h(
                "td.runs",
                (s.reason || s.unknown?.[0]) && { "data-label": "missing" },
                s.reason,
                s.unknown?.[0] &&
                  fold(
                    `${count(s.unknown.length, "row is", "rows are")} no model here`,
                    h(
                      "ul.names",
                      s.unknown
                        .slice(0, 500)
                        .map((u) =>
                          h("li", u.label, h("small.soft", " " + u.values.map((v) => valueText(v.value)).slice(0, 1))),
                        ),
                    ),
                  ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
