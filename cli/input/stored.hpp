// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/options.hpp"
#include "db/read/queries.hpp"
#include "db/store/database.hpp"
#include "library/run/stored_databases.hpp"
#include "search/space/configuration.hpp"
#include "tuner/base/error.hpp"
#include "tuner/evaluation/objective.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/session/store.hpp"

namespace tune::cli {

/// Tells on standard error that a recording was left out.
void tell_left_out(const std::string& reason);

/// The user's own database where there is one, then the shipped recordings: the first of equal matches wins.
struct StoredDatabases : run::StoredDatabases {
  /// `given` is --db, or empty. Throws Error where the user's own database cannot be read, or that of --db is
  /// missing. A recording that cannot be opened, and a missing folder of TUNE_RECORDINGS, is only told on
  /// standard error.
  explicit StoredDatabases(const std::string& given);
  StoredDatabases(const StoredDatabases&) = delete;
  StoredDatabases& operator=(const StoredDatabases&) = delete;
  /// Tells on standard error how many rows could not be read and were left out.
  ~StoredDatabases();

  /// Returns what `ask` returns. Where it throws because a recording is damaged inside, tells that on
  /// standard error and asks again without that one; so `ask` must have printed nothing before it throws.
  template<class Ask>
  auto answer(const Ask& ask) {
    try {
      return ask();
    } catch (const Error& error) {
      if (error.exit() != Exit::failure || !leave_out_damaged()) throw;
    }
    return ask();
  }

 private:
  bool leave_out_damaged();
};

/// Tells on standard error, when it ends, how many rows of the database could not be read and were left out.
class LeftOutRows {
 public:
  explicit LeftOutRows(const db::Database& database) : database_(database) {}
  LeftOutRows(const LeftOutRows&) = delete;
  LeftOutRows& operator=(const LeftOutRows&) = delete;
  ~LeftOutRows();

 private:
  const db::Database& database_;
};

/// The chosen stored results; an empty member does not restrict them.
struct StoredChoice {
  std::optional<std::string> problem = std::nullopt;
  std::optional<std::string> size = std::nullopt;    ///< `512x512x512`
  std::optional<std::string> device = std::nullopt;  ///< as --device; settled: name or model key

  void add_to(OptionTable& table);
};

/// Throws UsageError for one of the recordings that answer on this machine, marked as one or not: readers
/// open them as files that never change.
void refuse_recording(const std::filesystem::path& database);

/// True when the database has results of the problem. Throws UsageError for a problem that neither the
/// database (null where there is none yet) nor the program has.
bool has_results_of(const std::string& problem, const db::Database* database);

/// The choice with the device's whole name. Throws UsageError for a text that is not a size or a device, and
/// for a problem that neither the program nor the database (null where there is none yet) has; Error
/// (Exit::no_answer) that names what is stored where the database has no result of the problem, size or
/// device.
StoredChoice settled(StoredChoice choice, const db::Database* database);

/// The run with this number, if one is given. Throws Error (Exit::no_answer) where there is no such run.
std::optional<RunId> find_run(std::optional<std::uint64_t> number, const db::Database& database);

/// A problem that was defined in another program (docs/reference/library.md), as far as databases describe
/// it: with the sizes and settings of its stored results, those of the newest run as defaults; its parameters
/// become macros. It cannot be run, and only that program can tell what is valid at another size. Null where
/// no database has it.
std::unique_ptr<Problem> stored_problem(const std::vector<const db::Database*>& databases,
                                        const std::string& name);

/// The words of a stored command line, which is quoted as for a shell.
std::vector<std::string> words_of(const std::string& command_line);

/// The files of definitions that the stored runs of a problem named, the newest run's first, each once. Empty
/// for a built-in problem.
std::vector<std::string> named_definitions(const db::Database& database, const std::string& problem);

/// The problem that one of these files describes, if the file exists and still has this name; else null, and
/// `failure_reason` is one line with the cure.
std::shared_ptr<const Problem> defined_problem(const std::string& problem,
                                               const std::vector<std::string>& files,
                                               std::string& failure_reason);

/// The default configuration of the workload's problem, which is built-in or has a definition that is still
/// where a run in the database named it; nothing where it is neither, or the configuration is not valid.
std::optional<search::Configuration> stored_default(const db::Database& database,
                                                    const db::Workload& workload);

/// A metric that a run of the workload ranked by, with its formula from the problem, if that is known, as
/// above; else the metric is the one that another program recorded. Other objectives stay as they are.
Objective stored_metric(const db::Database& database, const db::Workload& workload, const Objective& named);

/// The cheaper instance at which runs of the workload evaluate first, and in what it differs: `steps=24`.
struct StoredLowFidelity {
  Instance instance;
  std::string difference;
};
/// Nothing where there is none, and where the problem is not known, as above.
std::optional<StoredLowFidelity> stored_low_fidelity(const db::Database& database,
                                                     const db::Workload& workload);

}  // namespace tune::cli
