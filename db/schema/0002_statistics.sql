-- SPDX-License-Identifier: Apache-2.0
-- How each measurement came about, finals, and the state of the caches. NULL: not known, for rows of before.
-- Units as before; energy in joules an execution.

-- They name the tables below; made anew at the end.
DROP VIEW run_overview;
DROP VIEW best;
DROP VIEW best_by_versions;
DROP VIEW results;
DROP VIEW current_evaluations;

-- Times with cold and with warm caches answer different questions. All before were cold. A table's UNIQUE
-- cannot be changed, so the table is copied; foreign keys are not enforced in a migration.
CREATE TABLE new_works (
  id        INTEGER PRIMARY KEY,
  instance  INTEGER NOT NULL REFERENCES instances (id),
  model_key TEXT NOT NULL,
  driver    TEXT NOT NULL,
  toolchain INTEGER NOT NULL REFERENCES toolchains (id),
  origin    TEXT NOT NULL CHECK (origin IN ('measured', 'replayed')),
  cache     TEXT NOT NULL CHECK (cache IN ('cold', 'warm')),  -- when an execution starts
  UNIQUE (instance, model_key, driver, toolchain, origin, cache)
) STRICT;
INSERT INTO new_works SELECT id, instance, model_key, driver, toolchain, origin, 'cold' FROM works;
DROP TABLE works;
ALTER TABLE new_works RENAME TO works;

ALTER TABLE runs ADD COLUMN objective TEXT NOT NULL DEFAULT 'time' CHECK (objective IN ('time', 'energy', 'edp'));

ALTER TABLE evaluations ADD COLUMN stop_reason TEXT
  CHECK (stop_reason IN ('precise', 'outpaced', 'samples', 'time'));  -- why no further sample was taken
ALTER TABLE evaluations ADD COLUMN executions INTEGER CHECK (executions >= 1);  -- behind each sample
ALTER TABLE evaluations ADD COLUMN throttled INTEGER CHECK (throttled >= 0);    -- samples dropped for it
ALTER TABLE evaluations ADD COLUMN core_clock REAL;    -- the machine while it was measured
ALTER TABLE evaluations ADD COLUMN memory_clock REAL;
ALTER TABLE evaluations ADD COLUMN temperature REAL;
ALTER TABLE evaluations ADD COLUMN power REAL;
ALTER TABLE evaluations ADD COLUMN throttle TEXT;      -- reasons, comma-separated; empty for none
ALTER TABLE evaluations ADD COLUMN energy REAL CHECK (energy > 0);
ALTER TABLE evaluations ADD COLUMN reference_seconds REAL;
ALTER TABLE evaluations ADD COLUMN same_code INTEGER CHECK (same_code IN (0, 1));    -- outcome of equal machine code
ALTER TABLE evaluations ADD COLUMN from_cache INTEGER CHECK (from_cache IN (0, 1));  -- the binary was not compiled

