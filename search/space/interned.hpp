// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tune::search {

/// Sequences of words, each kept once and numbered from 0 in the order in which they came. Nothing is taken
/// for equal by a hash alone.
class Interned {
 public:
  struct Found {
    std::uint32_t number;
    bool added;  ///< whether it was not there before
  };

  Interned() : begins_{0}, slots_(64) {}

  Found intern(std::span<const std::uint32_t> words);
  std::size_t size() const { return begins_.size() - 1; }

 private:
  std::span<const std::uint32_t> sequence(std::uint32_t number) const {
    return std::span(words_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }
  void grow();

  std::vector<std::uint32_t> words_;   ///< all sequences, one behind the other
  std::vector<std::uint64_t> begins_;  ///< of each, and the end of the last
  std::vector<std::uint32_t> slots_;   ///< open addressing: number + 1, 0 where free; a power of two
};

}  // namespace tune::search
