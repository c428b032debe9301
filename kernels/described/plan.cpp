// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>

#include "kernels/described/compile_options.hpp"
#include "kernels/described/fitting.hpp"
#include "kernels/described/opencl.hpp"
#include "kernels/described/problem.hpp"
#include "kernels/described/struct_layout.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/tensor_map_shape.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {
namespace {

/// Failure{constraint} beyond the limits of all devices; the limits of the device at hand count when it is
/// prepared.
Result<Dim3> dimensions(const std::array<std::optional<Expression>, 3>& extents, const ExpressionScope& scope,
                        const char* what) {
  FormulaValue together;
  const bool one_function = extents[0] && extents[0]->is_function() && !extents[1] && !extents[2];
  if (one_function) together = extents[0]->value(scope);
  std::uint32_t sizes[3] = {1, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const bool listed = together.is_list() && i < together.list().size();
    if (!listed && !extents[i]) continue;
    const std::int64_t size = listed ? together.list()[i].integer() : extents[i]->integer(scope);
    if (size < 1 || size > std::numeric_limits<std::int32_t>::max()) {
      const std::string axis = format("{} {}", what, "xyz"[i]);
      return fail(size < 1 ? Phase::constraint : Phase::resources, what,
                  format("{} is {}, not from 1 to {}", listed ? axis : extents[i]->named(axis), size,
                         std::numeric_limits<std::int32_t>::max()));
    }
    sizes[i] = static_cast<std::uint32_t>(size);
  }
  return Dim3{sizes[0], sizes[1], sizes[2]};
}

KernelArgument scalar_argument(const Expression& expression, const TypeName& type,
                               const ExpressionScope& scope) {
  const FormulaValue value = expression.value(scope);
  try {
    if (const auto scalar = scalar_of(type, value)) return *scalar;
  } catch (const search::ExprError& error) {
    expression.fail(error.what());
  }
  expression.fail(misfit_of(type, value));
}

/// `is_compared`: if it is an output.
BufferSpec buffer_of(const Argument& argument, ElementType type, const Extents& extents, bool is_compared,
                     const KernelSource& kernel, bool is_hidden) {
  BufferSpec buffer{argument.name, type, Layout::dense(extents)};
  buffer.role = argument.access == BufferAccess::read ? BufferRole::input
                : is_compared                         ? BufferRole::output
                                                      : BufferRole::scratch;
  if (argument.is_filled() && buffer.role != BufferRole::input) buffer.fill = BufferFill::contents;
  if (!argument.symbol.empty()) buffer.symbol = kernel.variable(argument.symbol);
  buffer.symbol_is_hidden = is_hidden;
  buffer.reference_of = argument.reference_of;
  return buffer;
}

/// A box that no device takes makes the configuration invalid, as a constraint does.
Result<TensorMapArgument> map_argument(const Argument& argument, const LaunchPlan& plan,
                                       const ExpressionScope& scope) {
  std::vector<std::uint32_t> box;
  for (const Expression& extent : argument.map->box)
    box.push_back(static_cast<std::uint32_t>(std::clamp<std::int64_t>(extent.integer(scope), 0, 1 << 30)));
  const BufferSpec& buffer = plan.buffer(argument.name);
  TensorMapArgument made{argument.name, map_of(buffer, std::move(box))};
  made.map.swizzle = argument.map->swizzle;
  made.map.promotion = argument.map->promotion;
  if (const Result<void> right = check_tensor_map(buffer, made.map); !right)
    return fail(Phase::constraint, right.error().reason, right.error().detail);
  return made;
}

/// Returns the words of template arguments. A macro of the same name would replace the parameter of the
/// template, too.
std::set<std::string> template_words(const std::vector<LaunchDescription>& launches) {
  std::set<std::string> words;
  each_kernel_launch(launches, [&](const LaunchDescription& launch) {
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
  });
  return words;
}

CompileRequest compile_request(const KernelSource& kernel, const std::vector<LaunchDescription>& launches,
                               const ExpressionScope& scope) {
  CompileRequest request;
  request.source = kernel.text->source;
  request.headers = kernel.text->headers;
  request.compiler = kernel.compiler;
  if (kernel.language == KernelLanguage::opencl) {
    request.compiler = CompilerName::nvrtc;  // nvcc has no such option
    request.options.push_back(device_functions_option);
  }
  if (!kernel.redefines.empty()) {
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : kernel.redefines)
      values.emplace(name, to_word(value.value(scope).scalar()));
    redefine(request.source.text, values);
    for (SourceFile& header : request.headers) redefine(header.text, values);
  }
  const std::set<std::string> in_templates = template_words(launches);
  const auto define = [&](const std::string& name, const Value& value) {
    if (!in_templates.contains(name) && kernel.takes_macro(name, value))
      request.defines.emplace_back(name, to_word(value));
  };
  for (const auto& [name, value] : scope.configuration().entries()) define(name, value);
  for (const auto& [name, value] : scope.instance().settings) define(name, value);
  for (const auto& [name, expression] : kernel.defines)
    request.defines.emplace_back(name, to_word(expression.value(scope).scalar()));
  std::vector<std::string> options;
  for (const std::string& option : kernel.options) options.push_back(replaced(option, scope.words()));
  take_options(options, request);
  return request;
}

