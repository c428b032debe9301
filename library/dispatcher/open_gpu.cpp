// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/dispatcher_engine.hpp"
#include "library/run/worker_backend.hpp"
#include "library/tuner/tuner.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/cache/caching_compiler.hpp"

namespace tune::api {
namespace {

int number_of(const std::string& device) {
  if (const auto number = run::device_number(device)) return *number;
  throw UsageError(format("unknown device '{}': the number of a GPU, or emulator", device));
}

}  // namespace

std::unique_ptr<Backend> open_gpu(const std::string& device, double timeout, bool in_process) {
  const int number = number_of(device);
  std::string failure_reason;
  const std::vector<DeviceProperties> devices = cuda::list_devices(&failure_reason);
  if (devices.empty())
    throw tune::Error(
        format("there is no GPU here ({}); Options::device = \"emulator\" checks kernels without one",
               failure_reason));
  if (static_cast<std::size_t>(number) >= devices.size())
    throw UsageError(format("there is no device {}; there are {}", number, devices.size()));
  return cache::with_cache(run::open_gpu(number, timeout, in_process), run::open_cache());
}

std::unique_ptr<StreamRunner> open_streams(const std::string& device) {
  return cuda::open_stream_runner(number_of(device));
}

}  // namespace tune::api
