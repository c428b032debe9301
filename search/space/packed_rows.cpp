// SPDX-License-Identifier: Apache-2.0
#include "search/space/packed_rows.hpp"

#include <algorithm>
#include <bit>

namespace tune::search {

PackedRows::PackedRows(std::span<const Digit> radices) {
  constexpr std::uint32_t kWordBits = 64;
  std::uint32_t word = 0;
  std::uint32_t used = 0;
  for (const Digit radix : radices) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(radix - 1));
    if (used + bits > kWordBits) {
      ++word;
      used = 0;
    }
    used += bits;
    // A column without bits at the very bottom must not shift by a whole word.
    const std::uint32_t shift = bits == 0 ? 0 : kWordBits - used;
    const auto mask = static_cast<Digit>((std::uint64_t{1} << bits) - 1);
    columns_.push_back({word, shift, mask});
  }
  words_per_row_ = word + 1;
}

void PackedRows::pack(std::span<const Digit> digits, std::span<std::uint64_t> words) const {
  std::ranges::fill(words, 0);
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const Column& place = columns_[column];
    words[place.word] |= std::uint64_t{digits[column]} << place.shift;
  }
}

void PackedRows::append(std::span<const Digit> digits) {
  words_.resize(words_.size() + words_per_row_);
  pack(digits, std::span(words_).last(words_per_row_));
  ++size_;
}

void PackedRows::unpack(Row row, std::span<Digit> digits) const {
  for (std::size_t column = 0; column < columns_.size(); ++column) digits[column] = digit(row, column);
}

PackedRows::Range PackedRows::narrow(Range range, std::size_t column, Digit wanted) const {
  const auto first_not_below = [&](Row begin, Row end, std::uint64_t bound) {
    while (begin < end) {
      const Row middle = begin + (end - begin) / 2;
      if (digit(middle, column) < bound) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  };
  const Row begin = first_not_below(range.begin, range.end, wanted);
  return {begin, first_not_below(begin, range.end, std::uint64_t{wanted} + 1)};
}

std::optional<PackedRows::Row> PackedRows::find(std::span<const Digit> digits) const {
  std::vector<std::uint64_t> wanted(words_per_row_);
  pack(digits, wanted);
  const auto row_words = [this](Row row) {
    return std::span(words_).subspan(row * words_per_row_, words_per_row_);
  };
  Row begin = 0;
  Row end = size_;
  while (begin < end) {
    const Row middle = begin + (end - begin) / 2;
    if (std::ranges::lexicographical_compare(row_words(middle), wanted)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == size_ || !std::ranges::equal(row_words(begin), wanted)) return std::nullopt;
  return begin;
}

}  // namespace tune::search
