// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "library/run/paths.hpp"

namespace tune::cli {

using run::cache_folder;
using run::database_path;
using run::shipped_recordings;

}  // namespace tune::cli
