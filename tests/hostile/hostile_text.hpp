// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace tune::testing {

/// SplitMix64: the same numbers with every library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// From 0 to `sides` - 1.
  std::size_t roll(std::size_t sides) { return static_cast<std::size_t>(next() % sides); }
  bool one_in(std::size_t sides) { return roll(sides) == 0; }
  std::string_view of(std::span<const std::string_view> all) { return all[roll(all.size())]; }

 private:
  std::uint64_t state_;
};

/// A word that programs stumble over: numbers beyond all types, control characters, bad UTF-8, paths, markup.
std::string hostile_word(Dice& dice);

/// An expression over these names, right or wrong, of a bounded depth.
std::string hostile_expression(Dice& dice, std::span<const std::string_view> names);

/// The text with one to six changes: bytes flipped, parts left out, repeated or exchanged, numbers and words
/// replaced, cut off.
std::string damaged(Dice& dice, std::string text);

}  // namespace tune::testing
