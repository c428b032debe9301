// SPDX-License-Identifier: Apache-2.0
#include "reports/data/grid.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string_view>

#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::reports {
namespace {

constexpr std::size_t gap = 2;                                           ///< between columns
constexpr std::size_t always = std::numeric_limits<std::size_t>::max();  ///< is never left out
constexpr std::size_t parameters_from = 1000;                            ///< order of leaving them out

/// A column of a table that has to fit a width.
struct TableColumn {
  std::string name;
  std::vector<std::string> cells;
  bool is_parameter = false;
  std::size_t order = always;  ///< of leaving columns out
  std::size_t width = 0;
};

std::vector<std::string> heading_words(const std::string& name) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find(' ', begin), name.size());
    words.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// As wide as the cells and the longest word of the name.
std::size_t natural_width(const TableColumn& column) {
  std::size_t width = 0;
  for (const std::string& word : heading_words(column.name)) width = std::max(width, shown_width(word));
  for (const std::string& cell : column.cells) width = std::max(width, shown_width(cell));
  return width;
}

/// The name in lines of the column's width, broken between words.
std::vector<std::string> heading_lines(const TableColumn& column) {
  std::vector<std::string> lines;
  for (const std::string& word : heading_words(column.name))
    if (!lines.empty() && shown_width(lines.back()) + 1 + shown_width(word) <= column.width)
      lines.back() += " " + word;
    else
      lines.push_back(word);
  return lines;
}

bool is_constant(const TableColumn& column) {
  return std::ranges::all_of(column.cells, [&](const auto& cell) { return cell == column.cells.front(); });
}

/// A column for each parameter, in the order of declaration as far as the configurations tell it.
std::vector<TableColumn> parameter_columns(const std::vector<search::Configuration>& configurations) {
  std::vector<TableColumn> columns;
  for (std::size_t row = 0; row < configurations.size(); ++row)
    for (const auto& [name, value] : configurations[row].entries()) {
      auto column = std::ranges::find(columns, name, &TableColumn::name);
      if (column == columns.end()) {
        columns.push_back({.name = name,
                           .cells = std::vector<std::string>(configurations.size(), "-"),
                           .is_parameter = true});
        column = std::prev(columns.end());
      }
      column->cells[row] = value.to_string();
    }
  return columns;
}

/// Parameters that have one value in most rows are left out before others; of equal ones the last.
void order_parameters(std::vector<TableColumn>& columns) {
  std::vector<std::pair<std::size_t, TableColumn*>> by_rows;  // that have the most frequent value
  for (TableColumn& column : columns) {
    if (!column.is_parameter) continue;
    std::map<std::string, std::size_t> counts;
    std::size_t most = 0;
    for (const std::string& cell : column.cells) most = std::max(most, ++counts[cell]);
    by_rows.emplace_back(most, &column);
  }
  std::ranges::reverse(by_rows);
  std::ranges::stable_sort(by_rows, std::greater<>(), [](const auto& one) { return one.first; });
  for (std::size_t i = 0; i < by_rows.size(); ++i) by_rows[i].second->order = parameters_from + i;
}

std::size_t total_width(const std::vector<TableColumn>& columns) {
  std::size_t width = 0;
  for (const TableColumn& column : columns) width += column.width + (width > 0 ? gap : 0);
  return width;
}

/// Leaves out columns, those first that tell least, and takes back what fits after all. Returns the names of
/// those that are left out.
std::vector<std::string> leave_out_columns(std::vector<TableColumn>& columns, std::size_t width) {
  std::vector<std::size_t> by_order(columns.size());
  std::iota(by_order.begin(), by_order.end(), std::size_t{0});
  std::ranges::sort(by_order, {}, [&](std::size_t i) { return columns[i].order; });
  std::size_t total = total_width(columns);
  std::vector<bool> out(columns.size());
  std::vector<std::size_t> left_out;
  for (const std::size_t i : by_order) {
    if (total <= width || columns[i].order == always) break;
    total -= columns[i].width + gap;
    out[i] = true;
    left_out.push_back(i);
  }
  for (const std::size_t i : left_out | std::views::reverse) {
    if (total + columns[i].width + gap > width) continue;
    total += columns[i].width + gap;
    out[i] = false;
  }
  std::vector<std::string> names;
  std::vector<TableColumn> kept;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (out[i])
      names.push_back(columns[i].name);
    else
      kept.push_back(std::move(columns[i]));
  columns = std::move(kept);
  return names;
}

/// Makes the widest columns narrower until all fit, as far as that goes.
void narrow_columns(std::vector<TableColumn>& columns, std::size_t width) {
  for (const std::size_t least : {8U, 4U})  // what a text is not cut to less than
    while (total_width(columns) > width) {
      const auto widest = std::ranges::max_element(columns, {}, &TableColumn::width);
      if (widest == columns.end() || widest->width <= least) break;
      --widest->width;
    }
}

/// The text in lines of so many columns, broken between words; one is cut where it is longer.
std::vector<std::string> lines_within(const std::string& text, std::size_t width, const TextStyle& style) {
  std::vector<std::string> lines;
  const std::string all = wrapped(text, 0, width);
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    lines.push_back(style.shortened(all.substr(begin, end - begin), width));
    begin = end + 1;
  }
  return lines;
}

