// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/compile_pool.hpp"

namespace tune {

CompilePool::CompilePool(const Compiler& compiler, unsigned threads) : compiler_(compiler) {
  for (unsigned i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

CompilePool::~CompilePool() {
  clear();
  for (std::jthread& thread : threads_) thread.request_stop();
  ready_.notify_all();
}

std::future<Result<Binary>> CompilePool::submit(CompileRequest request) {
  Task task([this, request = std::move(request)] { return compiler_.compile(request); });
  std::future<Result<Binary>> future = task.get_future();
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  ready_.notify_one();
  return future;
}

void CompilePool::clear() {
  const std::scoped_lock lock(mutex_);
  tasks_.clear();
}

void CompilePool::work(const std::stop_token& stop) {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      if (!ready_.wait(lock, stop, [&] { return !tasks_.empty(); })) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace tune
