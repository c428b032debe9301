// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tune::cli {

/// A table for a terminal: columns as wide as their widest cell, two spaces between, no line around.
class Table {
 public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }
  /// As many cells as the header has.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tune::cli
