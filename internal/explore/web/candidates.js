// Candidates of a catalog for some keys: the ways to run its models that a rank request
// can ask about. The rule is the one of the Go package internal/compare, and a test holds
// one against the other.

const encoder = new TextEncoder();
const fits = (text) => text === null || text === undefined || text.length * 3 <= 256 || encoder.encode(text).length <= 256;

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
function wayOf(scope) {
  let way = ways.get(scope);
  if (!way) ways.set(scope, (way = newWay(profileOf(scope))));
  return way;
}
function plainWayOf(runtime) {
  let way = plainWays.get(runtime);
  if (!way) plainWays.set(runtime, (way = newWay(plainProfile(runtime))));
  return way;
}

const newWay = (execution) => ({ execution, json: JSON.stringify(execution), fits: profileFits(execution) });

function profileFits(p) {
  const { runtime, adapter, hardware, workflow } = p;
  const texts = [...p.toolSurface];
  for (const c of [runtime, adapter]) if (c) texts.push(c.id, c.version);
  if (hardware) texts.push(hardware.class, hardware.accelerator);
  if (workflow) texts.push(workflow.id, workflow.version, workflow.condition);
  return texts.every(fits);
}

// candidatesOf returns the candidates of models, which are in the order of their keys. A
// candidate is { id, model, execution, key }; key is that of the model.
export function candidatesOf(models, keys) {
  const wanted = new Set(keys);
  const taken = new Set(models.map((m) => m.identity.id));
  const order = [...models].sort((a, b) => compareText(a.identity.id, b.identity.id));
  const byName = new Map();
  const all = [];
  for (const m of order) {
    const { id, revision, quantization } = m.identity;
    if (![id, revision, quantization].every(fits)) continue;
    const list = waysToRun(m, wanted);
    all.push(...list);
    byName.set(id, [...(byName.get(id) || []), ...list]);
  }
  for (const [id, list] of byName) {
    if (list.length < 2) continue;
    let last = 0;
    for (const c of [...list].sort((a, b) => compareText(a.json, b.json))) {
      do c.id = id + "#" + ++last;
      while (taken.has(c.id));
    }
  }
  return all.filter((c) => fits(c.id)).map(({ id, model, execution, key }) => ({ id, model, execution, key }));
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
  const { id, revision, quantization } = m.identity;
  const identity = JSON.stringify({ id, quantization, revision });
  return [...found.values()]
    .filter((way) => way.fits)
    .map(({ execution, json }) => ({ id, model: { id, revision, quantization }, execution, key: m.key, json: `{"execution":${json},"model":${identity}}` }))
    .sort((a, b) => compareText(a.json, b.json));
}

// compareText orders texts by UTF-16 code units.
export const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
