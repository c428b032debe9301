// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/contents.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels/described/fitting.hpp"
#include "kernels/described/struct_layout.hpp"
#include "search/random.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::described {
namespace {

/// FNV-1a: arguments of a problem get different numbers.
std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

std::string text_of(const FormulaValue& value) {
  if (!value.is_wide()) return value.scalar().to_string();
  const auto number = fitting_whole<std::uint64_t>(value.whole());
  return number ? format("{}", *number) : format("{}", value.real());
}

template<class T>
std::string range_of() {
  if constexpr (is_floating<T>)
    return {};
  else
    return format(" ({} to {})", std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max());
}

/// The elements of one array.
template<class T>
class Filling {
 public:
  Filling(const Contents& contents, const Argument& argument, const TypeName& type, std::uint64_t seed,
          const ExpressionScope& scope)
      : contents_(contents),
        argument_(argument),
        type_(type),
        scope_(scope),
        seed_(seed),
        random_(hash_of(contents.as.empty() ? argument.name : contents.as) + 0x9e3779b97f4a7c15ULL * seed +
                contents.seed.value_or(0)) {}

  void fill(std::span<T> to) {
    switch (contents_.kind) {
      case Contents::Kind::random:
        return fill_random(to);
      case Contents::Kind::sequence:
        return fill_sequence(to);
      case Contents::Kind::formula:
        return fill_formula(to);
      case Contents::Kind::function:
        return each(to, [&](std::size_t i) { return of_function(i); });
      default: {
        const T value = element(contents_.value.value(scope_), contents_.value);
        return each(to, [&](std::size_t) { return value; });
      }
    }
  }

 private:
  static constexpr std::size_t at_once = 1 << 16;  // between looks whether the run ended

  template<class Make>
  static void each(std::span<T> to, const Make& make) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (i % at_once == 0) throw_if_stopped();
      to[i] = make(i);
    }
  }

  /// Returns the number that the expression has given; fails where the type does not hold it.
  T element(const FormulaValue& value, const Expression& expression) const {
    if (type_.is_bool && value.is_number()) return element_of_bool(value.to_bool());
    try {
      if (const std::optional<T> made = fitting<T>(value)) return *made;
    } catch (const search::ExprError&) {
    }
    expression.fail(format("'{}': {}", argument_.name, misfit_of(type_, value)));
  }

  static T element_of_bool(bool value) {
    if constexpr (is_floating<T>)
      return T(value ? 1.0 : 0.0);
    else
      return value ? T{1} : T{0};
  }

  void fill_random(std::span<T> to) {
    const FormulaValue low = contents_.low.value(scope_), high = contents_.high.value(scope_);
    const T first = element(low, contents_.low);
    static_cast<void>(element(high, contents_.high));
    if constexpr (is_floating<T>) {
      const double from = low.real(), span = high.real() - from;
      each(to, [&](std::size_t) { return T(from + span * random_.uniform()); });
    } else if (type_.is_bool) {
      const bool both = low.to_bool() != high.to_bool();
      each(to, [&](std::size_t) { return both ? element_of_bool(random_.uniform() >= 0.5) : first; });
    } else {
      const WholeNumber from = low.whole(), most = high.whole() - from;
      if (most < 0)
        contents_.high.fail(format("'{}': the largest value is below the smallest", argument_.name));
      const double span = static_cast<double>(most) + 1;
      each(to, [&](std::size_t) {
        return static_cast<T>(from + std::min(static_cast<WholeNumber>(span * random_.uniform()), most));
      });
    }
  }

  void fill_sequence(std::span<T> to) const {
    const FormulaValue first = contents_.value.value(scope_), step = contents_.step.value(scope_);
    if (is_floating<T> || first.is_real() || step.is_real()) {
      const double from = first.real(), by = step.real();
      return each(to, [&](std::size_t i) {
        return element(FormulaValue::of_number(from + by * static_cast<double>(i)), contents_.value);
      });
    }
    const WholeNumber from = first.whole(), by = step.whole();
    each(to, [&](std::size_t i) {
      return element(FormulaValue::of_whole(from + by * static_cast<WholeNumber>(i)), contents_.value);
    });
  }

  void fill_formula(std::span<T> to) const {
    const Expression& formula = *contents_.formula;
    FormulaValue::List results;
    each(to, [&](std::size_t i) {
      if (i % at_once == 0) results = formula.elements(scope_, i, std::min(i + at_once, to.size()));
      return element(results[i % at_once], formula);
    });
  }

  /// Numbers of the program lose their fraction, as in a conversion of C++.
  T of_function(std::size_t i) const {
    const ExactNumber given =
        contents_.limit ? contents_.limit(i, scope_.instance()) : contents_.function(i, seed_);
    const double number = std::visit([](auto one) { return static_cast<double>(one); }, given);
    std::optional<T> made;
    if (type_.is_bool) return element_of_bool(number >= 1);
    if constexpr (is_floating<T>)
      made = fitting_real<T>(number);
    else if (const auto* whole = std::get_if<std::int64_t>(&given))
      made = fitting_whole<T>(*whole);
    else if (const auto* natural = std::get_if<std::uint64_t>(&given))
      made = fitting_whole<T>(*natural);
    else if (std::abs(number) <= 0x1p64)
      made = fitting_whole<T>(static_cast<WholeNumber>(std::trunc(number)));
    if (!made)
      argument_.place.fail(
          format("'{}': element {}: {}", argument_.name, i,
                 misfit_of(type_, FormulaValue(is_floating<T> ? number : std::trunc(number)))));
    return *made;
  }

  const Contents& contents_;
  const Argument& argument_;
  const TypeName& type_;
  const ExpressionScope& scope_;
  std::uint64_t seed_;
  search::Random random_;
};

