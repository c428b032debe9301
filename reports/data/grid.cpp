// SPDX-License-Identifier: Apache-2.0
#include "reports/data/grid.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string_view>

namespace tune::reports {

void Grid::add(std::vector<std::string> cells) {
  if (!rows_.empty() && cells.size() != rows_.front().size())
    throw std::logic_error("a row has other cells than the header");
  rows_.push_back(std::move(cells));
}

std::string Grid::text(const std::string& indent) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (std::size_t i = 0; i < widths.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string Grid::markdown() const {
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    text += '|';
    for (const std::string& cell : rows_[r]) text += ' ' + markdown_text(cell) + " |";
    text += '\n';
    if (r > 0) continue;
    text += '|';
    for (std::size_t i = 0; i < rows_[r].size(); ++i) text += "---|";
    text += '\n';
  }
  return text;
}

std::string markdown_text(const std::string& text) {
  const auto in_word = [&text](std::size_t i) {
    const auto letter = [&text](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    return i > 0 && letter(i - 1) && letter(i + 1);
  };
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // An underscore within a word (block_x) is one to every reader.
    const bool special = std::string_view("\\`*_|<>[]").find(text[i]) != std::string_view::npos;
    if (special && !(text[i] == '_' && in_word(i))) escaped += '\\';
    escaped += text[i] == '\n' ? ' ' : text[i];
  }
  return escaped;
}

}  // namespace tune::reports
