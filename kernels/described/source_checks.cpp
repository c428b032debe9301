// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source_checks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "kernels/described/compile_options.hpp"
#include "kernels/described/parameter_type.hpp"
#include "kernels/described/redefinition.hpp"
#include "kernels/described/struct_fields.hpp"
#include "kernels/described/struct_layout.hpp"
#include "kernels/described/type_choices.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

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
  // Options define macros, and may include files that define others.
  CompileRequest options;
  take_options(kernel.options, options);
  for (const std::string& option : options.options) maybe.merge(words_in(option));
  for (const auto& [name, value] : options.defines) macros.emplace(name, "");
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
  for (const std::string& option : kernel.options)
    for (const std::string& word : words_in(option)) forget(word);
  return types;
}

/// Returns a parameter as declared, with the template's arguments and the texts of macros.
std::string plain(const std::string& declared, const std::map<std::string, std::string>& arguments,
                  const DeclaredTypes& types, const std::vector<std::string>& all) {
  std::string text =
      without_decltype(types.expanded(replaced(without_decltype(declared, all), arguments)), all);
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

/// A launch of a kernel with one value for each parameter that is a type.
struct TypedLaunch {
  std::string entry;  ///< with these values
  const TypeChoice& choice;
  DeclaredTypes types;
};

/// Returns what is wrong with these arguments for a declaration of the kernel, and the place where; an empty
/// text if nothing is.
std::pair<std::string, SourceLocation> misfits(const KernelDescription& description,
                                               const TypedLaunch& launch,
                                               const std::vector<std::string>& declared,
                                               const std::map<std::string, std::string>& template_arguments,
                                               const std::vector<std::string>& given) {
  if (given.size() != declared.size())
    return {format("kernel '{}' takes {} arguments ({}), the {} has {} ({})", launch.entry, declared.size(),
                   joined(declared), description.noun(), given.size(), joined(given)),
            description.place};
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const Argument argument = with_type(*description.argument(given[i]), launch.choice);
    const std::string expanded = plain(declared[i], template_arguments, launch.types, declared);
    if (const std::string wrong = misfit(expanded, launch.types, argument); !wrong.empty())
      return {format("argument {} of kernel '{}' is '{}', {}{}", i + 1, launch.entry, expanded, wrong,
                     told(launch.choice, *description.argument(given[i]), wrong)),
              argument.place};
  }
  return {};
}

/// Says once for each kernel which types nothing is known of, and which differ in their signs.
void note_types(KernelDescription& description, const TypedLaunch& launch,
                const std::vector<std::string>& declared,
                const std::map<std::string, std::string>& template_arguments,
                const std::vector<std::string>& given) {
  std::vector<std::string> unknown, of_other_sign;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Argument argument = with_type(*description.argument(given[i]), launch.choice);
    const std::string type = plain(declared[i], template_arguments, launch.types, declared);
    const auto pair = [&] {
      return format("'{}' ({}) with '{}'", argument.name, type_name_of(argument), declared[i]);
    };
    if (is_not_compared(type, launch.types, argument)) unknown.push_back(pair());
    if (has_other_sign(type_of(type, launch.types), argument)) of_other_sign.push_back(pair());
  }
  const std::string kernel = launch.entry.substr(0, launch.entry.find('<'));
  const auto note = [&](const std::vector<std::string>& all, std::string text) {
    if (!all.empty() && std::ranges::count(description.notes, text) == 0)
      description.notes.push_back(std::move(text));
  };
  note(unknown, format("types that were not compared with those of the kernel '{}', which are not "
                       "understood: {}",
                       kernel, joined(unknown)));
  if (description.place.is_file())
    note(of_other_sign,
         format("types with another sign than those of the kernel '{}', which takes a negative "
                "number for a large one, or a large one for a negative: {}",
                kernel, joined(of_other_sign)));
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

