// SPDX-License-Identifier: Apache-2.0
#include "cli/database/db_command.hpp"

#include <array>

#include "cli/input/options.hpp"

namespace tune::cli {
namespace {

std::span<const Command> parts() {
  static const std::array<Command, 6> table = {db_info_command(),  db_check_command(),  db_compact_command(),
                                               db_merge_command(), db_export_command(), db_import_command()};
  return table;
}

}  // namespace

void add_database_word(po::options_description& options) {
  options.add_options()("db", po::value<std::string>()->value_name("FILE"),
                        "the database, also without --db; default: $TUNE_DB, else "
                        "$XDG_DATA_HOME/tune/results.db, else ~/.local/share/tune/results.db");
}

const Command& db_command() {
  static const Command command = {
      .name = "db",
      .summary = "looks after databases: info, check, compact, merge, export, import",
      .usage = "tune db COMMAND [options]",
      .example =
          "  tune db info\n"
          "  tune db merge other.db\n"
          "  tune db export --problem stencil3d --out stencil3d.db\n",
      .positional = "",
      .options = nullptr,
      .run = nullptr,
      .words = 1,
      .parts = parts};
  return command;
}

}  // namespace tune::cli
