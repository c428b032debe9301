// SPDX-License-Identifier: Apache-2.0
// Instances and configurations of stencil3d that several tests go through.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/space/search_space.hpp"
#include "tuner/core/problem.hpp"

namespace tune::kernels::testing {

/// What fixes the work besides the extents.
struct StencilCase {
  std::string type;   ///< float, double
  std::string shape;  ///< star, box
  int radius = 1;

  std::string name() const { return type + " " + shape + " radius " + std::to_string(radius); }
};

/// Both types and shapes, radius 1 to 8: 32 in all.
std::vector<StencilCase> all_cases();

/// Every type and shape at `radius`.
std::vector<StencilCase> cases_of_radius(int radius);

Instance stencil_instance(const StencilCase& stencil, std::int64_t nx, std::int64_t ny, std::int64_t nz);

/// The space at this instance on an architecture such as `sm_90`.
search::SearchSpace stencil_space_on(const Problem& problem, const Instance& instance,
                                     const std::string& architecture);

/// Random valid configurations, the same for the same seed.
std::vector<Configuration> sample_of(const search::SearchSpace& space, std::size_t count, std::uint64_t seed);

}  // namespace tune::kernels::testing
