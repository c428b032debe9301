// SPDX-License-Identifier: Apache-2.0
// The values of the library's interface and its only exception. C++17, with headers of the standard library
// alone.
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

/// The folder in which tune is installed, which has `bin/tune` and `share/tune/recordings`: a static library
/// does not find it by itself, so that packages define it. Empty elsewhere.
#ifdef TUNE_INSTALLED_IN
constexpr const char* installed_in = TUNE_INSTALLED_IN;
#else
constexpr const char* installed_in = "";
#endif

/// Thrown for wrong use and for a broken environment (no device, a full disk); `what()` is one line that
/// names the cure. No other exception but std::bad_alloc leaves the library. A configuration that does not
/// compile, is wrong or crashes does not throw: it is an Evaluation with a failure.
class TUNE_API Error : public std::runtime_error {
 public:
  enum class Cause { wrong_use, environment };

  explicit Error(const std::string& what, Cause cause = Cause::wrong_use)
      : std::runtime_error(what), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// A value of a parameter or setting: a truth value, an integer, a real number or a text.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// A value as it may be written in code: 32, 0.5, true, "tiled".
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

/// Values by name, in the order in which they were set: a configuration (one value for each parameter that
/// exists in it), or sizes and settings. Names are unique.
class TUNE_API Values {
 public:
  Values() = default;
  Values(std::initializer_list<std::pair<std::string, AnyValue>> values);

  /// Returns the value as an integer; true is 1. Throws Error for an unknown name (it names the nearest one),
  /// a text, or a number that is not whole.
  std::int64_t operator[](const std::string& name) const;
  /// Returns the value as a real number; true is 1. Throws Error for an unknown name or a text.
  double real(const std::string& name) const;
  /// Returns the text, valid until the values change. Throws Error for an unknown name or a value that is not
  /// a text.
  const std::string& text(const std::string& name) const;
  /// Returns the truth of the value as in Python: not zero, not empty. Throws Error for an unknown name.
  bool flag(const std::string& name) const;
  /// Returns the value, valid until the values change. Throws Error for an unknown name.
  const Value& at(const std::string& name) const;
  /// True when there is a value of that name.
  bool has(const std::string& name) const;
  /// Adds the name, or replaces its value; returns these values.
  Values& set(const std::string& name, AnyValue value);

  /// Returns all names with their values, in order.
  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
  /// Returns `BLOCK=128, UNROLL=4`.
  std::string to_string() const;
  /// True for the same names with the same values, in any order.
  friend TUNE_API bool operator==(const Values& a, const Values& b);
  friend bool operator!=(const Values& a, const Values& b) { return !(a == b); }

 private:
  std::vector<std::pair<std::string, Value>> entries_;
};

/// A configuration: one value for each parameter that exists.
using Configuration = Values;
/// Sizes (`n`, in elements) and settings (`real`) by name.
using Sizes = Values;

}  // namespace tune::api
