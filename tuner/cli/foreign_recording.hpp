// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner/cli/work_choice.hpp"
#include "tuner/core/records.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::cli {

/// The file that --device names (`replay:FILE`) where no problem is named and it is no database: a recording
/// of another tuner, of a problem that this program need not know. Else empty.
std::string foreign_file(const po::variables_map& values);

/// The recording of such a file, as far as --where and --fix leave it. Throws Error for a file that cannot be
/// read, UsageError for a choice that leaves nothing.
replay::RecordedSpace open_foreign(const std::string& file, const SpaceChoice& restriction);

/// What its results are stored under: the kernel's name (else the file's), the size's numbers as extents `x`,
/// `y`, ..., the device's name alone, and what was recorded in place of sources.
WorkKey foreign_key(const replay::RecordedSpace& recorded);

}  // namespace tune::cli
