// What svc rank says of a result, the answer and the cause in the same words: tests of its package
// printer compare both.
// First the answer in sentences that a person can repeat.
import { compareText, count, enumeration, groupsOf, holdsAt, joined, keyOf, numberText, wholeText } from "./text.js";

// answerText says who comes first, how sure that is, and what decided. LeftOut are candidates that
// fit the question, but not the request; prices are the criteria that are sums of prices.
export function answerText({ ranked, excluded, scoreScale: { scales } }, leftOut, prices) {
  const valueOf = (r) => (r.estimate ? wholeText(r.estimate.value, prices.includes(r.criterion) ? "USD" : r.estimate.unit) : JSON.stringify(r.actual));
  const suffix = excluded.length ? `; ${numberText(excluded.length)} ${excluded.length === 1 ? "is" : "are"} excluded.` : ".";
  const [first, second] = ranked;
  const all = ranked.length + excluded.length;
  if (!first) return excluded.length ? "No candidate is ranked" + suffix : "The request has no candidates.";
  const isEarlier = first.coverage === undefined; // before version 3 nothing is said of how sure it is
  if (!isEarlier && !scales.length && !breakersOf(first).length && second) {
    return count(ranked.length, "candidate") + " meet the requirements. Their ids alone order them: there are no preferences, and no tie breaker has a value" + suffix;
  }
  if (ranked.every((e) => e.coverage === 0)) return "Nothing that the request prefers is known of any candidate" + suffix;
  const onlyOf = (e) => scales?.length === 1 && e.reasons.find((r) => r.contribution !== undefined);
  const only = onlyOf(first);
  const text = first.candidateId + (!second ? " is the only candidate that is ranked" : " comes first of " + (leftOut ? `the best ${numberText(all)} of ${numberText(all + leftOut)} candidates that fit the question` : count(ranked.length, "candidate"))) + (only ? `, with ${valueOf(only)} for ${keyOf(only)}` : "") + suffix;
  if (isEarlier) return text + (second?.score === first.score ? ` Its score is the same as that of ${second.candidateId}: their ids alone order them.` : "");
  const tied = ranked.slice(1).filter((e) => e.tieGroup === first.tieGroup);
  const group = [first, ...tied];
  const isSame = group.some((e) => e.comparison) && group.every((e) => (e.comparison ? e.comparison.margin : 0) === 0); // by exact numbers
  const names = tied.length > 3 ? numberText(tied.length) + " others" : enumeration(tied.map((e) => e.candidateId), isSame ? " and " : " or ");
  const why = !second ? "" : !tied.length ? leadText(ranked, (e) => (onlyOf(e) ? valueOf(onlyOf(e)) : "a score of " + numberText(e.score))) : !scales.length ? "It goes first " + decisionText(ranked, valueOf) : `${isSame ? "It has the same score as" : "The evidence does not show whether it is better than"} ${names}; it goes first ${decisionText(group, valueOf)}`;
  return joined([text, why, first.coverage < 1 && `For it there is evidence for ${share(first.coverage)} of the weight.`], " ");
}

const share = (part) => wholeText(100 * part, "percent");

const breakersOf = (e) => e.reasons.filter((r) => r.code === "TIE_BREAKER_VALUE");

// leadText compares the first, whom nobody is tied with, with the leader of the next group.
function leadText([first, second, ...others], resultOf) {
  const next = [second, ...others].find((e) => e.comparison?.leader === first.candidateId);
  if (!next) return "";
  const { candidateId, comparison: { margin } } = next;
  if (margin === null) return `It cannot be compared with ${candidateId}: there is too little evidence.`;
  return margin > 0 ? `The evidence shows that it is better than ${candidateId}, the next best.` : `Next is ${second.candidateId}, with ${resultOf(second)}.`;
}

