// SPDX-License-Identifier: Apache-2.0
// Upper bounds of subscripts, as sums of products of sizes and parameters.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tune::described {

/// A product of names with their exponents; those of divisors are negative.
using Monomial = std::map<std::string, int, std::less<>>;

/// A sum of products with factors. The names are not negative.
class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(double number);
  static Polynomial name(const std::string& name);

  const std::map<Monomial, double>& terms() const { return terms_; }
  std::optional<double> number() const;
  bool has(std::string_view name) const;

  Polynomial operator+(const Polynomial& other) const;
  Polynomial operator-(const Polynomial& other) const;
  Polynomial operator*(const Polynomial& other) const;
  /// Nothing for a divisor of several terms, and for zero.
  std::optional<Polynomial> operator/(const Polynomial& other) const;
  bool operator==(const Polynomial& other) const = default;

  /// The parts that have a name once, divided by it, and the rest; nothing where it has another exponent.
  std::optional<std::pair<Polynomial, Polynomial>> split(const std::string& name) const;
  /// The value where the names have these.
  double at(const std::function<double(const std::string&)>& value_of) const;
  /// As a formula; `text_of`: what stands for a name. Nothing where a quotient is left.
  std::optional<std::string> text(const std::function<std::string(const std::string&)>& text_of) const;
  /// Without what only lowers the value: terms below zero, and divisors that are at least one.
  Polynomial raised(const std::function<bool(const std::string&)>& is_at_least_one) const;

 private:
  void add(const Monomial& product, double factor);
  std::map<Monomial, double> terms_ = {};
};

/// Reads an expression in C over numbers and names, `+ - * / %`, `min`, `max`; an upper bound where it rounds
/// or chooses. `value_of`: of a name, `threadIdx.x` too. Nothing for what is not understood.
std::optional<Polynomial> upper_bound(
    std::string_view expression, const std::function<std::optional<Polynomial>(std::string_view)>& value_of);

}  // namespace tune::described
