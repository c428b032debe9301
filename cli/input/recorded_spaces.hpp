// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/problem_selection.hpp"
#include "tuner/replay/recorded_space.hpp"
#include "tuner/session/store.hpp"

namespace tune::cli {

/// `4096x512` as extents `x`, `y`, ... of at least 1, up to four, with at most 2^53 elements; empty where it
/// is something else.
std::vector<std::pair<std::string, std::int64_t>> extents_of(const std::string& workload);

/// The file that `device` names (`replay:FILE`) where it holds what another tuner recorded, of a problem that
/// this program need not know: a file of that tuner, where no problem is named; or a database with imported
/// results of the problem that is named (of any where none is), or of one that this program does not know.
/// Else empty, also where this program measured the problem itself at that size. Throws UsageError where
/// --problem is named with a file that is no database.
std::string third_party_file(const std::string& device, const ProblemOptions& options);

/// The recording of such a file (of a database that of the problem and size, which may be empty), as far as
/// --where and --fix leave it. Throws Error for a file that cannot be
/// read, UsageError for a choice that leaves nothing, or several recordings.
replay::RecordedSpace open_third_party(const std::string& file, const ProblemOptions& choice,
                                       const SpaceChoice& restriction);

/// What its results are stored under: the kernel's name (else the file's), the size's numbers as extents `x`,
/// `y`, ..., the device's name alone, and what was recorded in place of sources.
WorkloadKey third_party_key(const replay::RecordedSpace& recorded);

/// What a recording is called: the file's name without its folder and the endings of its format.
std::string name_of_recording(const std::string& file);

/// The recorded spaces of a file, told by its content: a cache of Kernel Tuner, T4 (each also compressed with
/// gzip), or one of our databases, in which every work that was measured is a space; only those whose names
/// contain `only`. Throws Error that names the file, the place in it and the cure.
std::vector<replay::RecordedSpace> read_spaces(const std::string& file, const std::string& only = {});

/// Of all the files, in their order. The second space of a name is called `name (2)`. Throws Error.
std::vector<replay::RecordedSpace> read_spaces(const std::vector<std::string>& files,
                                               const std::string& only = {});

}  // namespace tune::cli
