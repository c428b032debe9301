// SPDX-License-Identifier: Apache-2.0
#include "tests/lookup/large_database.hpp"

#include <SQLiteCpp/Database.h>

#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

/// Rows as the store would write them; text made in SQL, because a hundred thousand calls take long.
constexpr const char* insert_evaluations = R"(
WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 2499)
INSERT INTO evaluations (run, work, configuration, configuration_key, time, minimum, error, tolerance, binary_hash,
                         compile_seconds, load_seconds, verify_seconds, measure_seconds, recorded)
SELECT {0}, {1}, '{{"variant":"direct","block_x":' || n || ',"block_y":4,"unroll":2,"padded":true,"min_blocks":1}}',
       'block_x=' || n || ',block_y=4,min_blocks=1,padded=true,unroll=2,variant=direct',
       1e-3 * (1 + ((n * 7919 + {1} * 104729) % 10007) / 1e4), 1e-3, 0, 1e-6, 'h', 1, 0, 0, 0,
       '2026-01-31T12:00:00.000Z' FROM number)";

constexpr const char* insert_rest = R"(
INSERT INTO run_evaluations (run, sequence, evaluation, reused)
  SELECT run, ROW_NUMBER() OVER (ORDER BY id) - 1, id, 0 FROM evaluations WHERE run = {0};
INSERT INTO finals (run, evaluation, place, time, time_low, time_high, ratio, ratio_low, ratio_high, tied, rounds,
                    reused)
  SELECT {0}, id, ROW_NUMBER() OVER (ORDER BY time, id), time, time, time, 1, 1, 1, 0, 6, 0
  FROM (SELECT id, time FROM evaluations WHERE run = {0} ORDER BY time, id LIMIT 12))";

}  // namespace

void make_large_database(const std::filesystem::path& path) {
  db::Database database(path);
  db::SqliteStore store(database);
  for (const int radius : {1, 2, 4, 8})
    for (std::int64_t n = 64; n <= 640; n += 64) {
      WorkloadKey key = example_key();
      key.instance = {
          "stencil3d", {{"nx", n}, {"ny", n}, {"nz", n}}, {{"type", "float"}, {"radius", radius}}};
      const RunId run = store.begin_run(run_of(key));
      database.write([&](SQLite::Database& connection) {
        const std::int64_t workload =
            connection.execAndGet(format("SELECT work FROM runs WHERE id = {}", run)).getInt64();
        connection.exec(format(insert_evaluations, run, workload));
        connection.exec(format(insert_rest, run));
      });
      store.end_run(run, RunEnd::budget);
    }
}

}  // namespace tune::testing
