// SPDX-License-Identifier: Apache-2.0
// The program carries, and the source hash covers, every kernel file of every problem.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::kernels {
namespace {

const std::filesystem::path folder = std::filesystem::path(TUNE_SOURCE_DIR) / "kernels";

/// The kernel files of a problem's folder by name, wherever below it they lie.
std::map<std::string, std::filesystem::path> paths_of(const std::string& problem) {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / problem)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".cu" && ending != ".cuh") continue;
    const std::string name = problem + "/" + entry.path().filename().generic_string();
    EXPECT_TRUE(files.emplace(name, entry.path()).second) << name << " is the name of two files";
  }
  return files;
}

std::set<std::string> files_of(const std::string& problem) {
  std::set<std::string> names;
  for (const auto& [name, path] : paths_of(problem)) names.insert(name);
  return names;
}

/// Problems of one family have a folder together.
std::string folder_of(const ProblemInfo& info) {
  for (const std::string& file : info.sources)
    if (!file.starts_with("common/")) return file.substr(0, file.find('/'));
  return {};
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of one problem of its folder at least; that each problem names what its own plans compile is the
// conformance suite's to see.
TEST(KernelFiles, AreAllInTheSourceHash) {
  std::map<std::string, std::set<std::string>> named;  // by folder
  for (const ProblemEntry& entry : gpu_problems()) {
    const ProblemInfo info = entry.make()->info();
    const std::set<std::string> sources(info.sources.begin(), info.sources.end());
    EXPECT_EQ(sources.size(), info.sources.size()) << "a file twice";
    for (const std::string& file : sources) named[file.substr(0, file.find('/'))].insert(file);
  }
  named["stencil"].insert("stencil/reference.cu");  // by which results are checked; none is timed with it
  // Timed with several GPUs only: results of one GPU stay valid.
  named["stencil"].insert("stencil/exchange.cu");
  for (const auto& [problem, files] : named) EXPECT_EQ(files, files_of(problem));
}

TEST(KernelFiles, AreEmbeddedAsTheyAre) {
  const EmbeddedSources sources;
  for (const ProblemEntry& entry : gpu_problems())
    for (const auto& [name, path] : paths_of(folder_of(entry.make()->info())))
      EXPECT_EQ(sources.text(name), text_of(path)) << name;
  EXPECT_THROW(sources.text("stencil/missing.cu"), Error);
}

// A file is found by its name, in whichever subfolder of its problem it lies; the program has all others.
TEST(KernelFiles, AreFoundInAFolder) {
  const tune::testing::TemporaryFolder cost;
  std::filesystem::create_directories(cost.path() / "stencil/variants/direct");
  std::ofstream(cost.path() / "stencil/variants/direct/direct.cu") << "deep";
  std::ofstream(cost.path() / "stencil/streaming.cu") << "flat";
  const FolderSources sources(cost.path());
  EXPECT_EQ(sources.text("stencil/direct.cu"), "deep");
  EXPECT_EQ(sources.text("stencil/streaming.cu"), "flat");
  EXPECT_EQ(sources.text("stencil/split.cu"), EmbeddedSources().text("stencil/split.cu"));
  EXPECT_EQ(sources.text("gemm/tile.cu"), EmbeddedSources().text("gemm/tile.cu"));
}

// PTX stays in a few headers, whose functions have host twins.
TEST(KernelFiles, KeepPtxInOnePlace) {
  const std::set<std::string> with_twins{
      "common/async_copy.cuh",        "common/grid_barrier.cuh",   "common/tensor_core.cuh",
      "common/warpgroup_product.cuh", "common/tensor_copy.cuh",    "matvec/exchange.cuh",
      "rotate/half_pairs.cuh",        "stencil/block_barrier.cuh", "stencil/pin.cuh"};
  std::set<std::string> with_ptx, folders{"common"};
  for (const ProblemEntry& entry : gpu_problems()) folders.insert(folder_of(entry.make()->info()));
  for (const std::string& problem : folders)
    for (const auto& [name, path] : paths_of(problem))
      if (std::regex_search(text_of(path), std::regex("\\basm\\b *(volatile)? *\\("))) with_ptx.insert(name);
  EXPECT_EQ(with_ptx, with_twins);
}

}  // namespace
}  // namespace tune::kernels
