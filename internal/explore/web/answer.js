// The answer of a ranking in sentences that a person can repeat, those that svc rank prints:
// a test of its package printer compares both.
import { count, joined, keyOf, numberText, wholeText } from "./text.js";

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
    return count(ranked.length, "candidate") + " meet the requirements. Nothing says which is better: the request has no preferences and no tie breakers, and the ids alone order them" + suffix;
  }
  if (first.coverage === 0) return "Nothing that the request prefers is known of any candidate" + suffix;
  const only = scales?.length === 1 && first.reasons.find((r) => r.contribution !== undefined);
  const text = first.candidateId + (!second ? " is the only candidate that is ranked" : " comes first of " + (leftOut ? `the best ${numberText(all)} of ${numberText(all + leftOut)} candidates that fit the question` : count(ranked.length, "candidate"))) + (only ? `, with ${valueOf(only)} for ${keyOf(only)}` : "") + suffix;
  if (isEarlier) return text + (second?.score === first.score ? ` Its score is the same as that of ${second.candidateId}: their ids alone order them.` : "");
  const tied = ranked.slice(1).filter((e) => e.tieGroup === first.tieGroup);
  const names = tied.length > 3 ? numberText(tied.length) + " others" : tied.map((e) => e.candidateId).join(" or ");
  const why = !second ? "" : !tied.length ? leadText(ranked) : !scales.length ? "It goes first " + decisionText(ranked, valueOf) : `The evidence does not show whether it is better than ${names}; it goes first ${decisionText([first, ...tied], valueOf)}`;
  return joined([text, why, first.coverage < 1 && `For it there is evidence for ${wholeText(100 * first.coverage, "percent")} of the weight.`], " ");
}

const breakersOf = (e) => e.reasons.filter((r) => r.code === "TIE_BREAKER_VALUE");

// leadText compares the first, whom nobody is tied with, with the leader of the next group.
function leadText([first, ...others]) {
  const next = others.find((e) => e.comparison?.leader === first.candidateId);
  if (!next) return "";
  return next.comparison.margin === null ? `Nothing says whether it is better than ${next.candidateId}: too little is known.` : `The evidence tells it apart from ${next.candidateId}, which comes closest.`;
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
  const hasRanges = ranked.some((e) => e.reasons.some((r) => r.estimate && r.estimate.low !== null && r.estimate.method !== "exact"));
  return (ranked.at(-1).tieGroup === ranked.length ? "No two candidates are tied" : "A bracket holds candidates that are too close to call") + `, at a confidence of ${numberText(statistics.confidence)}${statistics.correction === "none" ? "" : " for all comparisons together"}.`
    + (hasRanges ? " The range with a value says how sure it is. A wide one, even beyond 0% or 100%, comes from few measurements." : "")
    + (ranked.some((e) => e.reasons.some((r) => r.executionApplicability?.transferredDimensions[0])) ? " Scores were measured elsewhere: expect other numbers from your own runs." : "");
}
