// The criteria of questions and requests: what a form begins with, and what candidates have of them.
import { infoOf, keyOf, lessIsBetter } from "./text.js";

/** @import { Candidate, Column, Criterion, Question, RankRequest, Reason } from "./types" */

export const operators = { gte: "at least", lte: "at most", eq: "exactly" };
export const usualTask = { inputTokens: 20000, outputTokens: 3000 }; // as the server has it

/** @param {RankRequest} request */
export const versionOf = (request) => Number(/\/v(\d)$/.exec(request.schemaVersion || "")?.[1] || 0);

/** @returns {"maximize" | "minimize"} */
export const endOf = (key) => (lessIsBetter(key) ? "minimize" : "maximize");

export const endText = (c) => (c.direction === "minimize" ? "less" : "more") + " is better";

// aggregationOf is the aggregation that a key is asked for with at first.
export function aggregationOf(key) {
  const k = infoOf(key);
  return !k || k.fact ? "fact" : k.numeric ? "mean" : "success-rate";
}

/**
 * bound is a requirement that every value of a key meets, to begin with.
 * @returns {Partial<Criterion>}
 */
export function bound(key) {
  const k = infoOf(key);
  if (!k?.numeric) return { operator: "eq", value: true, unit: undefined };
  const isLess = lessIsBetter(key);
  return { operator: isLess ? "lte" : "gte", value: (isLess ? k.high : k.low) ?? 0, unit: undefined };
}

/**
 * questionOf is what the criteria of a form ask.
 * @param {RankRequest} request
 */
export function questionOf({ preferences, requirements }) {
  /** @type {Question} */
  const q = {};
  for (const { direction, measurementKey: key, weight } of preferences) {
    q[direction] = [...(q[direction] ?? []), key];
    if (weight !== 1) q.weights = { ...q.weights, [key]: weight };
  }
  for (const { operator, measurementKey: key, value } of requirements) {
    const name = { gte: "atLeast", lte: "atMost", eq: "require" }[operator];
    q[name] = { ...q[name], [key]: value };
  }
  return q;
}

export const criteriaMembers = ["maximize", "minimize", "weights", "atLeast", "atMost", "require", "keys"];

// roles are those of criteria, by the members of a request that list them.
const roles = { preferences: "preference", requirements: "requirement", tieBreakers: "tieBreaker" };

/**
 * columnsOf are the criteria of a request as a table of candidates has them.
 * @param {RankRequest} request
 * @returns {Column[]}
 */
export const columnsOf = (request) =>
  Object.entries(roles).flatMap(([name, role]) =>
    (request[name] || []).map((c, i) => ({
      role,
      key: keyOf(c),
      id: versionOf(request) >= 3 ? c.id || role + ":" + c.measurementKey : null,
      criterion: c,
      series: (i % 5) + 1,
    })),
  );

export function unitOfKey(key) {
  const k = infoOf(key);
  return k?.units.length === 1 ? k.units[0] : null;
}

/**
 * unitOf is the unit of what a candidate has of a criterion.
 * @param {Reason | null} r
 * @param {Column} c
 */
export function unitOf(r, c) {
  if (r?.estimate) return r.estimate.unit;
  return ["count", "success-rate"].includes(c.criterion.aggregation) ? null : unitOfKey(c.key);
}

const scored = new Set(["PREFERENCE_SCORE", "PREFERENCE_EVIDENCE_MISSING"]);
const required = new Set(["REQUIREMENT_MET", "REQUIREMENT_NOT_MET", "MISSING_EVIDENCE"]);

/**
 * reasonFor finds the reason that a criterion gave. Before version 3 reasons name keys alone: a
 * criterion is told by its key and what its reasons can say.
 * @param {Candidate} e
 * @param {Column} c
 * @returns {Reason | undefined}
 */
export function reasonFor(e, c) {
  if (c.id) return e.reasons.find((r) => r.criterion === c.id);
  const others = c.role === "preference" ? required : scored;
  return e.reasons.find((r) => r.measurementKey === c.key && !others.has(r.code));
}
