// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/grid.hpp"

#include <bit>

namespace tune::search {

namespace {

std::uint64_t reverse_bits(std::uint64_t number, unsigned bits) {
  std::uint64_t reversed = 0;
  for (unsigned bit = 0; bit < bits; ++bit) reversed |= ((number >> bit) & 1) << (bits - 1 - bit);
  return reversed;
}

}  // namespace

GridSearch::GridSearch(const SearchSpace& space)
    : space_(space), bits_(space.empty() ? 0 : static_cast<unsigned>(std::bit_width(space.size() - 1))) {}

std::vector<ConfigurationId> GridSearch::ask(std::size_t count) {
  std::vector<ConfigurationId> batch;
  if (space_.empty() || count == 0) return batch;
  if (!started_) {
    started_ = true;
    const ConfigurationId first = *space_.default_configuration();
    if (skip_.insert(first).second) batch.push_back(first);
  }
  // Fewer than half of the numbers of `bits_` bits are beyond the space.
  while (batch.size() < count && step_ < (std::uint64_t{1} << bits_)) {
    const ConfigurationId id = reverse_bits(step_++, bits_);
    if (id < space_.size() && !skip_.contains(id)) batch.push_back(id);
  }
  return batch;
}

void GridSearch::tell(std::span<const Observation> observations) {
  for (const Observation& observation : observations) skip_.insert(observation.id);
}

}  // namespace tune::search
