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

/// What is known of a parameter's type.
struct ParameterType {
  bool pointer = false;
  bool texture = false;
  bool structure = false;
  std::optional<TypeName> numbers = std::nullopt;  ///< or what it points to
  bool known() const { return texture || structure || numbers; }
};

ParameterType type_of(const std::string& declared, const DeclaredTypes& types) {
  const std::string name = types.resolved(type_of_parameter(declared));
  ParameterType type{.pointer = is_pointer(declared) || is_pointer(name)};
  type.texture = !type.pointer && (name == "cudaTextureObject_t" || name == "cudaSurfaceObject_t");
  type.structure = types.structs.contains(name);
  if (!type.structure) type.numbers = type_named(name.substr(0, name.find('*')));
  return type;
}

/// True where the kernel's type is known to differ from that of the argument: in size or kind of its numbers.
/// Signs may differ, and vectors may be taken for their elements.
bool is_other_type(const ParameterType& declared, const Argument& argument) {
  if (!declared.numbers || !argument.type || argument.texture || argument.map) return false;
  const TypeName &wanted = *declared.numbers, &given = *argument.type;
  if (declared.pointer && given.components > 4) return false;  // bytes of a custom type
  if (!declared.pointer && given.components != wanted.components) return true;
  return element_size(given.element) != element_size(wanted.element) ||
         is_floating_point(given.element) != is_floating_point(wanted.element) ||
         (is_floating_point(given.element) && given.element != wanted.element);
}

/// Returns why a parameter of the kernel, as declared, does not fit this argument; empty if it fits.
std::string misfit(const std::string& declared, const DeclaredTypes& types, const Argument& argument) {
  if (declared.find('(') != std::string::npos) return {};  // a macro, or a reference to an array
  const ParameterType type = type_of(declared, types);
  const bool in_file = argument.place.is_file();
  const auto set = [&](const char* what, const char* cure) {
    return in_file ? format("{}: {}", what, cure)
                   : format("the problem declares the {} '{}'",
                            argument.is_vector() ? "array"
                            : argument.object    ? "struct"
                                                 : "scalar",
                            argument.name);
  };
  if (argument.texture) return type.texture || !type.known() ? "" : "no cudaTextureObject_t";
  if (argument.map) return type.pointer ? "no CUtensorMap" : "";
  if (type.texture)
    return in_file ? "a texture: set 'size' and 'texture'" : "a texture, which only a file can define";
  if (argument.is_vector() && !type.pointer)
    return !type.known() ? "" : set("not a pointer", "set a single value");
  if (!argument.is_vector() && type.pointer) return set("a pointer", "set 'size' for a vector");
  if (argument.object)
    return type.numbers && type.numbers->components == 1 ? set("a number", "set 'type' and 'value'") : "";
  if (!argument.is_vector() && type.structure) return set("a struct", "set 'struct' or 'bytes'");
  if (!is_other_type(type, argument)) return {};
  return format("but '{}' has the type {}: give it the kernel's type", argument.name,
                argument.type_name.empty() ? to_string(argument.type->element) : argument.type_name);
}

/// Returns what is wrong with these arguments for a declaration of the kernel, and the place where; an empty
/// text if nothing is.
std::pair<std::string, SourceLocation> misfits(const KernelDescription& description, const std::string& entry,
                                               const std::vector<std::string>& declared,
                                               const DeclaredTypes& types,
                                               const std::vector<std::string>& given) {
  if (given.size() != declared.size())
    return {format("kernel '{}' takes {} arguments ({}), the {} has {} ({})", entry, declared.size(),
                   joined(declared), description.noun(), given.size(), joined(given)),
            description.place};
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const Argument& argument = *description.argument(given[i]);
    if (const std::string wrong = misfit(declared[i], types, argument); !wrong.empty())
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
  const DeclaredTypes types = declared_types(kernel);
  for (const std::vector<std::string>& declared : declarations_of(kernel.source.text, launch.entry)) {
    std::vector<std::string> given = names;
    // In a file that lists all arguments, one for constant memory is an argument too only if the kernel
    // declares it.
    if (description.place.is_file() && given.size() > declared.size())
      std::erase_if(given, [&](const std::string& name) {
        return !description.argument(name)->symbol.empty() &&
               std::ranges::find(declared, name, name_of_parameter) == declared.end();
      });
    const auto [wrong, where] = misfits(description, launch.entry, declared, types, given);
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
  if (kernel.names.contains("kernel_tuner")) add("kernel_tuner", "1", "macro");
  for (const auto& [name, value] : kernel.redefines) {
    macros.erase(name);
    const std::map<std::string, std::string> one = {{name, "0"}};
    std::string text = kernel.text->source.text;
    std::size_t lines = redefine(text, one);
    for (SourceFile header : kernel.text->headers) lines += redefine(header.text, one);
    if (lines == 0)
      kernel.place.fail(format("redefine: no file of the kernel has a line '#define {} ...'", name));
  }
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
  std::set<std::string, std::less<>> words;
  bool has_functions = false;
  const auto mention = [&](std::string_view text) { words.merge(words_in(text)); };
  const auto mention_formula = [&](const std::optional<Expression>& expression) {
    if (!expression) return;
    has_functions = has_functions || expression->is_function();
    mention(expression->text());
  };
  for (const std::string& option : kernel.options) mention(option);
  for (const auto& [name, value] : kernel.defines) mention_formula(value);
  for (const auto& [name, value] : kernel.redefines) mention_formula(value);
  const auto mention_launches = [&](const auto& self,
                                    const std::vector<LaunchDescription>& launches) -> void {
    for (const LaunchDescription& launch : launches) {
      mention(launch.entry);
      for (const auto* extents : {&launch.grid, &launch.block})
        for (const auto& extent : *extents) mention_formula(extent);
      for (const auto* formula : {&launch.shared, &launch.when, &launch.repeat}) mention_formula(*formula);
      if (launch.copy)
        for (const auto* formula : {&launch.copy->count, &launch.copy->from_first, &launch.copy->to_first})
          mention_formula(*formula);
      has_functions = has_functions || launch.host;
      self(self, launch.body);
    }
  };
  mention_launches(mention_launches, description.launches);
  const auto mention_struct = [&](const auto& self, const StructField& field) -> void {
    for (const Expression& value : field.values) mention_formula(value);
    for (const StructField& one : field.fields) self(self, one);
  };
  for (const Argument& argument : description.arguments) {
    mention_formula(argument.value);
    if (argument.object) mention_struct(mention_struct, argument.object->all);
    if (argument.map)
      for (const Expression& extent : argument.map->box) mention_formula(extent);
  }
  std::vector<std::string> unused;
  if (has_functions) return unused;
  for (const search::Parameter& parameter : description.parameters) {
    const std::string& name = parameter.name;
    if (parameter.values.size() == 1 || words.contains(name)) continue;
    if (!kernel.takes_macro(name, parameter.values.front()))
      if (const auto found = kernel.names.find(name); found != kernel.names.end())
        throw UsageError(
            format("{}:{}: '{}' declares the parameter '{}' itself, so that its values change nothing: "
                   "make it a macro between '#ifndef {}' and '#endif', or a template argument of the "
                   "launch",
                   found->second.declared_in, found->second.line, found->second.declaration, name, name));
    if (!kernel.names.contains(name)) unused.push_back(name);
  }
  return unused;
}

}  // namespace tune::described
