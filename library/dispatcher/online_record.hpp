// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store/sqlite_store.hpp"
#include "search/ask_tell/strategy.hpp"
#include "search/space/search_space.hpp"
#include "tuner/session/store.hpp"

namespace tune::api {

/// What a dispatcher reads from the database and writes to it. A program that works must not stop because a
/// database cannot be had: what goes wrong is a notice, and nothing is stored any more. For one thread.
class OnlineRecord {
 public:
  /// `path` empty: where `tune` looks.
  OnlineRecord(const std::string& path, RunRecord record);

  /// What to begin with, the most promising first: the best that is stored for this work, measured while
  /// programs worked or by tuning runs, then of other sizes and devices, as far as it is valid here.
  std::vector<search::Configuration> starts(const search::SearchSpace& space);
  /// What earlier processes tried, failures included.
  std::vector<tune::Evaluation> tried();
  /// What tuning runs measured, as the search takes it; nothing where they did not.
  std::optional<search::RelatedRecord> related(const search::SearchSpace& space);
  /// What they found to fail.
  std::vector<search::Configuration> failures();

  void record(const tune::Evaluation& evaluation);
  /// The best, with its times; it has been recorded.
  void record_best(const search::Configuration& configuration, const std::vector<double>& seconds);
  void end(RunEnd end);
  /// One line; empty as a rule.
  const std::string& notice() const { return notice_; }

 private:
  template<class Function>
  void attempt(Function function);
  WorkloadKey tuned_key() const;

  RunRecord record_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::SqliteStore> store_;
  std::optional<RunId> run_;
  std::string notice_;
};

}  // namespace tune::api
