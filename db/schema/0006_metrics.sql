-- SPDX-License-Identifier: Apache-2.0
-- Further figures of measurements: what other programs measured or computed beside times.

ALTER TABLE evaluations ADD COLUMN metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics));  -- {"GFLOP/s":812.5,...}; NULL: none

-- All views anew: a file may have been exported without them.
DROP VIEW IF EXISTS run_overview;
DROP VIEW IF EXISTS best;
DROP VIEW IF EXISTS best_by_versions;
DROP VIEW IF EXISTS results;
DROP VIEW IF EXISTS ranking;
DROP VIEW IF EXISTS current_evaluations;

-- Evaluations that count: a later one of the same configuration under the same work replaces the earlier, unless it
-- may be the fault of something else.
CREATE VIEW current_evaluations AS
SELECT e.* FROM evaluations e
WHERE NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.work = e.work AND n.configuration_key = e.configuration_key
    AND (n.counts, n.recorded, n.id) > (e.counts, e.recorded, e.id));

-- What each measurement is ranked by: the median of its newest finals by time, else of its samples. Without such
-- finals it is outranked by all that have them, where one of these still counts: the smallest of many medians is
-- too small by chance. What a run with finals saw and did not choose stays outranked in any case.
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

-- A flat row for each evaluation. `time` is what it is ranked by, `measured_time` the median of its samples. It says the same as
-- `ranking` in other words: SQLite would compute a joined `ranking` as a whole for each question.
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
              PARTITION BY problem, size, settings, model_key, origin, cache
              ORDER BY final_run IS NULL, time, evaluation) AS place
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
