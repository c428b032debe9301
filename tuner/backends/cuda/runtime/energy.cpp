// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/energy.hpp"

namespace tune::cuda {

bool EnergyWindow::add(double seconds, double joules) {
  if (watts_ > 0) return true;
  const bool moved = last_ && joules > last_->joules;
  last_ = {seconds, joules};
  if (!moved) return false;
  if (!first_step_) {
    first_step_ = last_;
    return false;
  }
  const double duration = seconds - first_step_->seconds;
  if (duration < min_seconds_) return false;
  watts_ = (joules - first_step_->joules) / duration;
  return true;
}

}  // namespace tune::cuda
