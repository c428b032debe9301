// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/store/database.hpp"

namespace tune::db {

/// A summary of a database file and its contents.
struct DatabaseInfo {
  int schema = 0;               ///< of the file
  int program_schema = 0;       ///< that this program writes
  std::uint64_t bytes = 0;      ///< of the file, without its log
  std::uint64_t log_bytes = 0;  ///< of the write-ahead log beside it: commits not yet in the file
  std::string journal;          ///< `wal`, `delete`, ...
  std::int64_t page_size = 0, pages = 0, free_pages = 0;
  std::int64_t problems = 0, instances = 0, devices = 0, workloads = 0, runs = 0;
  std::int64_t unended_runs = 0;  ///< killed, or still running
  std::int64_t evaluations = 0, failures = 0, superseded = 0, samples = 0;
  std::int64_t rerank = 0;  ///< runs with a re-ranking
  std::string first, last;  ///< when the first and last evaluation was recorded; empty without any
  struct Count {
    std::string name;
    std::int64_t evaluations = 0;
  };
  std::vector<Count> by_problem, by_device, by_origin, by_toolchain, by_source;  ///< the largest first
};

/// The database may be of any released schema (OpenMode::inspect). Throws Error.
DatabaseInfo database_info(const Database& database);

}  // namespace tune::db
