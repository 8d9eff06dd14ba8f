// Candidates of a catalog for some keys: the ways to run its models that a rank request
// can ask about. The rule is the one of the Go package internal/compare, and a test holds
// one against the other.

import { compareText, groupsOf, holdsAt, joined, entryOf, ownWorkflow, plainName } from "./text.js";

const encoder = new TextEncoder();
const fits = (text) => (text ?? "").length * 3 <= 256 || encoder.encode(text).length <= 256;

const nothing = { adapter: null, effectiveContextTokens: null, hardware: null, runtime: null, toolSurface: [], workflow: null };

export const plainProfile = (runtime) => ({ ...nothing, runtime: { id: runtime, version: null } });

// profileOf is the profile of an exact scope, its members in canonical order.
function profileOf(scope) {
  const profile = {};
  for (const name of Object.keys(nothing)) profile[name] = scope[name] ?? nothing[name];
  return profile;
}

// wayOf is the profile of an exact scope or of a runtime id alone, as a rank request has
// it. The worker gives equal scopes one object, so that few of them are written.
const ways = new WeakMap();
const plainWays = new Map();
const wayOf = (scope) => entryOf(ways, scope, () => newWay(profileOf(scope)));
const plainWayOf = (runtime) => entryOf(plainWays, runtime, () => newWay(plainProfile(runtime)));

const newWay = (execution) => ({ execution, json: JSON.stringify(execution), fits: allFit(execution) });

// allFit tells whether every text of a profile fits.
const allFit = (part) => (part && typeof part === "object" ? Object.values(part).every(allFit) : fits(part));

// candidatesOf returns the candidates of models, which are in the order of their keys, or
// their offers. A candidate is { id, model, execution, key, offer }; key is that of the model.
export function candidatesOf(models, keys, asOffers, asOf) {
  const wanted = new Set(keys);
  const order = [...models].sort((a, b) => compareText(a.identity.id, b.identity.id));
  const all = [];
  for (const m of order) {
    const { id, revision, quantization } = m.identity;
    if (![id, revision, quantization].every(fits)) continue;
    all.push(...((asOffers && offersOf(m, wanted, asOf)) || waysToRun(m, wanted)));
  }
  const byName = groupsOf(all, (c) => c.id);
  const taken = new Set([...models.map((m) => m.identity.id), ...byName.keys()]);
  for (const [id, list] of byName) {
    if (list.length < 2) continue;
    let last = 0;
    for (const c of [...list].sort((a, b) => compareText(a.json, b.json))) {
      do c.id = id + "#" + ++last;
      while (taken.has(c.id));
    }
  }
  return all.filter((c) => fits(c.id)).map(({ json, ...c }) => c);
}

function waysToRun(m, wanted) {
  const exact = new Map();
  const plain = new Map();
  for (const { execution: scope, measurements } of m.observations) {
    if (!scope) continue;
    if (scope.kind === "exact" && measurements.some((x) => wanted.has(x.key))) exact.set(wayOf(scope).json, wayOf(scope));
    if (scope.runtime && measurements.some((x) => x.kind === "fact")) plain.set(scope.runtime.id, plainWayOf(scope.runtime.id));
  }
  const found = exact.size ? exact : plain.size ? plain : new Map([["any", plainWayOf("any")]]);
  return listed(m, [...found.values()], false, () => m.identity.id);
}

function listed(m, ways, offer, name) {
  const { id, revision, quantization } = m.identity;
  const identity = JSON.stringify({ id, quantization, revision });
  return ways.filter((way) => way.fits)
    .map(({ execution, json }) => ({ id: name(execution), model: { id, revision, quantization }, execution, key: m.key, offer, json: `{"execution":${json},"model":${identity}}` }))
    .sort((a, b) => compareText(a.json, b.json));
}

// placeOf is the runtime of a scope that says nothing else, as that of a price does.
export const placeOf = (s) => s && s.kind === "partial" && s.runtime && !s.runtime.version && Object.keys(nothing).every((name) => name === "runtime" || (s[name] ?? null) === null) ? s.runtime.id : null;

// lastDay is the day of a date, or the last one of a month; after all days for what is neither.
function lastDay(text) {
  const isMonth = /^\d{4}-\d\d$/.test(text);
  const at = isMonth ? Date.UTC(+text.slice(0, 4), +text.slice(5), 0) : /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? "~" : new Date(at).toISOString().slice(0, 10);
}

// isUsual tells of what an offer states whether it is of a model, sold as usual, and not ended.
const isUsual = (stated, asOf) => stated.every(({ key, value }) =>
  key === "offer.kind" ? false
  : key === "offer.service" ? value === "standard"
  : key === "lifecycle.status" ? value !== "deprecated" && value !== "withdrawn"
  : key === "lifecycle.deprecated" || key === "lifecycle.retires" ? lastDay(value) > asOf.slice(0, 10)
  : true);

// offersOf returns the offers of a model: each runtime that states a fact, under each
// condition that it was measured with.
function offersOf(m, wanted, asOf) {
  const places = new Set();
  const workflows = new Map();
  const stated = new Map();
  for (const { execution: scope, freshness, measurements } of m.observations) {
    for (const x of measurements) {
      if (x.kind === "fact" && typeof x.value === "string" && placeOf(scope) && holdsAt(freshness, asOf)) entryOf(stated, placeOf(scope), () => []).push(x);
      if (!wanted.has(x.key)) continue;
      const workflow = scope?.workflow ? { condition: scope.workflow.condition ?? null, id: ownWorkflow, version: null } : null;
      if (x.kind !== "fact") workflows.set(JSON.stringify(workflow), workflow);
      else if (placeOf(scope)) places.add(placeOf(scope));
    }
  }
  for (const place of places) if (!isUsual(stated.get(place) ?? [], asOf)) places.delete(place);
  if (!places.size || !workflows.size || places.size * workflows.size > 1024) return null;
  const ways = [...places].flatMap((place) => [...workflows.values()].map((workflow) => newWay({ ...plainProfile(place), workflow })));
  return listed(m, ways, true, ({ runtime, workflow }) => joined([`${plainName(m.identity)} on ${runtime.id}`, workflow?.condition], ", "));
}
