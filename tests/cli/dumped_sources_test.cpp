// SPDX-License-Identifier: Apache-2.0
// --keep-sources: what a chosen_configuration is compiled from, as files.
#include "cli/input/dumped_sources.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/cli/runs.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The only folder in a folder.
fs::path only_folder(const fs::path& folder) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_TRUE(found.empty()) << entry.path();
    found = entry.path();
  }
  return found;
}

const std::string chosen_configuration =
    "variant=streaming,block_x=32,block_y=4,vector=4,cells_y=1,chunk=64,queue=inputs,loader=async,stages=3,"
    "unroll=1,padded=true,store=streaming,min_blocks=1";

TEST(DumpedSources, AreAllThatThePlanIsCompiledFrom) {
  const Sandbox sandbox;
  const fs::path folder = sandbox / "kept" / "here";
  const auto problem = kernels::make_stencil3d();
  const Instance instance = make_instance(problem->info(), "64x64x64", {});
  const kernels::EmbeddedSources sources;
  const Configuration chosen = Configuration::parse(chosen_configuration);
  const cli::DumpedSources dumped(folder, *problem, instance, sources);
  dumped.keep(chosen);
  dumped.keep(chosen);
  const fs::path written = only_folder(folder);
  EXPECT_EQ(written.filename(), cli::DumpedSources::folder_of(chosen));
  EXPECT_TRUE(written.filename().string().starts_with("streaming-"));
  const LaunchPlan plan = *problem->plan(instance, chosen, sources);
  const std::string kernel = read(written / "streaming.cu");
  EXPECT_TRUE(kernel.ends_with(plan.compile.source.text));
  for (const auto& [name, value] : plan.compile.defines)
    EXPECT_NE(kernel.find("#define " + name + " " + value + "\n"), std::string::npos) << name;
  for (const SourceFile& header : plan.compile.headers)
    EXPECT_EQ(read(written / header.name), header.text) << header.name;
  const std::string about = read(written / "README.txt");
  EXPECT_NE(about.find(chosen.key()), std::string::npos) << about;
  EXPECT_NE(about.find("nvcc -cubin -I. -std=c++17 streaming.cu"), std::string::npos) << about;
  EXPECT_NE(about.find("stencil_step: grid 16 x 1 x 1, block 32 x 4 x 1"), std::string::npos) << about;
}

TEST(DumpedSources, SayHowStepsOverlap) {
  const Sandbox sandbox;
  const auto problem = kernels::make_gemm_stream();
  const Instance instance = make_instance(problem->info(), "64x64x64", {});
  const kernels::EmbeddedSources sources;
  const cli::DumpedSources dumped(sandbox / "kept", *problem, instance, sources);
  dumped.keep(
      Configuration::parse("streams=2,order=stages,chunk=4,memory=pinned,graph=false,kernel=register,"
                           "tile=64x64,vector=4"));
  const std::string about = read(only_folder(sandbox / "kept") / "README.txt");
  EXPECT_NE(about.find("copy of 'a' to 'a_here': 16384 x 1 elements\n"), std::string::npos) << about;
  EXPECT_NE(about.find("bytes of dynamic shared memory, stream 1, after step 1\n"), std::string::npos)
      << about;
  EXPECT_NE(about.find("copy of 'c_here' to 'c': 16384 x 1 elements, stream 2, after step 5\n"),
            std::string::npos)
      << about;
}

// What a kernel includes from a folder above its own would be written outside of the folder that was named.
TEST(DumpedSources, AreNotWrittenOutside) {
  const Sandbox sandbox;
  fs::create_directories(sandbox / "kernels");
  std::ofstream(sandbox / "above.cuh") << "constexpr float two = 2;\n";
  std::ofstream(sandbox / "kernels" / "k.cu") << R"cuda(#include "../above.cuh"
extern "C" __global__ void twice(const float* in, float* out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = two * in[i];
}
)cuda";
  std::ofstream(sandbox / "kernels" / "k.json") << R"json({
  "problem": "twice", "kernel": "k.cu", "sizes": {"n": 100}, "parameters": {"BLOCK": [32]},
  "arguments": {"in": {"type": "float", "size": "n"},
                "out": {"type": "float", "size": "n", "access": "write"},
                "n": {"type": "int", "value": "n"}},
  "launches": {"entry": "twice", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"}})json";
  const ProgramResult checked =
      sandbox.tune({"check", "--problem", (sandbox / "kernels" / "k.json").string(), "--device", "emulator",
                    "--keep-sources", (sandbox / "kept" / "deep").string()});
  EXPECT_NE(checked.status, 0);
  EXPECT_NE(checked.err.find("'../above.cuh' lies outside of the kernel's folder"), std::string::npos)
      << checked.err << checked.out;
  for (const auto& entry : fs::recursive_directory_iterator(sandbox / "kept"))
    EXPECT_NE(entry.path().filename(), "above.cuh") << entry.path();
}

TEST(DumpedSources, RunAndBestWriteTheWinners) {
  const Sandbox sandbox;
  const fs::path of_run = sandbox / "run", of_best = sandbox / "best";
  const ProgramResult ran =
      sandbox.tune(small_run({"--device", "replay", "--quiet", "--keep-sources", of_run.string()}));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string about = read(only_folder(of_run) / "README.txt");
  EXPECT_NE(about.find("variant="), std::string::npos);
  const ProgramResult best =
      sandbox.tune({"best", "--problem", "stencil3d", "--keep-sources", of_best.string()});
  ASSERT_EQ(best.status, 0) << best.err;
  EXPECT_FALSE(read(only_folder(of_best) / "README.txt").empty());
}

TEST(DumpedSources, AFileInTheWayIsTold) {
  const Sandbox sandbox;
  const fs::path file = sandbox / "file";
  std::ofstream(file) << "mine";
  const ProgramResult outcome = sandbox.tune({"check", "--problem", "stencil3d", "--arch", "sm_90",
                                              "--sample", "1", "--keep-sources", (file / "sub").string()});
  expect_refused(outcome, 1, {"cannot make the folder", "--keep-sources"});
  EXPECT_EQ(read(file), "mine");
}

}  // namespace
}  // namespace tune::testing
