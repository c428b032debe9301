// SPDX-License-Identifier: Apache-2.0
// Instances and configurations of gemm that several tests go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "search/space/search_space.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels::testing {

using Settings = std::vector<std::pair<std::string, Value>>;

/// The problem at `size` (`5x7x3`) with these settings.
Instance gemm_instance(const std::string& size, const Settings& settings = {});

/// The space on an architecture such as `sm_90`, restricted by `where`.
search::SearchSpace gemm_space_on(const Instance& instance, const std::string& architecture,
                                  const std::string& where = "True");

/// Random valid configurations, the same for the same seed; none where there are none.
std::vector<Configuration> gemm_sample(const Instance& instance, const std::string& where, std::size_t count,
                                       std::uint64_t seed);

/// `name=value` of all parameters of the space.
std::vector<std::pair<std::string, Value>> gemm_values(const Instance& instance,
                                                       const std::string& architecture);

}  // namespace tune::kernels::testing
