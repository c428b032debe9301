// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/devices.hpp"

#include <memory>
#include <mutex>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/cuda/runner/cuda_runner.hpp"
#include "tuner/backends/cuda/runner/cuda_stream_runner.hpp"
#include "tuner/backends/cuda/runtime/device_query.hpp"
#include "tuner/backends/cuda/toolkit/cuda_compiler.hpp"
#include "tuner/backends/cuda/toolkit/device_files.hpp"
#include "tuner/backends/cuda/toolkit/nvml.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

/// A device of this machine, with NVRTC for its architecture.
class CudaBackend : public Backend {
 public:
  /// Throws Error where there is no such device or no NVRTC for its architecture.
  explicit CudaBackend(int device);

  /// Measures the bandwidths of copies at the first call, which takes memory and some milliseconds.
  const DeviceProperties& properties() const override;
  const Compiler& compiler() const override { return *compiler_; }
  Runner& runner() override { return runner_; }
  MachineState machine_state() override { return runner_.machine_state(); }

 private:
  int device_;
  mutable DeviceProperties properties_;
  mutable std::once_flag measured_;
  std::unique_ptr<Compiler> compiler_;
  CudaRunner runner_;
};

std::unique_ptr<Compiler> compiler_for(const DeviceProperties& properties) {
  std::string failure_reason;
  auto compiler = make_nvrtc_compiler(properties.architecture(), &failure_reason);
  if (compiler == nullptr) throw Error(failure_reason);
  return with_nvcc(std::move(compiler), properties.architecture());
}

CudaBackend::CudaBackend(int device)
    : device_(device),
      properties_(query_device(device, Nvml::open().get())),
      compiler_(compiler_for(properties_)),
      runner_(device, properties_) {}

const DeviceProperties& CudaBackend::properties() const {
  std::call_once(measured_, [this] {
    check(cudaSetDevice(device_));
    properties_.copy_bandwidth = measure_copy_bandwidth();
    const auto host = measure_host_bandwidth();
    properties_.host_to_device_bandwidth = host.to_device;
    properties_.device_to_host_bandwidth = host.to_host;
  });
  return properties_;
}

void check_number(int number) {
  std::string failure_reason;
  const int count = device_count(&failure_reason);
  if (count == 0) throw NoDeviceError(failure_reason);
  if (number < 0 || number >= count)
    throw NoDeviceError(format("there is no device {}: this machine has {}, numbered from 0", number, count));
}

}  // namespace

std::vector<DeviceProperties> list_devices(std::string* failure_reason) {
  const int count = device_count(failure_reason);
  const auto nvml = count > 0 ? Nvml::open() : nullptr;
  std::vector<DeviceProperties> devices;
  for (int number = 0; number < count; ++number) devices.push_back(query_device(number, nvml.get()));
  return devices;
}

bool has_unusable_gpu() {
  if (hides_devices() || device_count(nullptr) > 0) return false;
  return has_device_files() || driver_fails();
}

std::unique_ptr<Backend> open_device(int number) {
  check_number(number);
  return std::make_unique<CudaBackend>(number);
}

std::unique_ptr<StreamRunner> open_stream_runner(int number) {
  check_number(number);
  return std::make_unique<CudaStreamRunner>(number, query_device(number, nullptr));
}

}  // namespace tune::cuda
