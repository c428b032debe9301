// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "kernels/described/formula.hpp"
#include "library/tuner/spec.hpp"

namespace tune::api {

/// What numbers of a problem are worth at a size, and under a configuration. Everything throws UsageError
/// that names the problem and `what` is computed.
class ExpressionScope {
 public:
  /// Sizes and settings; of each parameter the list of its values. The spec must outlive this.
  ExpressionScope(const Spec& spec, const Instance& instance);
  /// Sizes and settings, and the parameters' values.
  ExpressionScope(const Spec& spec, const Instance& instance, const search::Configuration& configuration);

  definition::FormulaValue value(const Number& number, const std::string& what) const;
  definition::FormulaValue value(const SizeNumber& number, const std::string& what) const;
  double real(const SizeNumber& number, const std::string& what) const;
  std::int64_t integer(const Number& number, const std::string& what) const;
  /// Calls a function of configuration and sizes, and says where it was when it throws.
  template<class Function>
  auto call(const Function& function, const std::string& what) const;

  /// Numbers and words by name, as macros and name expressions take them: true is 1.
  const std::map<std::string, std::string>& words() const { return words_; }
  const Configuration& configuration() const { return configuration_; }
  const Sizes& sizes() const { return sizes_; }

  [[noreturn]] void fail(const std::string& what, const std::string& reason) const;

 private:
  void add(const std::string& name, const search::Value& value);
  definition::FormulaValue formula(const std::string& text, const std::string& what) const;

  const Spec& spec_;
  Sizes sizes_;
  Configuration configuration_;
  std::map<std::string, definition::FormulaValue, std::less<>> values_;
  std::map<std::string, std::string> words_;
};

/// As a macro: true is 1.
std::string word_of(const search::Value& value);

template<class Function>
auto ExpressionScope::call(const Function& function, const std::string& what) const {
  try {
    return function(configuration_, sizes_);
  } catch (const std::exception& error) {
    fail(what, error.what());
  }
}

}  // namespace tune::api
