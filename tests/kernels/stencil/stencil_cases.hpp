// SPDX-License-Identifier: Apache-2.0
// Instances and configurations of stencil3d and stencil2d that several tests go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "search/space/search_space.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels::testing {

/// What fixes the work besides the extents.
struct StencilCase {
  std::string type;   ///< float, double
  std::string shape;  ///< star, box, poisson, ...
  int radius = 1;
  int dimensions = 3;             ///< 2 or 3
  std::string boundary = "held";  ///< held, zero
  std::int64_t steps = 1;
  std::string coefficients = "general";  ///< general, symmetric

  std::string problem() const { return "stencil" + std::to_string(dimensions) + "d"; }
  std::string name() const;
};

/// Both types, stars and boxes of radius 1 to 8 in three dimensions, one step, held: 32 in all.
std::vector<StencilCase> all_cases();

/// Every type, star and box, at `radius`, in three dimensions.
std::vector<StencilCase> cases_of_radius(int radius);

/// Every built-in shape in the dimensions it has, at a small and, where there is a choice, at a larger
/// radius, with both boundaries and alternating types, one to three steps.
std::vector<StencilCase> varied_cases();

/// The same stencils with both types, both boundaries and `steps`.
std::vector<StencilCase> with_every_type_and_boundary(const std::vector<StencilCase>& cases,
                                                      std::int64_t steps);

/// Settings at their default are left out where they are implied, as make_instance does. In two dimensions
/// the array is nx x nz: `ny` is not used.
Instance stencil_instance(const StencilCase& stencil, std::int64_t nx, std::int64_t ny, std::int64_t nz);

/// stencil2d or stencil3d.
std::unique_ptr<Problem> stencil_problem(const StencilCase& stencil);

/// Restricts a space to the variants that launch once a step.
inline constexpr const char* sweeps_only = "variant in ['direct', 'streaming']";

/// The space at this instance on an architecture such as `sm_90`, restricted by `where`.
search::SearchSpace stencil_space_on(const Problem& problem, const Instance& instance,
                                     const std::string& architecture, const std::string& where = "True");

/// Random valid configurations, the same for the same seed.
std::vector<Configuration> sample_of(const search::SearchSpace& space, std::size_t count, std::uint64_t seed);

/// `count` random valid configurations of one variant; none where it has none.
std::vector<Configuration> sample_of_variant(const Problem& problem, const Instance& instance,
                                             const std::string& variant, std::size_t count,
                                             std::uint64_t seed);

/// `count` random valid configurations of every variant that the instance has.
std::vector<Configuration> sample_of_variants(const Problem& problem, const Instance& instance,
                                              std::size_t count, std::uint64_t seed);

}  // namespace tune::kernels::testing
