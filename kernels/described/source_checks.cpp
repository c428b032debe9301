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
  bool enumeration = false;
  std::optional<TypeName> numbers = std::nullopt;  ///< or what it points to
  bool known() const { return texture || structure || enumeration || numbers; }
};

ParameterType type_of(const std::string& declared, const DeclaredTypes& types) {
  const std::string name = types.resolved(type_of_parameter(declared));
  ParameterType type{.pointer = is_pointer(declared) || is_pointer(name)};
  type.texture = !type.pointer && (name == "cudaTextureObject_t" || name == "cudaSurfaceObject_t");
  type.structure = types.structs.contains(name);
  type.enumeration = types.enums.contains(name);
  if (!type.structure) type.numbers = type_named(name.substr(0, name.find('*')));
  return type;
}

std::string type_name_of(const Argument& argument) {
  return argument.type_name.empty() ? std::string(to_string(argument.type->element)) : argument.type_name;
}

/// Returns the text without what the macros of the description leave out in any configuration.
KernelText active_text(const KernelDescription& description, const KernelSource& kernel) {
  std::map<std::string, std::string> macros;
  std::set<std::string, std::less<>> maybe = {"kernel_tuner"};
  for (const search::Parameter& parameter : description.parameters) {
    if (parameter.exists_if || !kernel.takes_macro(parameter.name, parameter.values.front()))
      maybe.insert(parameter.name);
    else
      macros.emplace(parameter.name, "");
  }
  for (const SettingInfo& setting : description.settings)
    if (kernel.takes_macro(setting.name, setting.default_value)) macros.emplace(setting.name, "");
  for (const auto& [name, value] : kernel.defines) macros.emplace(name, "");
  for (const char* const axis : {"x", "y", "z"})
    for (const char* const extents : {"block_size_", "grid_size_"}) maybe.insert(std::string(extents) + axis);
  // Options may define macros, and include files.
  for (const std::string& option : kernel.options) maybe.merge(words_in(option));
  for (const std::string& option : kernel.options)
    if (const std::size_t at = option.find("-D"); at != std::string::npos)
      maybe.emplace(leading_word(trimmed(std::string_view(option).substr(at + 2))));
  return without_inactive(*kernel.text, macros, std::move(maybe));
}

/// Returns the types that these texts declare. What the description may define itself is unknown.
DeclaredTypes types_for(const KernelDescription& description, const KernelSource& kernel,
                        const KernelText& text) {
  DeclaredTypes types = declared_types(text);
  const auto forget = [&](const std::string& name) {
    const auto macro = types.macros.find(name);
    if (macro == types.macros.end()) return;
    macro->second.is_plain = false;
    macro->second.text.clear();
  };
  for (const search::Parameter& parameter : description.parameters) forget(parameter.name);
  for (const SettingInfo& setting : description.settings) forget(setting.name);
  for (const auto& [name, value] : kernel.defines) forget(name);
  for (const auto& [name, value] : kernel.redefines) forget(name);
  return types;
}

/// Returns a parameter as declared, with the template's arguments and the texts of macros.
std::string plain(const std::string& declared, const std::map<std::string, std::string>& arguments,
                  const DeclaredTypes& types) {
  std::string text = types.expanded(replaced(declared, arguments));
  // An address of rows: `float (*a)[64]`.
  for (const char* const sign : {"(*", "(&"}) {
    const std::size_t open = text.find(sign), close = text.find(')', open);
    if (open == std::string::npos || close == std::string::npos) continue;
    const std::string_view behind = trimmed(std::string_view(text).substr(close + 1));
    if (!behind.starts_with('[')) continue;
    return std::string(trimmed(std::string_view(text).substr(0, open))) + "* " +
           std::string(trimmed(std::string_view(text).substr(open + 2, close - open - 2)));
  }
  return text;
}

std::map<std::string, std::string> all_of(const std::vector<std::string>& names,
                                          const std::vector<std::string>& values) {
  std::map<std::string, std::string> all;
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) all.emplace(names[i], values[i]);
  return all;
}

