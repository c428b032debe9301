// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/input/command.hpp"

namespace tune::cli {

/// The commands of `tune db`.
Command db_info_command();
Command db_check_command();
Command db_compact_command();
Command db_merge_command();
Command db_export_command();
Command db_import_command();

/// --db and, for commands whose only word is the database, the same option by position.
void add_database_word(po::options_description& options);

}  // namespace tune::cli
