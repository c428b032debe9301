-- SPDX-License-Identifier: Apache-2.0
-- A small database of schema 8, as `sqlite3 .dump` writes it: its tables are those that were released, its rows invented.
PRAGMA application_id = 0x74756e65;
PRAGMA user_version = 8;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE devices (
  id           INTEGER PRIMARY KEY,
  facts_hash   TEXT NOT NULL UNIQUE,  -- of everything in `facts`
  model_key    TEXT NOT NULL,         -- equal for boards that may share results
  name         TEXT NOT NULL,
  uuid         TEXT NOT NULL,         -- empty where unknown
  architecture TEXT NOT NULL,         -- sm_90
  driver       TEXT NOT NULL,
  facts        TEXT NOT NULL CHECK (json_valid(facts))
, power_limit REAL CHECK (power_limit > 0), max_core_clock REAL CHECK (max_core_clock > 0), max_memory_clock REAL CHECK (max_memory_clock > 0)) STRICT;
INSERT INTO devices VALUES(1,'6922772411496c25925907c2ebb38be7','NVIDIA H200 sm_90 132 SMs 140 GiB','NVIDIA H200','GPU-cce817af-8fdf-3ae0-d846-365c938409fd','sm_90','580.159.04','{"name":"NVIDIA H200","uuid":"GPU-cce817af-8fdf-3ae0-d846-365c938409fd","compute_major":9,"compute_minor":0,"multiprocessors":132,"warp_size":32,"max_threads_per_block":1024,"max_threads_per_multiprocessor":2048,"max_blocks_per_multiprocessor":32,"max_block_dim":[1024,1024,64],"max_grid_dim":[2147483647,65535,65535],"registers_per_block":65536,"registers_per_multiprocessor":65536,"shared_memory_per_block":49152,"shared_memory_per_block_optin":232448,"shared_memory_per_multiprocessor":233472,"reserved_shared_memory_per_block":1024,"global_memory":150109880320,"l2_cache":62914560,"core_clock":1980000000,"memory_clock":3201000000,"memory_bus_bits":6016,"ecc":true,"driver":"580.159.04","power_limit":700.0,"energy_counter":true,"copy_bandwidth":4270370158392.2827}',700.0,1980000000.0,3201000000.0);
INSERT INTO devices VALUES(2,'74e9f229a20ef5b7e2cd0be73f595956','NVIDIA H200 sm_90 132 SMs 140 GiB','NVIDIA H200','GPU-cce817af-8fdf-3ae0-d846-365c938409fd','sm_90','580.159.04','{"name":"NVIDIA H200","uuid":"GPU-cce817af-8fdf-3ae0-d846-365c938409fd","compute_major":9,"compute_minor":0,"multiprocessors":132,"warp_size":32,"max_threads_per_block":1024,"max_threads_per_multiprocessor":2048,"max_blocks_per_multiprocessor":32,"max_block_dim":[1024,1024,64],"max_grid_dim":[2147483647,65535,65535],"registers_per_block":65536,"registers_per_multiprocessor":65536,"shared_memory_per_block":49152,"shared_memory_per_block_optin":232448,"shared_memory_per_multiprocessor":233472,"reserved_shared_memory_per_block":1024,"global_memory":150109880320,"l2_cache":62914560,"core_clock":1980000000,"memory_clock":3201000000,"memory_bus_bits":6016,"ecc":true,"driver":"580.159.04","power_limit":700.0,"energy_counter":true,"copy_bandwidth":4271729103689.9307}',700.0,1980000000.0,3201000000.0);
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
  recorded          TEXT NOT NULL, stop_reason TEXT
  CHECK (stop_reason IN ('precise', 'outpaced', 'samples', 'time')), executions INTEGER CHECK (executions >= 1), throttled INTEGER CHECK (throttled >= 0), core_clock REAL, memory_clock REAL, temperature REAL, power REAL, throttle TEXT, energy REAL CHECK (energy > 0), reference_seconds REAL, same_code INTEGER CHECK (same_code IN (0, 1)), from_cache INTEGER CHECK (from_cache IN (0, 1)), counts INTEGER NOT NULL DEFAULT 1 CHECK (counts IN (0, 1)), attempts INTEGER CHECK (attempts >= 1), time_limit REAL CHECK (time_limit > 0), metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics)),
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
INSERT INTO evaluations VALUES(1,1,1,'{"variant":"shared","block_x":1}','block_x=1,variant=shared',0.0020000000000000000416,0.0010000000000000000208,1.5000000000000000379e-06,2.5000000000000002042e-06,NULL,NULL,NULL,40,8,12,16,1024,2048,256,512,6,0.75,'registers','feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:00.500Z','precise',3,2,1750000000.0,2600000000.0,51.5,623.25,'power cap',0.375,0.03125,1,0,1,NULL,NULL,'{"GFLOP/s":812.5,"power (W)":300.0}');
INSERT INTO evaluations VALUES(2,1,1,'{"variant":"shared","block_x":2}','block_x=2,variant=shared',0.0045000000000000005273,0.0040000000000000000832,1.5000000000000000379e-06,2.5000000000000002042e-06,NULL,NULL,NULL,40,8,12,16,1024,2048,256,512,6,0.75,'registers','feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:01.500Z','precise',3,2,1750000000.0,2600000000.0,51.5,623.25,'power cap',0.375,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(10,1,1,'{"variant":"shared","block_x":10}','block_x=10,variant=shared',NULL,NULL,NULL,NULL,'constraint','invalid','',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:02.500Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(11,1,1,'{"variant":"shared","block_x":11}','block_x=11,variant=shared',NULL,NULL,NULL,NULL,'compile','syntax',replace('error: it''s\nline two','\n',char(10)),NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:03.500Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(12,1,1,'{"variant":"shared","block_x":12}','block_x=12,variant=shared',NULL,NULL,NULL,NULL,'resources','shared memory','232449 of 232448',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:04.500Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(13,1,1,'{"variant":"shared","block_x":13}','block_x=13,variant=shared',NULL,NULL,NULL,NULL,'launch','fault','at 0',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:05.500Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(14,1,1,'{"variant":"shared","block_x":14}','block_x=14,variant=shared',NULL,NULL,NULL,NULL,'verify','wrong result','µ: 3.5',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:06.500Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(15,1,1,'{"variant":"shared","block_x":15}','block_x=15,variant=shared',NULL,NULL,NULL,NULL,'timeout','timeout','10 s',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:07.500Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.03125,1,0,0,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(16,1,1,'{"variant":"shared","block_x":16}','block_x=16,variant=shared',NULL,NULL,NULL,NULL,'crash','illegal address','',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:08.500Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.03125,1,0,0,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(20,1,1,'{"variant":"shared","block_x":1}','block_x=1,variant=shared',0.002500000000000000052,0.002500000000000000052,1.5000000000000000379e-06,2.5000000000000002042e-06,NULL,NULL,NULL,40,8,12,16,1024,2048,256,512,6,0.75,'registers','feedface',0.5,0.25,0.125,0.0625,'2026-01-01T10:00:09.500Z','precise',3,2,1750000000.0,2600000000.0,51.5,623.25,'power cap',0.375,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(21,2,2,'{"variant":"shared","block_x":1}','block_x=1,variant=shared',0.0010000000000000000208,0.0010000000000000000208,1.5000000000000000379e-06,2.5000000000000002042e-06,NULL,NULL,NULL,40,8,12,16,1024,2048,256,512,6,0.75,'registers','feedface',0.5,0.25,0.125,0.0625,'2026-01-02T10:00:00.500Z','precise',3,2,1750000000.0,2600000000.0,51.5,623.25,'power cap',0.375,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(22,3,3,'{"variant":"shared","block_x":4}','block_x=4,variant=shared',7.5000000000000001899e-06,6.999999999999999895e-06,1.5000000000000000379e-06,2.5000000000000002042e-06,NULL,NULL,NULL,40,8,12,16,1024,2048,256,512,6,0.75,'registers','feedface',0.5,0.25,0.125,0.0625,'2026-01-03T10:00:00.500Z','precise',3,2,1750000000.0,2600000000.0,51.5,623.25,'power cap',0.375,0.03125,1,0,1,NULL,NULL,NULL);
INSERT INTO evaluations VALUES(30,7,4,'{"variant":"shared","block_x":2}','block_x=2,variant=shared',0.0044999999999999996599,0.0044999999999999996599,1.5000000000000000379e-06,2.5000000000000002042e-06,NULL,NULL,NULL,40,8,12,16,1024,2048,256,512,6,0.75,'registers','feedface',0.5,0.25,0.125,0.0625,'2026-01-07T10:00:00.500Z','precise',3,2,1750000000.0,2600000000.0,51.5,623.25,'power cap',0.375,0.03125,1,0,1,NULL,NULL,NULL);
CREATE TABLE final_rounds (
  run        INTEGER NOT NULL,
  evaluation INTEGER NOT NULL,
  round      INTEGER NOT NULL CHECK (round >= 0),
  seconds    REAL NOT NULL CHECK (seconds >= 0),
  energy     REAL CHECK (energy > 0), metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics)),
  PRIMARY KEY (run, evaluation, round),
  FOREIGN KEY (run, evaluation) REFERENCES finals (run, evaluation) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO final_rounds VALUES(1,2,0,0.0039375000000000000277,0.5,NULL);
INSERT INTO final_rounds VALUES(1,2,1,0.0043749999999999995489,0.5,NULL);
INSERT INTO final_rounds VALUES(1,2,2,0.0048124999999999999375,0.5,NULL);
INSERT INTO final_rounds VALUES(1,20,0,0.0022499999999999998299,NULL,NULL);
INSERT INTO final_rounds VALUES(1,20,1,0.0024999999999999996183,NULL,NULL);
INSERT INTO final_rounds VALUES(1,20,2,0.0027499999999999998404,NULL,NULL);
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
  reused     INTEGER NOT NULL CHECK (reused IN (0, 1)), metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics)),  -- rounds of an earlier run
  PRIMARY KEY (run, evaluation),
  UNIQUE (run, place)
) STRICT, WITHOUT ROWID;
INSERT INTO finals VALUES(1,2,2,0.0043750000000000004163,0.0039375000000000000277,0.0048124999999999999375,0.5,1.75,1.75,1.75,0,3,0,NULL);
INSERT INTO finals VALUES(1,20,1,0.002500000000000000052,0.0022499999999999998299,0.0027499999999999998404,NULL,1.0,1.0,1.0,1,3,0,NULL);
CREATE TABLE instances (
  id           INTEGER PRIMARY KEY,
  problem      TEXT NOT NULL CHECK (problem <> ''),
  size         TEXT NOT NULL,  -- 512x512x512
  settings_key TEXT NOT NULL,  -- radius=1,type=float
  extents      TEXT NOT NULL CHECK (json_valid(extents)),   -- {"nx":512,...} in the problem's order
  settings     TEXT NOT NULL CHECK (json_valid(settings)),
  UNIQUE (problem, size, settings_key)
) STRICT;
INSERT INTO instances VALUES(1,'stencil3d','512x256x128','damping=0.1,periodic=true,radius=2,shape=star,type=float','{"nx":512,"ny":256,"nz":128}','{"type":"float","shape":"star","radius":2,"damping":0.1,"periodic":true}');
INSERT INTO instances VALUES(2,'transpose','64x64','','{"nx":64,"ny":64}','{}');
CREATE TABLE properties (
  name  TEXT PRIMARY KEY CHECK (name IN ('recording')),
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE run_evaluations (
  run        INTEGER NOT NULL REFERENCES runs (id),
  sequence   INTEGER NOT NULL CHECK (sequence >= 0),
  evaluation INTEGER NOT NULL REFERENCES evaluations (id),
  reused     INTEGER NOT NULL CHECK (reused IN (0, 1)),
  PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO run_evaluations VALUES(1,0,1,0);
INSERT INTO run_evaluations VALUES(1,1,2,0);
INSERT INTO run_evaluations VALUES(1,2,10,0);
INSERT INTO run_evaluations VALUES(1,3,11,0);
INSERT INTO run_evaluations VALUES(1,4,12,0);
INSERT INTO run_evaluations VALUES(1,5,13,0);
INSERT INTO run_evaluations VALUES(1,6,14,0);
INSERT INTO run_evaluations VALUES(1,7,15,0);
INSERT INTO run_evaluations VALUES(1,8,16,0);
INSERT INTO run_evaluations VALUES(1,9,20,0);
INSERT INTO run_evaluations VALUES(2,0,21,0);
INSERT INTO run_evaluations VALUES(2,1,21,1);
INSERT INTO run_evaluations VALUES(3,0,22,0);
INSERT INTO run_evaluations VALUES(7,0,30,0);
CREATE TABLE run_sources (
  run       INTEGER PRIMARY KEY REFERENCES runs (id),
  file      TEXT NOT NULL,  -- as it was called
  format    TEXT NOT NULL,  -- tune, T4, Kernel Tuner, KTT
  run_there INTEGER,        -- its number there; NULL where the format has no runs
  taken     TEXT NOT NULL   -- when
) STRICT;
INSERT INTO run_sources VALUES(3,'cache.json','Kernel Tuner',NULL,'2026-11-20T10:00:00Z');
INSERT INTO run_sources VALUES(7,'other.db','tune',4,'2026-11-21T09:30:00Z');
CREATE TABLE samples (
  evaluation INTEGER NOT NULL REFERENCES evaluations (id) ON DELETE CASCADE,
  ordinal    INTEGER NOT NULL CHECK (ordinal >= 0),
  seconds    REAL NOT NULL CHECK (seconds >= 0),
  PRIMARY KEY (evaluation, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO samples VALUES(1,0,0.0030000000000000000624);
INSERT INTO samples VALUES(1,1,0.0020000000000000000416);
INSERT INTO samples VALUES(1,2,0.0010000000000000000208);
INSERT INTO samples VALUES(2,0,0.0040000000000000000832);
INSERT INTO samples VALUES(2,1,0.005000000000000000104);
INSERT INTO samples VALUES(20,0,0.002500000000000000052);
INSERT INTO samples VALUES(21,0,0.0010000000000000000208);
INSERT INTO samples VALUES(21,1,0.0010000000000000000208);
INSERT INTO samples VALUES(21,2,0.0010000000000000000208);
INSERT INTO samples VALUES(21,3,0.0010000000000000000208);
INSERT INTO samples VALUES(21,4,0.0010000000000000000208);
INSERT INTO samples VALUES(21,5,0.0010000000000000000208);
INSERT INTO samples VALUES(21,6,0.0010000000000000000208);
INSERT INTO samples VALUES(22,0,6.999999999999999895e-06);
INSERT INTO samples VALUES(22,1,7.5000000000000001899e-06);
INSERT INTO samples VALUES(22,2,7.9999999999999996378e-06);
INSERT INTO samples VALUES(30,0,0.0044999999999999996599);
CREATE TABLE toolchains (
  id          INTEGER PRIMARY KEY,
  compiler    TEXT NOT NULL,
  source_hash TEXT NOT NULL,  -- of all kernel sources of the problem
  UNIQUE (compiler, source_hash)
) STRICT;
INSERT INTO toolchains VALUES(1,'NVRTC 13.0 sm_90','0123abcd');
INSERT INTO toolchains VALUES(2,'NVRTC 12.4 sm_90','0123abcd');
CREATE TABLE IF NOT EXISTS "works" (
  id        INTEGER PRIMARY KEY,
  instance  INTEGER NOT NULL REFERENCES instances (id),
  model_key TEXT NOT NULL,
  driver    TEXT NOT NULL,
  toolchain INTEGER NOT NULL REFERENCES toolchains (id),
  origin    TEXT NOT NULL CHECK (origin IN ('measured', 'replayed', 'imported')),
  cache     TEXT NOT NULL CHECK (cache IN ('cold', 'warm')),  -- when an execution starts
  UNIQUE (instance, model_key, driver, toolchain, origin, cache)
) STRICT;
INSERT INTO works VALUES(1,1,'NVIDIA H200 sm_90 132 SMs 140 GiB','580.159.04',1,'measured','cold');
INSERT INTO works VALUES(2,1,'NVIDIA H200 sm_90 132 SMs 140 GiB','580.159.04',2,'measured','cold');
INSERT INTO works VALUES(3,2,'NVIDIA H200 sm_90 132 SMs 140 GiB','580.159.04',1,'imported','warm');
INSERT INTO works VALUES(4,1,'NVIDIA H200 sm_90 132 SMs 140 GiB','580.159.04',1,'replayed','cold');
CREATE TABLE IF NOT EXISTS "runs" (
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
  objective          TEXT NOT NULL DEFAULT 'time'
    CHECK (objective IN ('time', 'energy', 'edp') OR objective GLOB 'm[ai][nx]:?*'  -- max:GFLOP/s: a metric by name
           OR objective GLOB 'pareto:?*,?*'),                                     -- pareto:time,min:memory
  until_gain         REAL CHECK (until_gain > 0 AND until_gain < 1),
  CHECK ((ended IS NULL) = (end_reason IS NULL)),
  UNIQUE (id, work)
) STRICT;
INSERT INTO runs VALUES(1,1,1,'random','18364758544493064720',1000,12.5,'block_x * block_y <= 256 && variant != ''fft''','{"block_x":32,"variant":"direct","fast":false,"scale":1.0}','tune --problem stencil3d --where "it''s"','0.1.0+abc','host-a',1980000000.0,3200000000.0,41.5,123.24999999999999999,'power cap,thermal',123456,0.001250000000000000026,1000000000.0,2000000000.0,3000000000.0,'cell update','2026-01-01T10:00:00.000Z','2026-01-01T10:05:00.250Z','budget','time',0.014999999999999999444);
INSERT INTO runs VALUES(2,2,2,'random','1',NULL,NULL,'block_x * block_y <= 256 && variant != ''fft''','{"block_x":32,"variant":"direct","fast":false,"scale":1.0}','tune --problem stencil3d --where "it''s"','0.1.0+abc','host-a',1980000000.0,3200000000.0,41.5,123.24999999999999999,'power cap,thermal',123456,0.001250000000000000026,1000000000.0,2000000000.0,3000000000.0,'cell update','2026-01-02T10:00:00.000Z','2026-01-02T10:05:00.250Z','exhausted','energy',0.014999999999999999444);
INSERT INTO runs VALUES(3,3,1,'random','18364758544493064720',1000,12.5,'block_x * block_y <= 256 && variant != ''fft''','{"block_x":32,"variant":"direct","fast":false,"scale":1.0}','tune --problem stencil3d --where "it''s"','0.1.0+abc','host-a',1980000000.0,3200000000.0,41.5,123.24999999999999999,'power cap,thermal',123456,0.001250000000000000026,1000000000.0,2000000000.0,3000000000.0,'cell update','2026-01-03T10:00:00.000Z',NULL,NULL,'time',0.014999999999999999444);
INSERT INTO runs VALUES(7,4,1,'random','18364758544493064720',1000,12.5,'block_x * block_y <= 256 && variant != ''fft''','{"block_x":32,"variant":"direct","fast":false,"scale":1.0}','tune --problem stencil3d --where "it''s"','0.1.0+abc','host-a',1980000000.0,3200000000.0,41.5,123.24999999999999999,'power cap,thermal',123456,0.001250000000000000026,1000000000.0,2000000000.0,3000000000.0,'cell update','2026-01-07T10:00:00.000Z','2026-01-07T10:05:00.250Z','interrupted','time',NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('evaluations',30);
INSERT INTO sqlite_sequence VALUES('runs',7);
CREATE INDEX devices_by_model ON devices (model_key);
CREATE INDEX evaluations_fastest ON evaluations (work, time) WHERE time IS NOT NULL;
CREATE INDEX evaluations_by_run ON evaluations (run);
CREATE INDEX run_evaluations_by_evaluation ON run_evaluations (evaluation);
CREATE INDEX finals_by_evaluation ON finals (evaluation, run);
CREATE INDEX evaluations_known ON evaluations (work, configuration_key, counts, recorded, id);
CREATE VIEW current_evaluations AS
SELECT e.* FROM evaluations e
WHERE NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.work = e.work AND n.configuration_key = e.configuration_key
    AND (n.counts, n.recorded, n.id) > (e.counts, e.recorded, e.id));
CREATE VIEW ranking AS
SELECT e.id AS evaluation, e.work, COALESCE(f.time, e.time) AS time, f.run AS final_run,
       f.run IS NULL AND (
         EXISTS (
           SELECT 1 FROM runs r JOIN finals x ON x.run = r.id JOIN current_evaluations c ON c.id = x.evaluation
           WHERE r.work = e.work AND r.objective = 'time' AND c.time IS NOT NULL)
         OR EXISTS (
           SELECT 1 FROM run_evaluations l JOIN runs r ON r.id = l.run
           WHERE l.evaluation = e.id AND r.objective = 'time'
             AND EXISTS (SELECT 1 FROM finals x WHERE x.run = l.run))) AS outranked,
       COALESCE(f.place, 0) AS place
FROM evaluations e
LEFT JOIN finals f ON f.evaluation = e.id AND f.run = (
  SELECT x.run FROM finals x JOIN runs r ON r.id = x.run
  WHERE x.evaluation = e.id AND r.objective = 'time' ORDER BY r.started DESC, x.run DESC LIMIT 1)
WHERE e.time IS NOT NULL;
CREATE VIEW results AS
SELECT e.id AS evaluation, e.run, e.recorded,
       i.problem, i.size, i.settings_key AS settings, i.extents,
       d.name AS device, w.model_key, d.architecture, w.driver, t.compiler, t.source_hash, w.origin, w.cache,
       e.configuration, e.configuration_key,
       COALESCE(f.time, e.time) AS time, e.time AS measured_time, e.minimum, e.error, e.tolerance, e.phase, e.reason, e.detail,
       r.limit_seconds / COALESCE(f.time, e.time) AS share_of_limit, r.items / COALESCE(f.time, e.time) AS items_per_second,
       r.flops / COALESCE(f.time, e.time) AS flops_per_second, r.bytes / COALESCE(f.time, e.time) AS bytes_per_second,
       r.limit_seconds, r.items, r.flops, r.bytes, r.item,
       f.run AS final_run, f.place AS final_place, f.time_low AS final_low, f.time_high AS final_high,
       f.ratio AS final_ratio, f.ratio_low AS final_ratio_low, f.ratio_high AS final_ratio_high,
       f.tied AS final_tied, f.rounds AS final_rounds,
       CASE WHEN e.time IS NOT NULL THEN (SELECT k.outranked FROM ranking k WHERE k.evaluation = e.id) END AS outranked,
       CASE WHEN e.time IS NOT NULL THEN COALESCE(f.place, 0) END AS rank_place,
       e.stop_reason, e.executions, e.throttled, e.core_clock, e.memory_clock, e.temperature, e.power, e.throttle,
       e.energy, e.metrics, e.same_code, e.from_cache,
       d.uuid AS board, d.power_limit, d.max_core_clock, d.max_memory_clock,
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
LEFT JOIN finals f ON e.time IS NOT NULL AND f.evaluation = e.id AND f.run = (
  SELECT x.run FROM finals x JOIN runs q ON q.id = x.run
  WHERE x.evaluation = e.id AND q.objective = 'time' ORDER BY q.started DESC, x.run DESC LIMIT 1);
CREATE VIEW best_by_versions AS
SELECT results.* FROM works w
JOIN results ON results.evaluation = (
  SELECT k.evaluation FROM ranking k JOIN current_evaluations e ON e.id = k.evaluation
  WHERE k.work = w.id
  ORDER BY k.outranked, k.time, k.place, k.evaluation LIMIT 1);
CREATE VIEW best AS
SELECT * FROM (
  SELECT *, ROW_NUMBER() OVER (
              PARTITION BY problem, size, settings, model_key, origin, cache
              ORDER BY final_run IS NULL, time, evaluation) AS place
  FROM best_by_versions)
WHERE place = 1;
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
CREATE INDEX runs_by_work ON runs (work);
CREATE INDEX runs_by_device ON runs (device);
COMMIT;