/// Names of sizes and settings in braces become their values: `x_{n}.bin`.
std::filesystem::path file_at(const Contents& contents, const ExpressionScope& scope) {
  std::string path = contents.file.string();
  for (const auto& [name, word] : scope.words())
    for (std::size_t at = path.find("{" + name + "}"); at != std::string::npos;
         at = path.find("{" + name + "}", at + word.size()))
      path.replace(at, name.size() + 2, word);
  return path;
}

/// `may_be_longer`: for a size other than the file's, whose first elements are taken.
void read_file(HostTensor& tensor, const std::filesystem::path& file, const Argument& argument,
               bool may_be_longer) {
  if (is_other_than_file(file)) argument.place.fail(format("{} is not a regular file", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in) argument.place.fail(format("cannot read {}", file.string()));
  const std::span<std::byte> bytes = tensor.bytes();
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const auto read = static_cast<std::size_t>(in.gcount());
  if (read != bytes.size() || (!may_be_longer && in.peek() != std::ifstream::traits_type::eof()))
    argument.place.fail(format("{} has {} bytes than the {} that '{}' takes", file.string(),
                               read < bytes.size() ? "fewer" : "more", bytes.size(), argument.name));
}

}  // namespace

HostTensor make_tensor(const Contents& contents, const Argument& argument, const TypeName& type,
                       const Extents& extents, std::uint64_t seed, const ExpressionScope& scope,
                       bool is_small) {
  HostTensor tensor(type.element, extents);
  if (contents.kind == Contents::Kind::file)
    read_file(tensor, file_at(contents, scope), argument, is_small);
  else if (contents.kind == Contents::Kind::object)
    std::ranges::copy(laid_out(*argument.object, scope).bytes, tensor.bytes().begin());
  else
    with_element(type.element,
                 [&]<class T>(T) { Filling<T>(contents, argument, type, seed, scope).fill(tensor.as<T>()); });
  return tensor;
}

std::string misfit_of(const TypeName& type, const FormulaValue& value) {
  if (!value.is_number()) return format("{} where a number is expected", kind_of(value));
  if (type.is_bool) return {};
  return with_element(type.element, [&]<class T>(T) -> std::string {
    const std::string_view name = to_string(type.element);
    if constexpr (!is_floating<T>)
      if (value.is_real() && std::trunc(value.real()) != value.real())
        return format("{} is not a whole number, which {} needs: write it with floor or int", text_of(value),
                      name);
    try {
      if (fitting<T>(value)) return {};
    } catch (const search::ExprError&) {
      const double real = value.real();
      if (std::abs(real) < 0x1p63)
        return format("{} is a real number that may be rounded: write whole numbers alone for {}",
                      text_of(value), name);
    }
    return format("{} is beyond {}{}", text_of(value), name, range_of<T>());
  });
}

void check_contents(const Argument& argument, const Contents& contents) {
  if (!argument.type) return;  // the type of a setting
  std::vector<const Expression*> numbers;
  if (contents.kind == Contents::Kind::random) numbers = {&contents.low, &contents.high};
  if (contents.kind == Contents::Kind::constant || contents.kind == Contents::Kind::sequence)
    numbers = {&contents.value};
  const ExpressionScope none({}, {});
  for (const Expression* const number : numbers) {
    if (!number->is_constant()) continue;
    const std::string misfit = misfit_of(*argument.type, number->value(none));
    if (!misfit.empty()) number->fail(format("'{}': {}", argument.name, misfit));
  }
}

}  // namespace tune::described
