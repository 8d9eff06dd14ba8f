// What svc rank says of a result, the answer and the cause in the same words: tests of its package
// printer compare both.
import { compareText, count, enumeration, groupsOf, joined, keyOf, numberText, wholeText } from "./text.js";

const share = (part) => wholeText(100 * part, "percent");

// gaps say what is wrong with evidence, by a word of the code of a reason.
const gaps = { MISSING: "no evidence", STALE: "the evidence has expired", CONFLICTING: "the evidence contradicts itself", INCOMPARABLE: "the evidence cannot be compared", AMBIGUOUS: "the evidence is of several kinds" };

// gapOf is what these or other words say of a code.
export const gapOf = (code, words = gaps) => words[Object.keys(words).find((word) => code.includes(word))];

const isUnmet = (r) => r.code === "REQUIREMENT_NOT_MET";

// unmetText is what is required and, if it is whole, what a candidate has instead.
function unmetText(r, unitOf, isWhole) {
  const unit = unitOf(r);
  const text = (value) => (typeof value === "number" && unit !== undefined ? wholeText(value, unit) : JSON.stringify(value));
  const [less, more] = typeof r.actual === "number" ? ["less than ", "more than "] : ["not at least ", "not at most "];
  return `${keyOf(r)} is ${isWhole ? text(r.actual) + ", " : ""}${{ gte: less, lte: more }[r.summary.slice(-3)] || "not "}${text(r.expected)}`;
}

// obstacles are what excludes a candidate, without its values, each once.
export const obstacles = ({ reasons }, unitOf) => [...new Set(reasons.map((r) => {
  const gap = gapOf(r.code);
  if (isUnmet(r)) return unmetText(r, unitOf);
  if (r.code === "NO_EVIDENCE") return r.expected < 1 && `there is not evidence for ${share(r.expected)} of the weight`;
  if (r.summary.endsWith("one unit")) return keyOf(r) + ": the candidates have values in more than one unit";
  if (r.summary.endsWith("not numeric")) return keyOf(r) + ": the value is not a number";
  const { matchedKinds, mismatchedDimensions: others } = r.executionApplicability || {};
  const kinds = (r.ambiguity || []).map(({ dimension, values }) => `, by ${dimension} (${joined([...values.slice(0, 5).map((v) => (v === null ? "none" : typeof v === "string" ? v : JSON.stringify(v))), values[5] !== undefined && "and others"], ", ")})`);
  return gap && `${keyOf(r)}: ${gap}${kinds.join("")}${r.code.startsWith("INC") && others?.[0] && !matchedKinds[0] ? (others.join() === "runtime.id" ? ": it is about another provider" : ": it was measured with another " + enumeration(dimensionWords(others))) : ""}`;
}).filter(Boolean))];

// dimensionWords are dimensions as people read them, each once.
const dimensionWords = (names) => [...new Set(names.map((name) => {
  const [word, member] = name.split(".");
  return { model: member, effectiveContextTokens: "length of context", toolSurface: "set of tools" }[word] || word;
}))];

// clause is an obstacle after "because".
export const clause = (text) => text.replace(/^(.+?): the evidence /, "the evidence of $1 ").replace(/^(.+?): no evidence$/, "there is no evidence of $1");

// causeText says of candidates of which none is ranked what excludes most of them, how many of
// these by nothing else, and by how much the nearest one misses.
export function causeText({ excluded }) {
  const all = excluded.length;
  const unitOf = (r) => r.estimate?.unit;
  const lists = excluded.map((e) => obstacles(e, unitOf));
  const counts = [...groupsOf(lists.flat(), (text) => text)].sort(([a, x], [b, y]) => y.length - x.length || compareText(a, b));
  const [most, { length: n }] = counts[0] || ["", ""];
  const alone = lists.filter((list) => !list[1] && list[0] === most).length;
  const cause = counts[1] && 2 * n > all && `${n === all ? "All of them" : `Most, ${numberText(n)} of ${numberText(all)},`} are excluded because ${clause(most)}${alone ? `, ${numberText(alone)} of them by nothing else` : ""}.`;
  const [nearest] = excluded.map((e) => ({ ...e, ...distance(e) })).filter((e) => e.miss > 0 && e.miss < Infinity).sort((a, b) => a.miss - b.miss || b.reach - a.reach);
  const unmet = nearest?.reasons.filter(isUnmet);
  const by = unmet?.length === 1 && missOf(unmet[0]);
  return joined([cause, nearest && all > 1 && `Nearest is ${nearest.candidateId}: its ${unmet.map((r) => unmetText(r, unitOf, true)).join("; its ")}${by ? `; it misses by ${pointsText(Number.isInteger(by) ? by : Number(by.toPrecision(12)), unitOf(unmet[0]))}` : ""}.`], " ");
}

// pointsText is an amount by which two values of a unit differ: percentages differ by points.
const pointsText = (by, unit) => (unit === "percent" ? count(by, "point") : wholeText(by, unit));

const missOf = ({ actual, expected }) => (typeof actual === "number" && typeof expected === "number" ? Math.abs(actual - expected) : 0);

// distance is how far a candidate is from what is required: one for each requirement that it does
// not meet, and the part by which it misses the numbers; infinite where evidence excludes it. Its
// numbers reach towards those required, which tells apart who all miss by as much.
function distance({ reasons }) {
  let [miss, reach] = [0, 0];
  for (const r of reasons) {
    if (/_(MET|SCORE|VALUE)$/.test(r.code) && !isUnmet(r)) continue;
    const by = missOf(r);
    miss += !isUnmet(r) ? Infinity : by ? 1 + by / (by + Math.abs(r.expected)) : 2;
    if (by) reach += r.expected < r.actual ? -r.actual : r.actual;
  }
  return { miss, reach };
}
