// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/devices.hpp"

#include "tuner/backends/cuda/runner/cuda_backend.hpp"
#include "tuner/backends/cuda/runner/cuda_stream_runner.hpp"
#include "tuner/backends/cuda/runtime/device_query.hpp"
#include "tuner/backends/cuda/toolkit/nvml.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {

std::vector<DeviceProperties> list_devices(std::string* failure_reason) {
  const int count = device_count(failure_reason);
  const auto nvml = count > 0 ? Nvml::open() : nullptr;
  std::vector<DeviceProperties> devices;
  for (int number = 0; number < count; ++number) devices.push_back(query_device(number, nvml.get()));
  return devices;
}

namespace {

void check_number(int number) {
  std::string failure_reason;
  const int count = device_count(&failure_reason);
  if (count == 0) throw Error(failure_reason);
  if (number < 0 || number >= count)
    throw Error(format("there is no device {}: this machine has {}, numbered from 0", number, count));
}

}  // namespace

std::unique_ptr<Backend> open_device(int number) {
  check_number(number);
  return std::make_unique<CudaBackend>(number);
}

std::unique_ptr<StreamRunner> open_stream_runner(int number) {
  check_number(number);
  return std::make_unique<CudaStreamRunner>(number, query_device(number, nullptr));
}

}  // namespace tune::cuda