/// Adds the macros that Kernel Tuner defines, where a kernel's text mentions them: published kernels have
/// defaults of their own without `kernel_tuner`.
void define_as_kernel_tuner(CompileRequest& request, const KernelSource& kernel, const Launch& launch) {
  const auto define = [&](const std::string& name, std::int64_t value) {
    const auto is_this = [&](const auto& macro) { return macro.first == name; };
    if (kernel.names.contains(name) && kernel.takes_macro(name, value) &&
        std::ranges::none_of(request.defines, is_this))
      request.defines.emplace_back(name, std::to_string(value));
  };
  define("kernel_tuner", 1);
  const auto define_each = [&](const char* extents, const Dim3& size) {
    define(format("{}_x", extents), size.x);
    define(format("{}_y", extents), size.y);
    define(format("{}_z", extents), size.z);
  };
  define_each("block_size", launch.block);
  define_each("grid_size", launch.grid);
}

constexpr std::int64_t most_launches = 100'000;

/// Lets the arrays that the description names take each other's place.
void swap_arrays(const LaunchDescription& described, PlanStep& step) {
  const auto other_of = [&](std::string& buffer) {
    for (const auto& [one, other] : described.swaps) {
      if (buffer == one || buffer == other) {
        buffer = buffer == one ? other : one;
        return;
      }
    }
  };
  if (auto* copy = std::get_if<Copy>(&step)) {
    other_of(copy->from.buffer);
    other_of(copy->to.buffer);
  }
  if (auto* zero = std::get_if<Zero>(&step)) other_of(zero->buffer);
  auto* const launch = std::get_if<Launch>(&step);
  if (launch == nullptr) return;
  for (KernelArgument& argument : launch->arguments) {
    if (auto* buffer = std::get_if<BufferArgument>(&argument)) other_of(buffer->buffer);
    if (auto* texture = std::get_if<TextureArgument>(&argument)) other_of(texture->buffer);
    if (auto* map = std::get_if<TensorMapArgument>(&argument)) other_of(map->buffer);
    if (auto* object = std::get_if<StructArgument>(&argument))
      for (StructPointer& pointer : object->pointers) other_of(pointer.target.buffer);
  }
}

Copy copy_of(const CopyDescription& described, const LaunchPlan& plan, const ExpressionScope& scope) {
  const auto number = [&](const std::optional<Expression>& given, std::uint64_t otherwise) {
    if (!given) return otherwise;
    const std::int64_t value = given->integer(scope);
    if (value < 0) given->fail(format("{} is not a number of elements", value));
    return static_cast<std::uint64_t>(value);
  };
  const std::uint64_t all = element_count(plan.buffer(described.from).layout.extents);
  Copy copy{{described.from, number(described.from_first, 0)}, {described.to, number(described.to_first, 0)}};
  copy.width = number(described.count, all);
  return copy;
}

