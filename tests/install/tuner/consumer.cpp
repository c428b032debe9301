// SPDX-License-Identifier: Apache-2.0
// Uses both interfaces of the static library, and finds what is installed with it.
#include <tune/tune.h>

#include <cstdio>
#include <fstream>
#include <tune/tune.hpp>

int configured();

int main() {
  const tune::Options options;
  const bool recordings = std::ifstream(options.installed + "/share/tune/recordings/nvidia_h200.db").good();
  const bool program = std::ifstream(options.installed + "/bin/tune").good();
  std::printf("installed: %s\n", recordings && program ? "found" : "missing");
  std::printf("configured: %d\n", configured());
  tune_tuner* tuner = nullptr;
  tune_problem* problem = nullptr;
  const tune_result* result = nullptr;
  if (tune_open(&tuner) != TUNE_OK || tune_set(tuner, "device", "emulator") != TUNE_OK ||
      tune_problem_built_in("fault_injection", &problem) != TUNE_OK ||
      tune_evaluate(tuner, problem, nullptr, 0, nullptr, 0, &result) != TUNE_OK)
    return std::puts(tune_message()), 1;
  const tune_evaluation& one = *result->evaluations[0];
  std::printf("%s: %s\n", one.configuration, one.phase != nullptr ? one.detail : "right");
  tune_result_free(result);
  tune_problem_free(problem);
  tune_close(tuner);
  try {
    tune::Problem::built_in("nothing");
  } catch (const tune::Error& error) {
    std::puts(error.what());
  }
}
