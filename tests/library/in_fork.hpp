// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace tune::testing {

/// Returns true where the function ends in a fork of this process within ten seconds.
template<class Function>
bool ends_in_fork(Function function) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    function();
    _exit(0);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tune::testing
