// SPDX-License-Identifier: Apache-2.0
#include "tuner/emulator/memory_order.hpp"

#include <algorithm>

namespace tune::emulator {

void MemoryOrder::begin_plan() {
  epoch_ = 0;
  begin_launch();
}

void MemoryOrder::begin_launch() {
  launch_first_ = epoch_ + 1;
  block_begins_.clear();
  variables_.clear();
}

void MemoryOrder::begin_block(unsigned threads) {
  block_first_ = ++epoch_;
  block_begins_.push_back(epoch_);
  clocks_.assign(threads, Clocks{});
  any_clock_ = false;
  fenced_.assign(threads, 0);
  pending_.assign(threads, {});
  acquired_.assign(threads, {});
  block_acquired_.clear();
}

void MemoryOrder::barrier() {
  ++epoch_;
  if (any_clock_) std::ranges::fill(clocks_, Clocks{});
  any_clock_ = false;
  for (auto& seen : acquired_) {
    block_acquired_.insert(block_acquired_.end(), seen.begin(), seen.end());
    seen.clear();
  }
}

void MemoryOrder::warp_sync(unsigned warp, unsigned lanes) {
  any_clock_ = true;
  const std::size_t first = std::size_t{warp} * 32;
  Clocks joined{};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    const Clocks& known = clocks_[first + lane];
    for (std::size_t i = 0; i < 32; ++i) joined[i] = std::max(joined[i], known[i]);
    // What the lane did so far is known to all of them; what it does from now on is not.
    if (known[lane] < 0xffff) joined[lane] = static_cast<std::uint16_t>(known[lane] + 1);
  }
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1U) clocks_[first + lane] = joined;
}

void MemoryOrder::fence(unsigned thread) {
  fenced_[thread] = epoch_;
  auto& pending = pending_[thread];
  acquired_[thread].insert(acquired_[thread].end(), pending.begin(), pending.end());
  pending.clear();
}

void MemoryOrder::atomic(unsigned thread, const void* variable, bool writes) {
  auto found = std::ranges::find(variables_, variable, &Variable::address);
  if (found == variables_.end()) {
    if (!writes || fenced_[thread] == 0) return;
    variables_.push_back({variable, {}});
    found = variables_.end() - 1;
  }
  auto& pending = pending_[thread];
  for (const Published& published : found->seen)
    if (published.block != block()) pending.push_back(published);
  if (writes && fenced_[thread] != 0) found->seen.push_back({block(), fenced_[thread]});
}

bool MemoryOrder::acquired(const Access& earlier, unsigned thread) const {
  const std::uint32_t block = block_of(earlier);
  const auto covers = [&](const Published& published) {
    return published.block == block && earlier.epoch <= published.epoch;
  };
  return std::ranges::any_of(block_acquired_, covers) || std::ranges::any_of(acquired_[thread], covers);
}

std::uint32_t MemoryOrder::block_of(const Access& access) const {
  const auto after = std::ranges::upper_bound(block_begins_, access.epoch);
  return static_cast<std::uint32_t>(after - block_begins_.begin()) - 1;
}

}  // namespace tune::emulator
