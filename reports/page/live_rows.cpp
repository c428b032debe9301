// SPDX-License-Identifier: Apache-2.0
#include "reports/page/live_rows.hpp"

#include <cstddef>
#include <utility>

namespace tune::reports {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json runs_of(const std::vector<std::size_t>& numbers) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    runs.push_back({numbers[i], end - i});
    i = end;
  }
  return runs;
}

/// Calls it for each column of the rows that has an entry for each of them.
template<class Rows, class Take>
void each_column(Rows& rows, const Take& take) {
  for (auto& [name, column] : rows.items())
    if (name == "levels")
      for (auto& levels : column) take(levels);
    else if (name != "tied")
      take(column);
}

/// What is in the row: the same while the row is, wherever it lies and whatever other values there are.
std::string row_text(const Json& body, std::size_t row) {
  Json cells = Json::array();
  for (const auto& [name, column] : body["rows"].items())
    if (name != "levels" && name != "tied") cells.push_back(column[row]);
  for (std::size_t p = 0; p < body["parameters"].size(); ++p) {
    const int level = body["rows"]["levels"][p][row];
    if (level < 0) continue;
    cells.push_back(body["parameters"][p]["name"]);
    cells.push_back(body["parameters"][p]["values"][static_cast<std::size_t>(level)]);
  }
  return dumped(cells);
}

}  // namespace

std::string LiveRows::take(const std::string& body, std::int64_t version) {
  body_ = Json::parse(body);
  numbers_.clear();
  const std::size_t rows = body_["rows"]["value"].size();
  for (std::size_t row = 0; row < rows; ++row) {
    const auto [place, is_new] = known_.try_emplace(row_text(body_, row), versions_.size());
    if (is_new) versions_.push_back(version);
    numbers_.push_back(place->second);
  }
  body_["numbers"] = runs_of(numbers_);
  return dumped(body_);
}

std::string LiveRows::since(std::int64_t version) const {
  Json body = body_;
  std::vector<std::size_t> fresh;
  for (const std::size_t number : numbers_)
    if (versions_[number] > version) fresh.push_back(number);
  each_column(body["rows"], [&](Json& column) {
    Json kept = Json::array();
    for (std::size_t row = 0; row < numbers_.size(); ++row)
      if (versions_[numbers_[row]] > version) kept.push_back(std::move(column[row]));
    column = std::move(kept);
  });
  body["fresh"] = runs_of(fresh);
  return dumped(body);
}

}  // namespace tune::reports
