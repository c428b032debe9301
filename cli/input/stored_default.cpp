// SPDX-License-Identifier: Apache-2.0
#include "cli/input/stored_default.hpp"

#include "kernels/registry.hpp"
#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/architectures.hpp"

namespace tune::cli {

std::optional<search::Configuration> stored_default(const db::Workload& workload) {
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    if (entry.name != workload.problem) continue;
    const auto problem = entry.make();
    std::vector<std::pair<std::string, Value>> settings;
    const Configuration stored = Configuration::parse(workload.settings);
    for (const auto& [name, value] : stored.entries()) settings.emplace_back(name, value);
    try {
      const Instance instance = make_instance(problem->info(), workload.size, settings);
      search::SpaceDefinition definition =
          problem->space(instance, architecture_properties(workload.architecture));
      // Only whether the default is valid is asked: the whole space would take a second for each size.
      const std::vector<search::Parameter> parameters = definition.parameters;
      for (const search::Parameter& parameter : parameters)
        definition = search::pin(std::move(definition), parameter.name, parameter.default_value);
      const search::SearchSpace space(std::move(definition));
      const auto id = space.default_configuration();
      if (id) return space.at(*id);
    } catch (const UsageError&) {
      return std::nullopt;  // stored by a version that knew other settings or devices
    }
  }
  return std::nullopt;
}

}  // namespace tune::cli
