// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace tune::search {

/// Which of `count` values, sorted from the best on, a fit looks at: all, or, where they are more than 160,
/// the best 80 and 80 at equal distances among the rest. A fit takes the cube of their number.
inline std::vector<std::size_t> best_and_spread(std::size_t count) {
  constexpr std::size_t kHalf = 80;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count && (count <= 2 * kHalf || i < kHalf); ++i) chosen.push_back(i);
  if (count <= 2 * kHalf) return chosen;
  for (std::size_t i = 0; i < kHalf; ++i) chosen.push_back(kHalf + i * (count - kHalf) / kHalf);
  return chosen;
}

}  // namespace tune::search
