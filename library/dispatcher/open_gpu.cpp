// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "library/dispatcher/dispatcher_engine.hpp"
#include "library/run/worker_backend.hpp"
#include "library/tuner/tuner.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/cache/caching_compiler.hpp"

namespace tune::api {
namespace {

int device_number(std::string_view text) {
  const std::string_view given = text;
  if (text.starts_with("cuda:")) text.remove_prefix(5);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0)
    throw UsageError(format("unknown device '{}': the number of a GPU, or emulator", given));
  return number;
}

}  // namespace

std::unique_ptr<Backend> open_gpu(const std::string& device, double timeout, bool in_process) {
  const int number = device_number(device);
  std::string failure_reason;
  const std::vector<DeviceProperties> devices = cuda::list_devices(&failure_reason);
  if (devices.empty())
    throw tune::Error(
        format("there is no GPU here ({}); Options::device = \"emulator\" checks kernels without one",
               failure_reason));
  if (static_cast<std::size_t>(number) >= devices.size())
    throw UsageError(format("there is no device {}; there are {}", number, devices.size()));
  std::unique_ptr<Backend> backend;
  if (in_process) {
    backend = cuda::open_device(number);
  } else {
    const auto program = run::worker_program();
    if (!program)
      throw tune::Error(
          "the program 'tune', which runs kernels in a process of its own, is neither beside this "
          "program nor installed with the library: name it in TUNE_WORKER, or set Options::in_process");
    backend = run::worker_backend(*program, number, timeout);
  }
  return cache::with_cache(std::move(backend), run::open_cache());
}

std::unique_ptr<StreamRunner> open_streams(const std::string& device) {
  return cuda::open_stream_runner(device_number(device));
}

}  // namespace tune::api
