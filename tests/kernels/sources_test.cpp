// SPDX-License-Identifier: Apache-2.0
// The program carries, and the source hash covers, every kernel file of every problem.
#include "kernels/sources.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "kernels/registry.hpp"
#include "tuner/core/error.hpp"

namespace tune::kernels {
namespace {

const std::filesystem::path folder = std::filesystem::path(TUNE_SOURCE_DIR) / "kernels";

std::set<std::string> files_of(const std::string& problem) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder / problem)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".cu" || ending == ".cuh")
      files.insert(problem + "/" + entry.path().filename().generic_string());
  }
  return files;
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
  for (const ProblemEntry& entry : problems()) {
    const ProblemInfo info = entry.make()->info();
    const std::set<std::string> sources(info.sources.begin(), info.sources.end());
    EXPECT_EQ(sources.size(), info.sources.size()) << "a file twice";
    for (const std::string& file : sources) named[file.substr(0, file.find('/'))].insert(file);
  }
  named["stencil"].insert("stencil/reference.cu");  // by which results are checked; none is timed with it
  for (const auto& [problem, files] : named) EXPECT_EQ(files, files_of(problem));
}

TEST(KernelFiles, AreEmbeddedAsTheyAre) {
  const EmbeddedSources sources;
  for (const ProblemEntry& entry : problems())
    for (const std::string& name : files_of(folder_of(entry.make()->info())))
      EXPECT_EQ(sources.text(name), text_of(folder / name)) << name;
  EXPECT_THROW(sources.text("stencil/missing.cu"), Error);
}

// PTX stays in a few headers, whose functions have host twins.
TEST(KernelFiles, KeepPtxInOnePlace) {
  const std::set<std::string> with_twins{"common/async_copy.cuh",     "common/grid_barrier.cuh",
                                         "common/tensor_core.cuh",    "common/warpgroup_product.cuh",
                                         "common/tensor_copy.cuh",    "matvec/exchange.cuh",
                                         "stencil/block_barrier.cuh", "stencil/pin.cuh"};
  std::set<std::string> with_ptx, folders{"common"};
  for (const ProblemEntry& entry : problems()) folders.insert(folder_of(entry.make()->info()));
  for (const std::string& problem : folders)
    for (const std::string& name : files_of(problem))
      if (std::regex_search(text_of(folder / name), std::regex("\\basm\\b *(volatile)? *\\(")))
        with_ptx.insert(name);
  EXPECT_EQ(with_ptx, with_twins);
}

}  // namespace
}  // namespace tune::kernels
