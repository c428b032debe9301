// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/host/host_device.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tuner/base/file.hpp"

namespace tune::host {
namespace {

TEST(HostDevice, FactsAreThoseOfTheSystem) {
  const testing::TemporaryFolder root;
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::filesystem::path path = root / name;
    std::filesystem::create_directories(path.parent_path());
    ASSERT_FALSE(write_bytes(path, text));
  };
  write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Invented 9000\nflags\t\t: fpu sse2 avx avx2 fma\n");
  write("proc/meminfo", "MemTotal:       2048 kB\n");
  const std::string core = "sys/devices/system/cpu/cpu0/";
  write(core + "cpufreq/cpuinfo_max_freq", "3500000\n");
  write(core + "cpufreq/scaling_governor", "powersave\n");
  const char* const caches[][3] = {
      {"1", "Data", "48K"}, {"1", "Instruction", "32K"}, {"2", "Unified", "1024K"}, {"3", "Unified", "32M"}};
  for (int i = 0; i < 4; ++i) {
    const std::string cache = core + "cache/index" + std::to_string(i) + "/";
    write(cache + "level", caches[i][0]);
    write(cache + "type", caches[i][1]);
    write(cache + "size", caches[i][2]);
  }
  const DeviceProperties device = device_properties(root.path());
  EXPECT_TRUE(device.is_cpu());
  EXPECT_EQ(device.architecture(), "cpu");
  EXPECT_EQ(device.name, "Invented 9000");
  EXPECT_EQ(device.global_memory, 2 << 20);
  EXPECT_EQ(device.core_clock, 3'500'000'000);
  EXPECT_EQ(device.governor, "powersave");
  EXPECT_EQ(device.vector_bits, 256);
  EXPECT_EQ(device.l1_cache, 48 << 10);
  EXPECT_EQ(device.l2_cache, 1 << 20);
  EXPECT_EQ(device.l3_cache, 32 << 20);
}

}  // namespace
}  // namespace tune::host
