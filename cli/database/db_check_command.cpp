// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/database/db_command.hpp"
#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "db/maintain/check.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

po::options_description db_check_options() {
  po::options_description all;
  add_database_word(all);
  return all;
}

int run_db_check(const po::variables_map& values) {
  const db::Database database(database_path(option_text(values, "db")), db::OpenMode::read_only);
  const db::Findings findings = db::check_database(database);
  const std::string path = database.path().string();
  if (findings.count() == 0) {
    std::cout << format("{}: nothing is wrong\n", path);
    return 0;
  }
  for (const std::string& line : findings.lines) std::cout << line << "\n";
  if (findings.left_out > 0) std::cout << format("... and {} more of these kinds\n", findings.left_out);
  throw Error(format("{}: {} finding{}; restore a copy, or save what can be read with 'tune db export'", path,
                     findings.count(), findings.count() == 1 ? "" : "s"));
}

}  // namespace

Command db_check_command() {
  return {.name = "db check",
          .summary = "looks for damage and contradictions; status 1 if there is any",
          .usage = "tune db check [FILE]",
          .example = "  tune db check results.db\n",
          .positional = "db",
          .options = db_check_options,
          .run = run_db_check};
}

}  // namespace tune::cli
