// The part of the screen "Changes" that says why rankings came out differently.
import { few, h, heads, isNarrow, label, line, number, rowHead, s } from "./dom.js";
import { day, exact, keyText, nameOf, numberText, shortText } from "./text.js";
import { state } from "./source.js";

/** @import { Diff, DiffCandidate, DiffCriterion, DiffRanking } from "./types" */

// Slopes are drawn to the width that there is: a narrow one clips the names.
const wide = { width: 900, from: 340, until: 560, longest: 38 };
const narrow = { width: 344, from: 140, until: 204, longest: 14 };
const gap = 22; // between two ranks
const mostRanks = 60;

/**
 * ranking draws a request: a line for each candidate from its old rank to its new one, and below it,
 * for each that came out differently, why.
 * @param {DiffRanking} r
 * @param {Map<string, string>} ends
 */
export function ranking(r, ends, name) {
  const changed = r.candidates
    .filter((c) => c.old.rank !== c.new.rank || c.old.score !== c.new.score)
    .sort((a, b) => (a.new.rank ?? Infinity) - (b.new.rank ?? Infinity));
  return h(
    "section",
    h("h2", name, h("span.soft", r.changed ? "" : " did not change")),
    slopes(r, name),
    changed[0] &&
      h(
        "div.moves",
        few(changed, (c) => move(c, ends)),
      ),
  );
}

