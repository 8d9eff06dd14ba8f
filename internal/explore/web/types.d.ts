// The shapes of what the page reads: the index and the models of the server, questions, answers and
// plots. Only the members that the page uses are here; the records of svc say more.

// Made is the element that h makes of a name such as "input.wide".
export type Made<N extends string> = N extends `${infer Tag}.${string}`
  ? Made<Tag>
  : N extends keyof HTMLElementTagNameMap
    ? HTMLElementTagNameMap[N]
    : HTMLElement;

// Value is what evidence says of a key.
export type Value = number | string | boolean | null;

export interface Model {
  id: string; // maker/name
  revision: string | null;
  quantization: string | null;
}

export interface Component {
  id: string;
  version: string | null;
}

// Scope is how a model was run, or may be run: what is null is not stated.
export interface Scope {
  kind?: "exact" | "partial";
  runtime: Component | null;
  adapter: Component | null;
  workflow: (Component & { condition: string | null }) | null;
  effectiveContextTokens: number | null;
  toolSurface: string[] | null;
  hardware: { class: string; accelerator: string | null; memoryBytes: number | null } | null;
}

export interface Task {
  family: string;
  suite: string | null;
  taskId: string | null;
  evaluator?: Component;
}

// Estimate is a number with its interval; low and high are null if nothing is known.
export interface Estimate {
  value: number;
  unit: string | null;
  low: number | null;
  high: number | null;
  basis: "exact" | "benchmark" | "tasks" | "published" | "sum" | "unknown";
  tasks: number;
  trials: number | null;
}

// Overview is what the worker says of the whole catalog.
export interface Overview {
  digest: string;
  asOf: string;
  observations: number;
  holding: number;
  benchmark: string | null; // that most models with a price have
  expiry: { day: string; observations: number; prices: number }[];
  sources: Source[];
  keys: Key[];
  pairs: { x: string; y: string; n: number }[]; // that a plot may begin with, the best first
  models: number;
  silent: number; // models of which nothing holds
  conflicting: number;
  extras?: Extras; // of a report
}

// Source is where rows come from; the record of the build says more of some.
export interface Source {
  id: string;
  seen: string;
  rows: number;
  observations: number;
  site?: string;
  attribution?: string;
  license?: string;
  revision?: string;
  state?: string;
  reason?: string; // why it is not newer
  seenAt?: string;
  imported?: number;
  skipped?: Record<string, number>;
  leftOut?: Record<string, number>;
  unknown?: { label: string; values: { value: Value }[] }[];
}

// Key is a measurement key with what the dictionary says of it.
export interface Key {
  key: string;
  name: string | null;
  line: string | null;
  less: boolean; // is better
  family: string;
  fact: boolean;
  numeric: boolean;
  models: number;
  holding: number; // models of which a value holds
  units: (string | null)[];
  low: number | null;
  high: number | null;
  families: string[];
  under: string[]; // executions, a few
}

// Row is a model in the list.
export interface Row {
  key: string;
  identity: Model;
  name: string; // of the identity, in one text
  maker: string;
  runtimes: string[]; // sellers of usual offers, the maker's own first
  others?: string[]; // sellers of offers that are free, batched or ended
  harnesses: string[]; // that measured it, and do not sell it
  ended?: boolean;
  released?: string;
  spellings: string[] | null;
  holding: number;
  total: number; // observations
  lastSeen: string;
  conflicting?: boolean;
  cells: Record<string, Cell | null>;
}

// Cell is what a row has of a key: numbers as a range, others as a list, or the last that expired.
export interface Cell {
  n?: number; // values that hold
  low?: number;
  high?: number;
  texts?: Value[];
  unit?: string | null;
  sample?: boolean;
  mixed?: boolean; // of several units
  conflict?: boolean;
  says?: Record<"yes" | "no", string[]>; // who says which
  last?: { value: Value; unit: string | null; until: string | null };
  means?: Mean[]; // the lowest first
  only?: string; // the observation that a single value is of
}

// Mean is what samples come to that were made in one way.
export interface Mean {
  value: number;
  unit: string | null;
  estimate?: Estimate;
  execution: Scope;
}

// Span is the least and the largest number of a column.
export interface Span {
  low?: number;
  high?: number;
  least?: number;
  unit: string | null;
}

// Condition is what a number of a key must be.
export interface Condition {
  op: "lte" | "gte";
  value: number;
  key: string;
}

