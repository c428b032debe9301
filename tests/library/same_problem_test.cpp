// SPDX-License-Identifier: Apache-2.0
// A problem in code is the problem of the same definition: its space, its plans, and what the emulator finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "library/tuner/problem.hpp"
#include "tests/library/toy.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::testing {
namespace {

const std::filesystem::path examples = std::filesystem::path(TUNE_SOURCE_DIR) / "examples" / "own_kernels";

/// examples/own_kernels/reduction.json.
api::Problem reduction() {
  api::Problem problem("reduction");
  problem.size("n", 67108864)
      .parameter("BLOCK", {64, 128, 256, 512, 1024}, 256)
      .parameter("BLOCKS", {132, 264, 528, 1056, 2112}, 528)
      .parameter("VECTOR", {1, 2, 4}, 4)
      .parameter("SHUFFLE", {0, 1}, 1)
      .constraint("BLOCK <= max_threads", "a block has more threads than the device allows")
      .input<float>("in", "n", api::random(0, 1))
      .scratch<float>("parts", "max(BLOCKS)")
      .output<float>("out", 1)
      .scalar<int>("n", "n")
      .scalar<int>("count", "BLOCKS")
      .kernel((examples / "reduction.cu").string(), "sum_parts")
      .grid("BLOCKS")
      .block("BLOCK")
      .arguments({"in", "parts", "n"})
      .launch("sum_all")
      .grid(1)
      .block([](const api::Configuration& c, const api::Sizes&) { return api::Dim3(c["BLOCK"]); })
      .arguments({"parts", "out", "count"})
      .tolerance(0, 1e-5)
      .check_at({{"n", 1}})
      .check_at({{"n", 1003}})
      .check_at({{"n", 20000}})
      .flops("n")
      .bytes([](const api::Sizes& s) { return 4.0 * static_cast<double>(s["n"]); })
      .items("n");
  return problem;
}

struct Both {
  Both()
      : code(api::described(reduction().spec())),
        file(described::read_definition(examples / "reduction.json")) {}
  described::DescribedProblem code;
  described::DescribedProblem file;
  const kernels::EmbeddedSources sources;
};

TEST(SameProblem, TheSpacesAreEqual) {
  const Both both;
  const DeviceProperties device = architecture_properties("sm_90");
  const Instance instance = api::instance_at(both.code.info(), {});
  EXPECT_EQ(instance, make_instance(both.file.info(), "", {}));
  const search::SearchSpace code = both.code.valid_space(instance, device);
  const search::SearchSpace file(both.file.space(instance, device));
  ASSERT_EQ(code.size(), file.size());
  for (search::ConfigurationId id = 0; id < code.size(); ++id) ASSERT_EQ(code.at(id), file.at(id));
  EXPECT_EQ(code.at(*code.default_configuration()), file.at(*file.default_configuration()));
  for (std::size_t i = 0; i < code.parameters().size(); ++i)
    EXPECT_EQ(code.parameters()[i].values, file.parameters()[i].values);
}

TEST(SameProblem, PlansWorkAndInputsAreEqual) {
  const Both both;
  const Instance instance = api::instance_at(both.code.info(), {{"n", 20000}});
  const search::SearchSpace space = both.code.valid_space(instance, architecture_properties("sm_90"));
  for (search::ConfigurationId id = 0; id < space.size(); id += 7) {
    const auto code = both.code.plan(instance, space.at(id), both.sources);
    const auto file = both.file.plan(instance, space.at(id), both.sources);
    ASSERT_TRUE(code && file);
    ASSERT_EQ(content_of(code->compile), content_of(file->compile));
    ASSERT_EQ(launches_of(*code), launches_of(*file));
  }
  const ProblemCost code = both.code.cost(instance), file = both.file.cost(instance);
  EXPECT_EQ(code.flops, file.flops);
  EXPECT_EQ(code.bytes, file.bytes);
  EXPECT_EQ(code.items, file.items);
  const TensorSet inputs = both.code.inputs(instance, 3), others = both.file.inputs(instance, 3);
  ASSERT_EQ(inputs.size(), others.size());
  const auto a = inputs.at("in").as<float>(), b = others.at("in").as<float>();
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

/// A problem with what the reduction has not: settings, a variable of the kernel, fills, another kernel that
/// is right. The numbers of the one are formulas, those of the other functions.
class Weighing : public ::testing::Test {
 protected:
  Weighing() {
    std::ofstream(folder_ / "weigh.cu")
        << "__constant__ float weights[4];\n"
           "extern \"C\" __global__ void weigh(const float* in, real* out, int n, bool twice) {}\n";
    std::ofstream(folder_ / "right.cu")
        << "extern \"C\" __global__ void right(const float* in, const float* weights, real* out) {}\n";
    std::ofstream(folder_ / "weighing.json") << R"json({
      "problem": "weighing", "sizes": {"n": 100}, "settings": {"real": {"values": ["float", "double"]}},
      "kernel": {"file": "weigh.cu", "options": ["-DROWS=BLOCK"], "defines": {"HALF": "n // 2"}},
      "parameters": {"BLOCK": [32, 64, 128], "PAD": {"values": [0, 1], "if": "BLOCK > 32"}},
      "constraints": [{"rule": "BLOCK <= n", "why": "threads without work"}],
      "check": [{"n": 33}],
      "arguments": {"in": {"type": "float", "size": "n + max(PAD)", "fill": {"from": 1, "step": 0.5}},
                    "weights": {"type": "float", "size": 4, "symbol": "weights", "fill": {"random": [-1, 1]}},
                    "out": {"type": "real", "size": "n", "access": "both", "fill": 0.25},
                    "n": {"type": "int", "value": "n"}, "twice": {"type": "bool", "value": "BLOCK"}},
      "launches": {"entry": "weigh", "cooperative": true, "grid": ["ceil_div(n, BLOCK)", 2], "block": "BLOCK", "shared": "4 * BLOCK"},
      "reference": {"configuration": {"BLOCK": 64, "PAD": 0},
                    "kernel": "right.cu", "launches": {"entry": "right", "grid": 1, "block": "BLOCK",
                                                       "arguments": ["in", "weights", "out"]}},
      "tolerance": {"absolute": 0.5}})json";
  }
  api::Problem in_code() const {
    using api::Configuration;
    using api::Sizes;
    api::Problem problem("weighing");
    problem.size("n", 100)
        .setting("real", {"float", "double"})
        .parameter("BLOCK", {32, 64, 128})
        .parameter_if("BLOCK > 32", "PAD", {0, 1})
        .constraint([](const Configuration& c, const Sizes& s) { return c["BLOCK"] <= s["n"]; },
                    "threads without work")
        .check_at({{"n", 33}})
        .input<float>(
            "in", [](const Sizes& s) { return static_cast<double>(s["n"] + 1); }, api::sequence(1, 0.5))
        .symbol<float>("weights", 4, api::random(-1, 1))
        .inout("out", "real", "n", api::from([](std::size_t, std::uint64_t) { return 0.25; }))
        .scalar<int>("n", [](const Configuration&, const Sizes& s) { return static_cast<double>(s["n"]); })
        .scalar("twice", "bool", "BLOCK")
        .kernel(api::Kernel((folder_ / "weigh.cu").string())
                    .option("-DROWS=BLOCK")
                    .define("HALF", [](const Configuration&, const Sizes& s) { return s["n"] / 2; }),
                "weigh")
        .grid([](const Configuration& c, const Sizes& s) {
          return api::Dim3((s["n"] + c["BLOCK"] - 1) / c["BLOCK"], 2);
        })
        .block("BLOCK")
        .shared_memory(
            [](const Configuration& c, const Sizes&) { return 4.0 * static_cast<double>(c["BLOCK"]); })
        .cooperative()
        .reference({{"BLOCK", 64}, {"PAD", 0}})
        .reference((folder_ / "right.cu").string(), "right")
        .grid(1)
        .block("BLOCK")
        .arguments({"in", "weights", "out"})
        .tolerance(0.5);
    return problem;
  }
  static std::string text_of(const Result<LaunchPlan>& plan) {
    if (!plan) return plan.error().reason;
    std::string text = content_of(plan->compile) + launches_of(*plan);
    for (const BufferSpec& buffer : plan->buffers) text += buffer.name + " " + buffer.symbol + "\n";
    return text;
  }

