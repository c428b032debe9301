// SPDX-License-Identifier: Apache-2.0
// Numbers that reach a kernel: exact, or an error.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "kernels/described/source/syntax.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

class Fills : public ::testing::Test {
 protected:
  /// A definition whose array has 4 elements of a type, and this fill.
  DescribedProblem problem(const std::string& type, const std::string& fill,
                           const std::string& more = "\"s\": {\"type\": \"int\", \"value\": 1}") {
    std::ofstream(folder_.path() / "k.cu") << "__global__ void k(T* x, S s) {}\n";
    return DescribedProblem(parse_definition(
        folder_.path() / "d.json", format(R"({{"problem": "fills", "kernel": "k.cu", "sizes": {{"n": 4}},
"parameters": {{"BLOCK": [32]}},
"arguments": {{"x": {{"type": "{}", "size": "n", "access": "both", "fill": {}}}, {}}},
"launches": {{"entry": "k", "grid": 1, "block": "BLOCK"}}}})",
                                          type, fill, more)));
  }

  template<class T>
  std::vector<T> filled(const std::string& type, const std::string& fill) {
    const DescribedProblem made = problem(type, fill);
    const TensorSet inputs = made.inputs(make_instance(made.info(), "", {}), 1);
    const auto elements = inputs.at("x").as<T>();
    return {elements.begin(), elements.end()};
  }

  std::string refusal(const std::string& type, const std::string& fill) {
    try {
      const DescribedProblem made = problem(type, fill);
      is_read_ = true;
      made.inputs(make_instance(made.info(), "", {}), 1);
    } catch (const UsageError& error) {
      const std::string what = error.what(), where = folder_.path().string() + "/";
      return what.starts_with(where) ? what.substr(where.size()) : what;
    }
    return "it was taken";
  }

  /// The argument `s` of the launch.
  ScalarArgument scalar(const std::string& type, const std::string& value) {
    const DescribedProblem made =
        problem("float", "0", format(R"("s": {{"type": "{}", "value": {}}})", type, value));
    const Instance instance = make_instance(made.info(), "", {});
    Configuration configuration;
    configuration.set("BLOCK", 32);
    const auto plan = made.plan(instance, configuration, sources_);
    return std::get<ScalarArgument>(kernel_launches(*plan).front()->arguments.at(1));
  }

  const std::filesystem::path& folder() const { return folder_.path(); }

  bool is_read_ = false;

 private:
  struct NoSources : KernelSources {
    std::string text(std::string_view) const override { throw Error("nobody asks"); }
  };
  tune::testing::TemporaryFolder folder_;
  NoSources sources_;
};

TEST_F(Fills, BeyondTheTypeAreErrorsWhenTheDefinitionIsRead) {
  EXPECT_EQ(refusal("int8", R"({"random": [0, 1023]})"),
            "d.json:3: arguments.x.fill.random[1]: '1023': 'x': 1023 is beyond int8 (-128 to 127)");
  EXPECT_EQ(refusal("uint32", "-5"),
            "d.json:3: arguments.x.fill: '-5': 'x': -5 is beyond uint32 (0 to 4294967295)");
  EXPECT_EQ(
      refusal("int32", "3e9"),
      "d.json:3: arguments.x.fill: '3000000000': 'x': 3000000000 is beyond int32 (-2147483648 to 2147483647)");
  EXPECT_EQ(
      refusal("int32", R"({"constant": 1.5})"),
      "d.json:3: arguments.x.fill.constant: '1.5': 'x': 1.5 is not a whole number, which int32 needs: write "
      "it with floor or int");
  EXPECT_EQ(refusal("half", R"({"random": [-1e5, 1]})"),
            "d.json:3: arguments.x.fill.random[0]: '-100000': 'x': -100000 is beyond half");
  EXPECT_NE(refusal("float", "1e39").find("is beyond float"), std::string::npos);
  EXPECT_FALSE(is_read_);
}