/// Returns the arguments of the template, as far as the launch names types and numbers. Others are unknown.
std::map<std::string, std::string> arguments_of_template(const KernelDescription& description,
                                                         const std::string& entry,
                                                         const KernelDeclaration& declared) {
  std::map<std::string, std::string> all;
  std::vector<std::string> given = template_arguments(entry);
  if (entry.find('<') != std::string::npos)
    for (std::size_t i = given.size(); i < declared.templates.size() && !declared.otherwise[i].empty(); ++i)
      given.push_back(replaced(declared.otherwise[i], all_of(declared.templates, given)));
  const auto is_variable = [&](const std::string& word) {
    return std::ranges::find(description.parameters, word, &search::Parameter::name) !=
               description.parameters.end() ||
           std::ranges::find(description.settings, word, &SettingInfo::name) != description.settings.end();
  };
  for (std::size_t i = 0; i < declared.templates.size(); ++i) {
    const bool is_known = i < given.size() && std::ranges::none_of(words_in(given[i]), is_variable);
    all.emplace(declared.templates[i], is_known ? given[i] : "unknown_" + declared.templates[i]);
  }
  return all;
}

/// True where the kernel's type is known to differ from that of the argument: in size or kind of its numbers.
/// Signs may differ, and vectors may be taken for their elements.
bool is_other_type(const ParameterType& declared, const Argument& argument) {
  if (!argument.type || argument.texture || argument.map) return false;
  if (declared.enumeration) return is_floating_point(argument.type->element);
  if (!declared.numbers) return false;
  const TypeName &wanted = *declared.numbers, &given = *argument.type;
  if (declared.pointer && given.components > 4) return false;  // bytes of a custom type
  if (!declared.pointer && given.components != wanted.components) return true;
  return element_size(given.element) != element_size(wanted.element) ||
         is_floating_point(given.element) != is_floating_point(wanted.element) ||
         (is_floating_point(given.element) && given.element != wanted.element);
}

/// A number or an address of a struct.
struct StructPart {
  std::string text;                                ///< as declared, or the name of what is given
  std::optional<ElementType> type = std::nullopt;  ///< nothing: an address
};
using StructParts = std::optional<std::vector<StructPart>>;  ///< nothing: not understood

/// Returns the numbers and addresses of a struct of the kernel, those of structs in it too.
StructParts declared_parts(const std::string& name, const DeclaredTypes& types, int depth = 0) {
  constexpr int deepest = 16;
  const auto known = types.structs.find(name);
  if (known == types.structs.end() || !known->second || depth == deepest) return std::nullopt;
  std::vector<StructPart> parts;
  for (const std::string& field : *known->second) {
    const std::string declared = types.expanded(field);
    std::size_t count = 1;
    std::string_view extents =
        std::string_view(declared).substr(std::min(declared.find('['), declared.size()));
    for (; !extents.empty(); extents = trimmed(extents)) {
      extents.remove_prefix(1);
      const std::string_view number = leading_word(trimmed(extents));
      if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
      count *= static_cast<std::size_t>(std::stoi(std::string(number)));
      const std::size_t close = extents.find(']');
      if (close == std::string_view::npos || count > 10'000 ||
          trimmed(extents.substr(0, close)).size() != number.size())
        return std::nullopt;
      extents.remove_prefix(close + 1);
    }
    const std::string element = declared.substr(0, declared.find('['));
    const ParameterType type = type_of(element, types);
    StructParts one = std::vector<StructPart>();
    if (type.pointer)
      one->push_back({field});
    else if (type.numbers)
      one->assign(static_cast<std::size_t>(type.numbers->components), {field, type.numbers->element});
    else
      one = declared_parts(types.resolved(type_of_parameter(element)), types, depth + 1);
    if (!one) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) parts.insert(parts.end(), one->begin(), one->end());
  }
  return parts;
}

/// Returns the same of the definition's struct.
StructParts given_parts(const StructField& object) {
  std::vector<StructPart> parts;
  for (std::size_t i = 0; i < object.fields.size(); ++i) {
    const StructField& field = object.fields[i];
    const std::string name = field.name.empty() ? format("field {}", i + 1) : format("'{}'", field.name);
    if (!field.buffer.empty()) {
      parts.push_back({name});
    } else if (!field.fields.empty()) {
      const StructParts inner = given_parts(field);
      if (!inner) return std::nullopt;
      parts.insert(parts.end(), inner->begin(), inner->end());
    }
    for (const Expression& value : field.values) {
      // It may be a list.
      if (value.is_function() || value.text().find('[') != std::string::npos ||
          words_in(value.text()).contains("ProblemSize"))
        return std::nullopt;
      parts.push_back({name, field.type.element});
    }
  }
  return parts;
}

