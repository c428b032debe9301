// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/problem.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "kernels/described/braces.hpp"
#include "kernels/described/command.hpp"
#include "kernels/described/compile_options.hpp"
#include "kernels/described/contents.hpp"
#include "kernels/described/fitting.hpp"
#include "kernels/described/opencl.hpp"
#include "kernels/described/source_checks.hpp"
#include "search/expressions/formula_functions.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/tensor/reference_numbers.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::described {
namespace {

/// A parameter that is an extent of the block has the role threads, for models.
void find_roles(KernelDescription& description) {
  for (search::Parameter& parameter : description.parameters)
    each_kernel_launch(description.launches, [&](const LaunchDescription& launch) {
      for (const auto& extent : launch.block)
        if (extent && extent->text() == parameter.name) parameter.role = search::Role::threads;
    });
}

}  // namespace

DescribedProblem::DescribedProblem(KernelDescription description)
    : description_(std::move(description)), info_(description_.info()), texts_(description_.sources) {
  find_roles(description_);
  for (const Argument& argument : description_.arguments) {
    if (argument.is_filled()) check_contents(argument, argument.contents);
    if (argument.expected) check_contents(argument, *argument.expected);
  }
  if (description_.command != nullptr)
    read_commands();
  else if (description_.unusable.empty())
    read_kernels();
  for (const SourceFile& source : texts_) info_.sources.push_back(source.name);
  check_work();
  check_metrics();
}

/// A formula of the work that names something unknown is found when the problem is made.
void DescribedProblem::check_work() const {
  const ExpressionScope scope(description_.parameters, make_instance(info_, "", {}));
  for (const auto* formula : {&description_.flops, &description_.bytes, &description_.items})
    if (*formula && !(*formula)->is_function()) static_cast<void>((*formula)->real(scope));
}

void DescribedProblem::read_commands() {
  for (SourceFile& source : sources_of(*description_.command)) texts_.push_back(std::move(source));
  for (const std::string& name : unused_parameters())
    description_.notes.push_back(format("parameter '{0}' changes nothing: no command has '{{{0}}}'", name));
}

CommandPlan DescribedProblem::command(const Instance& instance, const Configuration& configuration) const {
  return plan_of(*description_.command, ExpressionScope(description_.parameters, instance, configuration));
}

void DescribedProblem::read_kernels() {
  KernelSource& kernel = description_.kernel;
  std::optional<KernelSource>& reference = description_.reference.kernel;
  // The space and the records in a database need no kernel.
  std::error_code error;
  if (!kernel.text && !kernel.memory.contains(kernel.path.lexically_normal()) &&
      !std::filesystem::exists(kernel.path, error)) {
    missing_ = format("cannot read the kernel's file {}", kernel.path.string());
    return;
  }
  std::map<std::string, std::string> read;
  for (KernelSource* source : {&kernel, reference ? &*reference : nullptr}) {
    if (source == nullptr) continue;
    const bool is_given = source->text.has_value();
    if (!is_given) {
      std::vector<std::filesystem::path> folders = source->folders;
      std::ranges::copy(folders_in(source->options), std::back_inserter(folders));
      source->text = read_kernel_text(source->path, folders, source->place, source->others, source->memory);
    }
    if (!is_given && source->language == KernelLanguage::opencl) translate_opencl(*source->text);
    if (source->language == KernelLanguage::cpp) source->text->mark = "void";
    source->find_names();
    if (is_given) continue;
    read.insert_or_assign(source->text->source.name, source->text->source.text);
    for (const SourceFile& header : source->text->headers) read.insert_or_assign(header.name, header.text);
  }
  if (!read.empty()) {
    for (const SourceFile& known : texts_) read.emplace(known.name, known.text);
    texts_.clear();
    for (const auto& [name, text] : read) texts_.push_back({name, text});
  }
  check_macros(description_);
  find_symbols(description_);
  if (const std::vector<std::string> unused = unused_parameters(); !unused.empty())
    description_.notes.push_back(
        format("{} {} nothing: neither the kernel's files nor the launches mention {}",
               unused.size() == 1 ? format("parameter '{}'", unused.front())
                                  : format("parameters '{}'", joined(unused, {}, "', '")),
               unused.size() == 1 ? "changes" : "change", unused.size() == 1 ? "it" : "them"));
  note_names(description_);
  each_kernel_launch(description_.launches, [&](LaunchDescription& launch) {
    check_entry(description_, kernel, launch);
    if (!launch.cooperative) launch.cooperative = kernel.names.contains("this_grid");
    launch.arguments = checked_arguments(description_, kernel, launch);
  });
  each_kernel_launch(description_.judge.launches, [&](LaunchDescription& launch) {
    launch.arguments = checked_arguments(description_, kernel, launch);
  });
  each_kernel_launch(description_.reference.launches, [&](LaunchDescription& launch) {
    check_entry(description_, *reference, launch);
    launch.arguments = checked_arguments(description_, *reference, launch);
  });
}

