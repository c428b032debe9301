// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/devices.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/without_privileges.hpp"
#include "tuner/backends/cuda/toolkit/device_files.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

TEST(Devices, SaysWhyThereIsNoDevice) {
  std::string reason;
  const auto devices = list_devices(&reason);
  EXPECT_EQ(devices.empty(), !reason.empty()) << reason;
  if (!devices.empty()) GTEST_SKIP() << "this machine has a device";
  EXPECT_TRUE(list_devices(nullptr).empty());
  EXPECT_THROW(open_device(0), Error);
}

TEST(Devices, RefusesDevicesThatAreNotThere) {
  EXPECT_THROW(open_device(-1), Error);
  EXPECT_THROW(open_device(1000), Error);
}

// A machine with these files has a GPU, whatever its driver says.
TEST(DeviceFiles, AreThoseOfGpus) {
  const testing::TemporaryFolder folder;
  for (const char* other : {"nvidiactl", "nvidia-uvm", "nvidia", "nvidia0x", "xnvidia0", "null"})
    std::ofstream(folder / other) << "";
  EXPECT_FALSE(has_device_files(folder.path()));
  EXPECT_FALSE(has_device_files(folder / "none"));
  std::ofstream(folder / "nvidia12") << "";
  EXPECT_TRUE(has_device_files(folder.path()));
  EXPECT_FALSE(forbidden_device_file(folder.path()));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(folder / "nvidia12", std::filesystem::perms(0600));
  std::filesystem::permissions(folder / "nvidiactl", std::filesystem::perms(0));
  const testing::WithoutPrivileges as_nobody;
  if (geteuid() == 65534) {
    EXPECT_EQ(forbidden_device_file(folder.path()), folder / "nvidia12");
  }
}

TEST(DeviceFiles, AreHiddenByTheVariableOfTheDriver) {
  const char* const before = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string kept = before == nullptr ? "" : before;
  for (const auto& [value, hidden] : std::initializer_list<std::pair<const char*, bool>>{{"", true},
                                                                                         {"-1", true},
                                                                                         {"-1,0", true},
                                                                                         {"NoDevFiles", true},
                                                                                         {"0", false},
                                                                                         {"0,-1", false},
                                                                                         {"-10", false}}) {
    setenv("CUDA_VISIBLE_DEVICES", value, 1);
    EXPECT_EQ(hides_devices(), hidden) << value;
  }
  if (before == nullptr)
    unsetenv("CUDA_VISIBLE_DEVICES");
  else
    setenv("CUDA_VISIBLE_DEVICES", kept.c_str(), 1);
}

TEST(Devices, SaysWhyThereIsNoCompiler) {
  std::string reason;
  EXPECT_EQ(make_nvrtc_compiler("sm_1", &reason), nullptr);
  EXPECT_NE(reason.find("NVRTC"), std::string::npos) << reason;
}

}  // namespace
}  // namespace tune::cuda
