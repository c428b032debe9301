// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/command.hpp"

int main(int count, char** arguments) {
  return tune::cli::dispatch({arguments + 1, arguments + count});
}
