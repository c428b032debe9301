// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/type_choices.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "search/expressions/expr.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

constexpr std::size_t most_choices = 256;

bool are_texts(const std::vector<Value>& values) {
  return std::ranges::all_of(values, &Value::is_text);
}

/// True for texts of which one names a type.
bool are_types(const std::vector<Value>& values, const DeclaredTypes& types) {
  const auto is_type = [&](const Value& value) {
    const std::string text = to_word(value), name = types.resolved(text.substr(0, text.find('*')));
    return type_named(name) || types.structs.contains(name) || types.aliases.contains(name);
  };
  return are_texts(values) && std::ranges::any_of(values, is_type);
}

std::optional<search::Expr> condition_of(const std::optional<Expression>& formula) {
  if (!formula) return std::nullopt;
  try {
    return search::Expr::parse(formula->text());
  } catch (const search::ExprError&) {
    return std::nullopt;
  }
}

/// True where the choice leaves no configuration that launches the kernel.
bool is_ruled_out(const KernelDescription& description, const std::optional<search::Expr>& condition,
                  const TypeChoice& choice) {
  std::map<std::string, Value, std::less<>> values;
  for (const auto& [name, word] : choice) values.emplace(name, Value(word));
  const auto value = [&](std::string_view name) -> const Value* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  };
  const auto is_false = [&](const search::Expr& rule) {
    return rule.partially_evaluate(value) == search::Tribool::no;
  };
  if (condition && is_false(*condition)) return true;
  for (const search::Parameter& parameter : description.parameters)
    if (choice.contains(parameter.name) && parameter.exists_if && is_false(*parameter.exists_if)) return true;
  return std::ranges::any_of(description.constraints, is_false, &search::Constraint::rule);
}

}  // namespace

std::vector<TypeChoice> type_choices(const KernelDescription& description, const KernelSource& kernel,
                                     const LaunchDescription& launch, const DeclaredTypes& types) {
  std::vector<TypeChoice> choices(1);
  if (launch.when && launch.when->is_function()) return choices;
  const auto in_entry = words_in(launch.entry);
  const auto add = [&](const std::string& name, const std::vector<Value>& values) {
    const auto mentions = [&name](const std::string& option) { return words_in(option).contains(name); };
    const bool is_type = kernel.names.contains(name) || std::ranges::any_of(kernel.options, mentions) ||
                         std::ranges::count(description.arguments, name, &Argument::type_name) > 0;
    const bool matters = in_entry.contains(name) ? are_texts(values) : is_type && are_types(values, types);
    if (!matters || choices.size() * values.size() > most_choices) return;
    std::vector<TypeChoice> longer;
    for (const TypeChoice& choice : choices)
      for (const Value& value : values) {
        longer.push_back(choice);
        longer.back().emplace(name, to_word(value));
      }
    choices = std::move(longer);
  };
  for (const search::Parameter& parameter : description.parameters) add(parameter.name, parameter.values);
  for (const SettingInfo& setting : description.settings)
    if (!setting.values.empty()) add(setting.name, setting.values);
  const std::optional<search::Expr> condition = condition_of(launch.when);
  std::erase_if(choices, [&](const TypeChoice& one) { return is_ruled_out(description, condition, one); });
  return choices;
}

DeclaredTypes with_macros(DeclaredTypes types, const TypeChoice& choice, const KernelSource& kernel,
                          const std::string& entry) {
  for (const std::string& option : kernel.options) {
    const std::size_t equal = option.find('=');
    if (!option.starts_with("-D") || equal == std::string::npos) continue;
    const std::string value = replaced(option.substr(equal + 1), choice);
    // Another value may follow from parameters that are no types.
    if (value != option.substr(equal + 1) || type_named(value))
      types.macros.insert_or_assign(option.substr(2, equal - 2), DeclaredMacro{value});
  }
  const auto in_entry = words_in(entry);
  for (const auto& [name, word] : choice)
    if (!in_entry.contains(name) && kernel.takes_macro(name, Value(word)))
      types.macros.insert_or_assign(name, DeclaredMacro{word});
  for (const auto& [name, value] : kernel.defines)
    if (const auto chosen = choice.find(value.text()); chosen != choice.end())
      types.macros.insert_or_assign(name, DeclaredMacro{chosen->second});
  return types;
}

Argument with_type(const Argument& argument, const TypeChoice& choice) {
  Argument typed = argument;
  const auto chosen = choice.find(argument.type_name);
  if (argument.type || chosen == choice.end()) return typed;
  typed.type = type_named(chosen->second);
  typed.type_name = chosen->second;
  return typed;
}

std::string told(const TypeChoice& choice, const Argument& argument, std::string_view message) {
  std::vector<std::string> all;
  for (const auto& [name, word] : choice) all.push_back(format("{} is {}", name, word));
  if (all.empty() || message.find("type") == std::string_view::npos) return {};
  const std::string& first = choice.begin()->first;
  return format(" (where {}{})", joined(all, {}, " and "),
                choice.contains(argument.type_name) || !argument.type
                    ? std::string()
                    : format("; \"type\": \"{}\" follows it, if {} is a setting", first, first));
}

}  // namespace tune::described
