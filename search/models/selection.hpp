// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace tune::search {

/// Which of `count` values, sorted from the best on, a model looks at: all, or, where they are more than
/// `most`, the best half of `most` and as many at equal distances among the rest. Increasing.
inline std::vector<std::size_t> best_and_spread(std::size_t count, std::size_t max_count) {
  std::vector<std::size_t> chosen;
  const std::size_t half = max_count / 2;
  for (std::size_t i = 0; i < (count <= max_count ? count : half); ++i) chosen.push_back(i);
  if (count <= max_count) return chosen;
  for (std::size_t i = 0; i < half; ++i) chosen.push_back(half + i * (count - half) / half);
  return chosen;
}

/// Points for lengths and noise: a step of that fit takes the cube of their number.
inline constexpr std::size_t max_fitted = 160;
/// Points that predictions follow: a candidate costs the square of their number at a fit.
inline constexpr std::size_t max_followed = 500;

}  // namespace tune::search
