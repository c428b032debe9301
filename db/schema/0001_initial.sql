-- SPDX-License-Identifier: Apache-2.0
-- Everything that was measured, and under which circumstances. docs/explanation/database.md describes it for people.
-- Units: seconds, bytes, Hz, watts, degrees Celsius. Times of day: UTC, 2026-01-31T12:00:00.000Z.

-- A device as it was found: a changed driver, power limit or measured bandwidth makes another row.
CREATE TABLE devices (
  id           INTEGER PRIMARY KEY,
  facts_hash   TEXT NOT NULL UNIQUE,  -- of everything in `facts`
  model_key    TEXT NOT NULL,         -- equal for boards that may share results
  name         TEXT NOT NULL,
  uuid         TEXT NOT NULL,         -- empty where unknown
  architecture TEXT NOT NULL,         -- sm_90
  driver       TEXT NOT NULL,
  facts        TEXT NOT NULL CHECK (json_valid(facts))
) STRICT;
CREATE INDEX devices_by_model ON devices (model_key);

-- What made the binaries.
CREATE TABLE toolchains (
  id          INTEGER PRIMARY KEY,
  compiler    TEXT NOT NULL,
  source_hash TEXT NOT NULL,  -- of all kernel sources of the problem
  UNIQUE (compiler, source_hash)
) STRICT;

-- A problem at one size.
CREATE TABLE instances (
  id           INTEGER PRIMARY KEY,
  problem      TEXT NOT NULL CHECK (problem <> ''),
  size         TEXT NOT NULL,  -- 512x512x512
  settings_key TEXT NOT NULL,  -- radius=1,type=float
  extents      TEXT NOT NULL CHECK (json_valid(extents)),   -- {"nx":512,...} in the problem's order
  settings     TEXT NOT NULL CHECK (json_valid(settings)),
  UNIQUE (problem, size, settings_key)
) STRICT;

-- The question that an evaluation answers: equal configurations under one work need no second evaluation.
CREATE TABLE works (
  id        INTEGER PRIMARY KEY,
  instance  INTEGER NOT NULL REFERENCES instances (id),
  model_key TEXT NOT NULL,
  driver    TEXT NOT NULL,
  toolchain INTEGER NOT NULL REFERENCES toolchains (id),
  origin    TEXT NOT NULL CHECK (origin IN ('measured', 'replayed')),
  UNIQUE (instance, model_key, driver, toolchain, origin)
) STRICT;

-- One call of the tuner. `ended` stays empty where the program was killed.
CREATE TABLE runs (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,  -- a number that a person noted never comes to mean another run
  work               INTEGER NOT NULL REFERENCES works (id),
  device             INTEGER NOT NULL REFERENCES devices (id),
  strategy           TEXT NOT NULL,
  seed               TEXT NOT NULL,  -- 64 bits without a sign: more than an INTEGER holds
  budget_evaluations INTEGER CHECK (budget_evaluations >= 0),
  budget_seconds     REAL CHECK (budget_seconds >= 0),
  restriction        TEXT NOT NULL,  -- the expression given with --where
  pinned             TEXT NOT NULL CHECK (json_valid(pinned)),
  command_line       TEXT NOT NULL,
  program_version    TEXT NOT NULL,
  host               TEXT NOT NULL,
  core_clock         REAL NOT NULL,
  memory_clock       REAL NOT NULL,
  temperature        REAL NOT NULL,
  power              REAL NOT NULL,
  throttle           TEXT NOT NULL,
  space_size         INTEGER NOT NULL CHECK (space_size >= 0),
  limit_seconds      REAL NOT NULL,  -- the roofline limit; 0 where unknown
  items              REAL NOT NULL,  -- of the work, and so are flops and bytes
  flops              REAL NOT NULL,
  bytes              REAL NOT NULL,
  item               TEXT NOT NULL,  -- what is counted: cell update
  started            TEXT NOT NULL,
  ended              TEXT,
  end_reason         TEXT CHECK (end_reason IN ('exhausted', 'budget', 'interrupted', 'stopped', 'failed')),
  CHECK ((ended IS NULL) = (end_reason IS NULL)),
  UNIQUE (id, work)
) STRICT;
CREATE INDEX runs_by_work ON runs (work);
CREATE INDEX runs_by_device ON runs (device);

