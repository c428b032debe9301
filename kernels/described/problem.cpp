// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "kernels/described/contents.hpp"
#include "kernels/described/plan.hpp"
#include "search/expressions/nearest.hpp"
#include "search/space/search_space.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/architectures.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::definition {
namespace {

bool compared(const Argument& argument) {
  return argument.is_vector() &&
         (argument.access == BufferAccess::write || argument.access == BufferAccess::both);
}

/// Characters that a database's keys and a command line take without quotes.
std::string problem_name(const Definition& definition) {
  std::string name = definition.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != '.') c = '_';
  if (name.empty()) throw UsageError(format("{}: the problem has no name", definition.file.string()));
  return name;
}

/// A parameter that is an extent of the block is one of threads, for models.
void find_roles(Definition& definition) {
  for (search::Parameter& parameter : definition.parameters)
    for (const LaunchDefinition& launch : definition.launches)
      for (const auto& extent : launch.block)
        if (extent && extent->text == parameter.name) parameter.role = search::Role::threads;
}

}  // namespace

DefinedProblem::DefinedProblem(Definition definition) : definition_(std::move(definition)) {
  find_roles(definition_);
  // A definition that fixes all sizes has one that says nothing.
  if (definition_.extents.empty()) definition_.extents.push_back({"size", "fixed by the definition", 1});
  info_.name = problem_name(definition_);
  info_.summary = definition_.summary;
  info_.extents = definition_.extents;
  info_.settings = definition_.settings;
  info_.item = definition_.item;
  texts_.emplace(definition_.file.filename().string(), definition_.source->text);
  if (definition_.unusable.empty()) read_kernels(JsonField(definition_.source));
  for (const auto& [name, text] : texts_) info_.sources.push_back(name);
}

void DefinedProblem::read_kernels(const JsonField& place) {
  // Whoever only wants to see the space, or what a database has, needs no kernel.
  std::error_code error;
  if (!std::filesystem::exists(definition_.kernel.path, error)) {
    missing_ = format("{}: cannot read the kernel's file {}", definition_.file.string(),
                      definition_.kernel.path.string());
    return;
  }
  const auto add = [&](const KernelText& kernel) {
    texts_.insert_or_assign(kernel.source.name, kernel.source.text);
    for (const SourceFile& header : kernel.headers) texts_.insert_or_assign(header.name, header.text);
  };
  kernel_ = read_kernel_text(definition_.kernel, place);
  add(kernel_);
  if (definition_.reference.kernel) {
    reference_kernel_ = read_kernel_text(*definition_.reference.kernel, place);
    add(*reference_kernel_);
  }
  check_arguments();
}

/// Against the kernel's own declaration, where it is understood: before anything is compiled.
void DefinedProblem::check_arguments() {
  for (LaunchDefinition& launch : definition_.launches) {
    const std::vector<std::string> declared = kernel_parameters(kernel_.source.text, launch.entry);
    if (declared.empty()) continue;
    std::vector<std::string> names;
    for (const std::string& one : declared) names.push_back(name_of_parameter(one));
    // What is copied to constant memory is an argument too only where the kernel declares it so.
    if (launch.arguments.size() > declared.size())
      std::erase_if(launch.arguments, [&](const std::string& name) {
        return !definition_.argument(name)->symbol.empty() && std::ranges::find(names, name) == names.end();
      });
    if (launch.arguments.size() == declared.size()) {
      for (std::size_t i = 0; i < declared.size(); ++i) {
        const Argument& argument = *definition_.argument(launch.arguments[i]);
        const bool pointer = declared[i].find('*') != std::string::npos;
        if (argument.texture && declared[i].find("cudaTextureObject_t") == std::string::npos)
          argument.place.fail(format("argument {} of kernel '{}' is '{}', no cudaTextureObject_t", i + 1,
                                     launch.entry, declared[i]));
        if (argument.map && pointer)
          argument.place.fail(
              format("argument {} of kernel '{}' is '{}', no CUtensorMap", i + 1, launch.entry, declared[i]));
        if (pointer == (argument.is_vector() && !argument.texture && !argument.map)) continue;
        argument.place.fail(
            format("argument {} of kernel '{}' is '{}', {}", i + 1, launch.entry, declared[i],
                   pointer ? "a pointer: give 'size' for a vector" : "no pointer: give a single value"));
      }
      continue;
    }
    std::string given, wanted;
    for (const std::string& name : launch.arguments) given += (given.empty() ? "" : ", ") + name;
    for (const std::string& one : declared) wanted += (wanted.empty() ? "" : ", ") + one;
    throw UsageError(format("{}: kernel '{}' takes {} arguments ({}), the definition gives {} ({})",
                            definition_.file.string(), launch.entry, declared.size(), wanted,
                            launch.arguments.size(), given));
  }
}

