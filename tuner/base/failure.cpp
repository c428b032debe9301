// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/failure.hpp"

#include <array>
#include <stdexcept>

namespace tune {
namespace {

constexpr std::array<std::string_view, 7> phase_names = {"constraint", "compile", "resources", "launch",
                                                         "verify",     "timeout", "crash"};

}  // namespace

std::string_view to_string(Phase phase) {
  return phase_names.at(static_cast<std::size_t>(phase));
}

Phase phase_from_string(std::string_view name) {
  for (std::size_t i = 0; i < phase_names.size(); ++i)
    if (phase_names[i] == name) return static_cast<Phase>(i);
  throw std::invalid_argument("unknown phase '" + std::string(name) + "'");
}

}  // namespace tune
