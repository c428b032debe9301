// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "cli/input/command.hpp"
#include "library/run/gpu.hpp"
#include "library/run/version.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/host/host_runner.hpp"
#include "tuner/backends/worker/remote_backend.hpp"
#include "tuner/backends/worker/remote_compiler.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

using process::Response;

/// Serves a worker that cannot start: answers every call with the reason, so that the parent can report it.
void serve_reason(process::Channel channel, const std::string& reason) {
  process::serve(std::move(channel), [&reason](const process::Json&, FileDescriptor) -> Result<Response> {
    throw Error(reason);
  });
}

void serve(process::Channel channel, const std::string& kind, const std::string& what) {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Compiler> compiler;
  try {
    if (kind == "device") {
      backend =
          what == "cpu" ? host::open_processor() : cuda::open_device(run::device_number(what).value_or(-1));
    } else {
      std::string failure_reason;
      compiler = cuda::make_nvrtc_compiler(what, &failure_reason);
      if (!compiler) throw Error(failure_reason);
    }
  } catch (const Error& error) {
    serve_reason(std::move(channel), error.what());
    return;
  }
  if (backend)
    process::serve_device(std::move(channel), *backend);
  else
    process::serve_compiler(std::move(channel), *compiler);
}

}  // namespace

int run_worker(const std::vector<std::string>& arguments) {
  if (arguments.size() != 3 || (arguments[0] != "device" && arguments[0] != "compiler"))
    throw UsageError("'tune worker' is started by the program itself; call 'tune run' instead");
  if (arguments[2] == run::version())
    serve(process::begin_child(), arguments[0], arguments[1]);
  else
    serve_reason(
        process::begin_child(),
        format("the program 'tune' that runs kernels is version {}, and the program that started it {}: "
               "install both in the same version, or name another 'tune' in TUNE_WORKER",
               run::version(), arguments[2]));
  // Skips the driver's work at the end of a process, which nothing needs.
  std::_Exit(0);
}

}  // namespace tune::cli