search::SpaceDefinition DefinedProblem::space(const Instance& instance,
                                              const DeviceProperties& device) const {
  search::SpaceDefinition space;
  space.parameters = definition_.parameters;
  space.constraints = definition_.constraints;
  std::set<std::string> names;
  for (const search::Parameter& parameter : space.parameters) names.insert(parameter.name);
  const auto add = [&](const std::string& name, const Value& value) {
    if (!names.contains(name)) space.constants.insert_or_assign(name, value);
  };
  add("max_threads", device.max_threads_per_block);
  add("max_shared_memory", device.shared_memory_per_block_optin);
  for (const auto& [name, extent] : instance.extents) add(name, extent);
  for (const auto& [name, value] : instance.settings) add(name, value);
  return space;
}

std::vector<Argument> DefinedProblem::arguments_of(const Instance& instance) const {
  std::vector<Argument> arguments = definition_.arguments;
  for (Argument& argument : arguments)
    if (!argument.type_setting.empty())
      argument.type = type_named(instance.setting(argument.type_setting).as_text())->element;
  return arguments;
}

std::map<std::string, Extents> DefinedProblem::extents_of(const std::vector<Argument>& arguments,
                                                          const Instance& instance) const {
  std::map<std::string, Extents> extents;
  for (const Argument& argument : arguments)
    if (argument.is_vector()) extents.emplace(argument.name, extents_of(argument, instance));
  return extents;
}

Extents DefinedProblem::extents_of(const Argument& argument, const Instance& instance) const {
  const FormulaScope scope(definition_, instance);
  Extents extents;
  if (argument.components > 1) extents.push_back(static_cast<std::uint64_t>(argument.components));
  for (const Formula& formula : argument.extents) {
    const FormulaValue value = formula.evaluate(scope.names());
    const double size = value.is_number() ? value.real() : 0;
    if (!(size >= 1) || size > 0x1p40 || std::floor(size) != size)
      formula.place.fail(format("'{}' must be a whole number of elements from 1 to 2^40", formula.text));
    extents.push_back(static_cast<std::uint64_t>(size));
  }
  return extents;
}

ProblemCost DefinedProblem::cost(const Instance& instance) const {
  const FormulaScope scope(definition_, instance);
  const auto value = [&](const std::optional<Formula>& formula) {
    if (!formula) return 0.0;
    const FormulaValue result = formula->evaluate(scope.names());
    if (!result.is_number()) formula->place.fail(format("'{}' is no number", formula->text));
    return result.real();
  };
  ProblemCost cost{.items = value(definition_.items),
                   .flops = value(definition_.flops),
                   .bytes = value(definition_.bytes)};
  double bytes = 0, items = 0;
  for (const Argument& argument : arguments_of(instance)) {
    if (!argument.is_vector()) continue;
    const auto elements = static_cast<double>(element_count(extents_of(argument, instance)));
    const double size = elements * static_cast<double>(element_size(argument.type));
    // What only passes between launches may stay on chip.
    if (argument.access != BufferAccess::scratch)
      bytes += argument.access == BufferAccess::both ? 2 * size : size;
    if (compared(argument)) items = std::max(items, elements);
    if (argument.type == ElementType::f64) cost.arithmetic = ElementType::f64;
  }
  if (!definition_.bytes) cost.bytes = bytes;
  if (!definition_.items) cost.items = items;
  return cost;
}

Result<LaunchPlan> DefinedProblem::plan(const Instance& instance, const Configuration& configuration,
                                        const KernelSources&) const {
  if (!definition_.unusable.empty()) throw UsageError(definition_.unusable);
  if (!missing_.empty()) throw UsageError(missing_);
  const std::vector<Argument> arguments = arguments_of(instance);
  return make_plan({definition_, definition_.kernel, kernel_, definition_.launches, arguments}, instance,
                   configuration, extents_of(arguments, instance));
}