search::SpaceDefinition DescribedProblem::space(const Instance& instance,
                                                const DeviceProperties& device) const {
  search::SpaceDefinition space;
  space.parameters = description_.parameters;
  space.constraints = description_.constraints;
  std::set<std::string> names;
  for (const search::Parameter& parameter : space.parameters) names.insert(parameter.name);
  const auto add = [&](const std::string& name, const Value& value) {
    if (!names.contains(name)) space.constants.insert_or_assign(name, value);
  };
  for (const char* const name : {"pi", "inf"}) {
    const auto mentions = [name](const search::Constraint& one) {
      return one.rule.variables().contains(name);
    };
    if (std::ranges::any_of(space.constraints, mentions)) add(name, *search::constant_without_module(name));
  }
  add("max_threads", device.max_threads_per_block);
  add("max_shared_memory", device.shared_memory_per_block_optin);
  if (info_.target == Target::cpu) {
    add("cores", device.multiprocessors);
    add("vector_bits", device.vector_bits);
    add("l1_cache", device.l1_cache);
    add("l2_cache", device.l2_cache);
    add("l3_cache", device.l3_cache);
  }
  for (const auto& [name, extent] : instance.extents) add(name, extent);
  for (const SettingInfo& one : info_.settings)
    add(one.name, instance.setting_or(one.name, one.default_value));
  for (const auto& [name, value] : instance.settings) add(name, value);
  return space;
}

std::string DescribedProblem::broken_rule(const Instance& instance,
                                          const Configuration& configuration) const {
  for (const FunctionRule& rule : description_.rules)
    if (!rule.place.guarded([&] { return rule.holds(instance, configuration); })) return rule.reason;
  return "";
}

search::SearchSpace DescribedProblem::valid_space(const Instance& instance, const DeviceProperties& device,
                                                  const std::string& where) const {
  try {
    search::SpaceDefinition definition = space(instance, device);
    if (!where.empty()) definition = search::restrict_to(std::move(definition), search::Expr::parse(where));
    search::SearchSpace all = search::SearchSpace::counted_or_sampled(std::move(definition));
    if (!description_.rules.empty())
      all = all.where(
          [&](const Configuration& configuration) { return broken_rule(instance, configuration).empty(); });
    if (!all.empty()) return all;
  } catch (const std::invalid_argument& error) {
    description_.place.fail(error.what());
  }
  throw UsageError(format("{} {}: no configuration is valid{}", info_.name, instance.key(),
                          where.empty() ? "" : format(" where {}", where)));
}

TypeName DescribedProblem::type_of(const Argument& argument, const Instance& instance) const {
  if (argument.type) return *argument.type;
  const auto setting = std::ranges::find(info_.settings, argument.type_name, &SettingInfo::name);
  if (setting == info_.settings.end())
    description_.place.fail(
        format("'{}' is of '{}', which is neither a type nor a setting", argument.name, argument.type_name));
  const Value value = instance.setting_or(argument.type_name, setting->default_value);
  const std::optional<TypeName> type = type_named(value.to_string());
  if (!type || type->components != 1)
    description_.place.fail(format("the setting '{}' of '{}' is '{}', which is not a type",
                                   argument.type_name, argument.name, value.to_string()));
  return *type;
}

Extents DescribedProblem::extents_of(const Argument& argument, const Instance& instance) const {
  const ExpressionScope scope(description_.parameters, instance);
  Extents extents;
  const int components = argument.type ? argument.type->components : 1;
  if (components > 1) extents.push_back(static_cast<std::uint64_t>(components));
  for (const Expression& extent : argument.extents) {
    const double size = extent.real(scope);
    if (!(size >= 1) || size > 0x1p40 || std::floor(size) != size)
      extent.fail(format("{} is not a whole number of elements from 1 to 2^40", size));
    extents.push_back(static_cast<std::uint64_t>(size));
  }
  return extents;
}

