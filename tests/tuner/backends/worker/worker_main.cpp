// SPDX-License-Identifier: Apache-2.0
// The worker that the tests start: serves the fake backend, whose kernels and compiler die and hang on
// request.
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "tests/support/fake_backend.hpp"
#include "tuner/backends/worker/remote_backend.hpp"
#include "tuner/backends/worker/remote_compiler.hpp"
#include "tuner/base/error.hpp"

int main(int count, char** arguments) {
  using namespace tune;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::string_view kind = count > 1 ? arguments[1] : "";
  if (kind == "broken") return 3;
  if (kind == "killed" && count > 2) {  // unless there is the file, which the first one makes
    if (!std::filesystem::exists(arguments[2])) {
      std::ofstream(arguments[2]) << "killed";
      raise(SIGKILL);
    }
    kind = "device";
  }
  tune::testing::FakeBackend backend;
  if (kind == "worker" && count > 2) {  // called as the program `tune` is
    kind = arguments[2];
    backend.runner().measuring_seconds = 0.01;
  }
  if (kind == "device") process::serve_device(process::begin_child(), backend);
  if (kind == "compiler") process::serve_compiler(process::begin_child(), backend.compiler());
  return 0;
}
