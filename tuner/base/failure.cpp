// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/failure.hpp"

#include <array>

#include "tuner/base/enum_names.hpp"

namespace tune {
namespace {

constexpr std::array<std::string_view, 7> phase_names = {"constraint", "compile", "resources", "launch",
                                                         "verify",     "timeout", "crash"};

}  // namespace

std::string_view to_string(Phase phase) {
  return phase_names.at(static_cast<std::size_t>(phase));
}

Phase phase_from_string(std::string_view name) {
  return enum_from_name<Phase>(phase_names, name, "phase");
}

}  // namespace tune
