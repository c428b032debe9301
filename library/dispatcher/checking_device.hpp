// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "tuner/backends/backend.hpp"

namespace tune::api {

/// Turns at something that one thread may use at a time. Those for which a call of the program waits go
/// before those in the background.
class Turns {
 public:
  enum class Waiting { call, background };

  /// Ends its turn when it is destroyed.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(&turns) {}
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_ != nullptr) turns_->end();
    }

   private:
    Turns* turns_;
  };

  Turn take(Waiting waiting);
  /// Returns nothing where another thread has its turn.
  std::optional<Turn> take_if_free();
  bool call_waits() const;

 private:
  void end();

  mutable std::mutex mutex_;  ///< guards the members below
  std::condition_variable free_;
  bool taken_ = false;
  std::size_t calls_ = 0;  ///< that wait
};

/// What compiles and checks candidates, for all sizes of a problem.
class CheckingDevice {
 public:
  explicit CheckingDevice(std::unique_ptr<Backend> opened);

  /// Returns the state of the machine: the present one, or, where kernels are being checked, the last known.
  MachineState machine_state();

  const std::unique_ptr<Backend> backend;
  Turns turns;  ///< at the backend, but for its compiler and properties
  std::atomic<std::uint64_t> device_work{0};

 private:
  std::mutex mutex_;  ///< guards the state
  MachineState machine_;
};

}  // namespace tune::api