/// Returns those of the arguments that the kernel takes; nothing where only the compiler knows. Throws
/// UsageError where no declaration that is understood takes them.
std::optional<std::vector<std::string>> fitting_arguments(KernelDescription& description,
                                                          const TypedLaunch& launch, const KernelText& text,
                                                          const std::vector<std::string>& names) {
  std::string problem;
  SourceLocation place = description.place;
  bool is_hidden = false;
  for (const KernelDeclaration& declaration : declarations_of(text, launch.entry)) {
    // The compiler knows how many there are.
    if (std::ranges::any_of(declaration.parameters,
                            [&](const std::string& one) { return launch.types.hides_arguments(one); })) {
      is_hidden = true;
      continue;
    }
    const std::vector<std::string> declared = parameters_of(declaration, launch.types);
    std::vector<std::string> given = names;
    // In a file that lists all arguments, one for constant memory is an argument too only if the kernel
    // declares it.
    if (description.place.is_file() && given.size() > declared.size())
      std::erase_if(given, [&](const std::string& name) {
        return !description.argument(name)->symbol.empty() &&
               std::ranges::find(declared, name, name_of_parameter) == declared.end();
      });
    const auto of_template = arguments_of_template(description, launch.entry, declaration);
    const auto [wrong, where] = misfits(description, launch, declared, of_template, given);
    if (wrong.empty()) {
      note_types(description, launch, declared, of_template, given);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const auto argument = std::ranges::find(description.arguments, given[i], &Argument::name);
        if (argument->object)
          take_alignments(launch.types.resolved(
                              type_of_parameter(plain(declared[i], of_template, launch.types, declared))),
                          argument->object->all, launch.types);
      }
      return given;
    }
    // A kernel may be declared anew for another type, by a condition: one that fits is enough.
    if (problem.empty()) std::tie(problem, place) = std::pair(wrong, where);
  }
  if (!problem.empty() && !is_hidden) place.fail(problem);
  return std::nullopt;
}

/// True for what the file declares as a variable, or as a function that is no kernel.
bool is_no_kernel(const NameInCode& name) {
  static const std::set<std::string_view> plain = {
      "const",  "static", "inline", "constexpr",  "unsigned", "signed",         "int",  "long",
      "short",  "char",   "float",  "double",     "bool",     "void",           "auto", "half",
      "float2", "float4", "size_t", "__device__", "__host__", "__forceinline__"};
  if (!name.is_declared_only()) return false;
  std::string_view words = name.declaration;
  words = words.substr(0, words.rfind(' ') == std::string_view::npos ? 0 : words.rfind(' '));
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (!plain.contains(word) && word != "*" && word != "&") return false;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return true;
}

}  // namespace

void check_entry(const KernelDescription& description, const KernelSource& kernel,
                 const LaunchDescription& launch) {
  std::string_view rest = trimmed(std::string_view(launch.entry).substr(0, launch.entry.find('<')));
  std::vector<std::string> scopes;
  for (std::size_t colons = rest.find("::"); colons != std::string_view::npos; colons = rest.find("::")) {
    if (const std::string_view scope = trimmed(rest.substr(0, colons)); !scope.empty())
      scopes.emplace_back(scope);
    rest.remove_prefix(colons + 2);
  }
  const std::string name(trimmed(rest));
  // What only the compiler knows: macros of the definition and of options, and files that these include.
  const auto is_replaced = [&](const std::string& word) {
    return std::ranges::count(description.parameters, word, &search::Parameter::name) > 0 ||
           std::ranges::count(description.settings, word, &SettingInfo::name) > 0 ||
           std::ranges::any_of(kernel.options, [&](const std::string& option) {
             return words_in(option).contains(word) || option.find("include") != std::string::npos;
           });
  };
  if (name.empty() || is_replaced(name) || kernel.hides_names) return;
  const std::vector<KernelPlace> known = kernels_in(*kernel.text);
  if (known.empty()) return;
  const auto place = std::ranges::find(known, name, &KernelPlace::name);
  const auto word = kernel.names.find(name);
  // A macro may stand for `__global__`, or make names.
  if (place == known.end() && (word == kernel.names.end() || is_no_kernel(word->second)))
    description.place.fail(no_kernel(name, known));
  for (const std::string& scope : scopes)
    if (!kernel.names.contains(scope) && !is_replaced(scope))
      description.place.fail(
          format("there is no namespace '{}', in which the kernel '{}' would be{}", scope, name,
                 place == known.end() ? "" : format("; it is declared in {}:{}", place->file, place->line)));
}

std::vector<std::string> checked_arguments(KernelDescription& description, const KernelSource& kernel,
                                           const LaunchDescription& launch) {
  std::vector<std::string> names = description.arguments_of(launch), known;
  for (const Argument& argument : description.arguments) known.push_back(argument.name);
  for (const std::string& name : names)
    if (description.argument(name) == nullptr)
      description.place.fail(format("the launch of '{}' has an argument '{}' that is not declared{}",
                                    launch.entry, name, search::did_you_mean(name, known)));
  const KernelText text = active_text(description, kernel);
  const DeclaredTypes types = types_for(description, kernel, text);
  std::optional<std::vector<std::string>> fitting;
  for (const TypeChoice& choice : type_choices(description, kernel, launch, types)) {
    const TypedLaunch typed{replaced(launch.entry, choice), choice,
                            with_macros(types, choice, kernel, launch.entry)};
    std::optional<std::vector<std::string>> given = fitting_arguments(description, typed, text, names);
    if (!fitting) fitting = std::move(given);
  }
  return fitting.value_or(names);
}