ProblemCost DescribedProblem::cost(const Instance& instance) const {
  ProblemCost cost;
  for (const Argument& argument : description_.arguments) {
    if (!argument.is_vector() || argument.is_for_judge) continue;
    const ElementType type = type_of(argument, instance).element;
    const auto elements = static_cast<double>(element_count(extents_of(argument, instance)));
    const double bytes = elements * static_cast<double>(element_size(type));
    // Contents between launches may stay on chip.
    if (argument.access != BufferAccess::scratch)
      cost.bytes += argument.access == BufferAccess::both ? 2 * bytes : bytes;
    if (argument.is_written()) cost.items = std::max(cost.items, elements);
    if (type == ElementType::f64) cost.arithmetic = ElementType::f64;
  }
  const ExpressionScope scope(description_.parameters, instance);
  if (description_.flops) cost.flops = description_.flops->real(scope);
  // Works of one execution may share what it moves.
  if (description_.per_execution) cost.bytes = 0;
  if (description_.bytes) cost.bytes = description_.bytes->real(scope);
  if (description_.items) cost.items = description_.items->real(scope);
  return cost;
}

Result<LaunchPlan> DescribedProblem::plan(const Instance& instance, const Configuration& configuration,
                                          const KernelSources&) const {
  if (is_command())
    return fail(Phase::constraint, "command", "its evaluation is a command, without a kernel");
  return make_plan(description_.kernel, description_.launches, instance, configuration, true);
}

Configuration DescribedProblem::reference_configuration(const Instance& instance) const {
  const std::lock_guard lock(mutex_);
  const auto known = references_.find(instance.key());
  if (known != references_.end()) return known->second;
  const ReferenceDescription& reference = description_.reference;
  std::string where;
  for (const auto& [name, value] : instance.settings)
    if (std::ranges::count(reference.same, name) > 0)
      where += format("{}{} == {}", where.empty() ? "" : " and ", name,
                      value.is_text() ? "'" + value.as_text() + "'" : value.to_string());
  const search::SearchSpace all = valid_space(
      instance, info_.target == Target::cpu ? host::device_properties() : architecture_properties("sm_90"),
      where);
  Configuration chosen = all.at(*all.default_configuration());
  for (const auto& [name, value] : reference.configuration.entries()) chosen.set(name, value);
  if (!all.allows(chosen)) {
    const std::string reason = all.explain(chosen), rule = broken_rule(instance, chosen);
    reference.place.fail(rule.empty() ? reason : rule);
  }
  return references_.emplace(instance.key(), chosen).first->second;
}

Instance DescribedProblem::reference_instance(const Instance& instance,
                                              const Configuration& configuration) const {
  Instance reference = instance;
  for (const std::string& name : description_.reference.same)
    if (const Value* const value = configuration.find(name)) reference.settings.emplace_back(name, *value);
  return reference;
}

bool DescribedProblem::is_compared(const Argument& argument) const {
  return argument.is_written() &&
         (!description_.reference.is_none || description_.judge.judges(argument.name));
}

bool DescribedProblem::has_reference(const Argument& argument) const {
  const JudgeDescription& judge = description_.judge;
  return is_compared(argument) && (!judge.judges(argument.name) || judge.needs_reference(argument.name));
}

bool DescribedProblem::expects_all() const {
  return std::ranges::all_of(description_.arguments, [this](const Argument& argument) {
    return !has_reference(argument) || argument.expected.has_value();
  });
}

std::string DescribedProblem::compared_with() const {
  if (is_command()) {
    const CommandDescription& command = *description_.command;
    const auto& expected = command.plan.expected;
    if (expected) return format("the contents of {}", expected->file.filename().string());
    return command.check.words.empty() ? "nothing: 'command' has no 'check'" : "the checking command";
  }
  const ReferenceDescription& reference = description_.reference;
  if (std::ranges::none_of(description_.arguments, [&](const Argument& one) { return is_compared(one); }))
    return format("nothing: {}", reference.is_none
                                     ? format("the {} has 'reference': 'none'", description_.noun())
                                     : format("no output of the {} is compared", description_.noun()));
  const JudgeDescription& judge = description_.judge;
  const auto compares = [&](const Argument& one) { return is_compared(one) && !judge.judges(one.name); };
  const std::string judged = judge.outputs.empty() ? std::string() : judge.name();
  if (std::ranges::none_of(description_.arguments, compares)) return judged;
  return compared_elements() + (judged.empty() ? "" : format(", and by {}", judged));
}