// Facet is a filter: a choice whose options are counted.
export interface Facet {
  label: string;
  options?: string[]; // none: all that there are
  text: (option: string) => string;
}

// Filtered asks the worker which models pass filters.
export interface Filtered {
  filters?: Record<string, string>; // values, by the names that addresses have
  where?: Condition[];
  options?: Record<string, string[] | undefined>; // to count models of, by filter; undefined: all that there are
  among?: string[]; // keys of models; none: all
}

// Passing are the models that pass filters.
export interface Passing {
  keys: string[];
  hidden: number; // models that have ended
  counts: Record<string, [string, number][]>;
}

// Listing asks the worker for rows of the list.
export interface Listing extends Omit<Filtered, "options"> {
  sort?: string;
  desc?: boolean;
  columns?: string[];
  from?: number;
  until?: number;
}

export interface Listed {
  total: number;
  hidden: number;
  bounds: Record<string, Span>;
  rows: Row[];
}

// Detail is all that the catalog has of one model.
export interface Detail extends Row {
  places: Place[];
  past: { measurementKey: string; observationIds: string[]; execution: Scope }[]; // conflicts of the catalog
  asOf: string;
  observations: Observation[];
}

// Place is what one seller says of what it sells.
export interface Place {
  place: string;
  parts: string[]; // services and the region
  until: string; // the first end of what holds
  usual: boolean;
  ended: boolean;
  cells: Record<string, Cell>;
}

export interface Measurement {
  key: string;
  kind: "fact" | "sample";
  value: Value;
  unit?: string | null;
}

export interface Observation {
  id: string;
  kind: string;
  sourceClass: string;
  execution: Scope;
  task: Task | null;
  freshness: { observedAt: string; validUntil: string | null };
  measurements: Measurement[];
  outcome: { status: string; reason: string | null } | null;
  uncertainty: { level: string; basis: string[]; gaps: string[] };
  evidence: { id: string; kind: string; uri: string | null; digest: { value: string } | null }[];
  holds: boolean;
}

// Entry is one measurement with its observation; entries of one slot can contradict each other.
export interface Entry {
  o: Observation;
  x: Measurement;
  slot: string;
}

export interface Slot {
  key: string;
  scope: Scope;
  task: Task | null;
  entries: Entry[];
  values: { text: string; value: Value; unit: string | null }[];
}

// Axis is a number that a plot is of, Coordinate where a point has it.
export interface Axis {
  name: "x" | "y";
  key: string;
  known: Key;
  family: string;
  aggregation: string;
  less: boolean;
  unit: string | null;
  log: boolean;
}

export interface Coordinate {
  value: number;
  unit: string | null;
  estimate: Estimate | null;
  low?: number | null;
  high?: number | null;
  says?: string | false;
}

// Point is a candidate, or offers of a model with the same numbers.
export interface Point {
  id: string;
  key: string;
  model: Model;
  where: string[];
  runtimes: string[];
  condition: string | null;
  offer: boolean;
  lent: boolean;
  x: Coordinate;
  y: Coordinate;
  free?: boolean; // costs nothing, by either number
  front?: boolean; // no other is better on both
  unsure?: boolean; // it is on the frontier, but perhaps no better than a cheaper one
  dear?: boolean; // another offer of the model is better
  colour?: number; // of its maker; 0: none of its own
}

export interface Plot {
  points: Point[];
  left: { reason: string; count: number; names: string[] }[];
  total: number;
  lent?: string[]; // the harnesses that scores were measured with which are lent to offers
}

// Question is what svc is asked: service.rank.question/v1.
export interface Question {
  all?: boolean;
  models?: string[];
  maximize?: string[];
  minimize?: string[];
  weights?: Record<string, number>;
  atLeast?: Record<string, number>;
  atMost?: Record<string, number>;
  require?: Record<string, Value>;
  keys?: string[];
  cost?: { inputTokens: number; outputTokens: number };
  measuredCost?: string;
  within?: number | string;
  cheapest?: boolean;
  sellerPolicy?: string;
  services?: string[];
}

// Criterion is a preference, requirement or tie breaker of a request.
export interface Criterion {
  id?: string;
  measurementKey?: string;
  aggregation?: string;
  sum?: unknown;
  direction?: "maximize" | "minimize";
  weight?: number;
  operator?: "gte" | "lte" | "eq";
  value?: Value;
  unit?: string | null;
}

export interface RankRequest {
  schemaVersion?: string;
  inventory: unknown[];
  preferences: Criterion[];
  requirements: Criterion[];
  tieBreakers?: Criterion[];
}