namespace {

std::string inner_type(const DeclaredVariable& variable, const DeclaredTypes& types) {
  const std::string declared = types.expanded(variable.declared);
  return types.resolved(type_of_parameter(declared.substr(0, declared.find('['))));
}

/// Returns what is wrong with the argument for this variable; empty if nothing is.
std::string misfit_of_symbol(const Argument& argument, const DeclaredVariable& variable,
                             const DeclaredTypes& types) {
  const std::string declared = types.expanded(variable.declared);
  const std::string element = declared.substr(0, declared.find('['));
  const std::string place = format("it is '{}' ({}:{})", variable.declared, variable.file, variable.line);
  if (argument.object) {
    const std::string inner = inner_type(variable, types);
    StructField given = argument.object->all;
    take_alignments(inner, given, types);
    std::string other = other_fields(inner, given, types);
    if (other.empty()) other = other_layout(inner, given, types);
    return other.empty() ? "" : format("{}, {}", place, other);
  }
  const ParameterType type = type_of(element, types);
  if (type.pointer)
    return format("{}, a pointer, which nothing can fill: pass the array as an argument", place);
  if (argument.type && argument.type->element == ElementType::u8) return {};  // bytes of anything
  if (!is_other_type(ParameterType{.pointer = true, .numbers = type.numbers}, argument)) return {};
  return format("{}, but '{}' has the type {}: give it the kernel's type", place, argument.name,
                type_name_of(argument));
}

}  // namespace

void find_symbols(KernelDescription& description) {
  const KernelSource& kernel = description.kernel;
  const DeclaredTypes types = types_for(description, kernel, active_text(description, kernel));
  std::vector<std::pair<TypeChoice, DeclaredTypes>> choices;
  each_kernel_launch(description.launches, [&](const LaunchDescription& launch) {
    for (const TypeChoice& choice : type_choices(description, kernel, launch, types))
      choices.emplace_back(choice, with_macros(types, choice, kernel, launch.entry));
  });
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
    if (argument.object) {
      take_alignments(inner_type(variable, types), argument.object->all, types);
      argument.extents = {size_of(*argument.object, argument.place)};
    }
    for (const auto& [choice, typed] : choices)
      if (const std::string other = misfit_of_symbol(with_type(argument, choice), variable, typed);
          !other.empty())
        fail(other + told(choice, argument, "type"));
  }
}

void check_macros(KernelDescription& description) {
  const KernelSource& kernel = description.kernel;
  std::map<std::string, std::string> macros, kinds;
  const auto add = [&](const std::string& name, const std::string& value, const char* kind) {
    macros.emplace(name, value);
    kinds.emplace(name, kind);
  };
  for (const search::Parameter& parameter : description.parameters)
    add(parameter.name, parameter.values.size() == 1 ? to_word(parameter.values.front()) : "", "parameter");
  for (const SettingInfo& setting : description.settings) add(setting.name, "", "setting");
  if (kernel.names.contains("kernel_tuner")) add("kernel_tuner", "1", "macro");
  const auto is_value = [&](const std::string& word) { return macros.contains(word); };
  // What is defined twice has the value that the compiler sees last.
  const auto check_is_new = [&](const std::string& name, const std::string& value, const std::string& by) {
    const auto known = kinds.find(name);
    if (known == kinds.end() || known->second == "macro" || value == name || !kernel.takes_macro(name, ""))
      return;
    kernel.place.fail(format("{} replaces the {} '{}', so that its values change nothing: leave one out", by,
                             known->second, name));
  };
  for (const auto& [name, value] : kernel.defines) {
    check_is_new(name, value.text(), format("the macro '{}' of 'defines'", name));
    add(name, "", "macro");
  }
  if (const std::string option = option_of_output(kernel.options); !option.empty())
    kernel.place.fail(
        format("options: '{}' is for what a compiler writes, which tune decides: leave it out", option));
  CompileRequest options;
  take_options(kernel.options, options);
  for (const auto& [name, value] : options.defines) {
    check_is_new(name, value, format("the option -D{}={}", name, value));
    add(name, std::ranges::any_of(words_in(value), is_value) ? "" : value, "macro");
  }
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
  if (!found->condition.empty())
    return description.notes.push_back(format(
        "{}:{}: '#define {} {}' replaces the {} '{}' on some devices ('{}'): its values change nothing there",
        found->file, found->line, found->macro, found->value, kinds.at(found->macro), found->macro,
        found->condition));
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
  for (const auto& [name, value] : kernel.environment) mention(value);
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
