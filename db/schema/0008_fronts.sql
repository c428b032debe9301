-- SPDX-License-Identifier: Apache-2.0
-- Re-rankings keep metrics, and a run may look for a Pareto front. The table of runs is copied as in
-- 0007_objectives.sql: its CHECK cannot be changed.
ALTER TABLE finals ADD COLUMN metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics));        -- medians of the rounds
ALTER TABLE final_rounds ADD COLUMN metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics));  -- {"memory":3e6,...}; NULL: none
PRAGMA legacy_alter_table = ON;
CREATE TABLE new_runs (
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
INSERT INTO new_runs SELECT * FROM runs;
-- The largest number ever given, which may be of a run that is gone.
DELETE FROM sqlite_sequence WHERE name = 'new_runs';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_runs', seq FROM sqlite_sequence WHERE name = 'runs';
DROP TABLE runs;
ALTER TABLE new_runs RENAME TO runs;
CREATE INDEX runs_by_work ON runs (work);
CREATE INDEX runs_by_device ON runs (device);
PRAGMA legacy_alter_table = OFF;
