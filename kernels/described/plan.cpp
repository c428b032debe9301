// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/plan.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "tuner/base/format.hpp"
#include "tuner/plan/tensor_map_shape.hpp"
#include "tuner/tensor/element_types.hpp"

namespace tune::definition {
namespace {

std::string word_of(const Value& value) {
  return value.is_bool() ? (value.as_bool() ? "1" : "0") : value.to_string();
}

std::int64_t integer_of(const Formula& formula, const Names& names) {
  const FormulaValue value = formula.evaluate(names);
  try {
    return value.integer();
  } catch (const search::ExprError& error) {
    formula.place.fail(format("'{}': {}", formula.text, error.what()));
  }
}

/// Failure{constraint} beyond what any device has; the device's own limits are seen when it is prepared.
Result<Dim3> dimensions(const std::array<std::optional<Formula>, 3>& formulas, const Names& names,
                        const char* what) {
  std::uint32_t sizes[3] = {1, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!formulas[i]) continue;
    const std::int64_t size = integer_of(*formulas[i], names);
    if (size < 1 || size > std::numeric_limits<std::int32_t>::max())
      return fail(Phase::constraint, what,
                  format("{} {}: '{}' is {}", what, "xyz"[i], formulas[i] -> text, size));
    sizes[i] = static_cast<std::uint32_t>(size);
  }
  return Dim3{sizes[0], sizes[1], sizes[2]};
}

/// Nothing where the type cannot hold the number.
template<class T>
std::optional<T> integer_as(const FormulaValue& value) {
  // Beyond 2^63 there are no whole numbers in formulas.
  const std::int64_t integer = value.integer();
  const bool negative = integer < 0 && std::is_unsigned_v<T>;
  if (negative || static_cast<std::int64_t>(static_cast<T>(integer)) != integer) return std::nullopt;
  return static_cast<T>(integer);
}

KernelArgument scalar_argument(const Argument& argument, const Names& names) {
  const FormulaValue value = argument.value->evaluate(names);
  try {
    if (argument.is_bool) return ScalarArgument(static_cast<std::uint8_t>(value.to_bool() ? 1 : 0));
    if (const auto scalar = scalar_of(argument.type, value)) return *scalar;
  } catch (const search::ExprError& error) {
    argument.value->place.fail(format("'{}': {}", argument.value->text, error.what()));
  }
  argument.value->place.fail(format("'{}' is {}, beyond {}", argument.value->text, value.scalar().to_string(),
                                    to_string(argument.type)));
}

void add_buffers(const std::vector<Argument>& arguments, const std::map<std::string, Extents>& extents,
                 LaunchPlan& plan) {
  for (const Argument& argument : arguments) {
    if (!argument.is_vector()) continue;
    BufferSpec buffer{argument.name, argument.type, Layout::dense(extents.at(argument.name))};
    buffer.role = argument.access == BufferAccess::read      ? BufferRole::input
                  : argument.access == BufferAccess::scratch ? BufferRole::scratch
                                                             : BufferRole::output;
    if (argument.access == BufferAccess::both) buffer.fill = BufferFill::contents;
    buffer.symbol = argument.symbol;
    plan.buffers.push_back(std::move(buffer));
  }
}

/// A box that no device takes is a configuration that cannot be, as a wrong constraint would say.
Result<TensorMapArgument> map_argument(const Argument& argument, const LaunchPlan& plan, const Names& names) {
  std::vector<std::uint32_t> box;
  for (const Formula& extent : argument.map->box)
    box.push_back(
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(integer_of(extent, names), 0, 1 << 30)));
  const BufferSpec& buffer = plan.buffer(argument.name);
  TensorMapArgument made{argument.name, map_of(buffer, std::move(box))};
  made.map.swizzle = argument.map->swizzle;
  made.map.promotion = argument.map->promotion;
  if (const Result<void> right = check_tensor_map(buffer, made.map); !right)
    return fail(Phase::constraint, right.error().reason, right.error().detail);
  return made;
}

/// Words of template arguments. A macro of that name would replace the parameter of the template, too.
std::set<std::string> template_words(const std::vector<LaunchDefinition>& launches) {
  std::set<std::string> words;
  for (const LaunchDefinition& launch : launches) {
    std::string word;
    const std::size_t begin = launch.entry.find('<');
    for (std::size_t i = begin; i < launch.entry.size(); ++i) {
      const char c = launch.entry[i];
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
      } else {
        words.insert(word);
        word.clear();
      }
    }
  }
  return words;
}

