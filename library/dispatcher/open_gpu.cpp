// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/dispatcher_engine.hpp"
#include "library/run/gpu.hpp"
#include "library/tuner/tuner.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/cache/caching_compiler.hpp"

namespace tune::api {
namespace {

int device_number(std::string_view text) {
  if (const auto number = run::device_number(text)) return *number;
  throw UsageError(format(
      "unknown device '{}': the number of a GPU, cpu, or emulator; 'tune best --device NAME' answers for GPUs of other machines",
      text));
}

}  // namespace

std::unique_ptr<Backend> open_gpu(const std::string& device, double timeout, bool in_process,
                                  const std::string& installed) {
  if (device == "cpu")
    return cache::with_cache(run::open_device({}, timeout, in_process, "Options::in_process", installed),
                             run::open_cache());
  const int number = device_number(device);
  run::check_device(number, "Tuner::run with Options::device = \"emulator\" checks kernels without a GPU");
  return cache::with_cache(run::open_device(number, timeout, in_process, "Options::in_process", installed),
                           run::open_cache());
}

std::unique_ptr<StreamRunner> open_streams(const std::string& device) {
  return cuda::open_stream_runner(device_number(device));
}

}  // namespace tune::api