-- One configuration compiled, checked and measured: a measurement or a failure, never both, never neither.
CREATE TABLE evaluations (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  run               INTEGER NOT NULL,  -- that made it
  work              INTEGER NOT NULL,  -- of that run
  configuration     TEXT NOT NULL CHECK (json_valid(configuration)),  -- in the order of declaration
  configuration_key TEXT NOT NULL,                                    -- sorted by name
  time              REAL CHECK (time > 0),       -- median of the samples
  minimum           REAL CHECK (minimum >= 0),
  error             REAL CHECK (error >= 0),     -- largest |out - ref|
  tolerance         REAL CHECK (tolerance >= 0),
  phase             TEXT CHECK (phase IN ('constraint', 'compile', 'resources', 'launch', 'verify', 'timeout',
                                          'crash')),
  reason            TEXT,
  detail            TEXT,
  registers                INTEGER,  -- a thread, like spills and local memory; all of these or none
  spill_store_bytes        INTEGER,
  spill_load_bytes         INTEGER,
  local_bytes              INTEGER,
  static_shared_memory     INTEGER,  -- a block
  dynamic_shared_memory    INTEGER,
  threads                  INTEGER,
  max_threads              INTEGER,
  blocks_per_multiprocessor INTEGER,
  occupancy                REAL,     -- 0 to 1
  limiter                  TEXT,
  binary_hash       TEXT NOT NULL,   -- empty where nothing was compiled
  compile_seconds   REAL NOT NULL,   -- what the phases took on the host
  load_seconds      REAL NOT NULL,
  verify_seconds    REAL NOT NULL,
  measure_seconds   REAL NOT NULL,
  recorded          TEXT NOT NULL,
  FOREIGN KEY (run, work) REFERENCES runs (id, work),
  CONSTRAINT measurement_or_failure CHECK (
    (time IS NOT NULL AND minimum IS NOT NULL AND error IS NOT NULL AND tolerance IS NOT NULL
      AND phase IS NULL AND reason IS NULL AND detail IS NULL)
    OR
    (time IS NULL AND minimum IS NULL AND error IS NULL AND tolerance IS NULL
      AND phase IS NOT NULL AND reason IS NOT NULL AND detail IS NOT NULL)),
  CONSTRAINT resources_all_or_none CHECK (
    (registers IS NULL) + (spill_store_bytes IS NULL) + (spill_load_bytes IS NULL) + (local_bytes IS NULL)
    + (static_shared_memory IS NULL) + (dynamic_shared_memory IS NULL) + (threads IS NULL)
    + (max_threads IS NULL) + (blocks_per_multiprocessor IS NULL) + (occupancy IS NULL)
    + (limiter IS NULL) IN (0, 11))
) STRICT;
CREATE INDEX evaluations_known ON evaluations (work, configuration_key, recorded, id);
CREATE INDEX evaluations_fastest ON evaluations (work, time) WHERE time IS NOT NULL;
CREATE INDEX evaluations_by_run ON evaluations (run);

-- The times behind a measurement, in the order taken.
CREATE TABLE samples (
  evaluation INTEGER NOT NULL REFERENCES evaluations (id) ON DELETE CASCADE,
  ordinal    INTEGER NOT NULL CHECK (ordinal >= 0),
  seconds    REAL NOT NULL CHECK (seconds >= 0),
  PRIMARY KEY (evaluation, ordinal)
) STRICT, WITHOUT ROWID;

