// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/resident_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

constexpr unsigned phase = 0x80000000U;

constexpr int poison = 0xff;

}  // namespace

std::string GridCounter::arrive(unsigned* counter) {
  if (std::exchange(any_, true))
    return counter == counter_ ? std::string() : "blocks use different counters at a barrier of the grid";
  counter_ = counter;
  if (counter == nullptr || (*counter & ~phase) == 0) return {};
  return format(
      "the counter of the grid's barrier holds {:#x}: it must begin as zero "
      "(a scratch buffer with Fill::zero) and belong to the barrier alone",
      *counter);
}

void GridCounter::release() {
  if (std::exchange(any_, false) && counter_ != nullptr) *counter_ ^= phase;
}

void ResidentBlocks::begin_launch(const Launch& launch, tune_emulator::Indices& indices,
                                  std::vector<std::span<char>> shared) {
  grid_ = launch.grid;
  threads_ = static_cast<unsigned>(launch.block.count());
  cooperative_ = launch.cooperative;
  indices_ = &indices;
  shared_ = std::move(shared);
  counter_.begin_launch();
  const std::uint64_t together = cooperative_ ? grid_.count() : 1;
  stacks_.provide(static_cast<int>(together * threads_));
  if (blocks_.size() > together) blocks_.resize(together);
}

bool ResidentBlocks::run(Order order, const Kernel& kernel, const std::function<bool()>& stop) {
  return cooperative_ ? run_together(order, kernel, stop) : run_in_turn(order, kernel, stop);
}

bool ResidentBlocks::run_in_turn(Order order, const Kernel& kernel, const std::function<bool()>& stop) {
  const std::uint64_t blocks = grid_.count();
  for (std::uint64_t i = 0; i < blocks; ++i) {
    ResidentBlock& block = place(order == Order::forward ? i : blocks - 1 - i, 0);
    begin(block, order, kernel);
    if (block.pause != Pause::ended || stop()) return false;
  }
  return true;
}

bool ResidentBlocks::run_together(Order order, const Kernel& kernel, const std::function<bool()>& stop) {
  const std::size_t blocks = grid_.count();
  for (std::size_t i = 0; i < blocks; ++i) place(order == Order::forward ? i : blocks - 1 - i, i);
  while (true) {
    std::size_t ended = 0, waiting = 0;
    for (const auto& block : blocks_) {
      if (!block->begun)
        begin(*block, order, kernel);
      else if (block->pause == Pause::in_loops)
        resume(*block);
      if (block->pause == Pause::abandoned || stop()) return false;
      ended += block->pause == Pause::ended ? 1 : 0;
      waiting += block->pause == Pause::at_grid_barrier ? 1 : 0;
    }
    if (ended == blocks) return true;
    if (ended + waiting == blocks && !meet(ended)) return false;
  }
}

bool ResidentBlocks::meet(std::size_t ended) {
  if (ended > 0) {
    const auto waits = std::ranges::find(blocks_, Pause::at_grid_barrier, &ResidentBlock::pause);
    const ResidentBlock& block = **waits;
    const Place& place = block.scheduler.barrier_place();
    indices_->block = block.index;
    events_.on_divergence(FindingKind::deadlock, block.scheduler.current(), place,
                          format("{} of {} blocks wait for the whole grid at {}:{}, "
                                 "the others have ended without coming there",
                                 blocks_.size() - ended, blocks_.size(), place.file, place.line));
    return false;
  }
  if (memory_ != nullptr) memory_->order().grid_barrier();
  counter_.release();
  for (const auto& block : blocks_) block->pause = Pause::in_loops;  // makes all runnable
  return true;
}

ResidentBlock& ResidentBlocks::place(std::uint64_t number, std::size_t room) {
  if (room == blocks_.size()) blocks_.push_back(std::make_unique<ResidentBlock>(events_, stacks_));
  ResidentBlock& block = *blocks_[room];
  block.number = static_cast<std::uint32_t>(number);
  block.index = {static_cast<unsigned>(number % grid_.x), static_cast<unsigned>(number / grid_.x % grid_.y),
                 static_cast<unsigned>(number / grid_.x / grid_.y)};
  block.shadows.clear();
  block.begun = false;
  return block;
}

void ResidentBlocks::begin(ResidentBlock& block, Order order, const Kernel& kernel) {
  current_ = &block;
  block.begun = true;
  indices_->block = block.index;
  block.copies.begin_block(threads_);
  block.products.begin_block(threads_);
  block.barriers.begin_block();
  for (const std::span<char>& array : shared_) std::memset(array.data(), poison, array.size());
  if (memory_ != nullptr) {
    if (cooperative_) memory_->exchange_shared(block.shadows);
    memory_->order().begin_block(block.number, threads_);
  }
  running_ = true;
  block.pause = block.scheduler.run(threads_, order, cooperative_, kernel);
  running_ = false;
  if (cooperative_) keep(block);
}

void ResidentBlocks::resume(ResidentBlock& block) {
  current_ = &block;
  indices_->block = block.index;
  const char* kept = block.shared.data();
  for (const std::span<char>& array : shared_) {
    std::copy_n(kept, array.size(), array.data());
    kept += array.size();
  }
  if (memory_ != nullptr) {
    memory_->exchange_shared(block.shadows);
    memory_->order().resume(block.order);
  }
  running_ = true;
  block.pause = block.scheduler.resume();
  running_ = false;
  keep(block);
}

void ResidentBlocks::keep(ResidentBlock& block) {
  block.shared.clear();
  for (const std::span<char>& array : shared_)
    block.shared.insert(block.shared.end(), array.begin(), array.end());
  if (memory_ == nullptr) return;
  memory_->exchange_shared(block.shadows);
  memory_->order().leave(block.order);
}

}  // namespace tune::emulator
