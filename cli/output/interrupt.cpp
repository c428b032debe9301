// SPDX-License-Identifier: Apache-2.0
#include "cli/output/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace tune::cli {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void on_signal(int signal) {
  if (flag.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

void install(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // a database write in flight goes on
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  flag = false;
  install(on_signal);
}

InterruptGuard::~InterruptGuard() {
  install(SIG_DFL);
}

bool InterruptGuard::interrupted() {
  return flag;
}

}  // namespace tune::cli
