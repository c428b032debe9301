-- SPDX-License-Identifier: Apache-2.0
-- Results that another program measured, where runs came from that were taken from another file, and finals ranked
-- by when their runs began: numbers of runs follow the order in which files were merged.

-- Of another program: neither measured here nor replayed. A table's CHECK cannot be changed, so the table is
-- copied; foreign keys are not enforced in a migration, and the views name the table by its name.
PRAGMA legacy_alter_table = ON;
CREATE TABLE new_works (
  id        INTEGER PRIMARY KEY,
  instance  INTEGER NOT NULL REFERENCES instances (id),
  model_key TEXT NOT NULL,
  driver    TEXT NOT NULL,
  toolchain INTEGER NOT NULL REFERENCES toolchains (id),
  origin    TEXT NOT NULL CHECK (origin IN ('measured', 'replayed', 'imported')),
  cache     TEXT NOT NULL CHECK (cache IN ('cold', 'warm')),  -- when an execution starts
  UNIQUE (instance, model_key, driver, toolchain, origin, cache)
) STRICT;
INSERT INTO new_works (id, instance, model_key, driver, toolchain, origin, cache)
SELECT id, instance, model_key, driver, toolchain, origin, cache FROM works;
DROP TABLE works;
ALTER TABLE new_works RENAME TO works;
PRAGMA legacy_alter_table = OFF;

-- Of a run that was merged or imported: the first file that had it. Other runs were recorded into this file.
CREATE TABLE run_sources (
  run       INTEGER PRIMARY KEY REFERENCES runs (id),
  file      TEXT NOT NULL,  -- as it was called
  format    TEXT NOT NULL,  -- tune, T4, Kernel Tuner, KTT
  run_there INTEGER,        -- its number there; NULL where the format has no runs
  taken     TEXT NOT NULL   -- when
) STRICT;

-- What each measurement is ranked by: the median of its newest finals by time, else of its samples. What a run
-- with such finals saw and did not choose is outranked by all that were chosen: its time is of another moment.
DROP VIEW ranking;
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
  WHERE x.evaluation = e.id AND r.objective = 'time' ORDER BY r.started DESC, x.run DESC LIMIT 1)
WHERE e.time IS NOT NULL;
