// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "search/space/parameter.hpp"

namespace tune::replay {

/// What a parameter of another tuner's file means for the launch, guessed from names that are common in the
/// field; upper and lower case are the same. Such a file does not say it.
search::Role guess_role(std::string_view name);

}  // namespace tune::replay
