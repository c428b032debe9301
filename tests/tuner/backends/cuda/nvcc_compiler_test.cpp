// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tuner/backends/cuda/toolkit/nvcc.hpp"
#include "tuner/backends/cuda/toolkit/toolkit_headers.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune::cuda {
namespace {

namespace fs = std::filesystem;
using tune::testing::TemporaryFolder;

constexpr const char* with_host_code = R"(
#include "hip/hip_runtime.h"
#include <vector>
#include <iostream>
#include <cmath>
#include "lib/scale.cuh"
#ifndef BLOCK
#define BLOCK 1
#endif
template<class T, int N> __global__ void scaled(T* v) {
  __shared__ T stage[N];
  stage[threadIdx.x] = scale(v[threadIdx.x]);
  __syncthreads();
  v[threadIdx.x] = stage[threadIdx.x ^ 1] + std::sqrt(v[0]);
}
namespace inner { __global__ void mangled(float* v, std::vector<int>*) { *v = BLOCK; } }
namespace { __global__ void unnamed(float* v) { *v = BLOCK; } }
extern "C" __global__ void plain(float* v) { PAIR values{3, BLOCK}; *v = values.second; }
int main() {
  std::vector<float> host(BLOCK);
  plain<<<1, BLOCK>>>(host.data());
  hipLaunchKernelGGL(HIP_KERNEL_NAME(plain), dim3(1), dim3(BLOCK), 0, 0, host.data());
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  std::cout << host[0] << "\n";
}
)";

CompileRequest host_request(std::string text, std::vector<std::string> entries) {
  CompileRequest made;
  made.source = {"kernels/test.cu", std::move(text)};
  made.entries = std::move(entries);
  return made;
}

TEST(NvccUnit, HasMacrosSourceAndEntries) {
  CompileRequest made = host_request("", {"plain", "scaled<float, 4>"});
  made.defines = {{"BLOCK", "64"}, {"NOTHING", ""}, {"T", "std::pair<int, float>"}};
  EXPECT_EQ(nvcc_unit(made),
            "#define BLOCK 64\n#define NOTHING \n#define T std::pair<int, float>\n#include \"test.cu\"\n"
            "template<int number, class Function, Function* function> __global__ void tune_entry() {}\n"
            "template __global__ void tune_entry<0, decltype(plain), plain>();\n"
            "template __global__ void tune_entry<1, decltype(scaled<float, 4>), scaled<float, 4>>();\n");
}

TEST(NvccUnit, TellsTheNamesOfEntries) {
  const std::vector<std::string> functions = {
      "_ZN2ns5innerIdEEvPT_PSt6vectorIS1_SaIS1_EE",
      "_Z10tune_entryILi1EFvPdPSt6vectorIdSaIdEEEXadL_ZN2ns5innerIdEEvPT_PS1_IS8_SaIS8_EEEEEvv",
      "_Z10tune_entryILi0EFvPfEXadL_Z5plainS0_EEEvv",
      "_Z10tune_entryILi2EFvPfEXadL_Z4kernIfLi4EEvPT_EEEvv",
      "_Z4kernIfLi4EEvPT_",
      "_ZN5inner7mangledEPf",
      "_ZN5inner7mangledEPfPSt6vectorIiSaIiEE",
      "_Z10tune_entryILi4EFvPfPSt6vectorIiSaIiEEEXadL_ZN5inner7mangledES0_S4_EEEvv",
      "_Z4kernIfLi3EEvPT_",
      "plain"};
  const auto symbols =
      entries_in(functions, {"plain", "ns::inner<double>", "kern<float, BLOCK>", "other", "inner::mangled"});
  EXPECT_EQ(symbols, (std::map<std::string, std::string>{{"plain", "plain"},
                                                         {"ns::inner<double>", functions[0]},
                                                         {"kern<float, BLOCK>", functions[4]},
                                                         {"inner::mangled", functions[6]}}));
  EXPECT_TRUE(functions_in({}).empty());
  const std::string damaged = std::string("\177ELF\2\1\1", 7) + std::string(90, '\x7f');
  EXPECT_TRUE(functions_in(std::as_bytes(std::span(damaged))).empty());
}

