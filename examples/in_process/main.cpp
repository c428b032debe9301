// SPDX-License-Identifier: Apache-2.0
// Tunes a kernel from inside a program: in_process [--device 0|emulator] [--evaluations N] [--database FILE]
#include <csignal>
#include <cstdio>
#include <string>
#include <tune/tune.hpp>

#include "row_norms.hpp"

namespace {

tune::Tuner* running = nullptr;

int tune_it(const tune::Options& options) {
  const tune::Problem problem = row_norms();
  tune::Tuner tuner(options);
  running = &tuner;
  std::signal(SIGINT, [](int) { running->cancel(); });

  const tune::Evaluation plain = tuner.evaluate(problem, {{"BLOCK", 256}, {"LANES", 32}});
  std::printf("plain  %s: %s\n", plain.configuration.to_string().c_str(),
              plain.failure ? plain.failure->detail.c_str() : "right");
  const tune::Result result = tuner.run(problem);
  std::printf("run    %llu of %llu configurations, %llu right, %.1f s\n",
              static_cast<unsigned long long>(result.evaluations),
              static_cast<unsigned long long>(result.space_size),
              static_cast<unsigned long long>(result.right), result.seconds);
  for (const tune::Evaluation& wrong : result.wrong)
    std::printf("wrong  %s: %s\n", wrong.configuration.to_string().c_str(), wrong.failure->detail.c_str());
  if (!result.best) {
    std::printf("best   unknown: nothing was measured on the %s\n", options.device.c_str());
    return result.right > 0 ? 0 : 1;
  }
  std::printf("best   %s: %.1f us, %.2f times as fast as the plain one\n",
              result.best->configuration.to_string().c_str(), 1e6 * result.best->seconds,
              plain.seconds / result.best->seconds);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  tune::Options options;
  options.evaluations = 60;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = words[i], value = words[i + 1];
    if (option == "--device") options.device = value;
    if (option == "--evaluations") options.evaluations = std::stoull(value);
    if (option == "--database") options.database = value;
  }
  try {
    return tune_it(options);
  } catch (const tune::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
