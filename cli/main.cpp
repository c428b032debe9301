// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "cli/input/command.hpp"
#include "tuner/base/stopwatch.hpp"

int main(int count, char** arguments) {
  (void)tune::seconds_of_program();  // begins to count
  // A write beyond a limit on the size of files then fails, as one on a full disk does.
  std::signal(SIGXFSZ, SIG_IGN);
  return tune::cli::dispatch({arguments + 1, arguments + count});
}
