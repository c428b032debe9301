// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store/sqlite_store.hpp"
#include "search/space/search_space.hpp"
#include "tuner/session/store.hpp"

namespace tune::api {

/// Reads and writes the database for a dispatcher. A program must not stop because its database cannot be
/// used: an error becomes a notice, and nothing is stored any more. For one thread.
class OnlineRecord {
 public:
  /// An empty `path` stands for the database that `tune` uses.
  OnlineRecord(const std::string& path, RunRecord record);

  /// Returns configurations to begin with, the best first: the stored winners for this workload, from
  /// dispatchers and tuning runs, then those of other sizes and devices, as far as they are valid here.
  std::vector<search::Configuration> starts(const search::SearchSpace& space);
  /// Returns the stored evaluations of this workload, failures included: those of dispatchers (warm caches),
  /// or of tuning runs (cold caches).
  std::vector<tune::Evaluation> known(CacheState cache);

  void record(const tune::Evaluation& evaluation);
  /// Records the best with its times, in seconds; it has an evaluation already.
  void record_best(const search::Configuration& configuration, const std::vector<double>& seconds);
  void end(RunEnd end);
  /// Returns one line for the user, mostly empty.
  const std::string& notice() const { return notice_; }

 private:
  template<class Function>
  void attempt(Function function);

  RunRecord record_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::SqliteStore> store_;
  std::optional<RunId> run_;
  std::string notice_;
};

}  // namespace tune::api
