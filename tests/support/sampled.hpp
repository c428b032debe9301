// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace tune::testing {

/// Whether every case is to run: ./run-tests --long sets $TUNE_LONG_TESTS.
inline bool runs_all_cases() {
  return std::getenv("TUNE_LONG_TESTS") != nullptr;
}

/// One case of so many runs by default.
inline constexpr std::size_t sampled_share = 5;

/// Returns how many of so many random cases run: a fifth; all of them with ./run-tests --long.
inline std::size_t sampled_count(std::size_t all) {
  return runs_all_cases() ? all : (all + sampled_share - 1) / sampled_share;
}

/// Returns every fifth of the cases, and the first of each kind that these lack; all of them with
/// ./run-tests --long.
template<class Case, class KindOf>
std::vector<Case> sampled(std::vector<Case> all, const KindOf& kind_of) {
  if (runs_all_cases()) return all;
  std::set<std::decay_t<std::invoke_result_t<KindOf, const Case&>>> kinds;
  for (std::size_t i = 0; i < all.size(); i += sampled_share) kinds.insert(kind_of(all[i]));
  std::vector<Case> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % sampled_share == 0 || kinds.insert(kind_of(all[i])).second) some.push_back(std::move(all[i]));
  return some;
}

template<class Case>
std::vector<Case> sampled(std::vector<Case> all) {
  return sampled(std::move(all), [](const Case&) { return 0; });
}

}  // namespace tune::testing
