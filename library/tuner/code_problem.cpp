// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/code_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "kernels/described/kernel_files.hpp"
#include "library/tuner/convert.hpp"
#include "library/tuner/scope.hpp"
#include "search/expressions/nearest.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/architectures.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::api {
namespace {

const std::string description_name = "description in code";

/// A parameter that is an extent of the block is one of threads, for models.
void find_roles(Spec& spec) {
  for (search::Parameter& parameter : spec.parameters)
    for (const LaunchSpec& launch : spec.launches)
      for (const Number& number : launch.block.numbers)
        if (const auto* text = std::get_if<std::string>(&number.value);
            text != nullptr && *text == parameter.name)
          parameter.role = search::Role::threads;
}

/// The same problem, solved by the kernel whose outputs are right.
Spec with_reference_kernel(Spec spec) {
  spec.kernel = spec.reference_kernel->kernel;
  spec.launches = {spec.reference_kernel->launch};
  return spec;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

CodeProblem::CodeProblem(const Spec& spec) : spec_(spec) {
  if (!spec_.kernel) throw UsageError(format("{}: no kernel: call kernel(file, entry)", spec_.name));
  find_roles(spec_);
  info_.name = spec_.name;
  info_.summary = "defined in code";
  info_.extents = spec_.extents;
  // A problem whose sizes are all fixed has one that says nothing.
  if (info_.extents.empty()) info_.extents.push_back({"size", "fixed by the problem", 1});
  info_.settings = spec_.settings;
  info_.item = spec_.item;
  info_.revision = spec_.revision;
  info_.sources = {spec_.kernel->source.name, description_name};
  for (const SourceFile& header : spec_.kernel->headers) info_.sources.push_back(header.name);
  check_arguments();
}

void CodeProblem::check_launch(const SourceFile& source, const LaunchSpec& launch) const {
  std::vector<std::string> known;
  for (const ArgumentSpec& argument : spec_.arguments) known.push_back(argument.name);
  if (!launch.grid.given() || !launch.block.given())
    throw UsageError(format("{}: the launch of '{}' has no {}", spec_.name, launch.entry,
                            launch.grid.given() ? "block" : "grid"));
  const std::vector<std::string> names = spec_.arguments_of(launch);
  for (const std::string& name : names)
    if (spec_.argument(name) == nullptr)
      throw UsageError(format("{}: the launch of '{}' gives an argument '{}' that nothing declares{}",
                              spec_.name, launch.entry, name, search::did_you_mean(name, known)));
  const std::vector<std::string> declared = definition::kernel_parameters(source.text, launch.entry);
  if (declared.empty()) return;
  if (declared.size() != names.size())
    throw UsageError(format("{}: kernel '{}' takes {} arguments ({}), the problem gives {} ({})", spec_.name,
                            launch.entry, declared.size(), joined(declared), names.size(), joined(names)));
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const bool pointer = declared[i].find('*') != std::string::npos;
    if (pointer != spec_.argument(names[i])->is_array())
      throw UsageError(format("{}: argument {} of kernel '{}' is '{}', the problem gives the {} '{}'",
                              spec_.name, i + 1, launch.entry, declared[i], pointer ? "scalar" : "array",
                              names[i]));
  }
}

/// Against what is declared, and the kernel's own declaration where it is understood: before anything is
/// compiled.
void CodeProblem::check_arguments() const {
  if (std::ranges::none_of(spec_.arguments, [](const ArgumentSpec& one) { return one.compared(); }))
    throw UsageError(format("{}: no output: nothing could be checked", spec_.name));
  for (const LaunchSpec& launch : spec_.launches) check_launch(spec_.kernel->source, launch);
  if (spec_.reference_kernel)
    check_launch(spec_.reference_kernel->kernel.source, spec_.reference_kernel->launch);
  for (const Sizes& sizes : spec_.checks) static_cast<void>(instance(sizes));
}

Instance CodeProblem::instance(const Sizes& sizes) const {
  std::string size;
  std::vector<std::pair<std::string, search::Value>> settings;
  std::vector<std::string> known;
  for (const ExtentInfo& extent : info_.extents) {
    known.push_back(extent.name);
    const std::int64_t value = sizes.has(extent.name) ? sizes[extent.name] : extent.default_value;
    size += (size.empty() ? "" : "x") + std::to_string(value);
  }
  for (const SettingInfo& setting : info_.settings) known.push_back(setting.name);
  for (const auto& [name, value] : sizes.entries()) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(format("{}: '{}' is no size or setting{}; there is: {}", spec_.name, name,
                              search::did_you_mean(name, known), joined(known)));
    if (std::ranges::find(info_.extents, name, &ExtentInfo::name) == info_.extents.end())
      settings.emplace_back(name, to_search(value));
  }
  return make_instance(info_, size, settings);
}

