// SPDX-License-Identifier: Apache-2.0
// Instances and configurations of conv2d_separable that several tests go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "search/space/search_space.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels::testing {

struct ConvolutionCase {
  int radius = 1;
  std::string type = "float";
  std::int64_t nx = 512, ny = 512;  ///< single_block is for small images
};

Instance convolution_instance(const ConvolutionCase& what, std::int64_t nx, std::int64_t ny);

/// The space of the case's image on an architecture such as `sm_90`, restricted by `where`.
search::SearchSpace convolution_space_on(const ConvolutionCase& what, const std::string& architecture,
                                         const std::string& where);

/// Of so many valid configurations that are drawn, some that have every value of all of them.
std::vector<Configuration> covering_sample(const ConvolutionCase& what, const std::string& architecture,
                                           const std::string& where, std::size_t drawn, std::uint64_t seed);

}  // namespace tune::kernels::testing
