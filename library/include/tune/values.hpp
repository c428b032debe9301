// SPDX-License-Identifier: Apache-2.0
// What the library's interface is made of: named values and the one kind of exception. C++17, no header but
// the standard library's.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#if defined(__GNUC__)
#define TUNE_API __attribute__((visibility("default")))
#else
#define TUNE_API
#endif

namespace tune::api {

/// Wrong use, or an environment that is broken (no device, a full disk): `what()` is one line that names the
/// cure. The only exception that leaves the library, but for lack of memory. That a configuration does not
/// compile, is wrong or crashes is no exception but an Evaluation with a failure.
class TUNE_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value of a parameter or setting: a truth value, a whole or real number, a text.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// What may be written where a value is wanted: 32, 0.5, true, "tiled".
class TUNE_API AnyValue {
 public:
  AnyValue(bool given) : value(given) {}
  AnyValue(int given) : value(std::int64_t{given}) {}
  AnyValue(long given) : value(static_cast<std::int64_t>(given)) {}
  AnyValue(long long given) : value(static_cast<std::int64_t>(given)) {}
  AnyValue(unsigned given) : value(static_cast<std::int64_t>(given)) {}
  AnyValue(unsigned long given);       ///< throws Error beyond 63 bits
  AnyValue(unsigned long long given);  ///< throws Error beyond 63 bits
  AnyValue(double given) : value(given) {}
  AnyValue(const char* given) : value(std::string(given)) {}
  AnyValue(std::string given) : value(std::move(given)) {}
  AnyValue(Value given) : value(std::move(given)) {}

  Value value;
};

/// Values by name, in order: a configuration (one value for each parameter that exists in it), or sizes and
/// settings.
class TUNE_API Values {
 public:
  Values() = default;
  Values(std::initializer_list<std::pair<std::string, AnyValue>> values);

  /// A whole number; true is 1. Throws Error for an unknown name (it tells the nearest one), a text, or a
  /// number that is not whole.
  std::int64_t operator[](const std::string& name) const;
  /// Any number. Throws Error like the others.
  double real(const std::string& name) const;
  /// Throws Error for what is no text.
  const std::string& text(const std::string& name) const;
  /// Python's truth: not zero, not empty.
  bool flag(const std::string& name) const;
  const Value& at(const std::string& name) const;
  bool has(const std::string& name) const;
  /// Adds the name, or replaces its value.
  Values& set(const std::string& name, AnyValue value);

  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
  /// `BLOCK=128, UNROLL=4`.
  std::string to_string() const;
  /// The same names with the same values, in any order.
  friend TUNE_API bool operator==(const Values& a, const Values& b);
  friend bool operator!=(const Values& a, const Values& b) { return !(a == b); }

 private:
  std::vector<std::pair<std::string, Value>> entries_;
};

/// One value for each parameter that exists.
using Configuration = Values;
/// Sizes (`n`) and settings (`real`).
using Sizes = Values;

}  // namespace tune::api
