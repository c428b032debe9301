// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/input/command.hpp"
#include "db/store/database.hpp"
#include "tuner/session/records.hpp"

namespace tune::cli {

/// Which of the stored results a person wants to see. What is left out is not restricted.
struct StoredChoice {
  std::optional<std::string> problem = std::nullopt;
  std::optional<std::string> size = std::nullopt;    ///< `512x512x512`
  std::optional<std::string> device = std::nullopt;  ///< name or model key
};

/// --problem, --device and, where `with_size`, --size.
void add_stored_options(po::options_description& options, bool with_size);

/// Whether the database has any. Throws UsageError for a problem that neither it (null where there is none
/// yet) nor the program knows.
bool has_results_of(const std::string& problem, const db::Database* database);

/// Throws UsageError for a size that is none, and for a problem that neither the program nor the database
/// (null where there is none yet) knows; Error (Exit::no_answer) that says what there is where the database
/// has nothing of the problem, size or device.
StoredChoice stored_choice(const po::variables_map& values, const db::Database* database);

/// The run that the option names. Throws UsageError for what is no number, Error (Exit::no_answer) where
/// there is no such run.
RunId run_choice(const po::variables_map& values, const std::string& option, const db::Database& database);

}  // namespace tune::cli
