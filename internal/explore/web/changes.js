// The screen "Changes": what changed since the catalog before, and why rankings did.
import {
  h,
  button,
  isNarrow,
  linkTo,
  region,
  rowHead,
  s,
  heads,
  few,
  label,
  line,
  terms,
  title,
  searchField,
  announce,
  choice,
  put,
  append,
} from "./dom.js";
import {
  changeText,
  count,
  day,
  exact,
  keyText,
  minute,
  nameOf,
  numberText,
  plainName,
  runsOn,
  shortText,
  unitText,
  valueText,
} from "./text.js";
import { replace, toModel } from "./address.js";
import { state } from "./source.js";
import { tools } from "./tools.js";

/** @import { Change, Diff, DiffCandidate, DiffRanking } from "./types" */

const signs = {
  added: "+",
  revived: "+",
  backfilled: "+",
  renewed: "+",
  removed: "−",
  silenced: "−",
  expired: "−",
  changed: "~",
  settled: "~",
  contradicted: "◆",
};
const order = [
  "silenced",
  "removed",
  "contradicted",
  "changed",
  "settled",
  "expired",
  "added",
  "revived",
  "renewed",
  "backfilled",
];

export async function changes(page, { query }) {
  const { diff } = state.extras;
  if (!diff)
    return append(
      page,
      title("Changes"),
      h("p.empty", "There is no older catalog to compare with. Start with --against OLD."),
    );
  const filters = { q: query.q || "", key: query.key || "", kind: query.kind || "" };
  let shown = 100;
  const all = rowsOf(diff);
  const list = region("Changes", "table");
  const said = h("p.soft.found");
  const pass = (row) =>
    (!filters.key || row.key === filters.key) &&
    (!filters.kind || row.change === filters.kind) &&
    filters.q
      .toLowerCase()
      .split(/\s+/)
      .every((w) => row.name.toLowerCase().includes(w));
  const draw = () => {
    const kept = all.filter(pass);
    said.textContent = count(kept.length, "change");
    announce(said.textContent);
    put(list, kept.length ? table(kept.slice(0, shown)) : h("p.empty", "No change matches."));
    if (kept.length > shown)
      append(
        list,
        h(
          "p",
          button(`Show ${Math.min(100, kept.length - shown)} more`, () => {
            shown += 100;
            draw();
          }),
        ),
      );
  };
  const set = (name) => (value) => {
    filters[name] = value;
    shown = 100;
    replace("changes", filters);
    draw();
  };
  const keys = [...new Set(all.map((r) => r.key).filter(Boolean))].sort();
  const kinds = order.filter((kind) => all.some((r) => r.change === kind));
  const lines = () => [
    ["change", "model", "runs on", "key", "old", "new", "unit", "ratio"],
    ...all.filter(pass).map((r) => [r.change, r.name, r.on, r.key, r.oldValue, r.newValue, r.unit, r.ratio]),
  ];
  const when = day(diff.old.asOf) === day(diff.new.asOf) ? minute : day;
  const sum = diff.summary;
  const words = (counts, names) =>
    names
      .filter((n) => counts[n])
      .map((n) => `${numberText(counts[n])} ${n}`)
      .join(", ") || "none";
  const again = ({ reaffirmed = 0 }) => (reaffirmed ? `; ${numberText(reaffirmed)} reaffirmed` : "");
  append(
    page,
    h(
      "div.bar",
      title("Changes", h("span", ` from ${when(diff.old.asOf)} to ${when(diff.new.asOf)}`)),
      tools("changes", lines),
    ),
    h(
      "dl.counts",
      terms([
        ["models", words(sum.models, ["added", "removed", "silenced", "revived", "changed"])],
        [
          "facts",
          words(sum.facts, [
            "changed",
            "contradicted",
            "settled",
            "added",
            "removed",
            "renewed",
            "expired",
            "backfilled",
          ]) + again(sum.facts),
        ],
        ["samples", words(sum.samples, ["changed"]) + again(sum.samples)],
        ["conflicts", words(sum.conflicts, ["arisen", "ended", "changed"])],
      ]),
    ),
    diff.rankings.map((r, i) =>
      ranking(r, endsOf(diff), state.extras.requests[i]?.name || r.request.sha256.slice(0, 12)),
    ),
    h("h2.part", "Models and what is known of them"),
    h(
      "div.filters",
      h("label.field.search", h("span", "Model"), searchField(filters.q, "part of the name", 60, set("q"))),
      choice("Key", [["", "any"], ...keys], filters.key, set("key")),
      choice("Change", [["", "any"], ...kinds], filters.kind, set("kind")),
    ),
    said,
    list,
  );
  draw();
  if (Object.values(diff.leftOut).some(Boolean))
    append(
      page,
      h(
        "p.soft",
        "More than can be listed changed: left out are " +
          Object.entries(diff.leftOut)
            .filter(([, n]) => n)
            .map(([k, n]) => `${numberText(n)} ${k}`)
            .join(", ") +
          ".",
      ),
    );
}