search::SpaceDefinition CodeProblem::space(const Instance& instance, const DeviceProperties& device) const {
  search::SpaceDefinition space;
  space.parameters = spec_.parameters;
  space.constraints = spec_.constraints;
  const auto add = [&](const std::string& name, const search::Value& value) {
    if (std::ranges::find(space.parameters, name, &search::Parameter::name) == space.parameters.end())
      space.constants.insert_or_assign(name, value);
  };
  add("max_threads", device.max_threads_per_block);
  add("max_shared_memory", device.shared_memory_per_block_optin);
  for (const auto& [name, extent] : instance.extents) add(name, extent);
  for (const auto& [name, value] : instance.settings) add(name, value);
  return space;
}

std::string CodeProblem::broken_rule(const Instance& instance,
                                     const search::Configuration& configuration) const {
  const ExpressionScope scope(spec_, instance, configuration);
  for (const FunctionRule& rule : spec_.rules)
    if (!scope.call(rule.rule, format("the constraint '{}'", rule.reason))) return rule.reason;
  return "";
}

search::SearchSpace CodeProblem::valid_space(const Instance& instance, const DeviceProperties& device,
                                             const std::string& where) const {
  try {
    search::SpaceDefinition definition = space(instance, device);
    if (!where.empty()) definition = search::restrict_to(std::move(definition), search::Expr::parse(where));
    search::SearchSpace all(std::move(definition));
    if (!spec_.rules.empty()) {
      const Sizes sizes = sizes_of(instance);
      all = all.where([&](const search::Configuration& configuration) {
        return broken_rule(instance, configuration).empty();
      });
    }
    if (!all.empty()) return all;
  } catch (const std::invalid_argument& error) {
    throw UsageError(format("{}: {}", spec_.name, error.what()));
  }
  throw UsageError(format("{} {}: no configuration is valid{}", spec_.name, instance.key(),
                          where.empty() ? "" : format(" where {}", where)));
}

ElementType CodeProblem::type_of(const ArgumentSpec& argument, const Instance& instance) const {
  if (const auto type = type_named(argument.type)) return *type;
  const auto setting = std::ranges::find(info_.settings, argument.type, &SettingInfo::name);
  if (setting == info_.settings.end())
    throw UsageError(format("{}: '{}' is of '{}', which is neither a type nor a setting", spec_.name,
                            argument.name, argument.type));
  const search::Value value = instance.setting_or(argument.type, setting->default_value);
  if (const auto type = type_named(value.to_string())) return *type;
  throw UsageError(format("{}: the setting '{}' of '{}' is '{}', which is no type", spec_.name, argument.type,
                          argument.name, value.to_string()));
}

tune::Extents CodeProblem::extents_of(const ArgumentSpec& argument, const Instance& instance) const {
  const ExpressionScope scope(spec_, instance);
  const std::string what = format("the extent of '{}'", argument.name);
  tune::Extents extents;
  for (const SizeNumber& number : argument.extents) {
    const double size = scope.real(number, what);
    if (!(size >= 1) || size > 0x1p40 || std::floor(size) != size)
      scope.fail(what, format("{} is no whole number of elements from 1 to 2^40", size));
    extents.push_back(static_cast<std::uint64_t>(size));
  }
  return extents;
}

ProblemCost CodeProblem::cost(const Instance& instance) const {
  const ExpressionScope scope(spec_, instance);
  ProblemCost cost;
  for (const ArgumentSpec& argument : spec_.arguments) {
    if (!argument.is_array()) continue;
    const ElementType type = type_of(argument, instance);
    const auto elements = static_cast<double>(element_count(extents_of(argument, instance)));
    const double bytes = elements * static_cast<double>(element_size(type));
    // What only passes between launches may stay on chip.
    if (argument.access != ArgumentAccess::scratch)
      cost.bytes += argument.access == ArgumentAccess::both ? 2 * bytes : bytes;
    if (argument.compared()) cost.items = std::max(cost.items, elements);
    if (type == ElementType::f64) cost.arithmetic = ElementType::f64;
  }
  if (spec_.flops) cost.flops = scope.real(*spec_.flops, "flops");
  if (spec_.bytes) cost.bytes = scope.real(*spec_.bytes, "bytes");
  if (spec_.items) cost.items = scope.real(*spec_.items, "items");
  return cost;
}

tune::Result<LaunchPlan> CodeProblem::plan(const Instance& instance,
                                           const search::Configuration& configuration,
                                           const KernelSources&) const {
  return plan_of(spec_, instance, configuration);
}

