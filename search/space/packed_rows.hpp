// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tune::search {

/// A table of small numbers ("digits"), one row a configuration and one column a parameter, in increasing
/// lexical order. The digits of a row are packed into as few 64-bit words as they need (nearly always one),
/// first column highest, so that rows compare like numbers and finding one is a binary search: no hash table
/// is needed.
class PackedRows {
 public:
  using Digit = std::uint32_t;
  using Row = std::uint64_t;

  /// Rows begin .. end-1.
  struct Range {
    Row begin = 0;
    Row end = 0;
    bool empty() const { return begin == end; }
  };

  PackedRows() = default;
  /// `radices`: for each column, one more than its largest digit.
  explicit PackedRows(std::span<const Digit> radices);

  /// Adds a row, which must come after all others in lexical order.
  void append(std::span<const Digit> digits);

  Row size() const { return size_; }
  std::size_t columns() const { return columns_.size(); }
  Range all() const { return {0, size_}; }

  Digit digit(Row row, std::size_t column) const {
    const Column& place = columns_[column];
    return static_cast<Digit>(words_[row * words_per_row_ + place.word] >> place.shift) & place.mask;
  }
  void unpack(Row row, std::span<Digit> digits) const;

  /// The rows in `range` with this digit, where all rows in `range` agree in the columns before. O(log size).
  Range narrow(Range range, std::size_t column, Digit digit) const;
  /// O(log size).
  std::optional<Row> find(std::span<const Digit> digits) const;

 private:
  struct Column {
    std::uint32_t word;
    std::uint32_t shift;
    Digit mask;
  };

  void pack(std::span<const Digit> digits, std::span<std::uint64_t> words) const;

  std::vector<Column> columns_;
  std::size_t words_per_row_ = 1;
  Row size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace tune::search
