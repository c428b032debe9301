// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "tests/lookup/large_database.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: lookup_large_database FILE\n";
    return 2;
  }
  tune::testing::make_large_database(arguments[1]);
  return 0;
}