tune::Result<LaunchPlan> CodeProblem::plan_of(const Spec& spec, const Instance& instance,
                                              const search::Configuration& configuration) const {
  std::map<std::string, ElementType> types;
  std::map<std::string, tune::Extents> extents;
  for (const ArgumentSpec& argument : spec.arguments) {
    types.emplace(argument.name, type_of(argument, instance));
    if (argument.is_array()) extents.emplace(argument.name, extents_of(argument, instance));
  }
  return make_plan(spec, instance, configuration, types, extents);
}

search::Configuration CodeProblem::reference_configuration(const Instance& instance) const {
  const std::lock_guard lock(mutex_);
  const auto known = references_.find(instance.key());
  if (known != references_.end()) return known->second;
  const search::SearchSpace all = valid_space(instance, architecture_properties("sm_90"));
  search::Configuration chosen = all.at(*all.default_configuration());
  for (const auto& [name, value] : spec_.reference_configuration.entries()) chosen.set(name, value);
  if (!all.find(chosen)) {
    std::string reason = all.explain(chosen);
    if (const std::string rule = broken_rule(instance, chosen); !rule.empty()) reason = rule;
    throw UsageError(format("{}: the reference's configuration: {}", spec_.name, reason));
  }
  return references_.emplace(instance.key(), chosen).first->second;
}

std::optional<tune::Result<LaunchPlan>> CodeProblem::reference_plan(const Instance& instance,
                                                                    const KernelSources& sources) const {
  if (spec_.reference) return std::nullopt;
  const search::Configuration configuration = reference_configuration(instance);
  return spec_.reference_kernel ? plan_of(with_reference_kernel(spec_), instance, configuration)
                                : plan(instance, configuration, sources);
}

TensorSet CodeProblem::inputs(const Instance& instance, std::uint64_t seed) const {
  TensorSet inputs;
  for (const ArgumentSpec& argument : spec_.arguments)
    if (argument.access == ArgumentAccess::read || argument.access == ArgumentAccess::both)
      inputs.emplace(argument.name, make_contents(argument, type_of(argument, instance),
                                                  extents_of(argument, instance), seed, spec_.name));
  return inputs;
}

TensorSet CodeProblem::reference(const Instance& instance, const TensorSet& inputs) const {
  TensorSet results;
  if (!spec_.reference) return results;
  for (const ArgumentSpec& argument : spec_.arguments) {
    if (!argument.compared()) continue;
    HostTensor tensor(ElementType::f64, extents_of(argument, instance));
    std::ranges::fill(tensor.as<double>(), std::numeric_limits<double>::quiet_NaN());
    results.emplace(argument.name, std::move(tensor));
  }
  const Sizes sizes = sizes_of(instance);
  HostData::Contents contents{sizes, inputs, results};
  HostData data(contents);
  ExpressionScope(spec_, instance)
      .call(
          [&](const Configuration&, const Sizes&) {
            spec_.reference(data);
            return 0;
          },
          "the reference");
  for (const auto& [name, tensor] : results)
    if (std::ranges::all_of(tensor.as<double>(), [](double value) { return std::isnan(value); }))
      throw UsageError(format("{}: the reference fills nothing of the output '{}'", spec_.name, name));
  return results;
}

Tolerance CodeProblem::tolerance(const Instance& instance) const {
  if (spec_.absolute_tolerance)
    return {*spec_.absolute_tolerance, "as the problem says", spec_.relative_tolerance.value_or(0)};
  Tolerance tolerance{0, "of sums in another order, relative to the largest result"};
  for (const ArgumentSpec& argument : spec_.arguments)
    if (argument.compared())
      tolerance.buffers.emplace(argument.name, Bounds{.relative = usual_share(type_of(argument, instance))});
  return tolerance;
}

std::vector<Instance> CodeProblem::check_instances(const Instance& instance,
                                                   const search::Configuration&) const {
  std::vector<Instance> all;
  for (const Sizes& sizes : spec_.checks) {
    Instance small = instance;
    const Instance named = this->instance(sizes);
    for (std::size_t i = 0; i < small.extents.size(); ++i)
      if (sizes.has(small.extents[i].first)) small.extents[i] = named.extents[i];
    all.push_back(std::move(small));
  }
  return all;
}

std::string CodeSources::text(std::string_view name) const {
  const Spec& spec = problem_.spec();
  if (name == spec.kernel->source.name) return spec.kernel->source.text;
  if (name == description_name) return description_of(spec);
  for (const SourceFile& header : spec.kernel->headers)
    if (header.name == name) return header.text;
  throw tune::Error(format("{}: there is no source '{}'", spec.name, name));
}

}  // namespace tune::api
