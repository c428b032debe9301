// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "cli/input/command.hpp"
#include "cli/input/stored.hpp"
#include "db/maintain/remove.hpp"
#include "library/run/paths.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

struct RmRequest {
  std::vector<RunId> runs;
  bool yes = false, dry_run = false;
  std::string database;
  Format form = Format::text;

  void add_to(OptionTable& table) {
    table.add(
        "run", "RUN...", "the numbers of the runs, as 'tune list runs' shows them ('--run' may be left out)",
        [this](const std::string& text) { runs.push_back(static_cast<RunId>(parse_count(text, "run", 1))); },
        OptionTable::Kind::list);
    table.flag("yes", "do not ask", yes);
    table.flag("dry-run", "show what would be removed, and remove nothing", dry_run);
    add_database_option(table, database);
    add_format_option(table, form);
  }
};

std::string amounts(const db::RemovalResult& result) {
  const auto count = [](std::int64_t number, std::string_view what) {
    return counted(static_cast<std::uint64_t>(number), what);
  };
  std::string text = format("{} with {} and {}", count(result.runs, "run"),
                            count(result.evaluations, "evaluation"), count(result.samples, "sample"));
  if (result.kept > 0) text += format("; {} of other runs too stay", count(result.kept, "evaluation"));
  return text;
}

/// True where the user says yes.
bool ask(const db::RemovalResult& result, const std::string& path) {
  if (isatty(STDIN_FILENO) != 1)
    throw UsageError(
        "nothing can be asked without a terminal: add --yes to remove, or --dry-run to see what would be "
        "removed");
  std::cout << format("remove {} from {}? [y/N] ", amounts(result), path) << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

int run_rm(const RmRequest& request) {
  if (request.runs.empty()) throw UsageError("name the runs: tune rm 3 4; 'tune list runs' lists them");
  const std::filesystem::path path = run::database_path(request.database);
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    throw Error(format("there is no database {}: name another file", path.string()), Exit::no_answer);
  refuse_recording(path);
  db::Database database(path);
  db::RemovalResult result = db::remove_runs(database, request.runs, true);
  if (!request.dry_run) {
    if (!request.yes && !ask(result, path.string())) {
      std::cout << "nothing was removed\n";
      return static_cast<int>(Exit::failure);
    }
    result = db::remove_runs(database, request.runs, false);
  }
  if (request.form == Format::json)
    std::cout << json_text({{"database", path.string()},
                            {"removed", !request.dry_run},
                            {"runs", result.runs},
                            {"evaluations", result.evaluations},
                            {"samples", result.samples},
                            {"kept_evaluations", result.kept}});
  else
    std::cout << format("{} {}\n", request.dry_run ? "would remove" : "removed", amounts(result))
              << (request.dry_run ? "" : "'tune db compact' frees the disk space\n");
  return 0;
}

}  // namespace

Command rm_command() {
  return {.name = "rm",
          .summary = "removes runs and their results from the database",
          .usage = "tune rm RUN... [--yes] [options]",
          .example = "  tune rm 3 --dry-run\n  tune rm 3 4 --yes\n",
          .positional = "run",
          .bind = bind_request<RmRequest, run_rm>,
          .words = -1};
}

}  // namespace tune::cli