/// Returns how the struct that is given differs from the kernel's in its numbers and addresses; empty where
/// it fits, and where it is not understood.
std::string other_fields(const std::string& name, const StructField& given, const DeclaredTypes& types) {
  const StructParts wanted = declared_parts(name, types), parts = given_parts(given);
  if (!wanted || !parts || parts->empty()) return {};
  for (std::size_t i = 0; i < std::min(wanted->size(), parts->size()); ++i) {
    const StructPart &is = (*wanted)[i], &with = (*parts)[i];
    Argument number{.name = with.text};
    if (with.type) number.type = TypeName{*with.type};
    ParameterType type;
    if (is.type) type.numbers = TypeName{*is.type};
    if (is.type.has_value() == with.type.has_value() && !is_other_type(type, number)) continue;
    return format("whose struct {} has '{}' where {} is {}: give it the kernel's type", name, is.text,
                  with.text,
                  with.type ? format("of the type {}", to_string(*with.type)) : "the address of an array");
  }
  if (wanted->size() == parts->size()) return {};
  return format("whose struct {} has {} numbers and addresses ({}), {} are given", name, wanted->size(),
                joined(*types.structs.find(name)->second), parts->size());
}

/// Returns why the elements of an array are not the numbers of the structs that the kernel reads; empty where
/// they are, and for bytes.
std::string other_elements(std::string name, const Argument& argument, const DeclaredTypes& types) {
  name = name.substr(0, name.find('*'));
  const StructParts parts = declared_parts(name, types);
  if (!parts || parts->empty() || element_size(argument.type->element) == 1) return {};
  const auto is_same = [&](const StructPart& part) {
    ParameterType type;
    if (part.type) type.numbers = TypeName{*part.type};
    Argument number{.name = {}};
    number.type = TypeName{argument.type->element};
    return part.type && !is_other_type(type, number);
  };
  const auto other = std::ranges::find_if_not(*parts, is_same);
  if (other == parts->end()) return {};
  return format(
      "whose struct {} has '{}', but '{}' has the type {}: an array of such structs has the type uint8, "
      "and its bytes as 'size'",
      name, other->text, argument.name, type_name_of(argument));
}

/// Returns true where nothing is known that the argument's type could be compared with.
bool is_not_compared(const std::string& declared, const DeclaredTypes& types, const Argument& argument) {
  if (!argument.type || argument.texture || argument.map || argument.object || !argument.symbol.empty())
    return false;
  if (declared.find('(') != std::string::npos) return true;
  const std::string name = types.resolved(type_of_parameter(declared));
  if (name.starts_with("void") || declared.find("unknown_") != std::string::npos) return false;
  if (const auto known = types.structs.find(name.substr(0, name.find('*'))); known != types.structs.end())
    return element_size(argument.type->element) != 1 && !declared_parts(known->first, types);
  return !type_of(declared, types).known();
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
  if (argument.object) {
    if (type.numbers && type.numbers->components == 1) return set("a number", "set 'type' and 'value'");
    const auto known = types.structs.find(types.resolved(type_of_parameter(declared)));
    return known == types.structs.end() ? "" : other_fields(known->first, argument.object->all, types);
  }
  if (!argument.is_vector() && type.structure) return set("a struct", "set 'struct' or 'bytes'");
  if (type.pointer && type.structure && argument.type) {
    const std::string other = other_elements(types.resolved(type_of_parameter(declared)), argument, types);
    if (!other.empty()) return other;
  }
  if (!is_other_type(type, argument)) return {};
  return format("but '{}' has the type {}: give it the kernel's type", argument.name, type_name_of(argument));
}

/// Returns what is wrong with these arguments for a declaration of the kernel, and the place where; an empty
/// text if nothing is.
std::pair<std::string, SourceLocation> misfits(const KernelDescription& description, const std::string& entry,
                                               const std::vector<std::string>& declared,
                                               const std::map<std::string, std::string>& template_arguments,
                                               const DeclaredTypes& types,
                                               const std::vector<std::string>& given) {
  if (given.size() != declared.size())
    return {format("kernel '{}' takes {} arguments ({}), the {} has {} ({})", entry, declared.size(),
                   joined(declared), description.noun(), given.size(), joined(given)),
            description.place};
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const Argument& argument = *description.argument(given[i]);
    const std::string expanded = plain(declared[i], template_arguments, types);
    if (const std::string wrong = misfit(expanded, types, argument); !wrong.empty())
      return {format("argument {} of kernel '{}' is '{}', {}", i + 1, entry, expanded, wrong),
              argument.place};
  }
  return {};
}

