// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/stencil/stencil_cases.hpp"

#include <algorithm>

#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/problem.hpp"
#include "search/random.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels::testing {

std::string StencilCase::name() const {
  return std::to_string(dimensions) + "-D " + type + " " + shape + " radius " + std::to_string(radius) + " " +
         boundary + " " + std::to_string(steps) + " steps " + coefficients;
}

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

std::vector<StencilCase> varied_cases() {
  std::vector<StencilCase> cases;
  int number = 0;
  for (const int dimensions : {2, 3})
    for (const StencilShape& shape : stencil_shapes()) {
      if (dimensions == 2 ? !shape.in_2d : !shape.in_3d) continue;
      std::vector<int> radii = {shape.radius};
      if (shape.radius == 0) radii = {1, dimensions == 2 ? 8 : 2};
      for (const int radius : radii)
        for (const char* boundary : {"held", "zero"}) {
          ++number;
          cases.push_back({number % 3 == 0 ? "double" : "float", std::string(shape.name), radius, dimensions,
                           boundary, 1 + number % 3, number % 4 == 0 ? "symmetric" : "general"});
        }
    }
  return cases;
}

std::vector<StencilCase> with_every_type_and_boundary(const std::vector<StencilCase>& cases,
                                                      std::int64_t steps) {
  std::vector<StencilCase> all;
  for (const StencilCase& one : cases)
    for (const char* type : {"float", "double"})
      for (const char* boundary : {"held", "zero"}) {
        all.push_back(one);
        all.back().type = type;
        all.back().boundary = boundary;
        all.back().steps = steps;
      }
  return all;
}

Instance stencil_instance(const StencilCase& stencil, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  Instance instance{stencil.problem(),
                    {{"nx", nx}, {"ny", ny}, {"nz", nz}},
                    {{"type", stencil.type}, {"shape", stencil.shape}, {"radius", stencil.radius}}};
  if (stencil.dimensions == 2) instance.extents = {{"nx", nx}, {"ny", nz}};
  if (stencil.coefficients != "general") instance.settings.emplace_back("coefficients", stencil.coefficients);
  if (stencil.boundary != "held") instance.settings.emplace_back("boundary", stencil.boundary);
  if (stencil.steps != 1) instance.settings.emplace_back("steps", stencil.steps);
  return instance;
}

std::unique_ptr<Problem> stencil_problem(const StencilCase& stencil) {
  return stencil.dimensions == 2 ? make_stencil2d() : make_stencil3d();
}

search::SearchSpace stencil_space_on(const Problem& problem, const Instance& instance,
                                     const std::string& architecture, const std::string& where) {
  search::SpaceDefinition definition = problem.space(instance, architecture_properties(architecture));
  if (where != "True") definition = search::restrict_to(std::move(definition), search::Expr::parse(where));
  return search::SearchSpace(std::move(definition));
}

std::vector<Configuration> sample_of(const search::SearchSpace& space, std::size_t count,
                                     std::uint64_t seed) {
  search::Random random(seed);
  std::vector<Configuration> sample;
  while (!space.empty() && sample.size() < count) sample.push_back(space.at(space.sample(random)));
  return sample;
}

std::vector<Configuration> sample_of_variant(const Problem& problem, const Instance& instance,
                                             const std::string& variant, std::size_t count,
                                             std::uint64_t seed) {
  const search::SearchSpace space =
      stencil_space_on(problem, instance, "sm_90", "variant == '" + variant + "'");
  return space.empty() ? std::vector<Configuration>{} : sample_of(space, count, seed);
}

std::vector<Configuration> sample_of_variants(const Problem& problem, const Instance& instance,
                                              std::size_t count, std::uint64_t seed) {
  std::vector<Configuration> sample;
  const search::SpaceDefinition definition = problem.space(instance, architecture_properties("sm_90"));
  const auto variant = std::ranges::find(definition.parameters, "variant", &search::Parameter::name);
  for (const Value& name : variant->values)
    for (Configuration& configuration : sample_of_variant(problem, instance, name.as_text(), count, ++seed))
      sample.push_back(std::move(configuration));
  return sample;
}

}  // namespace tune::kernels::testing
