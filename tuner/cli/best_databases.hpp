// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "db/database.hpp"
#include "tuner/cli/command.hpp"

namespace tune::cli {

/// The person's own database where there is one, then the shipped recordings: of equal fit the first wins.
struct StoredDatabases {
  /// Throws Error where one cannot be read, or the one of --db is missing.
  explicit StoredDatabases(const po::variables_map& values);

  std::vector<const db::Database*> all() const;

  std::vector<std::unique_ptr<db::Database>> opened;
  std::size_t own = 0;  ///< how many are the person's
};

}  // namespace tune::cli