/// Says once for each kernel which types nothing is known of.
void note_not_compared(KernelDescription& description, const std::string& entry,
                       const std::vector<std::string>& declared,
                       const std::map<std::string, std::string>& template_arguments,
                       const DeclaredTypes& types, const std::vector<std::string>& given) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Argument& argument = *description.argument(given[i]);
    if (is_not_compared(plain(declared[i], template_arguments, types), types, argument))
      all.push_back(format("'{}' ({}) with '{}'", argument.name, type_name_of(argument), declared[i]));
  }
  if (all.empty()) return;
  const std::string note = format(
      "types that were not compared with those of the kernel '{}', which are not "
      "understood: {}",
      entry.substr(0, entry.find('<')), joined(all));
  if (std::ranges::count(description.notes, note) == 0) description.notes.push_back(note);
}

/// Returns the parameters of a declaration; macros among them may stand for several.
std::vector<std::string> parameters_of(const KernelDeclaration& declaration, const DeclaredTypes& types) {
  std::vector<std::string> parameters;
  for (const std::string& declared : declaration.parameters) {
    const std::string expanded = types.expanded(declared);
    const bool is_list = expanded.find(',') != std::string::npos && declared.find(',') == std::string::npos;
    if (!is_list)
      parameters.push_back(declared);
    else
      for (std::string& one : split_arguments(expanded, 0)) parameters.push_back(std::move(one));
  }
  return parameters;
}

}  // namespace

void check_entry(const KernelDescription& description, const KernelSource& kernel,
                 const LaunchDescription& launch) {
  std::string name(trimmed(std::string_view(launch.entry).substr(0, launch.entry.find('<'))));
  if (const std::size_t colons = name.rfind("::"); colons != std::string::npos) name.erase(0, colons + 2);
  const bool is_replaced =
      std::ranges::count(description.parameters, name, &search::Parameter::name) > 0 ||
      std::ranges::any_of(description.settings, [&](const auto& setting) { return setting.name == name; });
  if (name.empty() || is_replaced || !kernel.options.empty() || kernel.hides_names ||
      kernel.names.contains(name))
    return;
  const std::vector<std::string> known = kernels_in(*kernel.text);
  if (known.empty()) return;
  description.place.fail(
      format("there is no kernel '{}' in {}; there are: {}", name, kernel.text->source.name, joined(known)));
}

std::vector<std::string> checked_arguments(KernelDescription& description, const KernelSource& kernel,
                                           const LaunchDescription& launch) {
  std::vector<std::string> names = description.arguments_of(launch), known;
  for (const Argument& argument : description.arguments) known.push_back(argument.name);
  for (const std::string& name : names)
    if (description.argument(name) == nullptr)
      description.place.fail(format("the launch of '{}' has an argument '{}' that is not declared{}",
                                    launch.entry, name, search::did_you_mean(name, known)));
  std::string problem;
  SourceLocation place = description.place;
  const KernelText text = active_text(description, kernel);
  const DeclaredTypes types = types_for(description, kernel, text);
  bool is_hidden = false;
  for (const KernelDeclaration& declaration : declarations_of(text, launch.entry)) {
    // The compiler knows how many there are.
    if (std::ranges::any_of(declaration.parameters,
                            [&](const std::string& one) { return types.hides_arguments(one); })) {
      is_hidden = true;
      continue;
    }
    const std::vector<std::string> declared = parameters_of(declaration, types);
    std::vector<std::string> given = names;
    // In a file that lists all arguments, one for constant memory is an argument too only if the kernel
    // declares it.
    if (description.place.is_file() && given.size() > declared.size())
      std::erase_if(given, [&](const std::string& name) {
        return !description.argument(name)->symbol.empty() &&
               std::ranges::find(declared, name, name_of_parameter) == declared.end();
      });
    const auto of_template = arguments_of_template(description, launch.entry, declaration);
    const auto [wrong, where] = misfits(description, launch.entry, declared, of_template, types, given);
    if (wrong.empty()) {
      note_not_compared(description, launch.entry, declared, of_template, types, given);
      return given;
    }
    // A kernel may be declared anew for another type, by a condition: one that fits is enough.
    if (problem.empty()) std::tie(problem, place) = std::pair(wrong, where);
  }
  if (!problem.empty() && !is_hidden) place.fail(problem);
  return names;
}

