// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tuner/replay/recorded_space.hpp"

namespace tune::cli {

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
