// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source_checks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {
namespace {

/// True where the kernel's type is known to differ from that of the argument: in size or kind of its numbers.
/// Signs may differ, and vectors may be taken for their elements.
bool is_other_type(const std::string& declared, const Argument& argument) {
  const std::optional<TypeName> wanted = type_named(type_of_parameter(declared));
  if (!wanted || !argument.type || argument.texture || argument.map) return false;
  const ElementType is = argument.type->element, kernel = wanted->element;
  if (is_pointer(declared) && argument.type->components > 4) return false;  // bytes of a custom type
  return element_size(is) != element_size(kernel) || is_floating_point(is) != is_floating_point(kernel) ||
         (is_floating_point(is) && is != kernel);
}

/// Returns why a parameter of the kernel, as declared, does not fit this argument; empty if it fits.
std::string misfit(const std::string& declared, const Argument& argument) {
  if (declared.find('(') != std::string::npos) return {};  // a macro, or a reference to an array
  const bool pointer = is_pointer(declared);
  if (argument.texture && declared.find("cudaTextureObject_t") == std::string::npos)
    return "no cudaTextureObject_t";
  if (argument.map && pointer) return "no CUtensorMap";
  if (pointer == (argument.is_vector() && !argument.texture && !argument.map))
    return is_other_type(declared, argument)
               ? format("but '{}' has the type {}: give it the kernel's type", argument.name,
                        argument.type_name.empty() ? to_string(argument.type->element) : argument.type_name)
               : std::string();
  if (!argument.place.is_file())
    return format("the problem declares the {} '{}'", pointer ? "scalar" : "array", argument.name);
  return pointer ? "a pointer: set 'size' for a vector" : "not a pointer: set a single value";
}

/// Returns what is wrong with these arguments for a declaration of the kernel, and the place where; an empty
/// text if nothing is.
std::pair<std::string, SourceLocation> misfits(const KernelDescription& description, const std::string& entry,
                                               const std::vector<std::string>& declared,
                                               const std::vector<std::string>& given) {
  if (given.size() != declared.size())
    return {format("kernel '{}' takes {} arguments ({}), the {} has {} ({})", entry, declared.size(),
                   joined(declared), description.noun(), given.size(), joined(given)),
            description.place};
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const Argument& argument = *description.argument(given[i]);
    if (const std::string wrong = misfit(declared[i], argument); !wrong.empty())
      return {format("argument {} of kernel '{}' is '{}', {}", i + 1, entry, declared[i], wrong),
              argument.place};
  }
  return {};
}

}  // namespace

std::vector<std::string> checked_arguments(const KernelDescription& description, const KernelText& kernel,
                                           const LaunchDescription& launch) {
  std::vector<std::string> names = description.arguments_of(launch), known;
  for (const Argument& argument : description.arguments) known.push_back(argument.name);
  for (const std::string& name : names)
    if (description.argument(name) == nullptr)
      description.place.fail(format("the launch of '{}' has an argument '{}' that is not declared{}",
                                     launch.entry, name, search::did_you_mean(name, known)));
  std::string problem;
  SourceLocation place = description.place;
  for (const std::vector<std::string>& declared : declarations_of(kernel.source.text, launch.entry)) {
    std::vector<std::string> given = names;
    // In a file that lists all arguments, one for constant memory is an argument too only if the kernel
    // declares it.
    if (description.place.is_file() && given.size() > declared.size())
      std::erase_if(given, [&](const std::string& name) {
        return !description.argument(name)->symbol.empty() &&
               std::ranges::find(declared, name, name_of_parameter) == declared.end();
      });
    const auto [wrong, where] = misfits(description, launch.entry, declared, given);
    if (wrong.empty()) return given;
    // A kernel may be declared anew for another type, by a condition: one that fits is enough.
    if (problem.empty()) std::tie(problem, place) = std::pair(wrong, where);
  }
  if (!problem.empty()) place.fail(problem);
  return names;
}

void check_macros(const KernelDescription& description) {
  const KernelSource& kernel = description.kernel;
  std::map<std::string, std::string> macros, kinds;
  const auto add = [&](const std::string& name, const std::string& value, const char* kind) {
    macros.emplace(name, value);
    kinds.emplace(name, kind);
  };
  for (const search::Parameter& parameter : description.parameters)
    add(parameter.name, parameter.values.size() == 1 ? to_word(parameter.values.front()) : "", "parameter");
  for (const SettingInfo& setting : description.settings) add(setting.name, "", "setting");
  for (const auto& [name, value] : kernel.defines) add(name, "", "macro");
  if (kernel.words.contains("kernel_tuner")) add("kernel_tuner", "1", "macro");
  const auto found = find_redefinition(*kernel.text, macros);
  if (!found) return;
  throw UsageError(
      format("{}:{}: '#define {} {}' replaces the {} '{}', so that its values change nothing: put it between "
             "'#ifndef {}' and '#endif'",
             found->file, found->line, found->macro, found->value, kinds.at(found->macro), found->macro,
             found->macro));
}

std::vector<std::string> unused_parameters(const KernelDescription& description) {
  const KernelSource& kernel = description.kernel;
  std::set<std::string, std::less<>> words = kernel.words;
  bool has_functions = false;
  const auto mention = [&](std::string_view text) {
    for (; !text.empty();) {
      const std::string_view word = leading_word(text);
      if (!word.empty()) words.emplace(word);
      text.remove_prefix(std::max<std::size_t>(1, word.size()));
    }
  };
  const auto mention_formula = [&](const std::optional<Expression>& expression) {
    if (!expression) return;
    has_functions = has_functions || expression->is_function();
    mention(expression->text());
  };
  for (const std::string& option : kernel.options) mention(option);
  for (const auto& [name, value] : kernel.defines) mention_formula(value);
  for (const LaunchDescription& launch : description.launches) {
    mention(launch.entry);
    for (const auto* extents : {&launch.grid, &launch.block})
      for (const auto& extent : *extents) mention_formula(extent);
    mention_formula(launch.shared);
    mention_formula(launch.when);
  }
  for (const Argument& argument : description.arguments) {
    mention_formula(argument.value);
    if (argument.map)
      for (const Expression& extent : argument.map->box) mention_formula(extent);
  }
  std::vector<std::string> unused;
  if (has_functions) return unused;
  for (const search::Parameter& parameter : description.parameters)
    if (parameter.values.size() > 1 && !words.contains(parameter.name)) unused.push_back(parameter.name);
  return unused;
}

}  // namespace tune::described