  const TemporaryFolder folder_;
};

TEST_F(Weighing, IsTheSameInAFileAndInCode) {
  const described::DescribedProblem file(described::read_definition(folder_ / "weighing.json"));
  const described::DescribedProblem code(api::described(in_code().spec()));
  const described::DescribedSources sources(code);
  for (const api::Sizes& sizes : {api::Sizes{}, {{"n", 70}, {"real", "double"}}}) {
    const Instance instance = api::instance_at(code.info(), sizes);
    const DeviceProperties device = architecture_properties("sm_90");
    const search::SearchSpace all = code.valid_space(instance, device);
    ASSERT_EQ(all.size(), file.valid_space(instance, device).size());
    for (search::ConfigurationId id = 0; id < all.size(); ++id) {
      ASSERT_TRUE(file.valid_space(instance, device).find(all.at(id)));
      EXPECT_EQ(text_of(code.plan(instance, all.at(id), sources)),
                text_of(file.plan(instance, all.at(id), sources)));
    }
    const auto right = code.reference_plan(instance, sources), same = file.reference_plan(instance, sources);
    ASSERT_TRUE(right && same);
    EXPECT_EQ(text_of(*right), text_of(*same));
    EXPECT_EQ(std::get<Launch>((*right)->launches.at(0)).block.x, 64U);
    const TensorSet inputs = code.inputs(instance, 3), others = file.inputs(instance, 3);
    ASSERT_EQ(inputs.size(), 3U);
    for (const auto& [name, tensor] : inputs)
      EXPECT_TRUE(std::ranges::equal(tensor.bytes(), others.at(name).bytes())) << name;
    EXPECT_EQ(code.tolerance(instance).of("out").absolute, 0.5);
    EXPECT_EQ(file.tolerance(instance).of("out").absolute, 0.5);
    EXPECT_EQ(code.check_instances(instance, {}), file.check_instances(instance, {}));
    EXPECT_EQ(code.cost(instance).bytes, file.cost(instance).bytes);
    EXPECT_EQ(code.cost(instance).arithmetic, file.cost(instance).arithmetic);
  }
}