// decisionText says what puts the first of a tie group there: the first tie breaker in which
// it differs from the second, otherwise its score, otherwise its id.
function decisionText([first, second, third], valueOf) {
  const theirs = breakersOf(second);
  for (const [i, r] of breakersOf(first).entries()) {
    const name = keyOf(r);
    if (theirs[i]?.criterion !== r.criterion) return `because its ${name} is known: ${valueOf(r)}.`;
    if (theirs[i].actual === r.actual) continue;
    const isLow = r.summary.startsWith("minimize");
    if (third && i === 0) return `because it has the ${isLow ? "lowest" : "highest"} ${name}, ${valueOf(r)}.`;
    return `because its ${name} is ${isLow ? "lower" : "higher"}${third ? " than that of " + second.candidateId : ""}: ${valueOf(r)}, not ${valueOf(theirs[i])}.`;
  }
  if (first.score <= second.score) return "by the order of their ids alone.";
  return breakersOf(first).length ? `because its score is higher than that of ${second.candidateId}.` : "because it has the highest score.";
}

// sureText says what the brackets around candidates and the ranges of their values mean.
export function sureText({ ranked, scoreScale: { scales }, statistics }) {
  if (!statistics || ranked.length < 2 || !scales.length) return "";
  const isCompared = ranked.some((e) => e.comparison?.margin > 0); // exact numbers need no confidence
  const hasRanges = ranked.some((e) => e.reasons.some((r) => r.estimate && r.estimate.low !== r.estimate.high));
  return joined([
    isCompared && `${ranked.at(-1).tieGroup < ranked.length ? "Candidates in a bracket cannot be told apart from the best in it" : "No two candidates are tied"}, at a confidence of ${share(statistics.confidence)} for ${statistics.correction === "none" ? "each comparison" : "all comparisons together"}.`,
    hasRanges && "A wide range comes from few measurements.",
    ranked.some((e) => e.reasons.some((r) => r.executionApplicability?.transferredDimensions[0])) && "Scores were measured elsewhere: your own runs will differ."], " ");
}

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
  if (r.code === "COVERAGE_TOO_LOW") return `there is not evidence for ${share(r.expected)} of the weight`;
  if (r.summary.endsWith("one unit")) return keyOf(r) + ": the candidates have values in more than one unit";
  if (r.summary.endsWith("not numeric")) return keyOf(r) + ": the value is not a number";
  const { matchedKinds, mismatchedDimensions: others } = r.executionApplicability || {};
  const kinds = (r.ambiguity || []).map(({ dimension, values }) => `, by ${dimension} (${joined([...values.slice(0, 5).map((v) => (v === null ? "none" : typeof v === "string" ? v : JSON.stringify(v))), values[5] !== undefined && "and others"], ", ")})`);
  return gap && `${keyOf(r)}: ${gap}${kinds.join("")}${r.code.startsWith("INC") && others?.[0] && !matchedKinds[0] ? ": it was measured with another " + enumeration(dimensionWords(others)) : ""}`;
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
export function causeText({ excluded }, prices) {
  const all = excluded.length;
  const unitOf = (r) => (prices.includes(r.criterion) ? "USD" : r.estimate?.unit);
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

// longPriceText says what a candidate costs in long requests, by the keys that were asked for: the
// newest prices that hold where it runs and, of two of one time, the higher.
export function longPriceText({ models, asOf }, { model, execution: { runtime }, reasons }) {
  const found = models.filter((m) => runtime && m.identity.id === model.id).flatMap((m) => m.observations)
    .filter((o) => o.execution?.runtime?.id === runtime.id && holdsAt(o.freshness, asOf))
    .flatMap((o) => o.measurements.map((x) => ({ ...x, at: o.freshness.observedAt, long: /^(.*)@context>(\d+)$/.exec(x.key) || [] })))
    .filter((x) => x.kind === "fact" && typeof x.value === "number" && reasons.some((r) => r.measurementKey === x.long[1]))
    .sort((a, b) => a.long[2] - b.long[2] || compareText(a.key, b.key) || compareText(b.at, a.at) || b.value - a.value);
  const prices = found.filter((x, i) => x.key !== found[i - 1]?.key);
  return enumeration(prices.map(({ long: [, key, above], value, unit }, i) => `${above === prices[i - 1]?.long[2] ? "" : `above ${numberText(Number(above))} tokens of context `}${key} is ${wholeText(value, unit)}`));
}