CompileRequest compile_request(const PlanParts& parts, const FormulaScope& scope,
                               const Configuration& configuration, const Instance& instance) {
  CompileRequest request;
  request.source = parts.text.source;
  request.headers = parts.text.headers;
  const std::set<std::string> in_templates = template_words(parts.launches);
  const auto define = [&](const std::string& name, const Value& value) {
    if (!in_templates.contains(name)) request.defines.emplace_back(name, word_of(value));
  };
  for (const auto& [name, value] : configuration.entries()) define(name, value);
  for (const auto& [name, value] : instance.settings) define(name, value);
  for (const auto& [name, formula] : parts.kernel.defines) {
    const FormulaValue value = formula.evaluate(scope.names());
    request.defines.emplace_back(name, word_of(value.scalar()));
  }
  for (const std::string& option : parts.kernel.options)
    request.options.push_back(replaced(option, scope.words()));
  return request;
}

}  // namespace

FormulaScope::FormulaScope(const Definition& definition, const Instance& instance) {
  FormulaValue::List sizes;
  for (const auto& [name, extent] : instance.extents) {
    add(name, extent);
    sizes.emplace_back(extent);
  }
  values_.insert_or_assign("ProblemSize", FormulaValue(std::move(sizes)));
  for (const auto& [name, value] : instance.settings) add(name, value);
  for (const search::Parameter& parameter : definition.parameters) {
    FormulaValue::List all;
    for (const Value& value : parameter.values) all.push_back(FormulaValue(value));
    values_.insert_or_assign(parameter.name, FormulaValue(std::move(all)));
  }
}

FormulaScope::FormulaScope(const Definition& definition, const Instance& instance,
                           const Configuration& configuration)
    : FormulaScope(definition, instance) {
  for (const search::Parameter& parameter : definition.parameters) values_.erase(parameter.name);
  for (const auto& [name, value] : configuration.entries()) add(name, value);
}

void FormulaScope::add(const std::string& name, const Value& value) {
  values_.insert_or_assign(name, FormulaValue(value));
  words_.insert_or_assign(name, word_of(value));
}

const FormulaValue* FormulaScope::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

Names FormulaScope::names() const {
  return [this](std::string_view name) { return find(name); };
}

std::optional<ScalarArgument> scalar_of(ElementType type, const FormulaValue& value) {
  return with_element(type, [&]<class T>(T) -> std::optional<ScalarArgument> {
    if constexpr (std::is_floating_point_v<T>) {
      return ScalarArgument(static_cast<T>(value.real()));
    } else if constexpr (is_floating<T>) {
      return ScalarArgument(T(value.real()).bits);
    } else {
      const auto integer = integer_as<T>(value);
      return integer ? std::optional(ScalarArgument(*integer)) : std::nullopt;
    }
  });
}

Result<LaunchPlan> make_plan(const PlanParts& parts, const Instance& instance,
                             const Configuration& configuration,
                             const std::map<std::string, Extents>& extents) {
  const FormulaScope scope(parts.definition, instance, configuration);
  const Names names = scope.names();
  LaunchPlan plan;
  plan.compile = compile_request(parts, scope, configuration, instance);
  add_buffers(parts.arguments, extents, plan);
  for (const LaunchDefinition& defined : parts.launches) {
    if (defined.when && !defined.when->evaluate(names).to_bool()) continue;
    Launch launch;
    launch.entry = replaced(defined.entry, scope.words());
    const Result<Dim3> grid = dimensions(defined.grid, names, "grid");
    if (!grid) return tl::unexpected(grid.error());
    const Result<Dim3> block = dimensions(defined.block, names, "block");
    if (!block) return tl::unexpected(block.error());
    launch.grid = *grid;
    launch.block = *block;
    if (defined.shared) {
      const std::int64_t bytes = integer_of(*defined.shared, names);
      if (bytes < 0)
        return fail(Phase::constraint, "shared memory", format("'{}' is {}", defined.shared->text, bytes));
      launch.dynamic_shared_memory = static_cast<std::uint64_t>(bytes);
    }
    for (const std::string& name : defined.arguments) {
      const Argument& argument = *std::ranges::find(parts.arguments, name, &Argument::name);
      if (argument.map) {
        Result<TensorMapArgument> map = map_argument(argument, plan, names);
        if (!map) return tl::unexpected(map.error());
        launch.arguments.emplace_back(std::move(*map));
        continue;
      }
      launch.arguments.push_back(argument.texture ? KernelArgument(TextureArgument{name, *argument.texture})
                                 : argument.is_vector() ? KernelArgument(BufferArgument{name})
                                                        : scalar_argument(argument, names));
    }
    if (std::ranges::find(plan.compile.entries, launch.entry) == plan.compile.entries.end())
      plan.compile.entries.push_back(launch.entry);
    plan.launches.emplace_back(std::move(launch));
  }
  if (plan.launches.empty())
    return fail(Phase::constraint, "launches", "no launch is left for this configuration");
  return plan;
}

}  // namespace tune::definition
