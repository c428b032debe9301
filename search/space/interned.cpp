// SPDX-License-Identifier: Apache-2.0
#include "search/space/interned.hpp"

#include <algorithm>

namespace tune::search {

namespace {

std::uint64_t hash_of(std::span<const std::uint32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

Interned::Found Interned::intern(std::span<const std::uint32_t> words) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(words) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t number = slots_[slot] - 1;
    if (std::ranges::equal(sequence(number), words)) return {number, false};
  }
  const auto number = static_cast<std::uint32_t>(size());
  words_.insert(words_.end(), words.begin(), words.end());
  begins_.push_back(words_.size());
  slots_[slot] = number + 1;
  if (2 * size() > slots_.size()) grow();
  return {number, true};
}

void Interned::grow() {
  slots_.assign(2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t slot = hash_of(sequence(number)) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

}  // namespace tune::search