std::string DescribedProblem::compared_elements() const {
  const ReferenceDescription& reference = description_.reference;
  if (expects_all()) return format("the values that the {} expects", description_.noun());
  if (reference.function) return "the reference function";
  if (reference.kernel)
    return format("the reference kernel of {}", reference.kernel->path.filename().string());
  const std::string same =
      reference.same.empty() ? std::string() : format(" with the same {}", joined(reference.same));
  if (!reference.configuration.entries().empty())
    return format("the configuration that the {} names ({}){}", description_.noun(),
                  reference.configuration.key(), same);
  return same.empty() ? "the default configuration (no reference given)" : "the default configuration" + same;
}

std::optional<Result<LaunchPlan>> DescribedProblem::reference_plan(const Instance& instance,
                                                                   const KernelSources&) const {
  const ReferenceDescription& reference = description_.reference;
  if (expects_all() || reference.function) return std::nullopt;
  const Configuration configuration = reference_configuration(instance);
  Instance plain = instance;
  std::erase_if(plain.settings,
                [&](const auto& setting) { return std::ranges::count(reference.same, setting.first) > 0; });
  return reference.kernel ? make_plan(*reference.kernel, reference.launches, plain, configuration)
                          : make_plan(description_.kernel, description_.launches, plain, configuration);
}

bool DescribedProblem::is_check_size(const Instance& instance) const {
  return std::ranges::any_of(check_instances(instance, {}),
                             [&](const Instance& small) { return small.extents == instance.extents; });
}

TensorSet DescribedProblem::inputs(const Instance& instance, std::uint64_t seed) const {
  TensorSet inputs;
  const ExpressionScope scope(description_.parameters, instance);
  for (const Argument& argument : description_.arguments)
    if (argument.is_filled())
      inputs.emplace(argument.name,
                     make_tensor(argument.contents, argument, type_of(argument, instance),
                                 extents_of(argument, instance), seed, scope, is_check_size(instance)));
  return inputs;
}

/// Throws UsageError for what a function of the program left empty, or computed in a type that cannot hold
/// it.
void DescribedProblem::check_computed(const std::string& name, const HostTensor& tensor,
                                      ElementType type) const {
  if (tensor.type() == type && is_wide_whole(type)) return;
  const std::string_view own = to_string(type);
  if (tensor.type() != ElementType::f64)
    description_.place.fail(
        format("the reference computes '{}' as {}, but it is of {}", name, to_string(tensor.type()), own));
  const auto values = tensor.as<double>();
  if (std::ranges::all_of(values, [](double value) { return std::isnan(value); }))
    description_.place.fail(format("the reference does not fill the output '{}'", name));
  constexpr double limit = 0x1p53;
  if (is_wide_whole(type) &&
      std::ranges::any_of(values, [](double value) { return std::abs(value) >= limit; }))
    description_.place.fail(format(
        "the reference computes '{0}' as double, which holds whole numbers to 2^53 alone, but some are "
        "larger: fill result<std::{1}_t>(\"{0}\")",
        name, own));
}

TensorSet DescribedProblem::reference(const Instance& instance, const TensorSet& inputs) const {
  const ReferenceDescription::Function& function = description_.reference.function;
  TensorSet results, computed;
  const ExpressionScope scope(description_.parameters, instance);
  for (const Argument& argument : description_.arguments) {
    if (!has_reference(argument)) continue;
    const Extents extents = extents_of(argument, instance);
    if (argument.expected) {
      const HostTensor tensor =
          make_tensor(*argument.expected, argument, type_of(argument, instance), extents, 0, scope, false);
      results.emplace(argument.name, as_reference(view_of(tensor)));
    } else if (function) {
      HostTensor tensor(ElementType::f64, extents);
      std::ranges::fill(tensor.as<double>(), poison());
      computed.emplace(argument.name, std::move(tensor));
    }
  }
  if (function) function(instance, inputs, computed);
  for (const auto& [name, tensor] : computed)
    check_computed(name, tensor, type_of(*description_.argument(name), instance).element);
  results.merge(computed);
  return results;
}

Tolerance DescribedProblem::tolerance(const Instance& instance) const {
  const bool stated = description_.absolute_tolerance || description_.relative_tolerance;
  Tolerance tolerance;
  tolerance.derivation = stated ? format("from the {}", description_.noun())
                                : "of sums in another order, relative to the largest result";
  for (const Argument& argument : description_.arguments) {
    if (!is_compared(argument) || description_.judge.judges(argument.name)) continue;
    Bounds bounds{.relative = usual_share(type_of(argument, instance).element)};
    if (stated)
      bounds = {.absolute = description_.absolute_tolerance.value_or(0),
                .relative = description_.relative_tolerance.value_or(0)};
    tolerance.buffers.emplace(argument.name, argument.bounds.value_or(bounds));
  }
  return tolerance;
}

