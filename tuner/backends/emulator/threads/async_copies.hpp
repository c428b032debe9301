// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace tune::emulator {

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
