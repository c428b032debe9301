// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/database/db_command.hpp"
#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/output/text_layout.hpp"
#include "db/maintain/compact.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {
namespace {

po::options_description db_compact_options() {
  po::options_description all;
  add_database_word(all);
  all.add_options()  //
      ("without-samples", po::bool_switch(),
       "drop the single samples; medians, finals and their rounds stay")  //
      ("drop-superseded", po::bool_switch(),
       "drop evaluations that a later one of the same configuration has replaced");
  return all;
}

int run_db_compact(const po::variables_map& values) {
  const std::filesystem::path path = database_path(option_text(values, "db"));
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    throw Error(format("there is no database {}: name another file", path.string()), Exit::no_answer);
  db::Database database(path);
  const db::CompactResult result =
      db::compact_database(database, {.without_samples = values["without-samples"].as<bool>(),
                                      .drop_superseded = values["drop-superseded"].as<bool>()});
  std::cout << format("{}: {}, before {}; {} and {} dropped\n", path.string(),
                      bytes_text(static_cast<double>(result.bytes_after)),
                      bytes_text(static_cast<double>(result.bytes_before)),
                      counted(static_cast<std::uint64_t>(result.evaluations), "evaluation"),
                      counted(static_cast<std::uint64_t>(result.samples), "sample"));
  if (!result.notice.empty()) std::cerr << result.notice << "\n";
  return 0;
}

}  // namespace

Command db_compact_command() {
  return {.name = "db compact",
          .summary = "makes a database smaller, and drops what is asked for",
          .usage = "tune db compact [FILE] [options]",
          .example = "  tune db compact results.db --drop-superseded\n",
          .positional = "db",
          .options = db_compact_options,
          .run = run_db_compact};
}

}  // namespace tune::cli
