// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::reports {

/// Lines of comma-separated values (RFC 4180, lines end in LF), cell by cell. Text that a spreadsheet would
/// compute gets a quote in front.
class CsvLines {
 public:
  explicit CsvLines(std::ostream& out) : out_(out) {}
  CsvLines(const CsvLines&) = delete;
  CsvLines& operator=(const CsvLines&) = delete;
  ~CsvLines() { write(); }

  void text(std::string_view cell);
  /// Integers, and real numbers in the shortest form that reads back the same.
  template<class Number>
  void number(Number value) {
    separate();
    if constexpr (std::is_integral_v<Number>) {
      std::array<char, 24> digits{};
      text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    } else {
      text_ += format("{}", value);
    }
  }
  /// Several cells with their commas.
  void as_is(std::string_view cells) {
    separate();
    text_ += cells;
  }
  void empty(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) separate();
  }
  /// Empty where it is not known.
  void known_or_empty(double value) { value > 0 ? number(value) : empty(1); }
  void end_line();

 private:
  void write();
  void separate() {
    if (!std::exchange(first_, false)) text_ += ',';
  }

  std::ostream& out_;
  std::string text_;
  bool first_ = true;
};

}  // namespace tune::reports
