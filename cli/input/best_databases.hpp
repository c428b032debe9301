// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/input/command.hpp"
#include "db/store/database.hpp"
#include "tuner/base/error.hpp"

namespace tune::cli {

/// Says on standard error that a recording was left out.
void tell_left_out(const std::string& reason);

/// The person's own database where there is one, then the shipped recordings: of equal fit the first wins.
struct StoredDatabases {
  /// Throws Error where the person's own cannot be read, or the one of --db is missing. A recording that
  /// cannot be opened, and a folder of TUNE_RECORDINGS that is not there, is told on standard error alone.
  explicit StoredDatabases(const po::variables_map& values);

  std::vector<const db::Database*> all() const;

  /// What `ask` returns; where it throws because a recording is damaged inside, once more without that one,
  /// which is told on standard error. So `ask` must have printed nothing before it throws.
  template<class Ask>
  auto answer(const Ask& ask) {
    try {
      return ask();
    } catch (const Error& error) {
      if (error.exit() != Exit::failure || !leave_out_damaged()) throw;
    }
    return ask();
  }

  std::vector<std::unique_ptr<db::Database>> opened;
  std::size_t own = 0;  ///< how many are the person's

 private:
  bool leave_out_damaged();
};

}  // namespace tune::cli