// rowsOf is a row for each change, in the order of the table of svc diff: models that came
// and went, then facts, the models first of which a number changed most.
function rowsOf(diff) {
  /** @type {Change[]} */
  const rows = [];
  for (const [number, m] of diff.models.entries()) {
    const base = { model: m, number, name: plainName(m.identity) };
    const isWhole = m.change !== "changed";
    const isNew = ["added", "revived"].includes(m.change);
    if (isWhole)
      rows.push({
        ...base,
        change: m.change,
        key: "",
        on: "",
        size: 0,
        says: isNew
          ? count(m.observations.holdingNew, "observation") + " hold"
          : count(m.observations.holdingOld, "observation") + " held",
      });
    if (isWhole && !isNew) continue;
    for (const f of m.facts) {
      rows.push({
        ...base,
        change: f.change,
        key: f.measurementKey,
        on: runsOn(f.execution),
        old: f.old,
        new: f.new,
        ratio: f.ratio,
        unit: (f.new || f.old).values[0]?.unit,
        oldValue: first(f.old),
        newValue: first(f.new),
        size: f.ratio === null ? 0 : Math.abs(Math.log(Math.abs(f.ratio))),
      }); // infinite for a new value of 0
    }
    for (const g of m.samples)
      rows.push({
        ...base,
        change: m.change === "added" ? "added" : "changed",
        key: g.measurementKey,
        on: runsOn(g.execution),
        old: sampled(g.old),
        new: sampled(g.new),
        ratio: null,
        unit: (g.new?.n ? g.new : g.old)?.unit,
        oldValue: mean(g.old),
        newValue: mean(g.new),
        size: 0,
      });
  }
  const largest = new Map(); // of a model, by change
  const place = (r) => order.indexOf(r.change === "settled" ? "changed" : r.change);
  const ofAll = (r) => place(r) + r.model.key;
  for (const r of rows) largest.set(ofAll(r), Math.max(largest.get(ofAll(r)) || 0, r.size));
  const down = (x, y) => (x === y ? 0 : y - x); // of infinite ones too
  return rows.sort(
    (a, b) =>
      place(a) - place(b) ||
      down(largest.get(ofAll(a)), largest.get(ofAll(b))) ||
      a.number - b.number ||
      down(a.size, b.size),
  );
}

// sampled is what samples come to, as a fact has it.
const mean = (a) => (a ? (a.successRate ?? a.mean) : null);
const sampled = (a) => a?.n && { state: "value", n: a.n, valueCount: 1, values: [{ value: mean(a), unit: a.unit }] };

const first = (fact) => fact?.values[0]?.value ?? null;

function factText(fact) {
  if (!fact) return h("span.none", "–");
  const text =
    fact.values
      .slice(0, 3)
      .map((v) => valueText(v.value, v.unit))
      .join(" or ") + (fact.valueCount > 3 ? ` or ${numberText(fact.valueCount - 3)} more` : "");
  return h(
    "span",
    { class: fact.state === "expired" ? "gone" : "" },
    text,
    fact.n > 0 && h("small.soft", ` n ${numberText(fact.n)}`),
  );
}

const number = (label, text) => h("td.number", { "data-label": label }, text);

