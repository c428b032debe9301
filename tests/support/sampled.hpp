// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tune::testing {

/// Whether every case is to run: ./run-tests --long sets $TUNE_LONG_TESTS.
inline bool runs_all_cases() {
  return std::getenv("TUNE_LONG_TESTS") != nullptr;
}

/// Returns how many of so many random cases run: a third; all of them with ./run-tests --long.
inline std::size_t sampled_count(std::size_t all) {
  return runs_all_cases() ? all : (all + 2) / 3;
}

/// Returns every third of the cases; all of them with ./run-tests --long.
template<class Case>
std::vector<Case> sampled(std::vector<Case> all) {
  if (runs_all_cases()) return all;
  std::vector<Case> some;
  for (std::size_t i = 0; i < all.size(); i += 3) some.push_back(std::move(all[i]));
  return some;
}

}  // namespace tune::testing
