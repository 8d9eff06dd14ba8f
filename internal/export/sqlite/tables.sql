CREATE TABLE catalog (
  digest TEXT PRIMARY KEY,
  as_of TEXT NOT NULL,
  models INTEGER NOT NULL,
  observations INTEGER NOT NULL,
  conflicts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE models (
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  id TEXT NOT NULL,
  revision TEXT,
  quantization TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE executions (
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  runtime TEXT,
  runtime_version TEXT,
  adapter TEXT,
  adapter_version TEXT,
  context_tokens INTEGER,
  tools TEXT,
  hardware TEXT,
  accelerator TEXT,
  memory_bytes INTEGER,
  workflow TEXT,
  workflow_version TEXT,
  workflow_condition TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  family TEXT NOT NULL,
  suite TEXT,
  task TEXT,
  evaluator TEXT NOT NULL,
  evaluator_version TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE observations (
  id TEXT PRIMARY KEY,
  model TEXT NOT NULL REFERENCES models,
  kind TEXT NOT NULL,
  execution TEXT REFERENCES executions,
  task TEXT REFERENCES tasks,
  outcome TEXT,
  source_class TEXT NOT NULL,
  observed_at TEXT NOT NULL,
  valid_until TEXT,
  holds INTEGER NOT NULL,
  uncertainty TEXT NOT NULL,
  basis TEXT NOT NULL,
  gaps TEXT NOT NULL,
  input_tokens INTEGER,
  output_tokens INTEGER,
  reasoning_tokens INTEGER,
  total_tokens INTEGER,
  model_calls INTEGER,
  wall_time_ms INTEGER,
  outcome_reason TEXT,
  usage_completeness TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE measurements (
  observation TEXT NOT NULL REFERENCES observations,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  value ANY NOT NULL,
  unit TEXT,
  PRIMARY KEY (observation, kind, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
  observation TEXT NOT NULL REFERENCES observations,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  uri TEXT,
  sha256 TEXT,
  observed_at TEXT NOT NULL,
  PRIMARY KEY (observation, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE conflicts (
  key TEXT PRIMARY KEY,
  model TEXT NOT NULL REFERENCES models,
  measurement TEXT NOT NULL,
  execution TEXT REFERENCES executions,
  task TEXT REFERENCES tasks
) STRICT, WITHOUT ROWID;

CREATE TABLE conflict_observations (
  conflict TEXT NOT NULL REFERENCES conflicts,
  observation TEXT NOT NULL REFERENCES observations,
  PRIMARY KEY (conflict, observation)
) STRICT, WITHOUT ROWID;