function slopes(r, name) {
  const { width, from, until, longest } = isNarrow() ? narrow : wide;
  const most = Math.min(Math.max(r.old.length, r.new.length, 1), mostRanks);
  const y = (rank) => Math.min(rank, most + 1) * gap + 6; // below the last is beyond it
  const clip = (id) => {
    const text = isNarrow() ? id.slice(id.lastIndexOf("/") + 1) : id;
    return text.length > longest ? text.slice(0, longest - 1) + "…" : text;
  };
  const slope = ({ id, old, now }) => {
    const kind = !old ? "came" : !now ? "went" : now < old ? "up" : now > old ? "down" : "same";
    const between =
      old && now
        ? line(from, until, y(old), y(now))
        : old
          ? s("text.gone", { x: from + 10, y: y(old) + 4 }, isNarrow() ? "×" : "× excluded")
          : label(until - 10, y(now) + 4, "new", "end");
    return s(
      "g." + kind,
      old > 0 && old <= most && label(from - 10, y(old) + 4, `${clip(id)}\u2002${old}`, "end"),
      now > 0 && now <= most && label(until + 10, y(now) + 4, `${now}\u2002${clip(id)}`),
      between,
    );
  };
  const height = most * gap + 24;
  const moves = [...new Set([...r.new, ...r.old])]
    .map((id) => ({ id, old: r.old.indexOf(id) + 1, now: r.new.indexOf(id) + 1 }))
    .filter((m) => Math.min(m.old || most + 1, m.now || most + 1) <= most);
  return s(
    "svg.slopes",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Ranks before and after, ${name}` },
    moves.map(slope),
  );
}

/**
 * move is how a candidate came out, and why.
 * @param {DiffCandidate} c
 */
function move(c, ends) {
  const sign = c.new.rank === null ? "×" : c.old.rank === null ? "+" : c.move > 0 ? "↑" : c.move < 0 ? "↓" : "~";
  const scoreOf = (p) => (p.score === null ? p.outcome : numberText(p.score));
  const [old, now] = [scoreOf(c.old), scoreOf(c.new)];
  return h(
    "details.move",
    h(
      "summary",
      h("span.sign", sign),
      h("span.who", nameOf({ id: c.candidateId })),
      h("span.ranks", `${c.old.rank ?? "–"} → ${c.new.rank ?? "–"}`),
      h("span.soft", old === now ? now : `${old} → ${now}`),
      h("span.why.soft", reasons(c, ends).join(", ")),
    ),
    criteria(c),
  );
}

const signed = (f) => (f < 0 ? "" : "+") + numberText(f);
const cellText = (cell) => (cell.value === null ? "–" : shortText(cell.value, cell.unit));

/**
 * lostOrWon is what a preference adds to the score, more than before, that is not scored in both:
 * null counts as 0.
 * @param {DiffCandidate} c
 * @param {DiffCriterion} k
 */
const lostOrWon = (c, k) => (k.old && k.new && c.old.rank && c.new.rank ? k.new.contribution - k.old.contribution : 0);

/**
 * endsOf says until when the observations held that the facts of a diff rested on.
 * @param {Diff} diff
 * @returns {Map<string, string>}
 */
export const endsOf = (diff) =>
  new Map(
    diff.models
      .flatMap((m) => m.facts)
      .flatMap((f) => f.old?.observations ?? [])
      .map((o) => [o.id, o.validUntil]),
  );

const fates = {
  ok: "there is evidence now, ",
  missing: "there is no evidence any more",
  conflict: "the evidence contradicts itself",
  incomparable: "the evidence cannot be compared",
  ambiguous: "the evidence is ambiguous",
  stale: "the evidence expired",
};

/**
 * fateOf says what became of the evidence of a criterion.
 * @param {DiffCriterion} k
 * @param {Map<string, string>} ends
 */
function fateOf(k, ends) {
  const { status } = k.new;
  const last = k.old.observationIds.map((id) => ends.get(id) || "").sort();
  const end = status === "stale" && last.at(-1);
  return (
    fates[status] +
    (status === "ok" ? cellText(k.new) : "") +
    (end && end <= state.extras.diff.new.asOf ? " on " + day(end) : "")
  );
}

/**
 * turnOf says how a value changed, and the scale.
 * @param {DiffCriterion} k
 */
function turnOf(k, key) {
  const isTurned = k.causes.includes("requirement");
  const { ofValue = 0, ofScale = 0 } = k.contribution || {};
  const isShown = k.causes.includes("value") && (isTurned || k.role !== "requirement");
  const turn = isTurned ? ": " + k.new.code.replaceAll("_", " ").toLowerCase() : "";
  const by = ofValue ? ` (${signed(ofValue)})` : "";
  return [
    isShown && `${key} ${cellText(k.old)} → ${cellText(k.new)}${by}${turn}`,
    ofScale && k.causes.includes("scale") && `scale of ${key} (${signed(ofScale)})`,
  ].filter(Boolean);
}

/**
 * reasons say what made a candidate come out differently, as the table of svc diff does. Keys with
 * one fate are named together.
 * @param {DiffCandidate} c
 * @param {Map<string, string>} ends
 */
function reasons(c, ends) {
  const out = [];
  const places = new Map(); // in out, of fates
  for (const k of c.criteria) {
    if (k.role === "advisory" || !k.old || !k.new) continue;
    const key = k.measurementKey || k.criterion;
    if (!k.causes.includes("status")) {
      out.push(...turnOf(k, key));
      continue;
    }
    const fate = fateOf(k, ends);
    const change = lostOrWon(c, k);
    const same = places.get(fate);
    if (change) out.push(`${key}: ${fate} (${signed(change)})`);
    else if (same !== undefined) out[same] = out[same].replace(": ", `, ${key}: `);
    else places.set(fate, out.push(`${key}: ${fate}`) - 1);
  }
  return out.length || c.new.rank === null || c.old.rank === null ? out : ["others moved"];
}

/**
 * criteria are all that differ, with every cause.
 * @param {DiffCandidate} c
 */
function criteria(c) {
  const value = (cell) => {
    if (cell === null) return "not asked";
    return cell.value === null ? cell.status : h("span", exact(cell), shortText(cell.value, cell.unit));
  };
  const adds = (k) => {
    const change = lostOrWon(c, k);
    if (!k.contribution) return [number("adds", change ? signed(change) : ""), h("td", { colspan: "2" })];
    const { old, new: now, ofValue, ofScale } = k.contribution;
    const parts = { adds: now - old, "by its value": ofValue, "by the scale": ofScale };
    return Object.entries(parts).map(([label, f]) => number(label, signed(f), String(f)));
  };
  const rows = c.criteria.map((k) =>
    h(
      "tr",
      rowHead(keyText(k.measurementKey || k.criterion)),
      h("td", k.causes.join(", ")),
      number("old", value(k.old)),
      number("new", value(k.new)),
      adds(k),
    ),
  );
  const head = heads(["Criterion", "Because"], ["Old", "New", "Adds", "by its value", "by the scale"]);
  return h("div.table", h("table.causes", head, h("tbody", rows)));
}
