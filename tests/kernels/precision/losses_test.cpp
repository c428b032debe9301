// SPDX-License-Identifier: Apache-2.0
// Losses of precision that a check must find: doubles that are read through float.
#include "tests/kernels/precision/losses.hpp"

#include <gtest/gtest.h>

#include "kernels/registry.hpp"
#include "tests/support/changed_sources.hpp"

namespace tune::kernels {
namespace {

struct Loss {
  const char* problem;
  const char* where;
  std::vector<std::pair<std::string, Value>> settings = {};
  /// A place in a kernel file; empty: all loads of vectors.
  const char* file = "";
  const char* right = "";
  const char* wrong = "";
};

TEST(PlantedLosses, OfDoublesAreFound) {
  const Loss losses[] = {
      {"gemm",
       "variant == 'tile'",
       {},
       "gemm/tile.cu",
       "from.elements[y * from.pitch + x]",
       "Real(float(from.elements[y * from.pitch + x]))"},
      {"stencil3d", "variant == 'direct'"},
      {"matvec", "kept == 'registers'"},
      {"conv2d_separable", "variant == 'direct2d'"},
  };
  for (const Loss& loss : losses) {
    SCOPED_TRACE(loss.problem);
    const std::unique_ptr<Problem> problem = make_problem(loss.problem);
    std::vector<std::pair<std::string, Value>> settings = loss.settings;
    settings.emplace_back("type", "double");
    const Instance instance = make_instance(problem->info(), "", settings);
    const auto configuration = testing::configuration_where(*problem, instance, loss.where);
    ASSERT_TRUE(configuration);
    const std::string file = loss.file;
    tune::testing::EmulatedSample sample(*problem);
    sample.add(*configuration, testing::small_sizes(*problem, instance, *configuration),
               file.empty() ? testing::narrowed_loads("double")
                            : std::make_shared<tune::testing::ChangedSources>(file, loss.right, loss.wrong));
    testing::expect_wrong_results(sample);
  }
}

}  // namespace
}  // namespace tune::kernels
