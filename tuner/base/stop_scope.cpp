// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/stop_scope.hpp"

#include <utility>

#include "tuner/base/stopwatch.hpp"

namespace tune {
namespace {

constexpr double ask_interval = 0.01;

thread_local StopScope* scope_of_thread = nullptr;

}  // namespace

StopScope::StopScope(std::function<bool()> stop)
    : stop_(std::move(stop)), before_(std::exchange(scope_of_thread, this)) {}

StopScope::~StopScope() {
  scope_of_thread = before_;
}

bool StopScope::is_over() {
  if (stopped_ || !stop_ || owner_ != std::this_thread::get_id()) return stopped_;
  if (const double now = seconds_now(); now >= next_) {
    next_ = now + ask_interval;
    if (stop_()) stopped_ = true;
  }
  return stopped_;
}

StopScope::Joined::Joined(StopScope* scope) : before_(std::exchange(scope_of_thread, scope)) {}

StopScope::Joined::~Joined() {
  scope_of_thread = before_;
}

StopScope* StopScope::current() {
  return scope_of_thread;
}

void throw_if_stopped() {
  if (scope_of_thread != nullptr && scope_of_thread->is_over()) throw Stopped();
}

}  // namespace tune
