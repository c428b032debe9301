// SPDX-License-Identifier: Apache-2.0
// tune data, and the files of a run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernels/matvec/model/files.hpp"
#include "kernels/registry.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

class Data : public ::testing::Test {
 protected:
  /// A file of inputs, and their result rounded to floats with `error` added to one element of z.
  void make(float error) {
    const ProgramResult made = sandbox.tune(
        {"data", "generate", "--problem", "matvec", "--size", "40x30", "--seed", "3", "--out", input});
    EXPECT_EQ(made.status, 0) << made.err;
    const auto problem = kernels::make_problem("matvec");
    const Instance instance = make_instance(problem->info(), "40x30", {});
    const TensorSet inputs = kernels::matvec_files().read_inputs(input, instance);
    TensorSet outputs;
    for (const auto& [name, reference] : problem->reference(instance, inputs)) {
      HostTensor rounded(ElementType::f32, reference.extents());
      for (std::size_t i = 0; i < reference.size(); ++i)
        rounded.as<float>()[i] = static_cast<float>(reference.as<double>()[i]);
      if (name == "z") rounded.as<float>()[17] += error;
      outputs.emplace(name, std::move(rounded));
    }
    kernels::matvec_files().write_outputs(output, instance, outputs);
  }

  ProgramResult check() const {
    return sandbox.tune({"data", "check", "--problem", "matvec", "--input", input, "--output", output});
  }

  Sandbox sandbox;
  TemporaryFolder folder;
  std::string input = folder / "a.bin", output = folder / "r.bin";
};

TEST_F(Data, OfARightResultIsRight) {
  make(0);
  const ProgramResult outcome = check();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("y: largest difference"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("z: largest difference"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("beyond"), std::string::npos) << outcome.out;
}

TEST_F(Data, OfAWrongResultIsWrong) {
  make(0.05F);
  const ProgramResult outcome = check();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("z: largest difference 0.05, beyond"), std::string::npos) << outcome.out;
}

TEST_F(Data, ThatIsCutOffIsRefused) {
  make(0);
  std::filesystem::resize_file(output, std::filesystem::file_size(output) - 1);
  ProgramResult outcome = check();
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("r.bin"), std::string::npos) << outcome.err;
  std::filesystem::resize_file(input, 20);
  outcome = check();
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("a.bin"), std::string::npos) << outcome.err;
}

TEST_F(Data, OfARunNeedWhatTheyNeed) {
  make(0);
  const auto refused = [&](std::vector<std::string> arguments, const std::string& reason) {
    const ProgramResult outcome = sandbox.tune(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  };
  refused({"--problem", "matvec", "--device", "replay", "--input", input, "--output", folder / "b.bin"},
          "needs a GPU");
  refused({"--problem", "matvec", "--output", output}, "give both");
  refused({"--problem", "matvec", "--input", input, "--size", "40x30"}, "leave the option out");
  refused({"--problem", "stencil3d", "--input", input}, "takes no files");
  refused({"--problem", "matvec", "--input", input, "--output", folder / "none/r"}, "no folder");
  refused({"data", "generate", "--problem", "matvec"}, "--out");
  refused({"data", "generate", "--problem", "stencil2d", "--out", output}, "takes no files");
}

}  // namespace
}  // namespace tune::testing
