// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/host_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace tune {
namespace {

/// A file system with the files of control groups.
class HostLimitsTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << "\n";
  }
  HostLimits limits() const { return control_group_limits(root_.path()); }

  testing::TemporaryFolder root_;
};

TEST_F(HostLimitsTest, NoneWithoutGroups) {
  EXPECT_TRUE(std::isinf(limits().cores));
  EXPECT_GT(limits().free_memory, std::uint64_t{1} << 60);
  write("proc/self/cgroup", "0::/user.slice");
  write("sys/fs/cgroup/user.slice/cpu.max", "max 100000");
  write("sys/fs/cgroup/user.slice/memory.max", "max");
  EXPECT_TRUE(std::isinf(limits().cores));
  EXPECT_GT(limits().free_memory, std::uint64_t{1} << 60);
}

TEST_F(HostLimitsTest, OfVersion2TheSmallestOnTheWayToTheTop) {
  write("proc/self/cgroup", "0::/pod/container");
  write("sys/fs/cgroup/pod/cpu.max", "250000 100000");
  write("sys/fs/cgroup/pod/container/cpu.max", "400000 100000");
  write("sys/fs/cgroup/pod/container/memory.max", "4000000000");
  write("sys/fs/cgroup/pod/container/memory.current", "3000000000");
  write("sys/fs/cgroup/pod/container/memory.stat", "anon 2\ninactive_file 500000000");
  write("sys/fs/cgroup/pod/memory.max", "9000000000");
  EXPECT_EQ(limits().cores, 2.5);
  EXPECT_EQ(limits().free_memory, 1'500'000'000U);
}

// In a container the path is often the host's, and the group itself is mounted at the top.
TEST_F(HostLimitsTest, OfVersion1) {
  write("proc/self/cgroup", "5:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab\n1:name=systemd:/docker/ab");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000000");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "700000000");
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 9\ntotal_inactive_file 100000000");
  EXPECT_EQ(limits().cores, 1.5);
  EXPECT_EQ(limits().free_memory, 1'400'000'000U);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_TRUE(std::isinf(limits().cores));
  EXPECT_GT(limits().free_memory, std::uint64_t{1} << 60);
}

TEST_F(HostLimitsTest, MemoryIsTheLeastOfMachineAndGroup) {
  write("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    2000000 kB");
  EXPECT_EQ(available_memory(root_.path()), 2'048'000'000U);
  write("proc/self/cgroup", "0::/");
  write("sys/fs/cgroup/memory.max", "1000000000");
  EXPECT_EQ(available_memory(root_.path()), 1'000'000'000U);
  EXPECT_GT(available_memory(), 0U);
}

TEST(DefaultCompilers, AsManyAsCoresAndMemoryAllow) {
  EXPECT_EQ(default_compilers(128, std::uint64_t{1} << 40), 128U);
  EXPECT_EQ(default_compilers(128, 8'000'000'000), 13U);
  EXPECT_EQ(default_compilers(4, 100'000'000), 1U);
  EXPECT_EQ(default_compilers(0, 8'000'000'000), 1U);
  EXPECT_GE(default_compilers(), 1U);
}

}  // namespace
}  // namespace tune
