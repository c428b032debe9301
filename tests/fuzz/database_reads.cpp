// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/database_reads.hpp"

#include <functional>

#include "db/maintain/check.hpp"
#include "db/maintain/info.hpp"
#include "db/read/best.hpp"
#include "db/read/recording.hpp"
#include "db/read/related.hpp"
#include "db/read/run_details.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"

namespace tune::testing {
namespace {

void ask(const std::function<void()>& question) {
  try {
    question();
  } catch (const Error&) {
  }
}

void ask_all(const db::Database& database) {
  const db::BestQuery query{.problem = example_instance().problem};
  ask([&] { db::list_problems(database); });
  ask([&] { db::list_devices(database); });
  ask([&] { db::list_results(database, {.failures = true, .superseded = true}); });
  ask([&] { db::all_recordings(database); });
  ask([&] { db::best(database, query); });
  ask([&] {
    const db::Database* const all[] = {&database};
    db::portfolio(all, query, 0.05);
  });
  ask([&] {
    for (const db::RelatedWorkload& one : db::related_workloads(database, example_key()))
      db::related_results(database, one, 50);
  });
  ask([&] { db::database_info(database); });
  ask([&] { db::check_database(database); });
  ask([&] {
    for (const db::RunSummary& run : db::list_runs(database))
      ask([&] { db::run_details(database, run.run, run.run == 1); });
  });
}

}  // namespace

const std::string& sound_database() {
  static const std::string bytes = [] {
    const std::filesystem::path path = fuzz_folder() / "sound.db";
    record_example_runs(path, 6);
    return read_text(path).value();
  }();
  return bytes;
}

void read_everything(const std::filesystem::path& path) {
  ask([&] { ask_all(db::Database(path, db::OpenMode::read_only)); });
}

}  // namespace tune::testing