std::string line_of(const std::string& indent, const std::vector<std::string>& cells,
                    const std::vector<TableColumn>& columns) {
  std::string line = indent;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += padded_to(cells[i], columns[i].width) + std::string(gap, ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string headings(const std::string& indent, const std::vector<TableColumn>& columns,
                     const TextStyle& style) {
  std::vector<std::vector<std::string>> names;
  std::size_t height = 0;
  for (const TableColumn& column : columns) {
    names.push_back(heading_lines(column));
    height = std::max(height, names.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < height; ++i) {
    std::vector<std::string> cells;
    for (const auto& lines : names)
      cells.push_back(i + lines.size() < height ? "" : lines[i + lines.size() - height]);
    for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = style.shortened(cells[c], columns[c].width);
    text += style.dim(cut_to(line_of(indent, cells, columns), style.width)) + '\n';
  }
  return text;
}

}  // namespace

void Grid::add(std::vector<std::string> cells) {
  if (!rows_.empty() && cells.size() != rows_.front().size())
    throw std::logic_error("a row has other cells than the header");
  rows_.push_back(std::move(cells));
}

void Grid::add(std::vector<std::string> cells, const search::Configuration& configuration) {
  add(std::move(cells));
  configurations_.push_back(configuration);
}

void Grid::show_only(const std::vector<std::string>& names) {
  if (names.empty() || empty()) return;
  std::vector<TableColumn> all = parameter_columns(configurations_);
  for (std::size_t i = 0; i < rows_.front().size(); ++i) {
    TableColumn column{.name = rows_.front()[i], .cells = {}};
    for (std::size_t row = 1; row < rows_.size(); ++row) column.cells.push_back(rows_[row][i]);
    all.push_back(std::move(column));
  }
  std::vector<std::string> known;
  for (const TableColumn& column : all) {
    known.push_back(column.name);
    std::ranges::replace(known.back(), ' ', '_');
  }
  std::vector<std::vector<std::string>> chosen(rows_.size());
  for (std::string name : names) {
    std::ranges::replace(name, ' ', '_');
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) {
      const auto nearest = search::nearest_name(name, known);
      throw UsageError(
          format("--columns: there is no column '{}'; {}", shortened(name),
                 nearest ? format("did you mean '{}'?", *nearest) : format("there are: {}", joined(known))));
    }
    const TableColumn& column = all[static_cast<std::size_t>(found - known.begin())];
    chosen.front().push_back(column.name);
    for (std::size_t row = 1; row < chosen.size(); ++row) chosen[row].push_back(column.cells[row - 1]);
  }
  rows_ = std::move(chosen);
  configurations_.clear();
  is_chosen_ = true;
}

std::string Grid::text(const std::string& indent, const TextStyle& style) const {
  if (style.width > 0 && !empty()) return fitted(indent, style);
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], shown_width(row[i]));
  std::string text;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (std::size_t i = 0; i < widths.size(); ++i) line += padded_to(row[i], widths[i] + gap);
    line.erase(line.find_last_not_of(' ') + 1);
    text += (&row == &rows_.front() ? style.dim(line) : line) + '\n';
  }
  return text;
}

std::string Grid::fitted(const std::string& indent, const TextStyle& style) const {
  std::vector<TableColumn> all;
  const std::size_t named = rows_.front().size() - (configurations_.empty() ? 0 : 1);
  for (std::size_t i = 0; i < named; ++i) {
    TableColumn column{.name = rows_.front()[i], .cells = {}};
    for (std::size_t row = 1; row < rows_.size(); ++row) column.cells.push_back(rows_[row][i]);
    const auto place = std::ranges::find(least_telling_, column.name);
    if (place != least_telling_.end())
      column.order = static_cast<std::size_t>(place - least_telling_.begin());
    all.push_back(std::move(column));
  }
  for (TableColumn& column : parameter_columns(configurations_)) all.push_back(std::move(column));
  std::vector<TableColumn> columns;
  std::vector<std::string> same, same_parameters;
  for (TableColumn& column : all) {
    const bool moves = !is_chosen_ && (column.is_parameter || (!columns.empty() && rows_.size() > 2));
    const std::string& cell = column.cells.front();
    if (!moves || !is_constant(column))
      columns.push_back(std::move(column));
    else if (column.is_parameter)
      same_parameters.push_back(format("{}={}", column.name, cell));
    else if (!cell.empty() && cell != "-")
      same.push_back(format("{} {}", column.name, cell));
  }
  order_parameters(columns);
  for (TableColumn& column : columns) column.width = natural_width(column);
  const std::size_t width = style.width - std::min(style.width, indent.size());
  const std::vector<std::string> left_out = leave_out_columns(columns, width);
  narrow_columns(columns, width);

  const auto lines = [&](const std::string& words) {
    return style.dim(indent + wrapped(words, indent.size(), style.width)) + '\n';
  };
  std::string text;
  for (std::string& one : same_parameters) same.push_back(std::move(one));
  if (!same.empty())
    text += lines(format("{}: {}", rows_.size() > 2 ? "same in all" : "configuration", joined(same)));
  text += headings(indent, columns, style);
  for (std::size_t row = 0; row + 1 < rows_.size(); ++row) {
    std::vector<std::vector<std::string>> lines_of_cells;
    std::size_t height = 1;
    for (const TableColumn& column : columns) {
      const std::string& cell = column.cells[row];
      lines_of_cells.push_back(column.name == wrapped_ ? lines_within(cell, column.width, style)
                                                       : std::vector{style.shortened(cell, column.width)});
      height = std::max(height, lines_of_cells.back().size());
    }
    for (std::size_t i = 0; i < height; ++i) {
      std::vector<std::string> cells;
      for (const auto& cell : lines_of_cells) cells.push_back(i < cell.size() ? cell[i] : "");
      const std::string line = cut_to(line_of(indent, cells, columns), style.width);
      text += (ranked_ && row == 0 ? style.bold(line) : line) + '\n';
    }
  }
  if (!left_out.empty())
    text += lines(format("{} left out ({}): a wider terminal or '| less -S' shows all",
                         counted(left_out.size(), "column"), joined(left_out)));
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
