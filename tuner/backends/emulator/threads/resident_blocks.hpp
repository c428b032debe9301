// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/memory_checker.hpp"
#include "tuner/backends/emulator/threads/async_barriers.hpp"
#include "tuner/backends/emulator/threads/block_scheduler.hpp"
#include "tuner/backends/emulator/threads/warp_operations.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// The counter that a grid's barrier counts arrivals with (kernels/common/grid_barrier.cuh): what a device
/// needs of it, though blocks meet without it here. Zero but for its highest bit before and after each
/// barrier, which turns over that bit.
class GridCounter {
 public:
  /// A block has come to the barrier with this counter, null for none. What is wrong with that; empty:
  /// nothing.
  std::string arrive(unsigned* counter);
  /// All have.
  void release();
  void begin_launch() { any_ = false; }

 private:
  unsigned* counter_ = nullptr;  ///< of the barrier that blocks are coming to
  bool any_ = false;
};

/// A block that has begun and not ended. What all blocks use in their turns, shared memory and what is known
/// of it, it keeps while others have theirs.
struct ResidentBlock {
  ResidentBlock(SchedulerEvents& events, Stacks& stacks) : scheduler(events, stacks) {}

  Index3 index{};
  std::uint32_t number = 0;  ///< in the grid
  BlockScheduler scheduler;
  AsyncCopies copies;
  WarpgroupProducts products;
  AsyncBarriers barriers;
  bool begun = false;
  Pause pause = Pause::ended;  ///< of its last turn

  // While it has no turn.
  std::vector<char> shared;     ///< contents of all shared arrays, one after another
  std::vector<Shadow> shadows;  ///< of all shared arrays; none before it begins
  MemoryOrder::Block order;
};

/// Gives the blocks of a launch their turns: one after another from begin to end, or, in a cooperative
/// launch, each as far as it comes without the others, until all have met at the grid's barrier.
class ResidentBlocks {
 public:
  using Kernel = std::function<void()>;

  /// `memory` learns which block runs; null: nobody wants to know.
  ResidentBlocks(SchedulerEvents& events, MemoryChecker* memory) : events_(events), memory_(memory) {}

  /// `shared`: all shared arrays of the kernel. Throws Error where there is no room for the stacks.
  void begin_launch(const Launch& launch, tune_emulator::Indices& indices,
                    std::vector<std::span<char>> shared);
  /// False where the launch was abandoned, or `stop` said so between two turns.
  bool run(Order order, const Kernel& kernel, const std::function<bool()>& stop);

  /// The block whose turn it is; it may also have been the last one.
  ResidentBlock& current() { return *current_; }
  /// Whether a thread of the kernel has the processor.
  bool running() const { return running_; }
  const Stacks& stacks() const { return stacks_; }
  /// Of the grid's barrier.
  GridCounter& counter() { return counter_; }

  /// Threads of all blocks of a cooperative launch together, each of which needs its stack.
  static constexpr unsigned max_threads = 1U << 15;

 private:
  bool run_in_turn(Order order, const Kernel& kernel, const std::function<bool()>& stop);
  bool run_together(Order order, const Kernel& kernel, const std::function<bool()>& stop);
  /// Makes room number `room` that of the block `number` of the grid.
  ResidentBlock& place(std::uint64_t number, std::size_t room);
  void begin(ResidentBlock& block, Order order, const Kernel& kernel);
  void resume(ResidentBlock& block);
  void keep(ResidentBlock& block);
  /// All blocks have ended or wait at the grid's barrier, some of them. False where others never come.
  bool meet(std::size_t ended);

  SchedulerEvents& events_;
  MemoryChecker* memory_;
  Stacks stacks_{static_cast<int>(BlockScheduler::max_threads)};
  std::vector<std::unique_ptr<ResidentBlock>> blocks_;
  ResidentBlock* current_ = nullptr;
  GridCounter counter_;
  bool running_ = false;
  // The launch.
  Dim3 grid_;
  unsigned threads_ = 0;  ///< of a block
  bool cooperative_ = false;
  tune_emulator::Indices* indices_ = nullptr;
  std::vector<std::span<char>> shared_;
};

}  // namespace tune::emulator
