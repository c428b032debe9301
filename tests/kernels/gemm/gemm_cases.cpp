// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/gemm/gemm_cases.hpp"

#include <stdexcept>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "search/random.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels::testing {

Instance gemm_instance(const std::string& size, const Settings& settings) {
  return make_instance(make_gemm()->info(), size, settings);
}

search::SearchSpace gemm_space_on(const Instance& instance, const std::string& architecture,
                                  const std::string& where) {
  search::SpaceDefinition definition = make_gemm()->space(instance, architecture_properties(architecture));
  if (where != "True") definition = search::restrict_to(std::move(definition), search::Expr::parse(where));
  return search::SearchSpace(std::move(definition));
}

std::vector<Configuration> gemm_sample(const Instance& instance, const std::string& where, std::size_t count,
                                       std::uint64_t seed) {
  const search::SearchSpace space = gemm_space_on(instance, "sm_90", where);
  search::Random random(seed);
  std::vector<Configuration> sample;
  while (!space.empty() && sample.size() < count) sample.push_back(space.at(space.sample(random)));
  return sample;
}

std::vector<std::pair<std::string, Value>> gemm_values(const Instance& instance,
                                                       const std::string& architecture) {
  std::vector<std::pair<std::string, Value>> values;
  const search::SpaceDefinition definition =
      make_gemm()->space(instance, architecture_properties(architecture));
  for (const search::Parameter& parameter : definition.parameters)
    for (const Value& value : parameter.values) values.emplace_back(parameter.name, value);
  return values;
}

}  // namespace tune::kernels::testing
