// SPDX-License-Identifier: Apache-2.0
#include "cli/input/open_backend.hpp"

#include "cli/input/options.hpp"
#include "library/run/worker_backend.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {

void add_process_options(po::options_description& options) {
  options.add_options()  //
      ("timeout", po::value<std::string>()->default_value("10s")->value_name("T"),
       "longest time that a kernel may take to run once: 500ms, 10s, 2m")  //
      ("in-process", po::bool_switch(),
       "launch and compile in this process, for debuggers and profilers: a fault or a hang then ends the "
       "run");
}

double chosen_timeout(const po::variables_map& values) {
  return parse_duration(option_text(values, "timeout"), "--timeout");
}

std::unique_ptr<Backend> open_backend(int number, const po::variables_map& values) {
  if (values["in-process"].as<bool>()) return cuda::open_device(number);
  const auto program = run::worker_program();
  if (!program)
    throw Error(
        "the program 'tune', which runs kernels in a process of its own, is not beside this one: name it in "
        "TUNE_WORKER, or choose --in-process");
  return run::worker_backend(*program, number, chosen_timeout(values));
}

}  // namespace tune::cli
