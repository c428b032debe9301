// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/compile_pool.hpp"

#include <chrono>

namespace tune {
namespace {

constexpr std::chrono::milliseconds cancel_interval{50};

}  // namespace

CompilePool::CompilePool(const Compiler& compiler, unsigned threads) : compiler_(compiler) {
  for (unsigned i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { run_thread(stop); });
}

CompilePool::~CompilePool() {
  clear();
  for (std::jthread& thread : threads_) thread.request_stop();
  ready_.notify_all();
  // A compile has several steps, such as NVRTC and then nvcc: one that begins behind the first cancel is
  // cancelled by the next.
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    compiler_.cancel();
    lock.lock();
  } while (!done_.wait_for(lock, cancel_interval, [&] { return running_ == 0; }));
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

void CompilePool::hold(bool held) {
  {
    const std::scoped_lock lock(mutex_);
    held_ = held;
  }
  ready_.notify_all();
}

void CompilePool::clear() {
  const std::scoped_lock lock(mutex_);
  tasks_.clear();
}

std::uint64_t CompilePool::finished() const {
  const std::scoped_lock lock(mutex_);
  return finished_;
}

bool CompilePool::any_idle() const {
  const std::scoped_lock lock(mutex_);
  return running_ + tasks_.size() < threads_.size();
}

void CompilePool::wait_for_more_than(std::uint64_t count, double seconds) const {
  std::unique_lock lock(mutex_);
  done_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return finished_ > count; });
}

void CompilePool::run_thread(const std::stop_token& stop) {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      if (!ready_.wait(lock, stop, [&] { return !held_ && !tasks_.empty(); })) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      ++running_;
    }
    task();
    {
      const std::scoped_lock lock(mutex_);
      --running_;
      ++finished_;
    }
    done_.notify_all();
  }
}

}  // namespace tune
