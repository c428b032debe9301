// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "tuner/backends/emulator/memory/memory_order.hpp"
#include "tuner/backends/emulator/memory/plan_memory.hpp"

namespace tune::emulator {

/// A copy from global to shared memory that is under way: of a box, or, without a map, of bytes.
struct BarrierCopy {
  char* to = nullptr;
  const PlacedMap* map = nullptr;
  std::array<int, 5> at{};
  const char* from = nullptr;
  std::size_t bytes = 0;

  std::size_t size() const { return map != nullptr ? map->box_bytes() : bytes; }
  /// Does it.
  void carry_out() const;
};

/// An mbarrier in shared memory: a phase ends when all its arrivals, and all bytes that they announced, have
/// come.
struct AsyncBarrier {
  const void* address = nullptr;
  unsigned number = 0;  ///< among those of the block
  unsigned count = 0;   ///< arrivals of a phase
  unsigned pending = 0;
  std::int64_t bytes = 0;  ///< announced and not arrived
  unsigned phase = 0;
  unsigned initialiser = 0;  ///< the thread
  bool fenced = false;       ///< the initialiser has executed a fence for the copy engine
  std::vector<BarrierCopy> copies;
  MemoryOrder::Known arriving, complete;  ///< knowledge of this phase, and of all phases that have ended

  bool has_ended(unsigned parity) const { return (phase & 1U) != parity; }
  /// True where all have arrived and the announced bytes are those of `copies`.
  bool can_end() const;
  void end();
};

/// The mbarriers of a block with their copies. A copy happens when a thread waits for its barrier, as late as
/// on a device.
class AsyncBarriers {
 public:
  static constexpr unsigned max = MemoryOrder::max_agents;

  void begin_block() { all_.clear(); }
  /// Null where there are already `max`.
  AsyncBarrier* make(const void* address, unsigned thread, unsigned count);
  AsyncBarrier* find(const void* address);
  /// Makes the thread's barriers known to the copy engine.
  void fence(unsigned thread);
  /// Returns a barrier with unfinished copies, or null.
  const AsyncBarrier* unfinished() const;

 private:
  std::list<AsyncBarrier> all_;
};

/// Asynchronous copies of the threads of a block. They happen when their thread waits for them, as late as on
/// a device, so that a kernel that waits too little computes with the old data.
class AsyncCopies {
 public:
  struct Copy {
    char* to;
    const char* from;
    unsigned bytes;   ///< to write
    unsigned filled;  ///< of these, zeros at the end
  };

  void begin_block(std::size_t threads);
  void add(std::size_t thread, const Copy& copy) {
    queues_[thread].open.push_back(copy);
    any_ = true;
  }
  /// Closes the thread's group.
  void commit(std::size_t thread);
  /// Carries out all but the thread's `pending` newest groups and calls `done` for each copy.
  void wait(std::size_t thread, std::size_t pending, const std::function<void(const Copy&)>& done);
  /// True where the thread has copies that it did not wait for.
  bool unfinished(std::size_t thread) const;

 private:
  struct Queue {
    std::vector<Copy> open;
    std::vector<std::vector<Copy>> groups;  ///< the oldest first
  };
  std::vector<Queue> queues_;
  bool any_ = false;
};

}  // namespace tune::emulator
