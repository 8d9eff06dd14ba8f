-- Indexes are made when the rows are in: sorting them once is faster than keeping them sorted.
CREATE INDEX observations_model ON observations (model);
CREATE INDEX measurements_key ON measurements (key);
CREATE INDEX observations_valid_until ON observations (valid_until);

-- A row for each slot. What makes its state is what holds or, if nothing does, what was
-- observed last.
CREATE VIEW facts AS
WITH entries AS (
  SELECT o.model, o.execution, o.task, m.key, m.type, m.value, m.unit, o.holds, o.observed_at, o.valid_until,
         max(o.holds) OVER slot AS any_holds, max(o.observed_at) OVER slot AS latest
  FROM measurements m JOIN observations o ON o.id = m.observation
  WHERE m.kind = 'fact'
  WINDOW slot AS (PARTITION BY o.model, o.execution, o.task, m.key)
), stated AS (
  SELECT model, execution, task, key, any_holds,
         min(type) = max(type) AND min(value) = max(value)
           AND min(coalesce(unit, '')) = max(coalesce(unit, '')) AS agree,
         min(value) AS value, min(unit) AS unit, max(observed_at) AS observed_at,
         CASE WHEN count(*) = count(valid_until) THEN max(valid_until) END AS valid_until,
         count(*) AS observations
  FROM entries
  WHERE CASE WHEN any_holds THEN holds ELSE observed_at = latest END
  GROUP BY model, execution, task, key
)
SELECT models.id AS model, models.revision, models.quantization, executions.runtime,
       executions.name AS execution, tasks.name AS task, stated.key,
       CASE WHEN NOT any_holds THEN 'expired' WHEN agree THEN 'value' ELSE 'conflict' END AS state,
       CASE WHEN any_holds AND agree THEN stated.value END AS value,
       CASE WHEN any_holds AND agree THEN stated.unit END AS unit,
       stated.observed_at, stated.valid_until, stated.observations
FROM stated
JOIN models ON models.key = stated.model
LEFT JOIN executions ON executions.key = stated.execution
LEFT JOIN tasks ON tasks.key = stated.task;

-- A row for each sample group with used samples.
CREATE VIEW samples AS
SELECT models.id AS model, models.revision, models.quantization, executions.runtime,
       executions.name AS execution, tasks.family, tasks.suite, m.key,
       count(*) AS n,
       CASE WHEN min(coalesce(m.unit, '')) = max(coalesce(m.unit, '')) THEN min(m.unit) END AS unit,
       CASE WHEN min(m.type) = 'number' AND max(m.type) = 'number' AND min(coalesce(m.unit, '')) = max(coalesce(m.unit, ''))
         AND abs(avg(m.value)) < 9e999 THEN avg(m.value) END AS mean,
       CASE WHEN min(m.type) = 'number' AND max(m.type) = 'number' AND min(coalesce(m.unit, '')) = max(coalesce(m.unit, '')) THEN min(m.value) END AS min,
       CASE WHEN min(m.type) = 'number' AND max(m.type) = 'number' AND min(coalesce(m.unit, '')) = max(coalesce(m.unit, '')) THEN max(m.value) END AS max,
       CASE WHEN min(m.type) = 'boolean' AND max(m.type) = 'boolean' THEN avg(m.value) END AS success_rate
FROM measurements m
JOIN observations o ON o.id = m.observation
JOIN models ON models.key = o.model
LEFT JOIN executions ON executions.key = o.execution
LEFT JOIN tasks ON tasks.key = o.task
WHERE m.kind = 'sample' AND o.holds AND o.outcome IS NOT 'invalid'
GROUP BY o.model, o.execution, tasks.family, tasks.suite, m.key;

