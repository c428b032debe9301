// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tune::testing {

/// Returns every third of the cases; all of them with ./run-tests --long, which sets $TUNE_LONG_TESTS.
template<class Case>
std::vector<Case> sampled(std::vector<Case> all) {
  if (std::getenv("TUNE_LONG_TESTS") != nullptr) return all;
  std::vector<Case> some;
  for (std::size_t i = 0; i < all.size(); i += 3) some.push_back(std::move(all[i]));
  return some;
}

}  // namespace tune::testing