TEST_F(Fills, OfFormulasAreCheckedWhenTheyAreComputed) {
  EXPECT_EQ(refusal("int8", R"({"random": [0, "n * 32"]})"),
            "d.json:3: arguments.x.fill.random[1]: 'n * 32': 'x': 128 is beyond int8 (-128 to 127)");
  EXPECT_EQ(refusal("uint8", R"("254 + i")"),
            "d.json:3: arguments.x.fill: '254 + i': 'x': 256 is beyond uint8 (0 to 255)");
  EXPECT_NE(refusal("int32", R"("inf if i > 2 else i")").find("inf is beyond int32"), std::string::npos)
      << refusal("int32", R"("inf if i > 2 else i")");
  EXPECT_NE(refusal("int32", R"("i / 2")").find("0.5 is not a whole number"), std::string::npos);
  EXPECT_NE(refusal("uint8", R"({"from": 253, "step": 1})").find("256 is beyond uint8"), std::string::npos);
  EXPECT_TRUE(is_read_);
  EXPECT_EQ(filled<std::int8_t>("int8", R"({"from": -128, "step": 85})"),
            (std::vector<std::int8_t>{-128, -43, 42, 127}));
  EXPECT_EQ(filled<std::uint8_t>("bool", R"("i > 1")"), (std::vector<std::uint8_t>{0, 0, 1, 1}));
  EXPECT_TRUE(std::isinf(filled<float>("float", R"("inf if i == 0 else 1")")[0]));
}

TEST_F(Fills, OfWholeNumbersAreExactTo64Bits) {
  constexpr std::int64_t high = std::int64_t{1} << 62;
  EXPECT_EQ(filled<std::int64_t>("int64", R"("2**62 + i")"),
            (std::vector<std::int64_t>{high, high + 1, high + 2, high + 3}));
  EXPECT_EQ(filled<std::int64_t>("int64", "9007199254740993")[0], 9007199254740993);
  EXPECT_EQ(filled<std::int64_t>("int64", R"({"from": 9007199254740993, "step": 2})")[3], 9007199254740999);
  EXPECT_EQ(filled<std::int64_t>("int64", "-9223372036854775808")[0],
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(filled<std::uint64_t>("uint64", "18446744073709551615")[0],
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(filled<std::uint64_t>("uint64", R"("2**64 - 4 + i")")[3],
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(filled<std::uint64_t>("uint64", R"("(i + 1) * 0xffffffffffffffff // (i + 1) - i")")[3],
            std::numeric_limits<std::uint64_t>::max() - 3);
  for (const std::int64_t one :
       filled<std::int64_t>("int64", R"({"random": [9223372036854775806, 9223372036854775807]})"))
    EXPECT_GE(one, 9223372036854775806);
  EXPECT_NE(refusal("uint64", R"("2**64 - 3 + i")").find("1.8446744073709552e+19 is beyond uint64"),
            std::string::npos)
      << refusal("uint64", R"("2**64 - 3 + i")");
  EXPECT_NE(refusal("int64", R"("2.0**60 + i")").find("is a real number that may be rounded"),
            std::string::npos)
      << refusal("int64", R"("2.0**60 + i")");
}

TEST_F(Fills, AsScalarsAreExactTo64Bits) {
  EXPECT_EQ(std::get<std::int64_t>(scalar("int64", "9007199254740993")), 9007199254740993);
  EXPECT_EQ(std::get<std::int64_t>(scalar("int64", "9223372036854775807")),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(std::get<std::uint64_t>(scalar("uint64", "18446744073709551615")),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(std::get<std::uint64_t>(scalar("uint64", R"("2**64 - n")")),
            std::numeric_limits<std::uint64_t>::max() - 3);
  EXPECT_THROW(scalar("int64", R"("2**63")"), UsageError);
  EXPECT_THROW(scalar("float", "1e39"), UsageError);
}

// Whatever the sizes are, what `tune new` drafts can be filled.
TEST_F(Fills, DraftedForNarrowTypesAreWithinThem) {
  if (const std::string reason = why_no_parser(); !reason.empty()) GTEST_SKIP() << reason;
  for (const char* const type : {"signed char", "unsigned char", "short", "unsigned short", "bool", "int8_t",
                                 "uint8_t", "int16_t", "uint16_t", "char", "int", "unsigned", "long long"}) {
    const std::string text = format(
        "__global__ void k(float* out, const {}* in, int n) {{\n  const int i = blockIdx.x * blockDim.x + "
        "threadIdx.x;\n  if (i < n) out[i] = in[i];\n}}\n",
        type);
    const std::filesystem::path folder = this->folder();
    std::ofstream(folder / "k.cu") << text;
    std::ofstream(folder / "k.json") << first_definition("k.cu", {{"k.cu", text}, {}}, {}, {}).json;
    const DescribedProblem made(read_definition(folder / "k.json"));
    for (const char* const size : {"", "1000000", "7"})
      EXPECT_NO_THROW(made.inputs(make_instance(made.info(), size, {}), 1)) << type << " " << size;
  }
}

}  // namespace
}  // namespace tune::described
