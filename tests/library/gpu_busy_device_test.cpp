// SPDX-License-Identifier: Apache-2.0
// A GPU that another process has for itself: the driver shows it, but makes no context on it.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

/// A driver in front of the real one, which refuses contexts as in the mode EXCLUSIVE_PROCESS.
constexpr const char* busy_driver = R"(
#include <dlfcn.h>
#include <cstdint>
#include <cstring>
namespace {
void* real(const char* name) {
  static void* const library = dlopen(REAL_DRIVER, RTLD_NOW);
  return dlsym(library, name);
}
int unavailable() { return 46; }
bool makes_context(const char* name) {
  return std::strcmp(name, "cuDevicePrimaryCtxRetain") == 0 || std::strncmp(name, "cuCtxCreate", 11) == 0;
}
}
extern "C" {
int cuInit(unsigned flags) { return reinterpret_cast<int (*)(unsigned)>(real("cuInit"))(flags); }
int cuDriverGetVersion(int* version) {
  return reinterpret_cast<int (*)(int*)>(real("cuDriverGetVersion"))(version);
}
int cuGetExportTable(const void** table, const void* id) {
  return reinterpret_cast<int (*)(const void**, const void*)>(real("cuGetExportTable"))(table, id);
}
int cuGetProcAddress_v2(const char* name, void** address, int version, std::uint64_t flags, void* found) {
  const int status = reinterpret_cast<int (*)(const char*, void**, int, std::uint64_t, void*)>(
      real("cuGetProcAddress_v2"))(name, address, version, flags, found);
  if (makes_context(name)) *address = reinterpret_cast<void*>(unavailable);
  if (std::strcmp(name, "cuGetProcAddress") == 0) *address = reinterpret_cast<void*>(cuGetProcAddress_v2);
  return status;
}
int cuGetProcAddress(const char* name, void** address, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, address, version, flags, nullptr);
}
}
)";

std::string path_of_driver() {
  Dl_info info{};
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr || dladdr(dlsym(library, "cuInit"), &info) == 0) return {};
  return info.dli_fname;
}

TEST(GpuBusyDevice, IsAnErrorAndReplaysNothing) {
  std::string failure_reason;
  if (cuda::list_devices(&failure_reason).empty()) GTEST_SKIP() << failure_reason;
  const TemporaryFolder folder;
  std::ofstream(folder / "driver.cpp") << busy_driver;
  ASSERT_EQ(std::system(format("{} -shared -fPIC -DREAL_DRIVER='\"{}\"' -o {} {}", TUNE_CXX, path_of_driver(),
                               (folder / "libcuda.so.1").string(), (folder / "driver.cpp").string())
                            .c_str()),
            0);
  const std::string output = (folder / "output").string();
  for (const char* device : {"", " --device cuda:0", " --device 0"}) {
    const std::string call = format(
        "LD_LIBRARY_PATH={}:$LD_LIBRARY_PATH {} --problem stencil3d --size 64x64x64 --budget-evals 5{} --db {} "
        "> {} 2>&1",
        folder.path().string(), TUNE_PROGRAM, device, (folder / "results.db").string(), output);
    const int status = std::system(call.c_str());
    std::stringstream said;
    said << std::ifstream(output).rdbuf();
    EXPECT_EQ(WEXITSTATUS(status), 1) << said.str();
    EXPECT_NE(said.str().find("busy"), std::string::npos) << said.str();
    EXPECT_NE(said.str().find("another process"), std::string::npos) << said.str();
    EXPECT_EQ(said.str().find("replay"), std::string::npos) << said.str();
    std::filesystem::remove(folder / "results.db");
  }
}

}  // namespace
}  // namespace tune::testing
