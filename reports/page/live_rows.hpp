// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tune::reports {

/// The rows of one work while it grows, for pages that already have some of them. A row keeps its number,
/// although rows are sorted and new ones come between.
class LiveRows {
 public:
  /// Takes the newest body (PageSection::body), which came with `version`. Returns it with the member
  /// `numbers` of its rows: pairs of a first number and how many follow each other.
  std::string take(const std::string& body, std::int64_t version);
  /// The body for a page that has the rows of `version`: `rows` has only those that came later, and `fresh`
  /// has their numbers.
  std::string since(std::int64_t version) const;

 private:
  nlohmann::ordered_json body_;
  std::map<std::string, std::size_t> known_;  ///< the number of a row by its text
  std::vector<std::int64_t> versions_;        ///< of each number: when it came
  std::vector<std::size_t> numbers_;          ///< of the rows, in their order
};

}  // namespace tune::reports