Configuration DefinedProblem::reference_configuration(const Instance& instance) const {
  const search::SearchSpace all(space(instance, architecture_properties("sm_90")));
  const auto id = all.default_configuration();
  if (!id) throw UsageError(format("{}: no configuration is valid", definition_.file.string()));
  Configuration chosen = all.at(*id);
  if (definition_.reference.configuration.empty()) return chosen;
  for (const auto& [name, value] : definition_.reference.configuration) {
    if (!chosen.has(name))
      throw UsageError(
          format("{}: reference.configuration: there is no parameter '{}'", definition_.file.string(), name));
    chosen.set(name, value);
  }
  if (!all.find(chosen))
    throw UsageError(
        format("{}: reference.configuration: {}", definition_.file.string(), all.explain(chosen)));
  return chosen;
}

std::optional<Result<LaunchPlan>> DefinedProblem::reference_plan(const Instance& instance,
                                                                 const KernelSources& sources) const {
  const bool known = std::ranges::all_of(definition_.arguments, [](const Argument& argument) {
    return !compared(argument) || argument.expected.has_value();
  });
  if (known) return std::nullopt;
  const Configuration configuration = reference_configuration(instance);
  if (!reference_kernel_) return plan(instance, configuration, sources);
  const std::vector<Argument> arguments = arguments_of(instance);
  const ReferenceDefinition& reference = definition_.reference;
  return make_plan({definition_, *reference.kernel, *reference_kernel_, reference.launches, arguments},
                   instance, configuration, extents_of(arguments, instance));
}

TensorSet DefinedProblem::inputs(const Instance& instance, std::uint64_t seed) const {
  TensorSet inputs;
  for (const Argument& argument : arguments_of(instance))
    if (argument.is_vector() &&
        (argument.access == BufferAccess::read || argument.access == BufferAccess::both))
      inputs.emplace(argument.name,
                     make_tensor(argument.contents, argument, extents_of(argument, instance), seed));
  return inputs;
}

TensorSet DefinedProblem::reference(const Instance& instance, const TensorSet&) const {
  TensorSet reference;
  for (const Argument& argument : arguments_of(instance))
    if (compared(argument) && argument.expected)
      reference.emplace(
          argument.name,
          in_double(view_of(make_tensor(*argument.expected, argument, extents_of(argument, instance), 0))));
  return reference;
}

Tolerance DefinedProblem::tolerance(const Instance& instance) const {
  const bool stated = definition_.absolute_tolerance || definition_.relative_tolerance;
  Tolerance tolerance;
  tolerance.derivation =
      stated ? "as the definition says" : "of sums in another order, relative to the largest result";
  for (const Argument& argument : arguments_of(instance)) {
    if (!compared(argument)) continue;
    Bounds bounds{.relative = usual_share(argument.type)};
    if (stated)
      bounds = {.absolute = definition_.absolute_tolerance.value_or(0),
                .relative = definition_.relative_tolerance.value_or(0)};
    tolerance.buffers.emplace(argument.name, argument.bounds.value_or(bounds));
  }
  return tolerance;
}

std::vector<Instance> DefinedProblem::check_instances(const Instance& instance, const Configuration&) const {
  std::vector<Instance> all;
  for (const std::vector<std::int64_t>& size : definition_.check_sizes) {
    Instance small = instance;
    for (std::size_t i = 0; i < size.size(); ++i) small.extents[i].second = size[i];
    all.push_back(std::move(small));
  }
  return all;
}

RunDefaults DefinedProblem::run_defaults() const {
  RunDefaults defaults{.seconds = definition_.budget_seconds,
                       .share = definition_.budget_share,
                       .strategy = definition_.strategy,
                       .seed = definition_.seed};
  if (const auto count = definition_.budget_evaluations)
    defaults.evaluations = static_cast<std::uint64_t>(*count);
  return defaults;
}

std::unique_ptr<KernelSources> DefinedProblem::sources(std::unique_ptr<const KernelSources> others) const {
  return std::make_unique<DefinitionSources>(*this, std::move(others));
}

std::string DefinitionSources::text(std::string_view name) const {
  const auto found = problem_.texts().find(name);
  return found == problem_.texts().end() ? others_->text(name) : found->second;
}

}  // namespace tune::definition