/// Returns the launch without its arguments.
Result<Launch> geometry_of(const LaunchDescription& described, const ExpressionScope& scope) {
  Launch launch;
  launch.entry = replaced(described.entry, scope.words());
  const Result<Dim3> grid = dimensions(described.grid, scope, "grid");
  if (!grid) return tl::unexpected(grid.error());
  const Result<Dim3> block = dimensions(described.block, scope, "block");
  if (!block) return tl::unexpected(block.error());
  launch.grid = *grid;
  launch.block = *block;
  if (described.shared) {
    const std::int64_t bytes = described.shared->integer(scope);
    if (bytes < 0)
      return fail(Phase::constraint, "shared memory", described.shared->with_text(format("{} bytes", bytes)));
    launch.dynamic_shared_memory = static_cast<std::uint64_t>(bytes);
  }
  launch.cooperative = described.cooperative.value_or(false);
  return launch;
}

}  // namespace

Result<KernelArgument> DescribedProblem::argument_of(const std::string& name, const Instance& instance,
                                                     const LaunchPlan& plan,
                                                     const ExpressionScope& scope) const {
  const Argument& argument = *description_.argument(name);
  if (argument.map) {
    Result<TensorMapArgument> map = map_argument(argument, plan, scope);
    if (!map) return tl::unexpected(map.error());
    return KernelArgument(std::move(*map));
  }
  if (argument.texture) return KernelArgument(TextureArgument{name, *argument.texture});
  if (argument.is_vector()) return KernelArgument(BufferArgument{name});
  if (argument.object) return KernelArgument(laid_out(*argument.object, scope));
  return scalar_argument(*argument.value, type_of(argument, instance), scope);
}

/// Adds what an entry stands for, once.
Result<void> DescribedProblem::add_step(const LaunchDescription& described, const Instance& instance,
                                        const ExpressionScope& scope, LaunchPlan& plan) const {
  if (!described.body.empty()) return add_steps(described.body, instance, scope, plan);
  if (described.copy) {
    plan.launches.emplace_back(copy_of(*described.copy, plan, scope));
  } else if (!described.zero.empty()) {
    plan.launches.emplace_back(Zero{described.zero});
  } else {
    Result<Launch> launch = geometry_of(described, scope);
    if (!launch) return tl::unexpected(launch.error());
    for (const std::string& name : *described.arguments) {
      Result<KernelArgument> argument = argument_of(name, instance, plan, scope);
      if (!argument) return tl::unexpected(argument.error());
      launch->arguments.push_back(std::move(*argument));
    }
    plan.launches.emplace_back(std::move(*launch));
  }
  return {};
}

/// Without a counter, repetitions differ by swapped arrays only.
Result<void> DescribedProblem::add_repeated(const LaunchDescription& described, const Instance& instance,
                                            const ExpressionScope& scope, LaunchPlan& plan) const {
  const std::int64_t repetitions = described.repeat ? described.repeat->integer(scope) : 1;
  if (repetitions < 0 || repetitions > most_launches)
    return fail(Phase::constraint, "launches",
                described.repeat->with_text(format("{} is not from 0 to {}", repetitions, most_launches)));
  const std::size_t first = plan.launches.size();
  std::size_t count = 0;  // steps of a repetition
  for (std::int64_t i = 0; i < repetitions; ++i) {
    const std::size_t begin = plan.launches.size();
    if (i > 0 && described.counter.empty()) {
      for (std::size_t step = 0; step < count; ++step) plan.launches.push_back(plan.launches[first + step]);
    } else {
      ExpressionScope counted = scope;
      if (!described.counter.empty()) counted.add_other(described.counter, static_cast<double>(i));
      if (const Result<void> added = add_step(described, instance, counted, plan); !added) return added;
      count = plan.launches.size() - first;
    }
    if (plan.launches.size() > static_cast<std::size_t>(most_launches))
      return fail(Phase::constraint, "launches", format("more than {} steps", most_launches));
    if (i % 2 == 1)
      for (std::size_t step = begin; step < plan.launches.size(); ++step)
        swap_arrays(described, plan.launches[step]);
  }
  return {};
}

