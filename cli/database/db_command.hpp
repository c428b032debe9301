// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/input/command.hpp"

namespace tune::cli {

/// The commands of `tune db` that have files of their own.
Command db_export_command();
Command db_import_command();

}  // namespace tune::cli
