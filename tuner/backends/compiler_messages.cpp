// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/compiler_messages.hpp"

#include "tuner/plan/directives.hpp"

namespace tune {

std::string cause_in(std::string_view log, std::span<const Cause> causes) {
  for (const auto& [text, reason] : causes)
    if (log.find(text) != std::string_view::npos) return std::string(reason);
  return {};
}

ErrorPlaces errors_in(std::string_view log, std::string_view unit) {
  ErrorPlaces places;
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    // `k.cpp:6:3: error: ...`, `k.cu(6): error: ...`, `k.cu(6): error #20: ...`
    if (line.find(": error: ") == std::string_view::npos && line.find("): error") == std::string_view::npos)
      continue;
    (line.starts_with(unit) ? places.in_unit : places.in_source) = true;
  }
  return places;
}

}  // namespace tune
