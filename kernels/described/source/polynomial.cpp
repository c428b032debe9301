// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/described/source/c_expression.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"

namespace tune::described {
namespace {

constexpr std::size_t most_terms = 60;

class BoundReader {
 public:
  BoundReader(std::string_view text,
              const std::function<std::optional<Polynomial>(std::string_view)>& value_of)
      : rest_(text), value_of_(value_of) {}

  std::optional<Polynomial> read() {
    auto all = sum();
    return trimmed(rest_).empty() ? all : std::nullopt;
  }

 private:
  using Bound = std::optional<Polynomial>;

  bool take(char wanted) {
    rest_ = trimmed(rest_);
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Bound sum() {
    if (++depth_ > deepest) return std::nullopt;
    Bound all = product();
    while (all) {
      const bool is_plus = take('+'), is_minus = !is_plus && take('-');
      if (!is_plus && !is_minus) break;
      const Bound next = product();
      all = !next ? std::nullopt : Bound(is_plus ? *all + *next : *all - *next);
      if (all && all->terms().size() > most_terms) all.reset();
    }
    --depth_;
    return all;
  }

  Bound product() {
    Bound all = factor();
    while (all) {
      const bool times = take('*'), divides = !times && take('/'), rest = !times && !divides && take('%');
      if (!times && !divides && !rest) break;
      const Bound next = factor();
      if (!next)
        all.reset();
      else if (times)
        all = all->terms().size() * next->terms().size() > most_terms ? std::nullopt : Bound(*all * *next);
      else if (divides)
        all = quotient(*all, *next);
      else
        all = *next - Polynomial(1);
    }
    return all;
  }

  static Bound quotient(const Polynomial& of, const Polynomial& by) {
    const auto number = of.number(), divisor = by.number();
    if (divisor == 0.0) return std::nullopt;
    return number && divisor ? Bound(Polynomial(std::floor(*number / *divisor))) : of / by;
  }

  Bound factor() {
    if (take('(')) {
      Bound inner = sum();
      return take(')') ? inner : std::nullopt;
    }
    if (take('-')) {
      if (++depth_ > deepest) return std::nullopt;
      const Bound inner = factor();
      --depth_;
      return inner ? Bound(Polynomial(0) - *inner) : std::nullopt;
    }
    rest_ = trimmed(rest_);
    std::string_view word = leading_word(rest_);
    if (word.empty()) return std::nullopt;
    if (const std::string_view behind = rest_.substr(word.size()); behind.starts_with('.'))
      word = rest_.substr(0, word.size() + 1 + leading_word(behind.substr(1)).size());
    rest_.remove_prefix(word.size());
    if (const auto number = number_of(word)) return Polynomial(static_cast<double>(*number));
    if (!take('(')) return value_of_(word);
    if (word != "min" && word != "max") return std::nullopt;
    const Bound one = sum();
    if (!take(',')) return std::nullopt;
    const Bound other = sum();
    if (!take(')') || !one || !other) return std::nullopt;
    if (word == "min") return one->number() ? other : one;
    if (one->number() && other->number()) return Polynomial(std::max(*one->number(), *other->number()));
    return one->number() ? other : other->number() ? one : std::nullopt;
  }

  static constexpr int deepest = 100;
  std::string_view rest_;
  const std::function<std::optional<Polynomial>(std::string_view)>& value_of_;
  int depth_ = 0;
};

}  // namespace

Polynomial::Polynomial(double number) {
  add({}, number);
}

Polynomial Polynomial::name(const std::string& name) {
  Polynomial made;
  made.add({{name, 1}}, 1);
  return made;
}

void Polynomial::add(const Monomial& product, double factor) {
  const auto [term, is_new] = terms_.try_emplace(product, 0);
  term->second += factor;
  if (term->second == 0) terms_.erase(term);
}

std::optional<double> Polynomial::number() const {
  if (terms_.empty()) return 0;
  if (terms_.size() > 1 || !terms_.begin()->first.empty()) return std::nullopt;
  return terms_.begin()->second;
}

bool Polynomial::has(std::string_view name) const {
  return std::ranges::any_of(terms_, [&](const auto& term) { return term.first.contains(name); });
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial all = *this;
  for (const auto& [product, factor] : other.terms_) all.add(product, factor);
  return all;
}

Polynomial Polynomial::operator-(const Polynomial& other) const {
  Polynomial all = *this;
  for (const auto& [product, factor] : other.terms_) all.add(product, -factor);
  return all;
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial all;
  for (const auto& [product, factor] : terms_)
    for (const auto& [more, times] : other.terms_) {
      Monomial both = product;
      for (const auto& [name, exponent] : more)
        if ((both[name] += exponent) == 0) both.erase(name);
      all.add(both, factor * times);
    }
  return all;
}

std::optional<Polynomial> Polynomial::operator/(const Polynomial& other) const {
  if (other.terms_.size() != 1) return std::nullopt;  // none: it is zero
  Polynomial inverse;
  Monomial product;
  for (const auto& [name, exponent] : other.terms_.begin()->first) product[name] = -exponent;
  inverse.add(product, 1 / other.terms_.begin()->second);
  return *this * inverse;
}

std::optional<std::pair<Polynomial, Polynomial>> Polynomial::split(const std::string& name) const {
  std::pair<Polynomial, Polynomial> all;
  for (const auto& [product, factor] : terms_) {
    const auto found = product.find(name);
    if (found == product.end()) {
      all.second.add(product, factor);
      continue;
    }
    if (found->second != 1) return std::nullopt;
    Monomial others = product;
    others.erase(name);
    all.first.add(others, factor);
  }
  return all;
}

double Polynomial::at(const std::function<double(const std::string&)>& value_of) const {
  double sum = 0;
  for (const auto& [product, factor] : terms_) {
    double value = factor;
    for (const auto& [name, exponent] : product) value *= std::pow(value_of(name), exponent);
    sum += value;
  }
  return sum;
}

std::optional<std::string> Polynomial::text(
    const std::function<std::string(const std::string&)>& text_of) const {
  // The longest products first, names before calls, then by name.
  std::vector<std::pair<Monomial, double>> terms(terms_.begin(), terms_.end());
  std::ranges::stable_sort(terms, {}, [&](const auto& term) {
    int degree = 0, calls = 0;
    for (const auto& [name, exponent] : term.first) {
      degree += exponent;
      calls += text_of(name) == name ? 0 : 1;
    }
    return std::pair(-degree, calls);
  });
  std::string all;
  for (const auto& [product, factor] : terms) {
    const double size = std::abs(factor);
    if (size != std::floor(size) || size > 1e15) return std::nullopt;
    std::vector<std::string> factors;
    if (size != 1 || product.empty()) factors.push_back(std::to_string(static_cast<std::int64_t>(size)));
    for (const auto& [name, exponent] : product) {
      if (exponent < 1) return std::nullopt;
      for (int i = 0; i < exponent; ++i) factors.push_back(text_of(name));
    }
    all += all.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    all += joined(factors, {}, " * ");
  }
  return all.empty() ? "0" : all;
}

Polynomial Polynomial::raised(const std::function<bool(const std::string&)>& is_at_least_one) const {
  Polynomial all;
  for (const auto& [product, factor] : terms_) {
    if (factor < 0) continue;
    Monomial raised;
    for (const auto& [name, exponent] : product)
      if (exponent > 0 || !is_at_least_one(name)) raised[name] = exponent;
    all.add(raised, factor);
  }
  return all;
}

std::optional<Polynomial> upper_bound(
    std::string_view expression, const std::function<std::optional<Polynomial>(std::string_view)>& value_of) {
  return BoundReader(expression, value_of).read();
}

}  // namespace tune::described
