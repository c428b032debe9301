// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/options.hpp"
#include "db/read/queries.hpp"
#include "db/store/database.hpp"
#include "search/space/configuration.hpp"
#include "tuner/base/error.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/session/store.hpp"

namespace tune::cli {

/// Says on standard error that a recording was left out.
void tell_left_out(const std::string& reason);

/// The person's own database where there is one, then the shipped recordings: of equal fit the first wins.
struct StoredDatabases {
  /// `given` is --db, or empty. Throws Error where the person's own cannot be read, or that of --db is
  /// missing. A recording that cannot be opened, and a folder of TUNE_RECORDINGS that is not there, is told
  /// on standard error alone.
  explicit StoredDatabases(const std::string& given);

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

/// Which of the stored results a person wants to see. What is left out is not restricted.
struct StoredChoice {
  std::optional<std::string> problem = std::nullopt;
  std::optional<std::string> size = std::nullopt;    ///< `512x512x512`
  std::optional<std::string> device = std::nullopt;  ///< name or model key

  void add_to(OptionTable& table);
};

/// Whether the database has any. Throws UsageError for a problem that neither it (null where there is none
/// yet) nor the program knows.
bool has_results_of(const std::string& problem, const db::Database* database);

/// Throws UsageError for a size that is none, and for a problem that neither the program nor the database
/// (null where there is none yet) knows; Error (Exit::no_answer) that says what there is where the database
/// has nothing of the problem, size or device.
void check_stored_choice(const StoredChoice& choice, const db::Database* database);

/// The run of this number, if one is given. Throws Error (Exit::no_answer) where there is no such run.
std::optional<RunId> find_run(std::optional<std::uint64_t> number, const db::Database& database);

/// A problem that only databases know: it was defined in a program (docs/library.md). It has the sizes and
/// settings under which results are stored, by default those of the newest run; its parameters become macros.
/// It cannot be run, and what is valid at another size only that program knows. Null where no database has
/// it.
std::unique_ptr<Problem> stored_problem(const std::vector<const db::Database*>& databases,
                                        const std::string& name);

/// The words of a command line as the program stores it: quoted where the shell needs it.
std::vector<std::string> words_of(const std::string& command_line);

/// The files that the stored runs of a problem named as its definition, the newest run's first, each once.
/// Empty for a problem of the program's own.
std::vector<std::string> named_definitions(const db::Database& database, const std::string& problem);

/// The problem that one of these files describes, if it is there and still has this name; else null, and
/// `failure_reason` is one line that says what to do.
std::shared_ptr<const Problem> defined_problem(const std::string& problem,
                                               const std::vector<std::string>& files,
                                               std::string& failure_reason);

/// The configuration that the problem of stored results declares as its default, where the problem is known
/// and the configuration valid.
std::optional<search::Configuration> stored_default(const db::Workload& workload);

}  // namespace tune::cli
