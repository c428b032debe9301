// SPDX-License-Identifier: Apache-2.0
// Numbers of a description that follow from sizes and configuration, and the places where they were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/described/braces.hpp"
#include "kernels/described/formula.hpp"
#include "search/space/configuration.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/problem/instance.hpp"

namespace tune::described {

/// The place of a part of a description: errors about it begin with it.
class SourceLocation {
 public:
  using Prefix = std::function<std::string()>;

  SourceLocation() = default;
  /// A part of the program: `doubling: grid x`.
  static SourceLocation in_code(std::string prefix);
  /// A place in a file, `conv.json:37: launches[0].grid`, which is searched only for an error.
  static SourceLocation in_file(Prefix prefix);

  bool is_file() const { return is_file_; }
  /// Returns `message` behind the place.
  std::string located(const std::string& message) const;
  /// Throws UsageError.
  [[noreturn]] void fail(const std::string& message) const;
  /// Calls a function of the description's author; an exception from it becomes a UsageError.
  template<class Call>
  auto guarded(Call call) const {
    try {
      return call();
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

 private:
  Prefix prefix_ = {};
  bool is_file_ = false;
};

/// The names that expressions may use: sizes, settings, `ProblemSize` (the sizes as a list), and parameters.
class ExpressionScope {
 public:
  /// With the list of its values for each parameter.
  ExpressionScope(const std::vector<search::Parameter>& parameters, const Instance& instance);
  /// With the configuration's values of the parameters.
  ExpressionScope(const std::vector<search::Parameter>& parameters, const Instance& instance,
                  const search::Configuration& configuration);

  /// Adds a number, unless there is something of this name.
  void add_other(const std::string& name, double value) {
    values_.emplace(name, FormulaValue::of_number(value));
  }

  /// Gives a parameter its value where it is a setting of the instance (ReferenceDescription::same).
  void take_parameters_from_settings();

  /// Returns null for an unknown name.
  const FormulaValue* find(std::string_view name) const;
  /// Returns numbers and words by name, as macros and name expressions take them: true is 1.
  const std::map<std::string, std::string>& words() const { return words_; }
  /// Replaces names in braces by these; those without a value are empty.
  std::string with_values_in(const std::string& text) const {
    return with_values(text, [this](const std::string& name) {
      const auto found = words_.find(name);
      return found == words_.end() ? std::string() : found->second;
    });
  }
  const Instance& instance() const { return instance_; }
  const search::Configuration& configuration() const { return configuration_; }

 private:
  void add(const std::string& name, const Value& value);

  Instance instance_;
  search::Configuration configuration_;
  std::map<std::string, FormulaValue, std::less<>> values_;
  std::map<std::string, std::string> words_;
};

/// A number as it was given: whole ones are exact.
using ExactNumber = std::variant<double, std::int64_t, std::uint64_t>;

/// A number, a formula over the names of a scope, or a function.
class Expression {
 public:
  /// The configuration is empty if only sizes and settings are known.
  using Function = std::function<FormulaValue(const Instance&, const search::Configuration&)>;
  using Content = std::variant<double, std::int64_t, std::uint64_t, std::string, Function>;

  Expression(Content content, SourceLocation place)
      : content_(std::move(content)), place_(std::move(place)) {}

  /// These throw UsageError with the place.
  FormulaValue value(const ExpressionScope& scope) const;
  double real(const ExpressionScope& scope) const;
  std::int64_t integer(const ExpressionScope& scope) const;
  /// The formula's numbers for `i` from `begin` to `end`, the latter excluded; at most max_values of them.
  FormulaValue::List elements(const ExpressionScope& scope, std::size_t begin, std::size_t end) const;
  [[noreturn]] void fail(const std::string& reason) const { place_.fail(with_text(reason)); }

  bool is_constant() const { return constant().has_value(); }
  bool is_function() const { return std::holds_alternative<Function>(content_); }
  /// Returns the number or formula as written; `(function)`.
  std::string text() const;
  /// In a file the formula precedes the message: `'n / 3': ...`.
  std::string with_text(const std::string& statement) const;
  /// The formula precedes the value's name, too: `grid x: 'n / 3'`.
  std::string named(const std::string& what) const;

 private:
  std::optional<FormulaValue> constant() const;
  /// Returns what to write instead of a parameter that is the list of its values here; empty where none is.
  std::string cure_of_lists(const ExpressionScope& scope) const;
  /// `formula`: `prefix` characters, the text, and more.
  FormulaValue evaluated(const std::string& formula, std::size_t prefix, const ExpressionScope& scope) const;

  Content content_;
  SourceLocation place_;
};

/// Returns the value as a macro: true is 1.
std::string to_word(const Value& value);

}  // namespace tune::described