-- The ranking at the end of a run: its best, timed again in turns.
CREATE TABLE finals (
  run        INTEGER NOT NULL REFERENCES runs (id),
  evaluation INTEGER NOT NULL REFERENCES evaluations (id),
  place      INTEGER NOT NULL CHECK (place >= 1),
  time       REAL NOT NULL CHECK (time > 0),  -- median of the rounds, and its interval
  time_low   REAL NOT NULL,
  time_high  REAL NOT NULL,
  energy     REAL CHECK (energy > 0),         -- median of the rounds
  ratio      REAL NOT NULL,                   -- median of the objective's value to the winner's, by round
  ratio_low  REAL NOT NULL,
  ratio_high REAL NOT NULL,
  tied       INTEGER NOT NULL CHECK (tied IN (0, 1)),    -- with the winner
  rounds     INTEGER NOT NULL CHECK (rounds >= 1),
  reused     INTEGER NOT NULL CHECK (reused IN (0, 1)),  -- rounds of an earlier run
  PRIMARY KEY (run, evaluation),
  UNIQUE (run, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX finals_by_evaluation ON finals (evaluation, run);

CREATE TABLE final_rounds (
  run        INTEGER NOT NULL,
  evaluation INTEGER NOT NULL,
  round      INTEGER NOT NULL CHECK (round >= 0),
  seconds    REAL NOT NULL CHECK (seconds >= 0),
  energy     REAL CHECK (energy > 0),
  PRIMARY KEY (run, evaluation, round),
  FOREIGN KEY (run, evaluation) REFERENCES finals (run, evaluation) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Evaluations that count: a later one of the same configuration under the same work replaces the earlier.
CREATE VIEW current_evaluations AS
SELECT e.* FROM evaluations e
WHERE NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.work = e.work AND n.configuration_key = e.configuration_key
    AND (n.recorded, n.id) > (e.recorded, e.id));

-- What each measurement is ranked by: the median of its newest finals by time, else of its samples. What a run
-- with such finals saw and did not choose is outranked by all that were chosen: its time is of another moment.
CREATE VIEW ranking AS
SELECT e.id AS evaluation, e.work, COALESCE(f.time, e.time) AS time, f.run AS final_run,
       f.run IS NULL AND EXISTS (
         SELECT 1 FROM run_evaluations l JOIN runs r ON r.id = l.run
         WHERE l.evaluation = e.id AND r.objective = 'time'
           AND EXISTS (SELECT 1 FROM finals x WHERE x.run = l.run)) AS outranked,
       COALESCE(f.place, 0) AS place
FROM evaluations e
LEFT JOIN finals f ON f.evaluation = e.id AND f.run = (
  SELECT x.run FROM finals x JOIN runs r ON r.id = x.run
  WHERE x.evaluation = e.id AND r.objective = 'time' ORDER BY x.run DESC LIMIT 1)
WHERE e.time IS NOT NULL;

-- A flat row for each evaluation. `time` is what it is ranked by, `measured_time` the median of its samples.
CREATE VIEW results AS
SELECT e.id AS evaluation, e.run, e.recorded,
       i.problem, i.size, i.settings_key AS settings, i.extents,
       d.name AS device, w.model_key, d.architecture, w.driver, t.compiler, t.source_hash, w.origin, w.cache,
       e.configuration, e.configuration_key,
       k.time, e.time AS measured_time, e.minimum, e.error, e.tolerance, e.phase, e.reason, e.detail,
       r.limit_seconds / k.time AS share_of_limit, r.items / k.time AS items_per_second,
       r.flops / k.time AS flops_per_second, r.bytes / k.time AS bytes_per_second,
       r.limit_seconds, r.items, r.flops, r.bytes, r.item,
       f.run AS final_run, f.place AS final_place, f.time_low AS final_low, f.time_high AS final_high,
       f.ratio AS final_ratio, f.ratio_low AS final_ratio_low, f.ratio_high AS final_ratio_high,
       f.tied AS final_tied, f.rounds AS final_rounds, k.outranked, k.place AS rank_place,
       e.stop_reason, e.executions, e.throttled, e.core_clock, e.memory_clock, e.temperature, e.power, e.throttle,
       e.energy, e.same_code, e.from_cache,
       e.registers, e.spill_store_bytes, e.spill_load_bytes, e.local_bytes, e.static_shared_memory,
       e.dynamic_shared_memory, e.threads, e.max_threads, e.blocks_per_multiprocessor, e.occupancy, e.limiter,
       e.binary_hash, e.compile_seconds, e.reference_seconds, e.load_seconds, e.verify_seconds, e.measure_seconds,
       EXISTS (SELECT 1 FROM current_evaluations c WHERE c.id = e.id) AS current,
       (SELECT COUNT(*) FROM samples s WHERE s.evaluation = e.id) AS samples,
       e.work
FROM evaluations e
JOIN runs r ON r.id = e.run
JOIN works w ON w.id = e.work
JOIN instances i ON i.id = w.instance
JOIN toolchains t ON t.id = w.toolchain
JOIN devices d ON d.id = r.device
LEFT JOIN ranking k ON k.evaluation = e.id
LEFT JOIN finals f ON f.evaluation = e.id AND f.run = k.final_run;

-- The fastest configuration of each work: versions kept apart.
CREATE VIEW best_by_versions AS
SELECT results.* FROM works w
JOIN results ON results.evaluation = (
  SELECT k.evaluation FROM ranking k JOIN current_evaluations e ON e.id = k.evaluation
  WHERE k.work = w.id
  ORDER BY k.outranked, k.time, k.place, k.evaluation LIMIT 1);

-- The fastest of each problem, size and device model, whatever driver, compiler and sources: they are columns.
-- Measured and replayed results, and those of cold and warm caches, are never compared with one another.
CREATE VIEW best AS
SELECT * FROM (
  SELECT *, ROW_NUMBER() OVER (
              PARTITION BY problem, size, settings, model_key, origin, cache ORDER BY time, evaluation) AS place
  FROM best_by_versions)
WHERE place = 1;

-- A flat row for each run. `best` is the winner of its finals, else the smallest median that it saw.
CREATE VIEW run_overview AS
SELECT r.id AS run, i.problem, i.size, i.settings_key AS settings, i.extents,
       d.name AS device, w.model_key, d.architecture, w.driver, t.compiler, t.source_hash, w.origin, w.cache,
       r.strategy, r.objective, r.started, r.ended, r.end_reason,
       (SELECT COUNT(*) FROM run_evaluations l WHERE l.run = r.id) AS evaluations,
       (SELECT COUNT(*) FROM run_evaluations l WHERE l.run = r.id AND l.reused) AS reused,
       (SELECT COUNT(*) FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation
        WHERE l.run = r.id AND e.phase IS NOT NULL) AS failures,
       b.id AS best_evaluation, COALESCE(f.time, b.time) AS best, b.configuration_key AS best_configuration,
       (SELECT COUNT(*) FROM finals x WHERE x.run = r.id AND x.tied) AS tied,
       r.work
FROM runs r
JOIN works w ON w.id = r.work
JOIN instances i ON i.id = w.instance
JOIN toolchains t ON t.id = w.toolchain
JOIN devices d ON d.id = r.device
LEFT JOIN finals f ON f.run = r.id AND f.place = 1
LEFT JOIN evaluations b ON b.id = COALESCE(f.evaluation, (
  SELECT e.id FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation
  WHERE l.run = r.id AND e.time IS NOT NULL ORDER BY e.time, l.sequence LIMIT 1));