function table(rows) {
  return h(
    "table",
    heads([h("span.away", "Change"), "Model", "On", "Key"], ["Old", "New", "By"], ["Unit"]),
    h(
      "tbody",
      rows.map((r) =>
        h(
          "tr",
          h("td", { class: "sign " + r.change, title: r.change }, signs[r.change], h("span.away", r.change)),
          rowHead(
            r.model.change === "removed"
              ? nameOf(r.model.identity)
              : linkTo(toModel(r.model.key), nameOf(r.model.identity)),
          ),
          r.key
            ? [
                h("td.runs", r.on),
                h("td.keyname", r.key),
                number("old", factText(r.old)),
                number("new", factText(r.new)),
                h("td.number", r.ratio === null ? "" : changeText(r.ratio)),
                h("td.runs", unitText(r.unit)),
              ]
            : h("td", { colspan: "6", class: "runs" }, r.change + ", " + r.says),
        ),
      ),
    ),
  );
}

// Slopes are drawn to the width that there is: a narrow one clips the names.
const slopesWide = { width: 900, from: 340, to: 560, longest: 38 };
const slopesNarrow = { width: 344, from: 140, to: 204, longest: 14 };

// ranking draws a request: a line for each candidate from its old rank to its new one, and
// below it, for each that came out differently, why.
function ranking(r, ends, name) {
  const { width, from, to: until, longest } = isNarrow() ? slopesNarrow : slopesWide;
  const most = Math.min(Math.max(r.old.length, r.new.length, 1), 60);
  const gap = 22;
  const y = (rank) => Math.min(rank, most + 1) * gap + 6; // below the last is beyond it
  const isShort = longest < 20;
  const clip = (id) => {
    const text = isShort ? id.slice(id.lastIndexOf("/") + 1) : id;
    return text.length > longest ? text.slice(0, longest - 1) + "…" : text;
  };
  const moves = [...new Set([...r.new, ...r.old])]
    .map((id) => ({ id, from: r.old.indexOf(id) + 1, to: r.new.indexOf(id) + 1 }))
    .filter((m) => Math.min(m.from || most + 1, m.to || most + 1) <= most);
  const drawing = s(
    "svg",
    {
      viewBox: `0 0 ${width} ${most * gap + 24}`,
      class: "slopes",
      role: "img",
      "aria-label": `Ranks before and after, ${name}`,
    },
    moves.map((m) =>
      s(
        "g",
        { class: !m.from ? "came" : !m.to ? "went" : m.to < m.from ? "up" : m.to > m.from ? "down" : "same" },
        m.from > 0 &&
          m.from <= most &&
          s("text", { x: from - 10, y: y(m.from) + 4, "text-anchor": "end" }, `${clip(m.id)}\u2002${m.from}`),
        m.to > 0 && m.to <= most && s("text", { x: until + 10, y: y(m.to) + 4 }, `${m.to}\u2002${clip(m.id)}`),
        m.from && m.to
          ? line(from, until, y(m.from), y(m.to))
          : m.from
            ? s("text.gone", { x: from + 10, y: y(m.from) + 4 }, isShort ? "×" : "× excluded")
            : label(until - 10, y(m.to) + 4, "new", "end"),
      ),
    ),
  );
  const changed = r.candidates
    .filter((c) => c.old.rank !== c.new.rank || c.old.score !== c.new.score)
    .sort((a, b) => (a.new.rank ?? Infinity) - (b.new.rank ?? Infinity));
  const scoreOf = (p) => (p.score === null ? p.outcome : numberText(p.score));
  return h(
    "section",
    h("h2", name, h("span.soft", r.changed ? "" : " did not change")),
    drawing,
    changed[0] &&
      h(
        "div.moves",
        few(changed, (c) =>
          h(
            "details.move",
            h(
              "summary",
              h(
                "span.sign",
                c.new.rank === null ? "×" : c.old.rank === null ? "+" : c.move > 0 ? "↑" : c.move < 0 ? "↓" : "~",
              ),
              h("span.who", nameOf({ id: c.candidateId })),
              h("span.ranks", `${c.old.rank ?? "–"} → ${c.new.rank ?? "–"}`),
              h(
                "span.soft",
                scoreOf(c.old) === scoreOf(c.new) ? scoreOf(c.new) : `${scoreOf(c.old)} → ${scoreOf(c.new)}`,
              ),
              h("span.why.soft", reasons(c, ends).join(", ")),
            ),
            criteria(c),
          ),
        ),
      ),
  );
}

