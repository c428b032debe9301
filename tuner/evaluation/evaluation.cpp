// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/evaluation.hpp"

#include <algorithm>
#include <stdexcept>

namespace tune {

double median(std::vector<double> values) {
  if (values.empty()) throw std::logic_error("the median of no values");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double Measurement::time() const {
  return median(samples);
}

}  // namespace tune