void find_symbols(KernelDescription& description) {
  const KernelSource& kernel = description.kernel;
  const DeclaredTypes types = types_for(description, kernel, active_text(description, kernel));
  const auto is_argument = [&](const Argument& argument) {
    bool found = false;
    each_kernel_launch(description.launches, [&](const LaunchDescription& launch) {
      for (const KernelDeclaration& one : declarations_of(*kernel.text, launch.entry))
        found = found ||
                std::ranges::find(one.parameters, argument.name, name_of_parameter) != one.parameters.end();
    });
    return found;
  };
  for (Argument& argument : description.arguments) {
    if (argument.symbol.empty()) continue;
    const auto fail = [&](const std::string& text) {
      argument.place.fail(format("symbol '{}': {}", argument.symbol, text));
    };
    const std::vector<const DeclaredVariable*> found = types.variables_named(argument.symbol);
    if (found.empty()) {
      const std::string last = argument.symbol.substr(argument.symbol.rfind(':') + 1);
      const auto word = kernel.names.find(last);
      const bool may_be_hidden =
          kernel.hides_names || (word != kernel.names.end() && word->second.declared_in.empty());
      if (is_argument(argument) || may_be_hidden) continue;
      std::vector<std::string> known;
      for (const DeclaredVariable& variable : types.variables) known.push_back(variable.name);
      fail(format("no file of the kernel declares such a __constant__ or __device__ variable{}",
                  search::did_you_mean(argument.symbol, known)));
    }
    const DeclaredVariable& variable = *found.front();
    for (const DeclaredVariable* const other : found)
      if (other->name != variable.name)
        fail(format("the kernel's files have '{}' and '{}': name one with its namespace", variable.name,
                    other->name));
    argument.symbol = variable.name;
    const std::string declared = types.expanded(variable.declared);
    const std::string element = declared.substr(0, declared.find('['));
    const std::string place = format("'{}' ({}:{})", variable.declared, variable.file, variable.line);
    if (argument.object) {
      const std::string inner = types.resolved(type_of_parameter(element));
      if (const std::string other = other_fields(inner, argument.object->all, types); !other.empty())
        fail(format("it is {}, {}", place, other));
    } else if (const ParameterType type = type_of(element, types); type.pointer) {
      fail(format("it is {}, a pointer, which nothing can fill: pass the array as an argument", place));
    } else if (argument.type && argument.type->element == ElementType::u8) {
      continue;  // bytes of anything
    } else if (is_other_type(ParameterType{.pointer = true, .numbers = type.numbers}, argument)) {
      fail(format("it is {}, but '{}' has the type {}: give it the kernel's type", place, argument.name,
                  type_name_of(argument)));
    }
  }
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
      kernel.place.fail(format(
          "redefine: no file of the kernel has a line '#define {} ...' or a constant of that name", name));
  }
  const auto found = find_redefinition(*kernel.text, macros);
  if (!found) return;
  if (found->is_undef)
    throw UsageError(
        format("{}:{}: '#undef {}' removes the {} '{}', so that its values change nothing: leave the "
               "line out, or put it between '#ifndef {}' and '#endif'",
               found->file, found->line, found->macro, kinds.at(found->macro), found->macro, found->macro));
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
                   "launch, or (not in T1) add \"redefine\": {{\"{}\": \"{}\"}} to 'kernel'",
                   found->second.declared_in, found->second.line, found->second.declaration, name, name, name,
                   name));
    if (!kernel.names.contains(name)) unused.push_back(name);
  }
  return unused;
}

void note_names(KernelDescription& description) {
  const KernelSource& kernel = description.kernel;
  for (const search::Parameter& parameter : description.parameters) {
    const auto found = kernel.names.find(parameter.name);
    if (found == kernel.names.end() || !found->second.is_declared_only()) continue;
    if (std::ranges::find(kernel.redefines, parameter.name, &std::pair<std::string, Expression>::first) !=
        kernel.redefines.end())
      continue;
    const NameInCode& name = found->second;
    // Arguments and parameters of templates have the launch's values.
    const auto words = words_in(name.declaration);
    if (parameter.values.size() == 1 || (!words.contains("constexpr") && !words.contains("static"))) continue;
    description.notes.push_back(format("parameter '{}' changes the launch alone: {}:{} declares '{}' itself",
                                       parameter.name, name.declared_in, name.line, name.declaration));
  }
  if (!description.place.is_file() || description.sources.empty()) return;
  for (const SettingInfo& setting : description.settings) {
    if (kernel.names.contains(setting.name) || kernel.hides_names) continue;
    std::size_t mentions = 0;
    const auto count = [&](const std::string& text) {
      for (std::string_view rest = text; !rest.empty();) {
        const std::string_view word = leading_word(rest);
        mentions += word == setting.name ? 1 : 0;
        rest.remove_prefix(std::max<std::size_t>(1, word.size()));
      }
    };
    count(description.sources.front().text);
    if (mentions == 1)
      description.notes.push_back(
          format("setting '{}' changes nothing: neither the kernel's files nor the rest "
                 "of the definition mention it",
                 setting.name));
  }
}

}  // namespace tune::described
