// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/checking_device.hpp"

namespace tune::api {

Turns::Turn Turns::take(Waiting waiting) {
  std::unique_lock lock(mutex_);
  if (waiting == Waiting::call) {
    ++calls_;
    free_.wait(lock, [this] { return !taken_; });
    --calls_;
  } else {
    free_.wait(lock, [this] { return !taken_ && calls_ == 0; });
  }
  taken_ = true;
  return Turn(*this);
}

std::optional<Turns::Turn> Turns::take_if_free() {
  const std::lock_guard lock(mutex_);
  if (taken_ || calls_ > 0) return std::nullopt;
  taken_ = true;
  return Turn(*this);
}

bool Turns::call_waits() const {
  const std::lock_guard lock(mutex_);
  return calls_ > 0;
}

void Turns::end() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  free_.notify_all();
}

CheckingDevice::CheckingDevice(std::unique_ptr<Backend> opened)
    : backend(std::move(opened)), machine_(backend->machine_state()) {}

MachineState CheckingDevice::machine_state() {
  const std::optional<Turns::Turn> turn = turns.take_if_free();
  const std::lock_guard lock(mutex_);
  if (turn) machine_ = backend->machine_state();
  return machine_;
}

}  // namespace tune::api
