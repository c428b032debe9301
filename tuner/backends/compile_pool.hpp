// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/backends/binary.hpp"

namespace tune {

/// Compiles ahead on all cores while the device measures. NVRTC scales with threads of one process: 1.44
/// compiles a second on one, 21.7 on sixteen (measured, each compile distinct).
class CompilePool {
 public:
  /// The compiler must outlive the pool.
  explicit CompilePool(const Compiler& compiler, unsigned threads);
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  /// Drops compiles that have not started, and cancels the others.
  ~CompilePool();

  /// An exception of the compiler (a broken environment) comes out of the future.
  std::future<Result<Binary>> submit(CompileRequest request);
  /// While it is held, no compile starts.
  void hold(bool held);
  /// Drops compiles that have not started: their futures throw std::future_error.
  void clear();
  /// Returns how many compiles have ended.
  std::uint64_t finished() const;
  /// True where a thread has nothing to compile.
  bool any_idle() const;
  void wait_for_more_than(std::uint64_t count, double seconds) const;

 private:
  using Task = std::packaged_task<Result<Binary>()>;
  void run_thread(const std::stop_token& stop);

  const Compiler& compiler_;
  mutable std::mutex mutex_;
  std::condition_variable_any ready_;
  mutable std::condition_variable_any done_;
  std::deque<Task> tasks_;
  std::uint64_t finished_ = 0;
  std::size_t running_ = 0;
  bool held_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace tune
