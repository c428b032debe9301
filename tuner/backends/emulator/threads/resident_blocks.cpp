// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/resident_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

constexpr unsigned phase = 0x80000000U;

constexpr int shared_poison = 0xff;

/// Kept arrays begin at a multiple of this, plus what the array's own address has beyond one.
constexpr std::size_t shared_alignment = 1024;

std::size_t beyond_multiple(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % shared_alignment;
}

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

void ResidentBlocks::begin_launch(const Launch& launch, const Dim3& cluster, tune_emulator::Indices& indices,
                                  std::vector<std::span<char>> shared) {
  grid_ = launch.grid;
  cluster_ = cluster;
  threads_ = static_cast<unsigned>(launch.block.count());
  cooperative_ = launch.cooperative;
  indices_ = &indices;
  shared_ = std::move(shared);
  kept_ = {0};
  for (const std::span<char>& array : shared_)
    kept_.push_back((kept_.back() + beyond_multiple(array.data()) + array.size() + shared_alignment - 1) /
                    shared_alignment * shared_alignment);
  counter_.begin_launch();
  const std::uint64_t together = cooperative_ ? grid_.count() : cluster_.count();
  together_ = together > 1 || cooperative_;
  stacks_.provide(static_cast<int>(together * threads_));
  if (blocks_.size() > together) blocks_.resize(together);
  if (memory_ != nullptr && cluster_.count() > 1)
    memory_->set_elsewhere([this](const char* address) { return find_remote(address); });
}

bool ResidentBlocks::run(Order order, const Kernel& kernel, const std::function<bool()>& stop) {
  if (!together_) return run_in_turn(order, kernel, stop);
  if (!cooperative_) return run_clusters(order, kernel, stop);
  std::vector<std::uint64_t> all(grid_.count());
  std::iota(all.begin(), all.end(), 0U);
  return run_together(all, order, kernel, stop);
}

bool ResidentBlocks::run_clusters(Order order, const Kernel& kernel, const std::function<bool()>& stop) {
  const Dim3 clusters{grid_.x / cluster_.x, grid_.y / cluster_.y, grid_.z / cluster_.z};
  const std::uint64_t count = clusters.count();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t cluster = order == Order::forward ? i : count - 1 - i;
    const std::uint64_t x = cluster % clusters.x * cluster_.x,
                        y = cluster / clusters.x % clusters.y * cluster_.y,
                        z = cluster / clusters.x / clusters.y * cluster_.z;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t rank = 0; rank < cluster_.count(); ++rank)
      numbers.push_back(
          ((z + rank / cluster_.x / cluster_.y) * grid_.y + y + rank / cluster_.x % cluster_.y) * grid_.x +
          x + rank % cluster_.x);
    if (memory_ != nullptr) memory_->order().begin_cluster();
    if (!run_together(numbers, order, kernel, stop)) return false;
  }
  return true;
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

bool ResidentBlocks::run_together(const std::vector<std::uint64_t>& numbers, Order order,
                                  const Kernel& kernel, const std::function<bool()>& stop) {
  const std::size_t blocks = numbers.size();
  for (std::size_t i = 0; i < blocks; ++i) place(numbers[order == Order::forward ? i : blocks - 1 - i], i);
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
  if (ended > 0 && cooperative_) {
    const auto waits = std::ranges::find(blocks_, Pause::at_grid_barrier, &ResidentBlock::pause);
    const ResidentBlock& block = **waits;
    const Place& place = block.scheduler.barrier_place();
    indices_->block = block.index;
    events_.on_divergence(
        FindingKind::deadlock, block.scheduler.current(), place,
        format("{} of {} blocks wait for the whole grid at {}:{}, the others ended without reaching it",
               blocks_.size() - ended, blocks_.size(), place.file, place.line));
    return false;
  }
  if (memory_ != nullptr && cooperative_) memory_->order().grid_barrier();
  if (memory_ != nullptr && !cooperative_) memory_->order().cluster_barrier();
  counter_.release();
  for (const auto& block : blocks_)
    if (block->pause == Pause::at_grid_barrier) block->pause = Pause::in_loops;  // makes all runnable
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
  if (together_) block.shared.assign(kept_.back() + shared_alignment, static_cast<char>(shared_poison));
  return block;
}

void ResidentBlocks::begin(ResidentBlock& block, Order order, const Kernel& kernel) {
  current_ = &block;
  block.begun = true;
  indices_->block = block.index;
  block.copies.begin_block(threads_);
  block.products.begin_block(threads_);
  block.barriers.begin_block();
  for (const std::span<char>& array : shared_) std::memset(array.data(), shared_poison, array.size());
  if (memory_ != nullptr) {
    if (together_) memory_->exchange_shared(block.shadows);
    memory_->order().begin_block(block.number, threads_);
  }
  running_ = true;
  block.pause = block.scheduler.run(threads_, order, together_, kernel);
  running_ = false;
  if (together_) keep(block);
}

void ResidentBlocks::resume(ResidentBlock& block) {
  current_ = &block;
  indices_->block = block.index;
  for (std::size_t i = 0; i < shared_.size(); ++i)
    std::copy_n(kept_at(block, i), shared_[i].size(), shared_[i].data());
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
  for (std::size_t i = 0; i < shared_.size(); ++i) std::ranges::copy(shared_[i], kept_at(block, i));
  if (memory_ == nullptr) return;
  memory_->exchange_shared(block.shadows);
  memory_->order().leave(block.order);
}

char* ResidentBlocks::kept_at(ResidentBlock& block, std::size_t array) const {
  char* const first = block.shared.data();
  return first + (shared_alignment - beyond_multiple(first)) % shared_alignment + kept_[array] +
         beyond_multiple(shared_[array].data());
}

char* ResidentBlocks::in_cluster(char* address, unsigned rank) {
  const Index3 own = current_->index;
  const Index3 wanted = {own.x / cluster_.x * cluster_.x + rank % cluster_.x,
                         own.y / cluster_.y * cluster_.y + rank / cluster_.x % cluster_.y,
                         own.z / cluster_.z * cluster_.z + rank / cluster_.x / cluster_.y};
  const std::uint64_t number = (std::uint64_t{wanted.z} * grid_.y + wanted.y) * grid_.x + wanted.x;
  for (std::size_t i = 0; rank < cluster_.count() && i < shared_.size(); ++i) {
    if (address < shared_[i].data() || address >= shared_[i].data() + shared_[i].size()) continue;
    if (number == current_->number) return address;
    for (const auto& block : blocks_)
      if (block->number == number) return kept_at(*block, i) + (address - shared_[i].data());
  }
  return nullptr;
}

unsigned ResidentBlocks::rank_of(const Index3& block) const {
  return (block.z % cluster_.z * cluster_.y + block.y % cluster_.y) * cluster_.x + block.x % cluster_.x;
}

unsigned ResidentBlocks::rank_of(const char* address) {
  const std::optional<RemoteShared> remote = find_remote(address);
  if (!remote) return rank_of(current_->index);
  return rank_of(
      (*std::ranges::find(blocks_, remote->block, [](const auto& block) { return block->number; }))->index);
}

std::optional<RemoteShared> ResidentBlocks::find_remote(const char* address) {
  for (const auto& block : blocks_)
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      const char* const first = kept_at(*block, i);
      if (address < first || address >= first + shared_[i].size()) continue;
      const bool lives = block.get() != current_ && block->begun && block->pause != Pause::ended;
      return RemoteShared{&block->shadows, i, static_cast<std::size_t>(address - first), block->number,
                          lives};
    }
  return std::nullopt;
}

}  // namespace tune::emulator
