// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "tuner/base/error.hpp"

namespace tune {

/// Thrown out of work on the host that nobody waits for any more.
class Stopped : public Error {
 public:
  Stopped() : Error("the run ended while the host computed a reference", Exit::interrupted) {}
};

/// While it lives, long work on the host that this thread does, alone or in parallel_for, ends early once
/// `stop` returns true: it throws Stopped. `stop` is only asked in this thread, at most every 10 ms; an empty
/// one never ends anything. Scopes may be nested: the innermost counts.
class StopScope {
 public:
  explicit StopScope(std::function<bool()> stop);
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope();

  /// True once `stop` was. Asks in the thread that made the scope, if it is time to.
  bool is_over();

  /// Makes the scope of another thread, or none, that of this one.
  class Joined {
   public:
    explicit Joined(StopScope* scope);
    Joined(const Joined&) = delete;
    Joined& operator=(const Joined&) = delete;
    ~Joined();

   private:
    StopScope* before_;
  };
  /// Returns the scope of this thread; null where there is none.
  static StopScope* current();

 private:
  std::function<bool()> stop_;
  std::atomic<bool> stopped_ = false;
  double next_ = 0;  ///< seconds_now() before which it is not asked again
  StopScope* before_;
  std::thread::id owner_ = std::this_thread::get_id();
};

/// To be called by long work on the host every few milliseconds; takes 30 ns.
void throw_if_stopped();

}  // namespace tune