/// A program in the place of nvcc, which reports a version and then does this.
fs::path invented_nvcc(const TemporaryFolder& folder, const std::string& script) {
  fs::create_directories(folder / "bin");
  const fs::path path = folder / "bin" / "nvcc";
  std::ofstream(path)
      << "#!/bin/sh\ncase \"$1\" in\n"
         "--version) echo 'Cuda compilation tools, release 12.4, V12.4.1'; echo 'Build x'; exit;;\n"
         "--list-gpu-code) echo sm_90; exit;;\nesac\n"
      << script << "\n";
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

TEST(NvccStandIn, HasAVersionAndAnIdentity) {
  const TemporaryFolder folder;
  const fs::path nvcc = invented_nvcc(folder, "exit 0");
  const NvccCompiler compiler(nvcc, "sm_90");
  EXPECT_EQ(compiler.version(), "nvcc 12.4 sm_90");
  EXPECT_NE(compiler.identity().find("V12.4.1 Build x"), std::string::npos) << compiler.identity();
  EXPECT_NE(compiler.identity().find(format(" headers {}", headers_revision)), std::string::npos);
  EXPECT_THROW(NvccCompiler(nvcc, "sm_1"), Error);
  EXPECT_THROW(NvccCompiler("/bin/true", "sm_90"), Error);
  setenv("NVCC_APPEND_FLAGS", "-DMORE", 1);
  const std::string with_flags = compiler.identity();
  unsetenv("NVCC_APPEND_FLAGS");
  EXPECT_NE(compiler.identity(), with_flags);
}

TEST(NvccStandIn, IsFoundByTheEnvironmentFirst) {
  const TemporaryFolder folder;
  const fs::path nvcc = invented_nvcc(folder, "exit 0");
  const char* const before = std::getenv("CUDA_HOME");
  const std::string home = before == nullptr ? "" : before;
  setenv("CUDA_HOME", folder.path().c_str(), 1);
  EXPECT_EQ(find_nvcc(), nvcc);
  before == nullptr ? unsetenv("CUDA_HOME") : setenv("CUDA_HOME", home.c_str(), 1);
}

TEST(NvccStandIn, HasReasonsForItsFailures) {
  const TemporaryFolder folder;
  for (const auto& [script, reason] :
       {std::pair{"echo \"nvcc fatal   : Unknown option '--no'\"; exit 1", "option"},
        std::pair{"echo 'test.cu:1:10: fatal error: no.h: No such file or directory'; exit 1",
                  "missing header"},
        std::pair{"echo 'x.h(1): error: #error -- unsupported GNU version! gcc'; exit 1", "host compiler"},
        std::pair{"echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\"; exit 9",
                  "compiler crashed"},
        std::pair{"echo 'test.cu(3): error: identifier \"x\" is undefined'; exit 2", "syntax"},
        std::pair{"echo 'tune_entries.cu(3): error: identifier \"k\" is undefined'; exit 2", "entry"},
        std::pair{"echo 'ptxas error   : Entry function uses too much shared data'; exit 255",
                  "static shared memory"},
        std::pair{"kill -9 $$", "compiler crashed"}}) {
    const auto failed = NvccCompiler(invented_nvcc(folder, script), "sm_90").compile(host_request("", {"k"}));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().phase, Phase::compile);
    EXPECT_EQ(failed.error().reason, reason) << failed.error().detail;
  }
}

/// nvcc starts further programs, which write their number to the file and would run for a minute.
std::string endless(const TemporaryFolder& folder) {
  return "sh -c 'echo $$ > " + (folder / "child").string() + "; exec sleep 60 > /dev/null 2>&1'; true";
}

/// True until the process has ended, also if nobody has asked how.
bool is_alive(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return in >> number >> name >> state && state != "Z";
}

void expect_no_child(const TemporaryFolder& folder) {
  pid_t child = 0;
  std::ifstream(folder / "child") >> child;
  ASSERT_GT(child, 0);
  const Stopwatch waiting;
  while (is_alive(child) && waiting.seconds() < 10) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(is_alive(child)) << "what nvcc started runs on";
}

TEST(NvccStandIn, ALimitEndsItsProcesses) {
  const TemporaryFolder folder;
  const NvccCompiler compiler(invented_nvcc(folder, endless(folder)), "sm_90", 0.5);
  const auto late = compiler.compile(host_request("", {"k"}));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().phase, Phase::timeout);
  EXPECT_EQ(late.error().reason, slow_compiler);
  expect_no_child(folder);
}

