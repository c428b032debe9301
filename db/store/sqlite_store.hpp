// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "tuner/session/store.hpp"

namespace tune::db {

/// Returns the time of day in UTC as the database writes it: `2026-01-31T12:00:00.000Z`. Tests replace it.
using Clock = std::function<std::string()>;
std::string utc_now();

/// Keeps evaluations in a tune database. Each `record` is one transaction with all samples. Several processes
/// may write to one file at once; within a process a thread has its own store.
///
/// A reused evaluation is stored as a link to the newest one of its configuration under the run's key, not
/// copied; one that the database does not have is stored in full.
class SqliteStore : public Store {
 public:
  /// The database must be open for writing and outlive the store. Throws Error.
  explicit SqliteStore(Database& database, Clock clock = utc_now);
  ~SqliteStore() override;

  RunId begin_run(const RunRecord& run) override;
  using Store::record;
  void record(RunId run, const Evaluation& evaluation, RunId maker) override;
  void record_rerank(RunId run, const RerankResult& rerank) override;
  void end_run(RunId run, RunEnd end) override;
  /// Sets `reused` in what it returns.
  std::vector<Evaluation> known(const WorkloadKey& key) override;
  RerankResult known_rerank(const WorkloadKey& key, const Objective& objective) override;

 private:
  struct Statements;

  Statements& statements();

  Database& database_;
  Clock clock_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace tune::db
