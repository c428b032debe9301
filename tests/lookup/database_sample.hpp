// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "db/store/sqlite_store.hpp"
#include "lookup/include/tune/lookup.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {

/// A database to be filled with invented results, and lookups in it.
class DatabaseSample {
 public:
  /// Configuration and seconds; 0 for one that failed.
  using Times = std::vector<std::pair<int, double>>;

  /// A run of that work: `example_configuration(number)` for each, then finals of those in `finals`.
  RunId record(const WorkloadKey& key, const Times& times, const Times& rerank = {},
               Objective objective = Objective::time);

  std::filesystem::path path() const { return folder_ / "tune.db"; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  db::Database& database() { return database_; }
  db::SqliteStore& store() { return store_; }

  /// That nothing but this database is looked into.
  lookup::Options options() const;
  lookup::Lookup open() const;
  /// Fails the test where there is no answer.
  lookup::Candidate best(const lookup::Query& query) const;

 private:
  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  int ticks_ = 0;
  db::SqliteStore store_{database_, [this] { return tick(); }};

  std::string tick();
};

/// example_key with other extents.
WorkloadKey sized(std::vector<std::int64_t> extents, WorkloadKey key = example_key());
/// The same on another device model of that name.
WorkloadKey on(const std::string& device, WorkloadKey key = example_key());
/// Asks for exactly this.
lookup::Query query_of(const WorkloadKey& key);
/// `block_x` of the candidate: the number of its configuration; -1 for none.
long long number_of(const lookup::Candidate& candidate);

}  // namespace tune::testing
