// SPDX-License-Identifier: Apache-2.0
// The plan of a configuration of a problem in code, and what else its results depend on.
#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "kernels/described/contents.hpp"
#include "kernels/described/kernel_files.hpp"
#include "kernels/described/plan.hpp"
#include "library/tuner/code_problem.hpp"
#include "library/tuner/scope.hpp"
#include "tuner/base/format.hpp"
#include "tuner/tensor/element_types.hpp"

namespace tune::api {
namespace {

/// Failure{constraint} beyond what any device has; the device's own limits are seen when it is prepared.
tune::Result<tune::Dim3> dimensions(const GeometrySpec& spec, const ExpressionScope& scope,
                                    const std::string& what) {
  std::int64_t sizes[3] = {1, 1, 1};
  if (spec.function) {
    const Dim3 given = scope.call(spec.function, what);
    sizes[0] = given.x;
    sizes[1] = given.y;
    sizes[2] = given.z;
  } else {
    for (std::size_t i = 0; i < spec.numbers.size(); ++i)
      sizes[i] = scope.integer(spec.numbers[i], format("{} {}", what, "xyz"[i]));
  }
  tune::Dim3 result;
  std::uint32_t* const to[3] = {&result.x, &result.y, &result.z};
  for (std::size_t i = 0; i < 3; ++i) {
    if (sizes[i] < 1 || sizes[i] > std::numeric_limits<std::int32_t>::max())
      return tune::fail(Phase::constraint, what.substr(0, what.find(' ')),
                        format("{} {} is {}", what, "xyz"[i], sizes[i]));
    *to[i] = static_cast<std::uint32_t>(sizes[i]);
  }
  return result;
}

KernelArgument scalar_argument(const ArgumentSpec& argument, ElementType type, const ExpressionScope& scope) {
  const std::string what = format("the argument '{}'", argument.name);
  const definition::FormulaValue value = scope.value(argument.value, what);
  try {
    if (const auto scalar = definition::scalar_of(type, value)) return *scalar;
  } catch (const search::ExprError& error) {
    scope.fail(what, error.what());
  }
  scope.fail(what, format("{} is beyond {}", value.scalar().to_string(), tune::to_string(type)));
}

/// Words of template arguments. A macro of that name would replace the parameter of the template, too.
std::set<std::string> template_words(const std::vector<LaunchSpec>& launches) {
  std::set<std::string> words;
  for (const LaunchSpec& launch : launches) {
    std::string word;
    for (std::size_t i = launch.entry.find('<'); i < launch.entry.size(); ++i) {
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

CompileRequest compile_request(const Spec& spec, const ExpressionScope& scope, const Instance& instance,
                               const search::Configuration& configuration) {
  CompileRequest request;
  request.source = spec.kernel->source;
  request.headers = spec.kernel->headers;
  const std::set<std::string> in_templates = template_words(spec.launches);
  const auto define = [&](const std::string& name, const search::Value& value) {
    if (!in_templates.contains(name)) request.defines.emplace_back(name, word_of(value));
  };
  for (const auto& [name, value] : configuration.entries()) define(name, value);
  for (const auto& [name, value] : instance.settings) define(name, value);
  for (const auto& [name, number] : spec.kernel->kernel.defines)
    request.defines.emplace_back(name, word_of(scope.value(number, format("the macro '{}'", name)).scalar()));
  for (const std::string& option : spec.kernel->kernel.options)
    request.options.push_back(definition::replaced(option, scope.words()));
  return request;
}

BufferSpec buffer_of(const ArgumentSpec& argument, ElementType type, const tune::Extents& extents) {
  BufferSpec buffer{argument.name, type, Layout::dense(extents)};
  buffer.role = argument.access == ArgumentAccess::read      ? BufferRole::input
                : argument.access == ArgumentAccess::scratch ? BufferRole::scratch
                                                             : BufferRole::output;
  if (argument.access == ArgumentAccess::both) buffer.fill = tune::BufferFill::contents;
  if (argument.symbol) buffer.symbol = argument.name;
  return buffer;
}

tune::Result<Launch> make_launch(const Spec& spec, const LaunchSpec& defined, const ExpressionScope& scope,
                                 const std::map<std::string, ElementType>& types) {
  Launch launch;
  launch.entry = definition::replaced(defined.entry, scope.words());
  const auto grid = dimensions(defined.grid, scope, "grid");
  if (!grid) return tl::unexpected(grid.error());
  const auto block = dimensions(defined.block, scope, "block");
  if (!block) return tl::unexpected(block.error());
  launch.grid = *grid;
  launch.block = *block;
  if (defined.shared) {
    const std::int64_t bytes = scope.integer(*defined.shared, "shared_memory");
    if (bytes < 0) return tune::fail(Phase::constraint, "shared memory", format("{} bytes", bytes));
    launch.dynamic_shared_memory = static_cast<std::uint64_t>(bytes);
  }
  const auto add = [&](const ArgumentSpec& argument) {
    launch.arguments.push_back(argument.is_array()
                                   ? KernelArgument(BufferArgument{argument.name})
                                   : scalar_argument(argument, types.at(argument.name), scope));
  };
  for (const std::string& name : spec.arguments_of(defined)) add(*spec.argument(name));
  return launch;
}

template<class N>
std::string to_text(const N& number) {
  if (const auto* constant = std::get_if<double>(&number.value)) return format("{}", *constant);
  if (const auto* text = std::get_if<std::string>(&number.value)) return *text;
  return "(function)";
}

std::string to_text(const GeometrySpec& geometry) {
  if (geometry.function) return "(function)";
  std::string text;
  for (const Number& number : geometry.numbers) text += to_text(number) + ";";
  return text;
}

}  // namespace

tune::Result<LaunchPlan> make_plan(const Spec& spec, const Instance& instance,
                                   const search::Configuration& configuration,
                                   const std::map<std::string, ElementType>& types,
                                   const std::map<std::string, tune::Extents>& extents) {
  const ExpressionScope scope(spec, instance, configuration);
  LaunchPlan plan;
  plan.compile = compile_request(spec, scope, instance, configuration);
  for (const ArgumentSpec& argument : spec.arguments)
    if (argument.is_array())
      plan.buffers.push_back(buffer_of(argument, types.at(argument.name), extents.at(argument.name)));
  for (const LaunchSpec& defined : spec.launches) {
    if (defined.when && !scope.value(*defined.when, "when").to_bool()) continue;
    tune::Result<Launch> launch = make_launch(spec, defined, scope, types);
    if (!launch) return tl::unexpected(launch.error());
    if (std::ranges::find(plan.compile.entries, launch->entry) == plan.compile.entries.end())
      plan.compile.entries.push_back(launch->entry);
    plan.launches.emplace_back(std::move(*launch));
  }
  if (plan.launches.empty())
    return tune::fail(Phase::constraint, "launches", "no launch is left for this configuration");
  return plan;
}

std::string description_of(const Spec& spec) {
  std::string text;
  for (const std::string& option : spec.kernel->kernel.options) text += format("option {}\n", option);
  for (const auto& [name, number] : spec.kernel->kernel.defines)
    text += format("define {} {}\n", name, to_text(number));
  for (const ArgumentSpec& argument : spec.arguments) {
    text += format("argument {} {} {} {} {} {} {} {} {} {}\n", argument.name,
                   static_cast<int>(argument.access), argument.type, to_text(argument.value),
                   static_cast<int>(argument.fill.kind), argument.fill.value, argument.fill.step,
                   argument.fill.low, argument.fill.high, argument.fill.file);
    if (argument.symbol) text += "symbol\n";
    for (const SizeNumber& extent : argument.extents) text += format("extent {}\n", to_text(extent));
  }
  for (const LaunchSpec& launch : spec.launches) {
    text += format("launch {} grid {} block {} shared {} when {}\n", launch.entry, to_text(launch.grid),
                   to_text(launch.block), launch.shared ? to_text(*launch.shared) : "",
                   launch.when ? to_text(*launch.when) : "");
    if (launch.arguments)
      for (const std::string& name : *launch.arguments) text += format("with {}\n", name);
  }
  return text;
}

HostTensor make_contents(const ArgumentSpec& argument, ElementType type, const tune::Extents& extents,
                         std::uint64_t seed, const std::string& problem) {
  const Fill& fill = argument.fill;
  if (fill.kind == Fill::Kind::function) {
    HostTensor tensor(type, extents);
    with_element(type, [&]<class Element>(Element) {
      const auto elements = tensor.as<Element>();
      for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] = static_cast<Element>(fill.function(i, seed));
    });
    return tensor;
  }
  auto place = std::make_shared<definition::JsonText>();
  place->path = problem;
  definition::Argument named{.name = argument.name, .place = definition::JsonField(place), .type = type};
  definition::Contents contents;
  contents.kind = fill.kind == Fill::Kind::constant   ? definition::Contents::Kind::constant
                  : fill.kind == Fill::Kind::sequence ? definition::Contents::Kind::sequence
                  : fill.kind == Fill::Kind::file     ? definition::Contents::Kind::file
                                                      : definition::Contents::Kind::random;
  contents.value = fill.value;
  contents.step = fill.step;
  contents.low = fill.low;
  contents.high = fill.high;
  contents.file = fill.file;
  return definition::make_tensor(contents, named, extents, seed);
}

}  // namespace tune::api
