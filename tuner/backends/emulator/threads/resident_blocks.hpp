// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/memory_checker.hpp"
#include "tuner/backends/emulator/threads/async_barriers.hpp"
#include "tuner/backends/emulator/threads/block_scheduler.hpp"
#include "tuner/backends/emulator/threads/warp_operations.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// The counter of a grid's barrier (kernels/common/grid_barrier.cuh), checked for use on a device; blocks
/// meet without it here. It is zero except for its highest bit before and after each barrier, which flips
/// that bit.
class GridCounter {
 public:
  /// Takes note of a block at the barrier with this counter (null: none). Returns an error, or nothing.
  std::string arrive(unsigned* counter);
  /// All blocks have arrived.
  void release();
  void begin_launch() { any_ = false; }

 private:
  unsigned* counter_ = nullptr;  ///< of the present barrier
  bool any_ = false;
};

/// A block that has begun and not ended. While other blocks run, it keeps the contents and the cells of its
/// shared memory, where the others of its cluster can reach them.
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

  // Used while the block is paused.
  std::vector<char> shared;     ///< contents of all shared arrays: see ResidentBlocks::kept_at
  std::vector<Shadow> shadows;  ///< of all shared arrays; empty before it begins
  MemoryOrder::Block order;
};

/// Runs the blocks of a launch: one after another or, all of a cooperative launch or of a cluster, each as
/// far as it can go without the others, until all have met at their barrier.
class ResidentBlocks {
 public:
  using Kernel = std::function<void()>;

  /// `memory` (may be null) gets the number of each running block.
  ResidentBlocks(SchedulerEvents& events, MemoryChecker* memory) : events_(events), memory_(memory) {}

  /// `shared`: all shared arrays of the kernel; `cluster`: its extent in blocks. Throws Error where there is
  /// no room for the stacks.
  void begin_launch(const Launch& launch, const Dim3& cluster, tune_emulator::Indices& indices,
                    std::vector<std::span<char>> shared);
  /// False where the launch was abandoned, or `stop` returned true between two turns.
  bool run(Order order, const Kernel& kernel, const std::function<bool()>& stop);

  /// Returns the running block, or the last one that ran.
  ResidentBlock& current() { return *current_; }
  /// True while a thread of the kernel runs.
  bool running() const { return running_; }
  /// Returns what an address in the running block's shared memory is in that block of the cluster, or null.
  char* in_cluster(char* address, unsigned rank);
  /// Returns the block of the cluster in whose shared memory the address lies; the running one for others.
  unsigned rank_of(const char* address);
  const Stacks& stacks() const { return stacks_; }
  /// The counter of the grid's barrier.
  GridCounter& counter() { return counter_; }

  /// The limit of threads of all blocks of a cooperative launch, each of which needs a stack.
  static constexpr unsigned max_threads = 1U << 15;

 private:
  bool run_in_turn(Order order, const Kernel& kernel, const std::function<bool()>& stop);
  /// Runs these blocks of the grid.
  bool run_together(const std::vector<std::uint64_t>& numbers, Order order, const Kernel& kernel,
                    const std::function<bool()>& stop);
  bool run_clusters(Order order, const Kernel& kernel, const std::function<bool()>& stop);
  /// Gives place `room` to block `number` of the grid.
  ResidentBlock& place(std::uint64_t number, std::size_t room);
  void begin(ResidentBlock& block, Order order, const Kernel& kernel);
  void resume(ResidentBlock& block);
  void keep(ResidentBlock& block);
  /// Where a block keeps the contents of a shared array, aligned as the array is.
  char* kept_at(ResidentBlock& block, std::size_t array) const;
  unsigned rank_of(const Index3& block) const;
  std::optional<RemoteShared> find_remote(const char* address);
  /// Called when every block has ended or waits at the barrier of all. False where some have ended, so that
  /// the others wait for the grid forever.
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
  Dim3 cluster_;
  bool cooperative_ = false;
  bool together_ = false;  ///< several blocks exist at a time
  tune_emulator::Indices* indices_ = nullptr;
  std::vector<std::span<char>> shared_;
  std::vector<std::size_t> kept_;  ///< where the arrays lie in what a block keeps, and its size
};

}  // namespace tune::emulator
