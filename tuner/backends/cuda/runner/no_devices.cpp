// SPDX-License-Identifier: Apache-2.0
// A build without the CUDA toolkit: there is no device, but NVRTC may still be found at run time.
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/backends/cuda/toolkit/device_files.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

constexpr const char* reason =
    "this program was built without CUDA: build it where the CUDA toolkit is installed";

}  // namespace

std::vector<DeviceProperties> list_devices(std::string* failure_reason) {
  if (failure_reason != nullptr) *failure_reason = reason;
  return {};
}

bool has_unusable_gpu() {
  return has_device_files() && !hides_devices();
}

std::unique_ptr<Backend> open_device(int) {
  throw NoDeviceError(reason);
}

std::unique_ptr<StreamRunner> open_stream_runner(int) {
  throw NoDeviceError(reason);
}

}  // namespace tune::cuda
