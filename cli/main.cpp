// SPDX-License-Identifier: Apache-2.0
#include "cli/input/command.hpp"

int main(int count, char** arguments) {
  return tune::cli::dispatch({arguments + 1, arguments + count});
}
