// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/stencil_cases.hpp"

#include "search/random.hpp"
#include "tuner/core/architectures.hpp"

namespace tune::kernels::testing {

std::vector<StencilCase> cases_of_radius(int radius) {
  return {{"float", "star", radius},
          {"double", "star", radius},
          {"float", "box", radius},
          {"double", "box", radius}};
}

std::vector<StencilCase> all_cases() {
  std::vector<StencilCase> cases;
  for (int radius = 1; radius <= 8; ++radius)
    for (StencilCase& stencil : cases_of_radius(radius)) cases.push_back(std::move(stencil));
  return cases;
}

Instance stencil_instance(const StencilCase& stencil, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return {"stencil3d",
          {{"nx", nx}, {"ny", ny}, {"nz", nz}},
          {{"type", stencil.type}, {"shape", stencil.shape}, {"radius", stencil.radius}}};
}

search::SearchSpace stencil_space_on(const Problem& problem, const Instance& instance,
                                     const std::string& architecture) {
  return search::SearchSpace(problem.space(instance, architecture_facts(architecture)));
}

std::vector<Configuration> sample_of(const search::SearchSpace& space, std::size_t count,
                                     std::uint64_t seed) {
  search::Random random(seed);
  std::vector<Configuration> sample;
  while (sample.size() < count) sample.push_back(space.at(space.sample(random)));
  return sample;
}

}  // namespace tune::kernels::testing
