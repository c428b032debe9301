// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/cuda/runner/cuda_runner.hpp"

namespace tune::cuda {

/// A device of this machine, with NVRTC for its architecture.
class CudaBackend : public Backend {
 public:
  /// Throws Error where there is no such device or no NVRTC that knows its architecture.
  explicit CudaBackend(int device);

  /// The first call measures the bandwidths of copies, which takes memory and some milliseconds.
  const DeviceProperties& properties() const override;
  const Compiler& compiler() const override { return *compiler_; }
  Runner& runner() override { return runner_; }
  MachineState machine_state() override;

 private:
  int device_;
  mutable DeviceProperties properties_;
  mutable std::once_flag measured_;
  std::unique_ptr<Compiler> compiler_;
  CudaRunner runner_;
};

}  // namespace tune::cuda