// Both kernels of both descriptions are held against their declarations.
TEST_F(Weighing, TheReferencesArgumentsAreChecked) {
  std::ofstream(folder_ / "right.cu")
      << "extern \"C\" __global__ void right(const float* in, float* out, int n, int m) {}\n";
  const auto message = [](const auto& make) {
    try {
      make();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was wrong");
  };
  const std::string wrong =
                        "kernel 'right' takes 4 arguments (const float* in, float* out, int n, int m), the ",
                    given = " has 3 (in, weights, out)";
  EXPECT_EQ(message([&] { described::DescribedProblem code(api::described(in_code().spec())); }),
            "weighing: " + wrong + "problem" + given);
  const std::string path = (folder_ / "weighing.json").string();
  EXPECT_EQ(message([&] { described::DescribedProblem file(described::read_definition(path)); }),
            path + ": " + wrong + "definition" + given);
}

TEST(SameProblem, TheEmulatorFindsTheSame) {
  const Both both;
  const Instance instance = api::instance_at(both.code.info(), {});
  const search::SearchSpace space = both.code.valid_space(instance, architecture_properties("sm_90"));
  const std::vector<search::Configuration> some = {space.at(0), space.at(space.size() / 2)};
  const auto verdicts = [&](const tune::Problem& problem, const KernelSources& sources) {
    std::vector<emulator::CheckVerdict> all(some.size());
    emulator::ProblemJobs jobs(problem, sources);
    emulator::check(
        some.size(),
        [&](std::size_t i) { return jobs.job(some[i], problem.check_instances(instance, some[i])); }, {},
        [&](std::size_t i, emulator::CheckVerdict verdict) {
          all[i] = std::move(verdict);
          return true;
        });
    return all;
  };
  const auto code = verdicts(both.code, described::DescribedSources(both.code)),
             file = verdicts(both.file, both.sources);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_TRUE(code[i].clean());
    EXPECT_TRUE(file[i].clean());
    EXPECT_EQ(code[i].error, file[i].error);
    EXPECT_EQ(code[i].tolerance, file[i].tolerance);
  }
}

TEST(SameProblem, AWrongKernelIsFoundOnTheEmulator) {
  api::Problem problem("shifted");
  problem.size("n", 100)
      .parameter("BLOCK", {32, 64})
      .parameter("OFFSET", {0, 1})
      .output<float>("out", "n")
      .input<float>("in", "n")
      .scalar<int>("n", "n")
      .kernel(api::Kernel::from_source(
                  "extern \"C\" __global__ void twice(float* out, const float* in, int n) {\n"
                  "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                  "  if (i < n) out[i] = 2 * in[i + OFFSET];\n"
                  "}\n"),
              "twice")
      .grid([](const api::Configuration& c, const api::Sizes& s) {
        return api::Dim3((s["n"] + c["BLOCK"] - 1) / c["BLOCK"]);
      })
      .block("BLOCK")
      .check_at({{"n", 65}});
  api::Options options;
  options.device = "emulator";
  options.strategy = "grid";
  const api::Result result = api::Tuner(options).run(problem);
  EXPECT_EQ(result.right, 2U);
  ASSERT_EQ(result.wrong.size(), 2U);
  for (const api::Evaluation& wrong : result.wrong) {
    EXPECT_EQ(wrong.configuration["OFFSET"], 1);
    EXPECT_EQ(wrong.failure->phase, "verify");
    EXPECT_EQ(wrong.failure->reason, "out of bounds");
  }
  EXPECT_FALSE(result.best) << "nothing is measured on the emulator";
}