const signed = (f) => (f < 0 ? "" : "+") + numberText(f);
const cellText = (cell) => (cell.value === null ? "–" : shortText(cell.value, cell.unit));

// lostOrWon is what a preference adds to the score, more than before, that is not scored in
// both: null counts as 0.
const lostOrWon = (c, k) => (k.old && k.new && c.old.rank && c.new.rank ? k.new.contribution - k.old.contribution : 0);

// endsOf says until when the observations held that the facts of a diff rested on.
const endsOf = (diff) =>
  new Map(
    diff.models.flatMap((m) =>
      m.facts.flatMap((f) => (f.old ? f.old.observations.map((o) => [o.id, o.validUntil]) : [])),
    ),
  );

// reasons say what made a candidate come out differently, as the table of svc diff does.
function reasons(c, ends) {
  const words = {
    ok: "there is evidence now, ",
    missing: "there is no evidence any more",
    conflict: "the evidence contradicts itself",
    incomparable: "the evidence cannot be compared",
    ambiguous: "the evidence is ambiguous",
    stale: "the evidence expired",
  };
  const out = [];
  const fates = new Map(); // places of reasons that several keys may have
  for (const k of c.criteria) {
    if (k.role === "advisory" || !k.old || !k.new) continue;
    const key = k.measurementKey || k.criterion;
    if (k.causes.includes("status")) {
      const change = lostOrWon(c, k);
      const last =
        k.new.status === "stale" &&
        k.old.observationIds
          .map((id) => ends.get(id) || "")
          .sort()
          .at(-1);
      const fate =
        words[k.new.status] +
        (k.new.status === "ok" ? cellText(k.new) : "") +
        (last && last <= state.extras.diff.new.asOf ? " on " + day(last) : "") +
        (change ? ` (${signed(change)})` : "");
      const same = change ? undefined : fates.get(fate);
      if (same !== undefined) out[same] = out[same].replace(": ", `, ${key}: `);
      else fates.set(fate, out.push(`${key}: ${fate}`) - 1);
      continue;
    }
    const turned = k.causes.includes("requirement");
    const { ofValue = 0, ofScale = 0 } = k.contribution || {};
    if (k.causes.includes("value") && (turned || k.role !== "requirement"))
      out.push(
        `${key} ${cellText(k.old)} → ${cellText(k.new)}` +
          (ofValue ? ` (${signed(ofValue)})` : "") +
          (turned ? ": " + k.new.code.replaceAll("_", " ").toLowerCase() : ""),
      );
    if (ofScale && k.causes.includes("scale")) out.push(`scale of ${key} (${signed(ofScale)})`);
  }
  return out.length || c.new.rank === null || c.old.rank === null ? out : ["others moved"];
}

// criteria are all that differ, with every cause.
function criteria(c) {
  const value = (cell) =>
    cell === null
      ? "not asked"
      : cell.value === null
        ? cell.status
        : h("span", exact(cell), shortText(cell.value, cell.unit));
  return h(
    "div.table",
    h(
      "table.causes",
      heads(["Criterion", "Because"], ["Old", "New", "Adds", "by its value", "by the scale"]),
      h(
        "tbody",
        c.criteria.map((k) =>
          h(
            "tr",
            rowHead(keyText(k.measurementKey || k.criterion)),
            h("td", k.causes.join(", ")),
            number("old", value(k.old)),
            number("new", value(k.new)),
            k.contribution
              ? [
                  ["adds", k.contribution.new - k.contribution.old],
                  ["by its value", k.contribution.ofValue],
                  ["by the scale", k.contribution.ofScale],
                ].map(([label, f]) => h("td.number", { title: String(f), "data-label": label }, signed(f)))
              : [number("adds", lostOrWon(c, k) ? signed(lostOrWon(c, k)) : ""), h("td", { colspan: "2" })],
          ),
        ),
      ),
    ),
  );
}
