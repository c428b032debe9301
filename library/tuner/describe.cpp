// SPDX-License-Identifier: Apache-2.0
// A problem as data for programs.
#include "kernels/registry.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/problem.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::api {
namespace {

std::vector<Value> values_of(const std::vector<search::Value>& values) {
  std::vector<Value> all;
  for (const search::Value& value : values) all.push_back(from_search(value));
  return all;
}

void add_sizes(const ProblemInfo& info, const Instance& instance, Description& description) {
  for (std::size_t i = 0; i < info.extents.size(); ++i) {
    const ExtentInfo& extent = info.extents[i];
    description.sizes.push_back(
        {extent.name, extent.documentation, instance.extents[i].second, extent.default_value});
  }
  for (const SettingInfo& setting : info.settings) {
    Description::Setting made{setting.name, setting.documentation,
                              from_search(instance.setting_or(setting.name, setting.default_value)),
                              from_search(setting.default_value), values_of(setting.values)};
    if (setting.range) {
      made.values.clear();
      made.range = setting.range;
    }
    description.settings.push_back(std::move(made));
  }
}

void add_space(const search::SearchSpace& space, Description& description) {
  for (const search::Parameter& parameter : space.parameters())
    description.parameters.push_back({parameter.name, parameter.documentation, values_of(parameter.values),
                                      from_search(parameter.default_value),
                                      parameter.exists_if ? parameter.exists_if->to_string() : ""});
  for (const search::Constraint& constraint : space.definition().constraints)
    description.constraints.push_back({constraint.rule.to_string(), constraint.reason});
  description.default_configuration = to_values(space.at(*space.default_configuration()));
  description.space_size = space.size();
  description.counted = space.counted();
}

const char* kind_of(const described::Argument& argument) {
  if (!argument.symbol.empty()) return "symbol";
  if (argument.object) return "struct";
  if (!argument.is_vector()) return "scalar";
  switch (argument.access) {
    case described::BufferAccess::read:
      return "input";
    case described::BufferAccess::write:
      return "output";
    case described::BufferAccess::both:
      return "inout";
    default:
      return "scratch";
  }
}

void add_arguments(const described::DescribedProblem& problem, const Instance& instance,
                   Description& description) {
  const described::ExpressionScope scope(problem.description().parameters, instance);
  for (const described::Argument& argument : problem.description().arguments) {
    if (argument.is_for_judge) continue;
    Description::Argument made{argument.name, kind_of(argument), "", {}, "", argument.is_passed()};
    if (argument.type)
      made.type = argument.type_name;
    else if (!argument.object)
      made.type = tune::to_string(problem.type_of(argument, instance).element);
    for (const described::Expression& extent : argument.extents)
      made.extents.push_back(static_cast<std::int64_t>(extent.real(scope)));
    if (argument.value && !argument.value->is_function()) made.value = argument.value->text();
    description.arguments.push_back(std::move(made));
  }
}

}  // namespace

Description describe(const tune::Problem& problem, const Sizes& sizes, const DeviceProperties& device,
                     const std::string& where) {
  const ProblemInfo& info = problem.info();
  const Instance instance = instance_at(info, sizes);
  Description description;
  description.name = info.name;
  description.summary = info.summary;
  description.item = info.item;
  add_sizes(info, instance, description);
  add_space(valid_space(problem, instance, device, where), description);
  if (const auto* own = dynamic_cast<const described::DescribedProblem*>(&problem)) {
    for (const described::FunctionRule& rule : own->description().rules)
      description.constraints.push_back({"", rule.reason});
    add_arguments(*own, instance, description);
  }
  return description;
}

Description describe(const Problem& problem, const Sizes& sizes) {
  return guarded(
      [&] { return describe(*made(problem.spec()), sizes, architecture_properties("sm_90"), ""); });
}

std::vector<std::string> built_in_problems() {
  std::vector<std::string> names;
  for (const kernels::ProblemEntry& entry : kernels::problems()) names.emplace_back(entry.name);
  return names;
}

}  // namespace tune::api
