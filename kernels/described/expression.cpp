// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/expression.hpp"

#include "kernels/described/formula.hpp"
#include "kernels/described/kernel_text.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {

SourceLocation SourceLocation::in_code(std::string prefix) {
  SourceLocation place;
  place.prefix_ = [prefix = std::move(prefix)] { return prefix; };
  return place;
}

SourceLocation SourceLocation::in_file(Prefix prefix) {
  SourceLocation place;
  place.prefix_ = std::move(prefix);
  place.is_file_ = true;
  return place;
}

std::string SourceLocation::located(const std::string& message) const {
  return prefix_ ? format("{}: {}", prefix_(), message) : message;
}

void SourceLocation::fail(const std::string& message) const {
  throw UsageError(located(message));
}

ExpressionScope::ExpressionScope(const std::vector<search::Parameter>& parameters, const Instance& instance)
    : instance_(instance) {
  FormulaValue::List sizes;
  for (const auto& [name, extent] : instance.extents) {
    add(name, extent);
    sizes.emplace_back(extent);
  }
  values_.insert_or_assign("ProblemSize", FormulaValue(std::move(sizes)));
  for (const auto& [name, value] : instance.settings) add(name, value);
  for (const search::Parameter& parameter : parameters) {
    FormulaValue::List all;
    for (const Value& value : parameter.values) all.push_back(FormulaValue(value));
    values_.insert_or_assign(parameter.name, FormulaValue(std::move(all)));
  }
}

ExpressionScope::ExpressionScope(const std::vector<search::Parameter>& parameters, const Instance& instance,
                                 const search::Configuration& configuration)
    : ExpressionScope(parameters, instance) {
  configuration_ = configuration;
  for (const search::Parameter& parameter : parameters) values_.erase(parameter.name);
  for (const auto& [name, value] : configuration.entries()) add(name, value);
}

void ExpressionScope::add(const std::string& name, const Value& value) {
  values_.insert_or_assign(name, FormulaValue(value));
  words_.insert_or_assign(name, to_word(value));
}

void ExpressionScope::take_parameters_from_settings() {
  for (const auto& [name, value] : instance_.settings) add(name, value);
}

const FormulaValue* ExpressionScope::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<FormulaValue> Expression::constant() const {
  if (const auto* real = std::get_if<double>(&content_)) return FormulaValue::of_number(*real);
  if (const auto* whole = std::get_if<std::int64_t>(&content_)) return FormulaValue(*whole);
  if (const auto* whole = std::get_if<std::uint64_t>(&content_)) return FormulaValue::of_whole(*whole);
  return std::nullopt;
}

FormulaValue Expression::value(const ExpressionScope& scope) const {
  if (auto number = constant()) return *std::move(number);
  if (const auto* function = std::get_if<Function>(&content_))
    return place_.guarded([&] { return (*function)(scope.instance(), scope.configuration()); });
  return evaluated(std::get<std::string>(content_), 0, scope);
}

std::string Expression::cure_of_lists(const ExpressionScope& scope) const {
  for (const std::string& word : words_in(text())) {
    const FormulaValue* const value = scope.find(word);
    if (value == nullptr || !value->is_list() || word == "ProblemSize") continue;
    return format("; the parameter '{}' is the list of its values here: write max({}) or min({})", word, word,
                  word);
  }
  return {};
}

FormulaValue Expression::evaluated(const std::string& formula, std::size_t prefix,
                                   const ExpressionScope& scope) const {
  try {
    return evaluate(formula, [&](std::string_view name) { return scope.find(name); });
  } catch (const search::ExprError& error) {
    const std::size_t column = error.column() - std::min(error.column(), prefix);
    place_.fail((place_.is_file()
                     ? format("'{}', column {}: {}", shortened(text()), column, mistake_of(error))
                     : format("'{}': {}", shortened(text()), error.what())) +
                cure_of_lists(scope));
  }
}

FormulaValue::List Expression::elements(const ExpressionScope& scope, std::size_t begin,
                                        std::size_t end) const {
  const std::string list = format("[({}) for i in range({}, {})]", text(), begin, end);
  FormulaValue values = evaluated(list, 2, scope);
  for (const FormulaValue& value : values.list())
    if (!value.is_number()) fail(format("{} where a number is expected", kind_of(value)));
  return std::get<FormulaValue::List>(std::move(values.data));
}

double Expression::real(const ExpressionScope& scope) const {
  const FormulaValue result = value(scope);
  if (!result.is_number())
    fail(format("{} where a number is expected{}", kind_of(result), cure_of_lists(scope)));
  return result.real();
}

std::int64_t Expression::integer(const ExpressionScope& scope) const {
  const FormulaValue result = value(scope);
  try {
    return result.integer();
  } catch (const search::ExprError& error) {
    fail(error.what() + cure_of_lists(scope));
  }
}

std::string Expression::text() const {
  if (const auto* real = std::get_if<double>(&content_)) return format("{}", *real);
  if (const auto* whole = std::get_if<std::int64_t>(&content_)) return format("{}", *whole);
  if (const auto* whole = std::get_if<std::uint64_t>(&content_)) return format("{}", *whole);
  if (const auto* formula = std::get_if<std::string>(&content_)) return *formula;
  return "(function)";
}

std::string Expression::with_text(const std::string& statement) const {
  return place_.is_file() ? format("'{}': {}", text(), statement) : statement;
}

std::string Expression::named(const std::string& what) const {
  return place_.is_file() ? format("{}: '{}'", what, text()) : what;
}

std::string to_word(const Value& value) {
  return value.is_bool() ? (value.as_bool() ? "1" : "0") : value.to_string();
}

}  // namespace tune::described
