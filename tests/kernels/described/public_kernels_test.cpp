// SPDX-License-Identifier: Apache-2.0
// Kernels as they are found in public repositories. Their sources are fetched by
// examples/public_kernels/fetch.sh; without them the tests are skipped.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/described/definition_check.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::emulator {
namespace {

namespace fs = std::filesystem;
using described::DescribedProblem;

const fs::path folder = fs::path(TUNE_SOURCE_DIR) / "examples" / "public_kernels";

std::vector<std::string> definitions() {
  std::vector<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".json") names.push_back(file.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class PublicKernels : public ::testing::TestWithParam<std::string> {
 protected:
  fs::path path() const { return folder / (GetParam() + ".json"); }
};

// The space needs no sources.
TEST_P(PublicKernels, HaveAChoice) {
  const DescribedProblem problem(described::read_definition(path()));
  const search::SearchSpace space(
      problem.space(make_instance(problem.info(), "", {}), architecture_properties("sm_90")));
  EXPECT_GT(space.size(), 2U);
  EXPECT_TRUE(space.default_configuration().has_value());
}

TEST_P(PublicKernels, AreRightOnTheEmulator) {
  if (!fs::exists(folder / "sources")) GTEST_SKIP() << "examples/public_kernels/fetch.sh fetches the sources";
  for (const Finding& finding : described::testing::findings_of(path(), 3, {}))
    ADD_FAILURE() << finding.text();
}

INSTANTIATE_TEST_SUITE_P(All, PublicKernels, ::testing::ValuesIn(definitions()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tune::emulator