-- What each run saw, in order. A reused evaluation stays with the run that made it and is only named here.
CREATE TABLE run_evaluations (
  run        INTEGER NOT NULL REFERENCES runs (id),
  sequence   INTEGER NOT NULL CHECK (sequence >= 0),
  evaluation INTEGER NOT NULL REFERENCES evaluations (id),
  reused     INTEGER NOT NULL CHECK (reused IN (0, 1)),
  PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_evaluations_by_evaluation ON run_evaluations (evaluation);

-- Evaluations that count: a later one of the same configuration under the same work replaces the earlier.
CREATE VIEW current_evaluations AS
SELECT e.* FROM evaluations e
WHERE NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.work = e.work AND n.configuration_key = e.configuration_key
    AND (n.recorded, n.id) > (e.recorded, e.id));

-- A flat row for each evaluation.
CREATE VIEW results AS
SELECT e.id AS evaluation, e.run, e.recorded,
       i.problem, i.size, i.settings_key AS settings, i.extents,
       d.name AS device, w.model_key, d.architecture, w.driver, t.compiler, t.source_hash, w.origin,
       e.configuration, e.configuration_key,
       e.time, e.minimum, e.error, e.tolerance, e.phase, e.reason, e.detail,
       r.limit_seconds / e.time AS share_of_limit, r.items / e.time AS items_per_second,
       r.flops / e.time AS flops_per_second, r.bytes / e.time AS bytes_per_second,
       r.limit_seconds, r.items, r.flops, r.bytes, r.item,
       e.registers, e.spill_store_bytes, e.spill_load_bytes, e.local_bytes, e.static_shared_memory,
       e.dynamic_shared_memory, e.threads, e.max_threads, e.blocks_per_multiprocessor, e.occupancy, e.limiter,
       e.binary_hash, e.compile_seconds, e.load_seconds, e.verify_seconds, e.measure_seconds,
       EXISTS (SELECT 1 FROM current_evaluations c WHERE c.id = e.id) AS current,
       (SELECT COUNT(*) FROM samples s WHERE s.evaluation = e.id) AS samples,
       e.work
FROM evaluations e
JOIN runs r ON r.id = e.run
JOIN works w ON w.id = e.work
JOIN instances i ON i.id = w.instance
JOIN toolchains t ON t.id = w.toolchain
JOIN devices d ON d.id = r.device;

-- The fastest configuration of each work: versions kept apart.
CREATE VIEW best_by_versions AS
SELECT results.* FROM works w
JOIN results ON results.evaluation = (
  SELECT e.id FROM current_evaluations e
  WHERE e.work = w.id AND e.time IS NOT NULL
  ORDER BY e.time, e.id LIMIT 1);

-- The fastest of each problem, size and device model, whatever driver, compiler and sources: they are columns.
-- Measured and replayed results are never compared with one another.
CREATE VIEW best AS
SELECT * FROM (
  SELECT *, ROW_NUMBER() OVER (
              PARTITION BY problem, size, settings, model_key, origin ORDER BY time, evaluation) AS place
  FROM best_by_versions)
WHERE place = 1;

-- A flat row for each run.
CREATE VIEW run_overview AS
SELECT r.id AS run, i.problem, i.size, i.settings_key AS settings, i.extents,
       d.name AS device, w.model_key, d.architecture, w.driver, t.compiler, t.source_hash, w.origin,
       r.strategy, r.started, r.ended, r.end_reason,
       (SELECT COUNT(*) FROM run_evaluations l WHERE l.run = r.id) AS evaluations,
       (SELECT COUNT(*) FROM run_evaluations l WHERE l.run = r.id AND l.reused) AS reused,
       (SELECT COUNT(*) FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation
        WHERE l.run = r.id AND e.phase IS NOT NULL) AS failures,
       b.time AS best, b.configuration_key AS best_configuration,
       r.work
FROM runs r
JOIN works w ON w.id = r.work
JOIN instances i ON i.id = w.instance
JOIN toolchains t ON t.id = w.toolchain
JOIN devices d ON d.id = r.device
LEFT JOIN evaluations b ON b.id = (
  SELECT e.id FROM run_evaluations l JOIN evaluations e ON e.id = l.evaluation
  WHERE l.run = r.id AND e.time IS NOT NULL ORDER BY e.time, l.sequence LIMIT 1);
