// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/replay/recorded_space.hpp"

namespace tune::run {

/// The name of a recording: the file's name without its folder and the endings of its format.
std::string name_of_recording(const std::string& file);

/// The recorded spaces of a file, whose format follows from its content: a cache of Kernel Tuner, T4 (each
/// also compressed with gzip), or a database of tune, in which every measured workload is a space. Only
/// spaces whose names contain `only`. `tell` hears how many damaged rows are left out; it may be empty.
/// Throws Error that names the file, the place in it and the cure.
std::vector<replay::RecordedSpace> read_spaces(const std::string& file, const std::string& only,
                                               const std::function<void(const std::string&)>& tell);

/// The spaces of all files, in order. The second space of a name is called `name (2)`. Throws Error.
std::vector<replay::RecordedSpace> read_spaces(const std::vector<std::string>& files, const std::string& only,
                                               const std::function<void(const std::string&)>& tell);

}  // namespace tune::run