std::optional<Instance> DescribedProblem::low_fidelity(const Instance& instance) const {
  Instance cheaper = instance;
  for (auto& [name, extent] : cheaper.extents)
    for (const auto& [other, value] : description_.low_fidelity)
      if (name == other) extent = std::min(extent, value);
  if (cheaper == instance) return std::nullopt;
  return cheaper;
}

std::vector<Instance> DescribedProblem::check_instances(const Instance& instance,
                                                        const Configuration&) const {
  std::vector<Instance> all;
  for (const auto& size : description_.check_sizes) {
    Instance small = instance;
    for (auto& [name, extent] : small.extents)
      for (const auto& [other, value] : size)
        if (name == other) extent = value;
    all.push_back(std::move(small));
  }
  return all;
}

Metrics DescribedProblem::metrics(const Instance& instance, const Configuration& configuration,
                                  const Facts& facts) const {
  ExpressionScope scope(description_.parameters, instance, configuration);
  for (const auto& [name, value] : facts) scope.add_other(name, value);
  Metrics metrics;
  for (const auto& [name, formula] : description_.metrics) {
    const auto is_known = [&, &own = formula](const std::string& fact) {
      return scope.find(fact) != nullptr || !words_in(own.text()).contains(fact);
    };
    const bool known = std::ranges::all_of(fact_names, is_known) &&
                       std::ranges::all_of(description_.metric_names(), is_known);
    if (known) metrics.emplace_back(name, formula.real(scope));
  }
  return metrics;
}

std::vector<MetricInfo> DescribedProblem::metric_infos() const {
  std::vector<MetricInfo> infos;
  for (const auto& [name, formula] : description_.metrics) {
    const auto words = words_in(formula.text());
    infos.push_back({name, words.contains("energy") || words.contains("power")});
  }
  for (const std::string& name : description_.metric_names())
    if (std::ranges::find(infos, name, &MetricInfo::name) == infos.end()) infos.push_back({name});
  return infos;
}

/// A metric that names something unknown is found when the problem is made. With parameters at their defaults
/// it may divide by zero, and the like.
void DescribedProblem::check_metrics() const {
  Configuration defaults;
  for (const search::Parameter& parameter : description_.parameters)
    defaults.set(parameter.name, parameter.default_value);
  ExpressionScope scope(description_.parameters, make_instance(info_, "", {}), defaults);
  for (const char* const name : fact_names) scope.add_other(name, 1);
  for (const std::string& name : description_.metric_names()) scope.add_other(name, 1);
  for (const auto& [name, formula] : description_.metrics) static_cast<void>(formula.real(scope));
}

std::vector<std::string> DescribedProblem::unused_parameters() const {
  if (!is_command()) return described::unused_parameters(description_);
  std::set<std::string> used;
  for (const std::string& text : texts_of(*description_.command))
    for_each_brace(text, [&](std::size_t, std::size_t, const std::string& name) { used.insert(name); });
  std::vector<std::string> unused;
  for (const search::Parameter& parameter : description_.parameters)
    if (parameter.values.size() > 1 && !used.contains(parameter.name)) unused.push_back(parameter.name);
  return unused;
}

RunDefaults DescribedProblem::run_defaults() const {
  RunDefaults defaults{.seconds = description_.budget_seconds,
                       .share = description_.budget_share,
                       .strategy = description_.strategy,
                       .objective = description_.objective,
                       .seed = description_.seed};
  if (const auto count = description_.budget_evaluations)
    defaults.evaluations = static_cast<std::uint64_t>(*count);
  return defaults;
}

std::unique_ptr<KernelSources> DescribedProblem::sources(std::unique_ptr<const KernelSources> others) const {
  return std::make_unique<DescribedSources>(*this, std::move(others));
}

std::string DescribedSources::text(std::string_view name) const {
  const auto found = std::ranges::find(problem_.texts(), name, &SourceFile::name);
  if (found != problem_.texts().end()) return found->text;
  if (others_ != nullptr) return others_->text(name);
  throw Error(format("{}: there is no source '{}'", problem_.info().name, name));
}

}  // namespace tune::described
