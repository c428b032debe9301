// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tune::emulator {

/// An access as its cell remembers it: by whom, and when. Time is the number of barriers of blocks since the
/// plan began (an epoch); within an epoch, the number of __syncwarp that the thread has seen.
struct Access {
  std::uint32_t epoch = 0;  ///< 0: there was none
  std::uint16_t thread = 0;
  std::uint16_t clock = 0;

  friend bool operator==(const Access&, const Access&) = default;
};

/// How two accesses that are not ordered could be.
enum class Unordered { no, in_warp, in_block, between_blocks };

/// Which accesses are ordered before the one that the running thread makes now. Blocks of a launch are not
/// ordered among each other, launches are; threads of a block are by its barriers; lanes of a warp, besides,
/// by __syncwarp, whose order is passed on (vector clocks). Fences and atomics order what docs/emulator.md
/// says.
class MemoryOrder {
 public:
  void begin_plan();
  void begin_launch();
  void begin_block(unsigned threads);
  void barrier();
  /// Lanes of a warp have met at __syncwarp.
  void warp_sync(unsigned warp, unsigned lanes);

  /// The running thread says that everything before is to be seen by others (__threadfence) ...
  void fence(unsigned thread);
  /// ... and touches an atomic or volatile variable: it may see what others have published there, and, where
  /// it writes, publishes what it fenced.
  void atomic(unsigned thread, const void* variable, bool writes);

  // These two are asked at every access.
  Access now(unsigned thread) const {
    return {epoch_, static_cast<std::uint16_t>(thread), clocks_[thread][thread % 32]};
  }
  Unordered unordered(const Access& earlier, unsigned thread) const {
    if (earlier.epoch < launch_first_) return Unordered::no;
    if (earlier.epoch < block_first_)
      return acquired(earlier, thread) ? Unordered::no : Unordered::between_blocks;
    if (earlier.epoch < epoch_ || earlier.thread == thread) return Unordered::no;
    if (earlier.thread / 32 != thread / 32) return Unordered::in_block;
    return clocks_[thread][earlier.thread % 32] > earlier.clock ? Unordered::no : Unordered::in_warp;
  }
  bool of_this_block(const Access& access) const { return access.epoch >= block_first_; }
  bool of_this_launch(const Access& access) const { return access.epoch >= launch_first_; }
  /// The block of this launch that made an access, counted from the launch's first.
  std::uint32_t block_of(const Access& access) const;
  std::uint32_t block() const { return static_cast<std::uint32_t>(block_begins_.size() - 1); }

 private:
  struct Published {
    std::uint32_t block, epoch;
  };
  /// Lane i of the warp is known up to clock[i] by the thread.
  using Clocks = std::array<std::uint16_t, 32>;
  bool acquired(const Access& earlier, unsigned thread) const;

  std::uint32_t epoch_ = 0;
  std::uint32_t launch_first_ = 1;
  std::uint32_t block_first_ = 1;
  std::vector<std::uint32_t> block_begins_;  ///< first epoch of every block of the launch
  std::vector<Clocks> clocks_;               ///< a thread
  bool any_clock_ = false;

  struct Variable {
    const void* address;
    std::vector<Published> seen;
  };
  std::vector<Variable> variables_;    ///< of this launch
  std::vector<std::uint32_t> fenced_;  ///< a thread: the epoch of its last fence in this block, or 0
  std::vector<std::vector<Published>> pending_;   ///< a thread: seen at atomics, not yet fenced
  std::vector<std::vector<Published>> acquired_;  ///< a thread: seen and fenced since the last barrier
  std::vector<Published> block_acquired_;         ///< by all threads, through a barrier
};

}  // namespace tune::emulator
