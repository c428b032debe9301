// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/memory_order.hpp"

#include <algorithm>

namespace tune::emulator {
namespace {

using List = MemoryOrder::Block::List;
using Published = MemoryOrder::Block::Published;

void add(List& list, const Published& more) {
  const auto known = std::ranges::find(list, more.block, &Published::block);
  if (known == list.end())
    list.push_back(more);
  else
    known->epoch = std::max(known->epoch, more.epoch);
}

void add(List& list, const List& more) {
  for (const Published& one : more) add(list, one);
}

/// Takes the later one of each clock; `more` may have more of them.
void add(std::vector<std::uint16_t>& clocks, const std::vector<std::uint16_t>& more) {
  if (clocks.size() < more.size()) clocks.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) clocks[i] = std::max(clocks[i], more[i]);
}

bool covers(const List& list, std::uint32_t block, std::uint32_t epoch) {
  const auto known = std::ranges::find(list, block, &Published::block);
  return known != list.end() && epoch <= known->epoch;
}

}  // namespace

void MemoryOrder::begin_plan() {
  epoch_ = 0;
  begin_launch();
}

void MemoryOrder::begin_launch() {
  launch_first_ = ordered_before_ = epoch_ + 1;
  cluster_first_ = cluster_ordered_ = 0;
  turns_.clear();
  variables_.clear();
}

void MemoryOrder::begin_turn() {
  turn_first_ = ++epoch_;
  turns_.push_back({epoch_, block_.number});
}

void MemoryOrder::begin_block(std::uint32_t number, unsigned threads) {
  block_.number = number;
  begin_turn();
  block_.first = block_.barrier = epoch_;
  block_.clocks.assign(threads, Block::Clocks{});
  block_.any_clock = false;
  block_.known.clear();
  block_.fenced.assign(threads, 0);
  block_.pending.assign(threads, {});
  block_.acquired.assign(threads, {});
  block_.all_acquired.clear();
}

void MemoryOrder::resume(Block& kept) {
  std::swap(kept, block_);
  if (block_.barrier >= std::max(ordered_before_, cluster_ordered_)) return begin_turn();
  // The grid or the cluster has met since: everything before is ordered. Of other clusters the block knows
  // what it knew.
  const std::uint32_t first = block_.first;
  Block::List acquired = std::move(block_.all_acquired);
  for (const Block::List& seen : block_.acquired) add(acquired, seen);
  begin_block(block_.number, static_cast<unsigned>(block_.clocks.size()));
  block_.first = first;
  block_.all_acquired = std::move(acquired);
}

void MemoryOrder::barrier() {
  block_.barrier = ++epoch_;
  if (block_.any_clock) std::ranges::fill(block_.clocks, Block::Clocks{});
  block_.any_clock = false;
  block_.known.clear();
  for (List& seen : block_.acquired) {
    add(block_.all_acquired, seen);
    seen.clear();
  }
}

void MemoryOrder::warp_sync(unsigned warp, unsigned lanes) {
  block_.any_clock = true;
  const std::size_t first = std::size_t{warp} * 32;
  Block::Clocks joined{};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    const Block::Clocks& known = block_.clocks[first + lane];
    for (std::size_t i = 0; i < 32; ++i) joined[i] = std::max(joined[i], known[i]);
    // All lanes know what the lane did so far, but not what it does from now on.
    if (known[lane] < 0xffff) joined[lane] = static_cast<std::uint16_t>(known[lane] + 1);
  }
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1U) block_.clocks[first + lane] = joined;
  if (block_.known.empty()) return;
  std::vector<std::uint16_t> all;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1U) add(all, block_.known[first + lane]);
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1U) block_.known[first + lane] = all;
}

/// Forgets everything before the last __syncthreads, which orders it and resets the clocks.
void MemoryOrder::renew(Known& known) const {
  if (known.barrier == block_.barrier) return;
  known = Known{block_.barrier, 0, {}};
  known.clocks.assign(block_.clocks.size() + max_agents, 0);
}

void MemoryOrder::release(unsigned thread, Known& known) {
  renew(known);
  Block::Clocks& own = block_.clocks[thread];
  if (own[thread % 32] < 0xffff) ++own[thread % 32];
  block_.any_clock = true;
  const std::size_t first = thread / 32 * 32;
  for (std::size_t lane = 0; lane < 32 && first + lane < block_.clocks.size(); ++lane)
    known.clocks[first + lane] = std::max(known.clocks[first + lane], own[lane]);
  if (!block_.known.empty()) add(known.clocks, block_.known[thread]);
}

void MemoryOrder::acquire(unsigned thread, const Known& known) {
  if (known.barrier != block_.barrier) return;
  if (block_.known.empty()) block_.known.resize(block_.clocks.size());
  add(block_.known[thread], known.clocks);
  const std::size_t first = thread / 32 * 32;
  for (std::size_t lane = 0; lane < 32 && first + lane < block_.clocks.size(); ++lane)
    if (first + lane != thread)
      block_.clocks[thread][lane] = std::max(block_.clocks[thread][lane], known.clocks[first + lane]);
  block_.any_clock = true;
}

MemoryAccess MemoryOrder::copied(unsigned agent, Known& known) {
  renew(known);
  const std::uint16_t clock = known.copies;
  if (known.copies < 0xfffe) ++known.copies;
  known.clocks[block_.clocks.size() + agent] = static_cast<std::uint16_t>(clock + 1);
  return {epoch_, static_cast<std::uint16_t>(first_agent + agent), clock};
}

void MemoryOrder::Known::add(const Known& more) {
  if (barrier != more.barrier) {
    *this = more;
    return;
  }
  emulator::add(clocks, more.clocks);
}

void MemoryOrder::fence(unsigned thread) {
  block_.fenced[thread] = epoch_;
  add(block_.acquired[thread], block_.pending[thread]);
  block_.pending[thread].clear();
}

void MemoryOrder::atomic(unsigned thread, const void* variable, bool writes) {
  auto found = std::ranges::find(variables_, variable, &Variable::address);
  if (found == variables_.end()) {
    if (!writes || block_.fenced[thread] == 0) return;
    variables_.push_back({variable, {}});
    found = variables_.end() - 1;
  }
  add(block_.pending[thread], found->seen);
  if (!writes || block_.fenced[thread] == 0) return;
  // Also passes on what the thread knows of other blocks.
  add(found->seen, {block_.number, block_.fenced[thread]});
  add(found->seen, block_.acquired[thread]);
  add(found->seen, block_.all_acquired);
}

Unordered MemoryOrder::before_turn(const MemoryAccess& earlier, unsigned thread) const {
  const std::uint32_t block = block_of(earlier);
  // The running block's own access in an earlier turn; other blocks ran in between.
  if (block == block_.number)
    return earlier.epoch < block_.barrier ? Unordered::no : since_barrier(earlier, thread);
  const bool known = covers(block_.all_acquired, block, earlier.epoch) ||
                     covers(block_.acquired[thread], block, earlier.epoch);
  return known ? Unordered::no : Unordered::between_blocks;
}

std::uint32_t MemoryOrder::block_of(const MemoryAccess& access) const {
  const auto after = std::ranges::upper_bound(turns_, access.epoch, {}, &Turn::first);
  return (after - 1)->block;
}

}  // namespace tune::emulator
