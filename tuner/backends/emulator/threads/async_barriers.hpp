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

/// A box on its way from global to shared memory.
struct BoxCopy {
  char* to = nullptr;
  const PlacedMap* map = nullptr;
  std::array<int, 5> at{};

  /// Does it.
  void carry_out() const;
};

/// An mbarrier in shared memory: a phase ends when all its arrivals have come, and all bytes that they
/// announced.
struct AsyncBarrier {
  const void* address = nullptr;
  unsigned number = 0;  ///< among those of the block
  unsigned count = 0;   ///< arrivals of a phase
  unsigned pending = 0;
  std::int64_t bytes = 0;  ///< announced and not arrived
  unsigned phase = 0;
  unsigned initialiser = 0;  ///< the thread
  bool fenced = false;       ///< whether that has told the copy engine
  std::vector<BoxCopy> copies;
  MemoryOrder::Known arriving, complete;  ///< what threads of this phase knew, of all that have ended

  bool has_ended(unsigned parity) const { return (phase & 1U) != parity; }
  /// All have arrived, and the bytes that they announced are those on their way.
  bool can_end() const;
  void end();
};

/// The mbarriers of a block, and the copies that tell them. A copy happens when a thread waits for its
/// barrier, as late as a device may do it.
class AsyncBarriers {
 public:
  static constexpr unsigned max = MemoryOrder::max_agents;

  void begin_block() { all_.clear(); }
  /// Null where there are too many.
  AsyncBarrier* make(const void* address, unsigned thread, unsigned count);
  AsyncBarrier* find(const void* address);
  /// The thread's barriers are known to the copy engine from now on.
  void fence(unsigned thread);
  /// One with copies that nobody has waited for, or null.
  const AsyncBarrier* unfinished() const;

 private:
  std::list<AsyncBarrier> all_;
};

/// Asynchronous copies of the threads of a block. They happen when their thread waits for them, as late as a
/// device may do them, so that a kernel that waits too little computes with what was there before.
class AsyncCopies {
 public:
  struct Copy {
    char* to;
    const char* from;
    unsigned bytes;   ///< that are written
    unsigned filled;  ///< of these, zeros at the end instead of copied bytes
  };

  void begin_block(std::size_t threads);
  void add(std::size_t thread, const Copy& copy) {
    queues_[thread].open.push_back(copy);
    any_ = true;
  }
  /// Closes the thread's group.
  void commit(std::size_t thread);
  /// Carries out all but the thread's `pending` newest groups; `done` hears of each copy.
  void wait(std::size_t thread, std::size_t pending, const std::function<void(const Copy&)>& done);
  /// Whether the thread has copies that it did not wait for.
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
