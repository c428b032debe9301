// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tune::emulator {

/// The thread and the time of an access. Time is the number of barriers of blocks, and of turns that blocks
/// got, since the plan began (an epoch); within an epoch, the number of __syncwarp that the thread has seen.
struct MemoryAccess {
  std::uint32_t epoch = 0;  ///< 0: there was none
  std::uint16_t thread = 0;
  std::uint16_t clock = 0;

  friend bool operator==(const MemoryAccess&, const MemoryAccess&) = default;
};

/// The scope in which two accesses are not ordered.
enum class Unordered { no, in_warp, in_block, between_blocks };

/// Knows which accesses are ordered before the running thread's next one. Launches are ordered; barriers of
/// the grid order blocks of a launch, barriers of a block its threads, and __syncwarp, besides, lanes of a
/// warp, transitively (vector clocks). docs/explanation/emulator.md describes the order of fences and
/// atomics.
class MemoryOrder {
 public:
  /// What threads that wait at an mbarrier learn from threads that arrive: everything before a clock of each
  /// thread of the block, and then of each barrier, whose copies count as a thread of their own (an agent).
  struct Known {
    std::uint32_t barrier = 0;  ///< __syncthreads resets it, because it orders everything
    std::uint16_t copies = 0;   ///< copies that have arrived since
    std::vector<std::uint16_t> clocks;
    void add(const Known& more);
  };
  static constexpr unsigned max_agents = 64;
  static constexpr std::uint16_t first_agent = 0x8000;

  /// The state of one block.
  struct Block {
    /// Everything that a block did until the end of an epoch; a list has at most one of a block.
    struct Published {
      std::uint32_t block, epoch;
    };
    using List = std::vector<Published>;
    /// The thread knows lane i of its warp up to clock[i].
    using Clocks = std::array<std::uint16_t, 32>;

    std::uint32_t number = 0;    ///< in the grid
    std::uint32_t first = 1;     ///< its first epoch
    std::uint32_t barrier = 1;   ///< its first epoch since its last barrier
    std::vector<Clocks> clocks;  ///< a thread
    bool any_clock = false;
    /// For each thread, Known::clocks of threads of other warps and of agents; empty before the first
    /// mbarrier.
    std::vector<std::vector<std::uint16_t>> known;
    std::vector<std::uint32_t> fenced;  ///< a thread: the epoch of its last fence in this block, or 0
    std::vector<List> pending;          ///< a thread: seen at atomics, not yet fenced
    std::vector<List> acquired;         ///< a thread: seen and fenced since the last barrier
    List all_acquired;                  ///< by all threads, through a barrier
  };

  void begin_plan();
  void begin_launch();
  void begin_block(std::uint32_t number, unsigned threads);
  /// Pauses the running block until `resume`; meanwhile `kept` holds it.
  void leave(Block& kept) { std::swap(kept, block_); }
  void resume(Block& kept);
  void barrier();
  /// All blocks that have not ended have met.
  void grid_barrier() { ordered_before_ = epoch_ + 1; }
  /// The blocks that begin from now on, up to the next call, are a cluster.
  void begin_cluster() { cluster_first_ = cluster_ordered_ = epoch_ + 1; }
  /// All blocks of the cluster that have not ended have met.
  void cluster_barrier() { cluster_ordered_ = epoch_ + 1; }
  /// Lanes of a warp have met at __syncwarp.
  void warp_sync(unsigned warp, unsigned lanes);
  /// A thread that acquires `known` later is ordered after everything that this thread did and knows so far.
  void release(unsigned thread, Known& known);
  void acquire(unsigned thread, const Known& known);
  /// Returns the write of an agent's copy; a thread that acquires `known` is ordered after it.
  MemoryAccess copied(unsigned agent, Known& known);

  /// The running thread makes everything before visible to others (__threadfence).
  void fence(unsigned thread);
  /// The running thread touches an atomic or volatile variable: it may see what others have published there
  /// and, where it writes, publishes what it fenced.
  void atomic(unsigned thread, const void* variable, bool writes);

  // Every access calls these two.
  MemoryAccess now(unsigned thread) const {
    return {epoch_, static_cast<std::uint16_t>(thread), block_.clocks[thread][thread % 32]};
  }
  Unordered unordered(const MemoryAccess& earlier, unsigned thread) const {
    if (earlier.epoch < ordered_before_) return Unordered::no;
    if (earlier.epoch < cluster_ordered_ && earlier.epoch >= cluster_first_) return Unordered::no;
    if (earlier.epoch < turn_first_) return before_turn(earlier, thread);
    if (earlier.epoch < epoch_) return Unordered::no;
    return since_barrier(earlier, thread);
  }
  /// For memory that belongs to one block, which the others of its cluster may touch.
  bool of_this_block(const MemoryAccess& access) const {
    return access.epoch >= (cluster_first_ > 0 ? cluster_first_ : block_.first);
  }
  bool of_this_launch(const MemoryAccess& access) const { return access.epoch >= launch_first_; }
  /// Returns the number in the grid of the block of this launch that made an access.
  std::uint32_t block_of(const MemoryAccess& access) const;

 private:
  void begin_turn();
  void renew(Known& known) const;
  bool knows(const MemoryAccess& earlier, unsigned thread) const {
    if (block_.known.empty()) return false;
    const auto& known = block_.known[thread];
    const std::size_t who =
        earlier.thread < first_agent ? earlier.thread : block_.clocks.size() + (earlier.thread - first_agent);
    return who < known.size() && known[who] > earlier.clock;
  }
  Unordered before_turn(const MemoryAccess& earlier, unsigned thread) const;
  Unordered since_barrier(const MemoryAccess& earlier, unsigned thread) const {
    if (earlier.thread == thread) return Unordered::no;
    if (earlier.thread / 32 != thread / 32)
      return knows(earlier, thread) ? Unordered::no : Unordered::in_block;
    return block_.clocks[thread][earlier.thread % 32] > earlier.clock ? Unordered::no : Unordered::in_warp;
  }

  std::uint32_t epoch_ = 0;
  std::uint32_t launch_first_ = 1;
  std::uint32_t ordered_before_ = 1;  ///< first epoch after the launch's begin or the grid's last barrier
  std::uint32_t turn_first_ = 1;      ///< first epoch since the running block got its turn
  /// The first epoch of the running cluster, and the first one since its last barrier; 0 without clusters.
  std::uint32_t cluster_first_ = 0, cluster_ordered_ = 0;

  struct Turn {
    std::uint32_t first, block;
  };
  std::vector<Turn> turns_;  ///< of this launch
  Block block_;              ///< the running one

  struct Variable {
    const void* address;
    Block::List seen;
  };
  std::vector<Variable> variables_;  ///< of this launch
};

}  // namespace tune::emulator
