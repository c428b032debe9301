// SPDX-License-Identifier: Apache-2.0
#include "reports/data/csv_lines.hpp"

#include <iterator>
#include <ostream>

namespace tune::reports {
namespace {

/// True for a cell that a spreadsheet would compute; numbers are no formulas.
bool is_formula(std::string_view cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos) return false;
  double number = 0;
  const char* end = cell.data() + cell.size();
  const auto read = std::from_chars(cell.data(), end, number);
  return read.ec != std::errc() || read.ptr != end;
}

}  // namespace

void CsvLines::text(std::string_view cell) {
  separate();
  const bool formula = is_formula(cell);
  const bool quoted = cell.find_first_of(",\"\n\r") != std::string_view::npos;
  if (quoted) text_ += '"';
  if (formula) text_ += '\'';
  if (!quoted) {
    text_ += cell;
    return;
  }
  for (const char c : cell) text_.append(c == '"' ? 2 : 1, c);
  text_ += '"';
}

void CsvLines::end_line() {
  constexpr std::size_t part = 1 << 16;  // one by one, half a second for a million
  text_ += '\n';
  first_ = true;
  if (text_.size() >= part) write();
}

void CsvLines::write() {
  out_.write(text_.data(), std::ssize(text_));
  text_.clear();
}

}  // namespace tune::reports
