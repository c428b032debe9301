// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cuda {

/// Launches on streams of the surrounding program, in the device's primary context.
class CudaStreamRunner : public StreamRunner {
 public:
  CudaStreamRunner(int device, DeviceProperties properties)
      : device_(device), properties_(std::move(properties)) {}

  Result<std::unique_ptr<LoadedPlan>> load(const LaunchPlan& plan, const Binary& binary) override;
  bool can_time(void* stream) override;
  Result<void> launch(LoadedPlan& plan, void* stream, std::span<const Arguments> arguments,
                      std::uint64_t ticket) override;
  void set_variable(LoadedPlan& plan, void* stream, const std::string& name,
                    std::span<const std::byte> bytes) override;
  void read(void* stream, const void* address, std::span<std::byte> to) override;
  Result<std::optional<double>> elapsed(std::uint64_t ticket) override;

 private:
  struct Pair {
    Event begin, end;
  };

  const int device_;
  const DeviceProperties properties_;
  std::map<std::uint64_t, Pair> timed_;
  std::vector<Pair> idle_;
};

}  // namespace tune::cuda
