// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/core/binary.hpp"

namespace tune {

/// Compiles ahead on all cores while the device measures. NVRTC scales with threads of one process: 1.44
/// compiles a second on one, 21.7 on sixteen (measured, each compile distinct).
class CompilePool {
 public:
  /// The compiler must outlive the pool.
  explicit CompilePool(const Compiler& compiler, unsigned threads);
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  /// Drops what has not been started and waits for the rest.
  ~CompilePool();

  /// An exception of the compiler (a broken environment) comes out of the future.
  std::future<Result<Binary>> submit(CompileRequest request);
  /// Drops what has not been started: its futures throw std::future_error.
  void clear();

 private:
  using Task = std::packaged_task<Result<Binary>()>;
  void work(const std::stop_token& stop);

  const Compiler& compiler_;
  std::mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<Task> tasks_;
  std::vector<std::jthread> threads_;
};

}  // namespace tune