// Column is a criterion as a table of candidates has it.
export interface Column {
  role: string;
  key: string;
  id: string | null; // null before version 3
  criterion: Criterion;
  series: number;
}

// Reason is what came of a criterion for a candidate.
export interface Reason {
  code: string;
  criterion?: string | null;
  measurementKey: string | null;
  summary: string;
  actual?: Value;
  estimate?: Estimate;
  contribution?: number;
}

export interface Candidate {
  candidateId: string;
  model: Model;
  execution: Scope;
  reasons: Reason[];
  evidence?: { criterion?: string; measurementKey: string | null; observationIds: string[]; overruled?: string[] }[];
  rank?: number;
  score?: number;
  coverage?: number;
  rankInterval?: { low: number; high: number };
  amongBest?: boolean | null;
  cost?: { usdPerTask: number } | null;
  offer?: { speed?: { ttft: number | null; throughput: number | null; uptime: number | null } } | null;
}

// Result is the record of a ranking.
export interface Result {
  ranked: Candidate[];
  excluded: Candidate[];
  scoreScale: { maximum: number; scales?: { criterion: string; low: number; high: number }[] };
  answer?: { choice: string[]; notes: string[]; changes: string[]; next: string | null };
  choice?: { candidateId: string; best: string } | null;
  frontier?: { candidateId: string; isStepShown: boolean | null }[];
}

// Answered is what the server answers to a question or a request.
export interface Answered {
  request: RankRequest;
  result: Result;
  because: string[]; // why each excluded candidate is, in its order
}

// Known is a question or a request that the page knows.
export interface Known {
  name: string;
  request?: RankRequest;
  question?: Question;
  options?: string[];
  isDraft?: boolean;
}

export interface Extras {
  diff: Diff | null; // from an older catalog
  requests: Known[];
  answers?: Answered[]; // of a report
  catalogFile: string;
  notes?: string[];
  sources?: Source[];
}

// Diff is what changed between two catalogs: service.catalog.diff/v1.
export interface Diff {
  old: { asOf: string };
  new: { asOf: string };
  summary: Record<"models" | "facts" | "samples" | "conflicts", Record<string, number>>;
  models: DiffModel[];
  rankings: DiffRanking[];
  leftOut: Record<string, number>;
}

export interface DiffModel {
  key: string;
  identity: Model;
  change: string;
  observations: { holdingOld: number; holdingNew: number };
  facts: {
    measurementKey: string;
    execution: Scope;
    change: string;
    ratio: number | null;
    old: DiffFact | null;
    new: DiffFact | null;
  }[];
  samples: { measurementKey: string; execution: Scope; old: Aggregate | null; new: Aggregate | null }[];
}

// DiffFact is a fact in one of the catalogs; n is of samples alone.
export interface DiffFact {
  state: string;
  n?: number;
  valueCount: number;
  values: { value: Value; unit: string | null }[];
  observations?: { id: string; validUntil: string | null }[];
}

export interface Aggregate {
  n: number;
  unit: string | null;
  mean: number | null;
  successRate: number | null;
}

export interface DiffRanking {
  request: { sha256: string };
  changed: boolean;
  old: string[];
  new: string[];
  candidates: DiffCandidate[];
}

export interface DiffCandidate {
  candidateId: string;
  old: { outcome: string; rank: number | null; score: number | null };
  new: { outcome: string; rank: number | null; score: number | null };
  move: number | null;
  criteria: DiffCriterion[];
}

export interface DiffCriterion {
  role: string;
  criterion: string | null;
  measurementKey: string | null;
  causes: string[];
  old: DiffCell | null;
  new: DiffCell | null;
  contribution: { old: number; new: number; ofValue: number; ofScale: number } | null;
}

export interface DiffCell {
  status: string;
  code: string;
  value: Value;
  unit: string | null;
  contribution: number | null;
  observationIds: string[];
}

// Change is a row of the screen of changes.
export interface Change {
  change: string;
  model: DiffModel;
  number: number;
  name: string;
  key: string;
  on: string;
  size: number; // of the change, to sort by
  says?: string;
  old?: DiffFact | null;
  new?: DiffFact | null;
  oldValue?: Value;
  newValue?: Value;
  ratio?: number | null;
  unit?: string | null;
}

// Asked is an error with what was asked and refused.
export interface Asked extends Error {
  asked?: string;
  status?: number; // 0: no answer
  path?: string; // in what was asked
}