-- A row for each listing: a model and a runtime that its facts name. A number is there
-- if all that holds for the runtime alone, or for every execution, says it. Prices are for
-- a million tokens, to the fifteen digits that a number of a price list is exact to.
CREATE VIEW prices AS
WITH listings AS (
  SELECT DISTINCT o.model, e.runtime
  FROM observations o JOIN executions e ON e.key = o.execution
  WHERE e.runtime IS NOT NULL AND EXISTS (SELECT 1 FROM measurements m WHERE m.observation = o.id AND m.kind = 'fact')
), stated AS (
  SELECT o.model, e.runtime, m.key, m.type, m.value, m.unit
  FROM measurements m JOIN observations o ON o.id = m.observation LEFT JOIN executions e ON e.key = o.execution
  WHERE m.kind = 'fact' AND o.holds AND o.task IS NULL
    AND coalesce(e.runtime_version, e.adapter, e.context_tokens, nullif(e.tools, '[]'), e.hardware, e.workflow) IS NULL
    AND m.key IN ('price.input', 'price.output', 'price.cache_read', 'price.cache_write', 'price.reasoning', 'limits.context', 'limits.output')
), known AS (
  SELECT l.model, l.runtime, s.key, min(s.value) AS value, min(s.unit) AS unit
  FROM listings l JOIN stated s ON s.model = l.model AND (s.runtime = l.runtime OR s.runtime IS NULL)
  GROUP BY l.model, l.runtime, s.key
  HAVING min(s.type) = 'number' AND max(s.type) = 'number' AND min(s.value) = max(s.value)
    AND min(coalesce(s.unit, '')) = max(coalesce(s.unit, ''))
)
SELECT models.id AS model, models.revision, models.quantization, l.runtime,
       max(CASE WHEN k.key = 'price.input' AND k.unit = 'USD/token' THEN CAST(printf('%.15g', k.value * 1e6) AS REAL) END) AS input,
       max(CASE WHEN k.key = 'price.output' AND k.unit = 'USD/token' THEN CAST(printf('%.15g', k.value * 1e6) AS REAL) END) AS output,
       max(CASE WHEN k.key = 'price.cache_read' AND k.unit = 'USD/token' THEN CAST(printf('%.15g', k.value * 1e6) AS REAL) END) AS cache_read,
       max(CASE WHEN k.key = 'price.cache_write' AND k.unit = 'USD/token' THEN CAST(printf('%.15g', k.value * 1e6) AS REAL) END) AS cache_write,
       max(CASE WHEN k.key = 'price.reasoning' AND k.unit = 'USD/token' THEN CAST(printf('%.15g', k.value * 1e6) AS REAL) END) AS reasoning,
       max(CASE WHEN k.key = 'limits.context' AND k.unit = 'tokens' THEN k.value END) AS context,
       max(CASE WHEN k.key = 'limits.output' AND k.unit = 'tokens' THEN k.value END) AS output_limit
FROM listings l
JOIN models ON models.key = l.model
LEFT JOIN known k ON k.model = l.model AND k.runtime = l.runtime
GROUP BY l.model, l.runtime;

-- A row for each value of each contradiction, and each address that says it.
CREATE VIEW contradictions AS
SELECT c.key AS conflict, c.measurement, models.name AS model, executions.runtime,
       m.value, m.unit, e.uri, o.observed_at, o.valid_until
FROM conflicts c
JOIN conflict_observations co ON co.conflict = c.key
JOIN observations o ON o.id = co.observation
JOIN measurements m ON m.observation = o.id AND m.kind = 'fact' AND m.key = c.measurement
JOIN models ON models.key = c.model
LEFT JOIN executions ON executions.key = c.execution
LEFT JOIN evidence e ON e.observation = o.id;

-- What holds and will expire, the first to do so first.
CREATE VIEW expiring AS
SELECT o.valid_until, models.name AS model, executions.runtime, o.id AS observation,
       (SELECT group_concat(key, ' ') FROM measurements WHERE observation = o.id) AS keys
FROM observations o
JOIN models ON models.key = o.model
LEFT JOIN executions ON executions.key = o.execution
WHERE o.holds AND o.valid_until IS NOT NULL
ORDER BY o.valid_until, o.id;