TEST(SameProblem, FillsAreWhatTheySay) {
  api::Problem problem("fills");
  problem.size("n", 4)
      .input<float>("function", "n", api::from([](std::size_t i, std::uint64_t seed) {
                      return static_cast<double>(10 * seed + i);
                    }))
      .input<int>("sequence", "n", api::sequence(3, 2))
      .input<double>("constant", {"n", 2}, api::constant(0.5))
      .output<float>("out", "n")
      .kernel(api::Kernel::from_source("// nothing\n"), "fills")
      .grid(1)
      .block(32);
  const described::DescribedProblem code(api::described(problem.spec()));
  const TensorSet inputs = code.inputs(api::instance_at(code.info(), {}), 2);
  EXPECT_EQ(
      std::vector<float>(inputs.at("function").as<float>().begin(), inputs.at("function").as<float>().end()),
      (std::vector<float>{20, 21, 22, 23}));
  EXPECT_EQ(inputs.at("sequence").as<std::int32_t>()[3], 9);
  EXPECT_EQ(inputs.at("constant").size(), 8U);
  EXPECT_EQ(inputs.at("constant").as<double>()[7], 0.5);
}

TEST(SameProblem, WholeNumbersAreExactTo64Bits) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;  // no double
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  api::Problem problem("exact");
  problem.size("n", 4)
      .parameter("BLOCK", {32})
      .inout("a", "int64", "n", api::constant(odd))
      .input("b", "uint64", "n", api::constant(most))
      .input("c", "int64", "n", api::sequence(odd, 2))
      .input("d", "int64", "n", api::random(odd, odd))
      .input("e", "int64", "n",
             api::from([](std::size_t i, std::uint64_t) { return odd + static_cast<std::int64_t>(i); }))
      .scalar("f", "int64", odd)
      .scalar("g", "uint64", most)
      .scalar("h", "int64", [](const api::Configuration&, const api::Sizes& s) { return odd + s["n"]; })
      .kernel(api::Kernel::from_source("// nothing\n"), "k")
      .grid(1)
      .block(32);
  const described::DescribedProblem code(api::described(problem.spec()));
  const Instance instance = api::instance_at(code.info(), {});
  const TensorSet inputs = code.inputs(instance, 1);
  const auto last = [&](const char* name) { return inputs.at(name).as<std::int64_t>()[3]; };
  EXPECT_EQ(last("a"), odd);
  EXPECT_EQ(inputs.at("b").as<std::uint64_t>()[3], most);
  EXPECT_EQ(last("c"), odd + 6);
  EXPECT_EQ(last("d"), odd);
  EXPECT_EQ(last("e"), odd + 3);
  const auto plan = code.plan(instance, {{"BLOCK", 32}}, kernels::EmbeddedSources());
  ASSERT_TRUE(plan);
  const auto& arguments = std::get<Launch>(plan->launches[0]).arguments;
  EXPECT_EQ(std::get<ScalarArgument>(arguments.at(5)), ScalarArgument(odd));
  EXPECT_EQ(std::get<ScalarArgument>(arguments.at(6)), ScalarArgument(most));
  EXPECT_EQ(std::get<ScalarArgument>(arguments.at(7)), ScalarArgument(odd + 4));
}

TEST(SameProblem, SettingsChooseTypesAndMacros) {
  api::Problem problem("typed");
  problem.size("n", 4)
      .setting("real", {"float", "double"})
      .parameter("BLOCK", {32, 64})
      .output("out", "real", "n")
      .scalar("factor", "real", 2)
      .kernel(api::Kernel::from_source("// nothing\n").option("-DHALF=BLOCK").define("TWICE", "2 * BLOCK"),
              "scale<BLOCK, real>")
      .grid(1)
      .block("BLOCK")
      .when("n > 1");
  const described::DescribedProblem code(api::described(problem.spec()));
  const kernels::EmbeddedSources sources;
  const auto plan = code.plan(api::instance_at(code.info(), {{"real", "double"}}), {{"BLOCK", 64}}, sources);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->buffer("out").type, ElementType::f64);
  EXPECT_EQ(plan->compile.entries, std::vector<std::string>{"scale<64, double>"});
  EXPECT_TRUE(plan->compile.options.empty());
  EXPECT_EQ(plan->compile.defines,
            (std::vector<std::pair<std::string, std::string>>{{"TWICE", "128"}, {"HALF", "64"}}));
  EXPECT_EQ(std::get<double>(std::get<ScalarArgument>(std::get<Launch>(plan->launches[0]).arguments[1])),
            2.0);
  const auto none = code.plan(api::instance_at(code.info(), {{"n", 1}}), {{"BLOCK", 64}}, sources);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().phase, Phase::constraint);
}

}  // namespace
}  // namespace tune::testing
