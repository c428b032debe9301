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

/// `4096x512` as extents `x`, `y`, ... of at least 1: at most four, with at most 2^53 elements; empty for
/// other texts.
std::vector<std::pair<std::string, std::int64_t>> extents_of(const std::string& workload);

/// The file in `device` (`replay:FILE`) where it holds what another tuner recorded; else empty. It does so
/// where it is a file of that tuner and no problem is named, or a database with imported results of the named
/// problem (of any where none is named) or of one that this program does not have, unless this program
/// measured the problem itself at that size.
std::string third_party_file(const std::string& device, const ProblemOptions& options);

/// The recording of such a file as far as --where and --fix leave it; of a database, that of the problem and
/// size, which may be empty. Throws Error for a file that cannot be read, UsageError for several recordings
/// or a choice that leaves nothing.
replay::RecordedSpace open_third_party(const std::string& file, const ProblemOptions& choice,
                                       const SpaceChoice& restriction);

/// The key for its results: the kernel's name (else the file's), the size's numbers as extents `x`, `y`, ...,
/// the device's name alone, and a hash of the recording in place of sources.
WorkloadKey third_party_key(const replay::RecordedSpace& recorded);

/// A hash of configurations and times, equal for equal recordings wherever their files lie.
std::string content_of(const std::vector<Evaluation>& evaluations);

/// As those of library/run/recorded_spaces.hpp; what is left out is told on standard error.
std::vector<replay::RecordedSpace> read_spaces(const std::string& file, const std::string& only = {});
std::vector<replay::RecordedSpace> read_spaces(const std::vector<std::string>& files,
                                               const std::string& only = {});

}  // namespace tune::cli
