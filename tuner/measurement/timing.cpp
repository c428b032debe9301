// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/timing.hpp"

#include <array>
#include <stdexcept>

namespace tune {
namespace {

constexpr std::array<std::string_view, 4> stop_reason_names = {"precise", "outpaced", "samples", "time"};

constexpr std::array<std::string_view, 2> cache_names = {"cold", "warm"};

}  // namespace

std::string_view to_string(CacheState state) {
  return cache_names.at(static_cast<std::size_t>(state));
}

CacheState cache_state_from_string(std::string_view name) {
  for (std::size_t i = 0; i < cache_names.size(); ++i)
    if (cache_names[i] == name) return static_cast<CacheState>(i);
  throw std::invalid_argument("unknown state of the cache '" + std::string(name) + "'");
}

std::string_view to_string(StopReason reason) {
  return stop_reason_names.at(static_cast<std::size_t>(reason));
}

StopReason stop_reason_from_string(std::string_view name) {
  for (std::size_t i = 0; i < stop_reason_names.size(); ++i)
    if (stop_reason_names[i] == name) return static_cast<StopReason>(i);
  throw std::invalid_argument("unknown reason to stop '" + std::string(name) + "'");
}

}  // namespace tune
