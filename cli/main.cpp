// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "cli/input/command.hpp"
#include "cli/output/progress.hpp"
#include "library/run/gpu.hpp"
#include "tuner/base/stopwatch.hpp"

namespace {

/// A caller may have closed standard input, output or error. The next file or socket that is opened would get
/// the free number: it would receive what is printed, and workers would inherit it. With these, reading and
/// writing fail as on the closed ones.
void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)  // open returns the smallest free number
      static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace

int main(int count, char** arguments) {
  (void)tune::seconds_of_program();  // begins to count
  occupy_standard_descriptors();
  tune::run::serve_workers();
  // A write beyond a limit on the size of files then fails, as one on a full disk does.
  std::signal(SIGXFSZ, SIG_IGN);
  tune::cli::leave_nothing_unfinished();
  return tune::cli::dispatch({arguments + 1, arguments + count});
}