TEST(NvccStandIn, ACancelEndsItsProcesses) {
  const TemporaryFolder folder;
  const NvccCompiler compiler(invented_nvcc(folder, endless(folder)), "sm_90");
  std::thread canceller([&] {
    while (!fs::exists(folder / "child") || fs::file_size(folder / "child") < 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    compiler.cancel();
  });
  const auto cancelled = compiler.compile(host_request("", {"k"}));
  canceller.join();
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().reason, "cancelled");
  expect_no_child(folder);
}

class Nvcc : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    compiler_ = make_nvcc_compiler("sm_90", &reason);
    if (!compiler_) GTEST_SKIP() << reason;
  }
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(Nvcc, CompilesKernelsBesideHostCode) {
  CompileRequest wanted =
      host_request(with_host_code, {"plain", "inner::mangled", "unnamed", "scaled<float, 2 * BLOCK>"});
  wanted.headers = {{"lib/scale.cuh", "#include \"../common.cuh\"\n"},
                    {"../common.cuh", "__device__ inline float scale(float v) { return 2 * v; }\n"}};
  wanted.defines = {{"BLOCK", "128"}, {"PAIR", "std::pair<int, int>"}};
  wanted.options = {"--use_fast_math", "--expt-relaxed-constexpr", "-lineinfo", "-I", "."};
  const auto binary = compiler_->compile(wanted);
  ASSERT_TRUE(binary) << binary.error().detail;
  EXPECT_EQ(binary->symbols.at("plain"), "plain");
  EXPECT_EQ(binary->symbols.at("inner::mangled").find("_ZN5inner7mangled"), 0U);
  EXPECT_EQ(binary->symbols.at("scaled<float, 2 * BLOCK>"), "_Z6scaledIfLi256EEvPT_");
  EXPECT_NE(binary->symbols.at("unnamed").find("7unnamed"), std::string::npos);
  EXPECT_EQ(binary->resources.at("scaled<float, 2 * BLOCK>").static_shared_memory, 1024);
  for (const auto& [entry, resources] : binary->resources) EXPECT_GE(resources.registers, 4) << entry;
  EXPECT_EQ(binary->resources.size(), 4U);
  EXPECT_EQ(binary->compiler, compiler_->version());
  const auto again = compiler_->compile(wanted);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->hash, binary->hash) << "the temporary folder is another one";
}

TEST_F(Nvcc, TellsWhatIsWrongWithASource) {
  CompileRequest wanted =
      host_request("#define BLOCK 64\nextern \"C\" __global__ void k(int* v) { *v = BLOCK; }", {"k"});
  wanted.defines = {{"BLOCK", "128"}};
  const auto redefined = compiler_->compile(wanted);
  ASSERT_FALSE(redefined);
  EXPECT_EQ(redefined.error().reason, redefined_macro) << redefined.error().detail;
  EXPECT_EQ(redefined.error().detail.find("test.cu:1: "), 0U) << redefined.error().detail;
  const auto entry = compiler_->compile(host_request("extern \"C\" __global__ void k(int* v) {}", {"other"}));
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().reason, "entry");
  const auto missing = compiler_->compile(host_request("#include \"no.h\"\n", {"k"}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().reason, "missing header");
}

TEST_F(Nvcc, KnowsTheHeadersThatItReads) {
  const TemporaryFolder folder;
  std::ofstream(folder / "mine.h") << "#define MINE 1\n";
  CompileRequest wanted = host_request("#include <vector>\n#include <mine.h>\n", {"k"});
  wanted.options = {"-I" + folder.path().string()};
  const auto before = compiler_->files_key(wanted);
  ASSERT_TRUE(before);
  EXPECT_EQ(compiler_->files_key(wanted), before);
  std::ofstream(folder / "mine.h") << "#define MINE 22\n";
  EXPECT_NE(compiler_->files_key(wanted), before);
  EXPECT_TRUE(compiler_->files_key(host_request("#include <thrust/device_vector.h>\n", {"k"})));
  wanted.options.emplace_back("-ccbin=g++");
  EXPECT_FALSE(compiler_->files_key(wanted)) << "the folders of that compiler are not known";
}

}  // namespace
}  // namespace tune::cuda
