// SPDX-License-Identifier: Apache-2.0
// Writes the seeds of fuzz targets for libFuzzer, a file each: write_seeds FOLDER TARGET...
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/seeds.hpp"

int main(int count, char** arguments) {
  for (int i = 2; i < count; ++i) {
    const std::filesystem::path folder = std::filesystem::path(arguments[1]) / arguments[i];
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const std::string& seed : tune::testing::fuzz_seeds(arguments[i]))
      std::ofstream(folder / ("seed" + std::to_string(number++)), std::ios::binary) << seed;
  }
}
