// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace tune {

/// Calls `produce` in a thread of its own, and `take` in this one with each value that `produce` hands over,
/// in order. At most `room` values wait. An exception of either ends both and leaves this function: that of
/// `take` where both throw.
template<class Value>
void hand_over(const std::function<void(const std::function<void(Value)>&)>& produce,
               const std::function<void(Value)>& take, std::size_t room) {
  struct Abandoned {};  // ends `produce`, whose values nobody wants any more
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Value> waiting;
  bool done = false, abandoned = false;
  std::exception_ptr failure;
  std::thread producer([&] {
    try {
      produce([&](Value value) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return abandoned || waiting.size() < room; });
        if (abandoned) throw Abandoned();
        waiting.push_back(std::move(value));
        changed.notify_all();
      });
    } catch (const Abandoned&) {
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  });
  try {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return done || !waiting.empty(); });
      if (waiting.empty()) break;
      std::deque<Value> values = std::exchange(waiting, {});
      changed.notify_all();
      lock.unlock();
      for (Value& value : values) take(std::move(value));
      lock.lock();
    }
  } catch (...) {
    {
      const std::lock_guard lock(mutex);
      abandoned = true;
      changed.notify_all();
    }
    producer.join();
    throw;
  }
  producer.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tune