Result<void> DescribedProblem::add_steps(const std::vector<LaunchDescription>& launches,
                                         const Instance& instance, const ExpressionScope& scope,
                                         LaunchPlan& plan) const {
  std::vector<std::size_t> begins;  // of the entries so far
  for (const LaunchDescription& described : launches) {
    begins.push_back(plan.launches.size());
    if (described.when && !described.when->value(scope).to_bool()) continue;
    if (!described.host) {
      if (const Result<void> added = add_repeated(described, instance, scope, plan); !added) return added;
      continue;
    }
    const HostDescription& host = *described.host;
    const auto run = [&host, instance, configuration = scope.configuration()](HostAccess& memory) {
      return host.function(instance, configuration, memory);
    };
    plan.graph = GraphUse::never;
    plan.launches.emplace_back(HostStep{host.name, {run}, begins[begins.size() - 1 - host.back]});
  }
  return {};
}

/// The array `verdict` begins with zeros in each execution.
Result<void> DescribedProblem::add_checks(const Instance& instance, const ExpressionScope& scope,
                                          bool with_checks, LaunchPlan& plan) const {
  if (!with_checks || description_.judge.launches.empty()) return {};
  const std::size_t launches = plan.launches.size();
  plan.launches.emplace_back(Zero{std::string(verdict_name)});
  if (const Result<void> made = add_steps(description_.judge.launches, instance, scope, plan); !made)
    return made;
  const auto first = plan.launches.begin() + static_cast<std::ptrdiff_t>(launches);
  plan.checks.assign(first, plan.launches.end());
  plan.launches.erase(first, plan.launches.end());
  return {};
}

/// True for a variable that the text does not show, and that no launch takes as an argument.
bool DescribedProblem::is_hidden_symbol(const Argument& argument) const {
  if (argument.symbol.empty() || !description_.kernel.types.variables_named(argument.symbol).empty())
    return false;
  bool is_taken = false;
  each_kernel_launch(description_.launches, [&](const LaunchDescription& launch) {
    is_taken = is_taken || std::ranges::count(*launch.arguments, argument.name) > 0;
  });
  return !is_taken;
}

Result<LaunchPlan> DescribedProblem::make_plan(const KernelSource& kernel,
                                               const std::vector<LaunchDescription>& launches,
                                               const Instance& instance, const Configuration& configuration,
                                               bool with_checks) const {
  if (!description_.unusable.empty()) throw UsageError(description_.unusable);
  if (!missing_.empty()) description_.place.fail(missing_);
  const ExpressionScope scope(description_.parameters, instance, configuration);
  LaunchPlan plan;
  plan.compile = compile_request(kernel, launches, scope);
  for (const auto& [name, value] : kernel.environment)
    plan.environment.emplace_back(name, scope.with_values_in(value));
  for (const Argument& argument : description_.arguments)
    if (argument.is_vector() && (with_checks || !argument.is_for_judge))
      plan.buffers.push_back(buffer_of(argument, type_of(argument, instance).element,
                                       extents_of(argument, instance), is_compared(argument), kernel,
                                       &kernel == &description_.kernel && is_hidden_symbol(argument)));
  if (const Result<void> made = add_steps(launches, instance, scope, plan); !made)
    return tl::unexpected(made.error());
  if (const Result<void> made = add_checks(instance, scope, with_checks, plan); !made)
    return tl::unexpected(made.error());
  for (const Launch* const launch : kernel_launches(plan)) {
    if (plan.compile.entries.empty() && (kernel.of_kernel_tuner || kernel.names.contains("kernel_tuner")))
      define_as_kernel_tuner(plan.compile, kernel, *launch);
    if (std::ranges::find(plan.compile.entries, launch->entry) == plan.compile.entries.end())
      plan.compile.entries.push_back(launch->entry);
  }
  if (with_checks) plan.judgement = judgement_of(instance, configuration);
  if (description_.per_execution) {
    plan.work_per_execution = description_.per_execution->real(scope);
    if (!(plan.work_per_execution > 0))
      description_.per_execution->fail(format("{} is not a positive number", plan.work_per_execution));
  }
  if (kernel_launches(plan).empty())
    return fail(Phase::constraint, "launches", "no launch is left for this configuration");
  return plan;
}

}  // namespace tune::described
