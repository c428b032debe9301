// SPDX-License-Identifier: Apache-2.0
// Wrong use is one clear line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <tune/dispatcher.hpp>

#include "tests/library/toy.hpp"

namespace tune::testing {
namespace {

using ::testing::HasSubstr;

std::string message(const std::function<void()>& use) {
  try {
    use();
  } catch (const api::Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "nothing was wrong";
}

/// Returns the message of evaluating the default configuration on the emulator, where the kernel does not
/// matter.
std::string message(const api::Problem& problem, const api::Sizes& sizes = {}) {
  return message([&] {
    api::Options options;
    options.device = "emulator";
    api::Tuner(options).evaluate(problem, {}, sizes);
  });
}

/// With a kernel whose declaration is understood.
api::Problem doubling() {
  api::Problem problem("doubling");
  problem.size("n", 100)
      .parameter("BLOCK", {32, 64})
      .input<float>("in", "n")
      .output<float>("out", "n")
      .scalar<int>("n", "n")
      .kernel(api::Kernel::from_source(
                  "extern \"C\" __global__ void twice(const float* in, float* out, int n) {}"),
              "twice")
      .grid("ceil_div(n, BLOCK)")
      .block("BLOCK");
  return problem;
}

TEST(WrongUse, ADeviceThatIsMissingIsTheMachines) {
  const auto cause = [](const std::function<void()>& use) {
    try {
      use();
    } catch (const api::Error& error) {
      return error.cause();
    }
    return api::Error::Cause::wrong_use;
  };
  api::Options options;
  options.device = "99";
  EXPECT_EQ(cause([&] { api::Tuner(options).run(doubling()); }), api::Error::Cause::environment);
  api::DispatchOptions dispatch;
  dispatch.device = "99";
  EXPECT_EQ(cause([&] { api::Dispatcher(doubling(), {}, dispatch); }), api::Error::Cause::environment);
}

TEST(WrongUse, MessagesNameOptionsOfTheLibrary) {
  EXPECT_EQ(message([] {
              api::Options options;
              options.device = "emulator";
              options.database = "/tmp";
              api::Tuner(options).best(doubling());
            }),
            "/tmp is a folder: name a file in it as the option 'database'");
}

TEST(WrongUse, ElementsThatTheReferenceLeftOutAreToldSo) {
  api::Options options;
  options.device = "emulator";
  api::Problem problem("halves");
  problem.size("n", 32)
      .parameter("BLOCK", {32})
      .output<float>("out", "n")
      .kernel(
          api::Kernel::from_source("extern \"C\" __global__ void one(float* out) { out[threadIdx.x] = 1; }"),
          "one")
      .grid(1)
      .block("BLOCK")
      .reference([](api::HostData& data) { data.result("out")[0] = 1; });
  const api::Evaluation one = api::Tuner(options).evaluate(problem, {}, {{"n", 32}});
  ASSERT_TRUE(one.failure);
  EXPECT_THAT(one.failure->detail, HasSubstr("is 1, but the reference did not write it"));
}

TEST(WrongUse, ValuesNameWhatIsMissing) {
  const api::Values values{{"BLOCK", 32}, {"kind", "plain"}, {"share", 0.5}};
  EXPECT_EQ(message([&] { values["BLOCKS"]; }), "there is no 'BLOCKS' here (did you mean 'BLOCK'?)");
  EXPECT_EQ(message([&] { values["zzz"]; }), "there is no 'zzz' here; there is: BLOCK, kind, share");
  EXPECT_EQ(message([&] { values["kind"]; }), "'kind' is plain, which is not a whole number");
  EXPECT_EQ(message([&] { values["share"]; }), "'share' is 0.5, which is not a whole number");
  EXPECT_EQ(message([&] { values.text("BLOCK"); }), "'BLOCK' is 32, which is not a text");
  EXPECT_EQ(values.real("share"), 0.5);
  EXPECT_EQ(message([&] {
              api::Values{{"n", 1ULL << 63}};
            }),
            "the value 9223372036854775808 is beyond 63 bits");
}

TEST(WrongUse, UnknownParametersInFunctions) {
  EXPECT_EQ(message(doubling().grid([](const api::Configuration& c, const api::Sizes& s) {
              return api::Dim3(s["n"] / c["BLOK"]);
            })),
            "doubling: grid: there is no 'BLOK' here (did you mean 'BLOCK'?)");
  EXPECT_EQ(
      message(doubling().constraint([](const api::Configuration& c) { return c["UNROLL"] > 1; }, "unrolled")),
      "doubling: the constraint 'unrolled': there is no 'UNROLL' here; there is: BLOCK");
  EXPECT_EQ(message(doubling().flops([](const api::Sizes& s) { return static_cast<double>(s["m"]); })),
            "nothing was wrong")
      << "the emulator asks for no rates";
}

TEST(WrongUse, UnknownNamesInFormulas) {
  EXPECT_THAT(message(doubling().block("BLOK")), HasSubstr("doubling: block x: 'BLOK'"));
  EXPECT_THAT(message(doubling().constraint("BLOK < 3")), HasSubstr("BLOK"));
  EXPECT_THAT(message([] { doubling().constraint("BLOCK <"); }), HasSubstr("doubling: 'BLOCK <'"));
}

TEST(WrongUse, ArgumentsThatAreNotThoseOfTheKernel) {
  EXPECT_EQ(
      message(doubling().scalar<float>("a", 2.0f)),
      "doubling: kernel 'twice' takes 3 arguments (const float* in, float* out, int n), the problem has 4 "
      "(in, out, n, a)");
  EXPECT_EQ(message(doubling().arguments({"in", "n", "out"})),
            "doubling: argument 2 of kernel 'twice' is 'float* out', the problem declares the scalar 'n'");
  EXPECT_EQ(
      message(doubling().arguments({"in", "outt", "n"})),
      "doubling: the launch of 'twice' has an argument 'outt' that is not declared (did you mean 'out'?)");
}

TEST(WrongUse, SizesThatAreNot) {
  EXPECT_EQ(message(doubling(), {{"m", 3}}),
            "doubling: 'm' is not a size or setting (did you mean 'n'?); there is: n");
  EXPECT_EQ(message(doubling(), {{"n", 0}}), "n = '0' is not a positive whole number");
  EXPECT_EQ(message(doubling(), {{"n", "many"}}), "'n' is many, which is not a whole number");
  EXPECT_EQ(message(doubling().check_at({{"N", 3}})),
            "doubling: 'N' is not a size or setting (did you mean 'n'?); there is: n");
  EXPECT_THAT(message(doubling().input("more", "real", "n")), HasSubstr("takes 3 arguments"));
  EXPECT_EQ(message([] { doubling().size("m", 0); }),
            "doubling: the size m = 0 is not between 1 and 2^31 - 1");
}

TEST(WrongUse, ThingsTwiceOrMissing) {
  EXPECT_EQ(message([] { doubling().parameter("BLOCK", {1}); }), "doubling: 'BLOCK' is given twice");
  EXPECT_EQ(message([] { doubling().output<float>("out", "n"); }),
            "doubling: the argument 'out' is given twice");
  EXPECT_EQ(message([] { doubling().parameter("X", {}); }), "doubling: 'X' has no values");
  EXPECT_EQ(message([] {
              doubling().parameter("X", {1, 2}, 3);
            }),
            "doubling: the default of 'X', 3, is not among its values 1, 2");
  EXPECT_EQ(message([] { doubling().kernel("again.cu", "again"); }),
            "doubling: there is a kernel already; launch(entry) adds a launch of it");
  EXPECT_EQ(message([] { api::Problem("p").grid(1); }),
            "p: grid() describes a launch: call kernel(file, entry) before");
  EXPECT_EQ(message(api::Problem("p")), "p: no kernel: call kernel(file, entry)");
  EXPECT_THAT(message([] { api::Problem("p").kernel("nowhere.cu", "x"); }), HasSubstr("cannot read"));
  EXPECT_THAT(message([] { api::Problem("a b"); }), HasSubstr("'a b' is not a problem's name"));
  EXPECT_THAT(message(doubling().launch("again")), HasSubstr("the launch of 'again' has no grid"));
}

TEST(WrongUse, References) {
  EXPECT_EQ(message(doubling().reference([](api::HostData& data) { data.result("ou"); })),
            "doubling: the reference: there is no output 'ou' (did you mean 'out'?)");
  EXPECT_EQ(message(doubling().reference([](api::HostData& data) { data.input<double>("in"); })),
            "doubling: the reference: the input 'in' is of float, not double");
  EXPECT_EQ(message(doubling().reference([](api::HostData&) {})),
            "doubling: the reference does not fill the output 'out'");
  EXPECT_THAT(message(doubling().reference({{"BLOCK", 48}})),
              HasSubstr("the reference's configuration: BLOCK cannot be 48"));
}

// Whole numbers of 64 bits are exact, or refused.
TEST(WrongUse, WholeNumbersOfReferences) {
  const auto found = [](const std::string& type, const std::function<void(api::HostData&)>& reference,
                        const std::string& value = "9007199254740993") {
    api::Problem problem("wide");
    problem.size("n", 4)
        .parameter("BLOCK", {32})
        .output("out", type, "n")
        .kernel(api::Kernel::from_source("__global__ void k(" + type +
                                         "_t* out) { if (threadIdx.x < 4) "
                                         "out[threadIdx.x] = " +
                                         value + "ull; }\n"),
                "k")
        .grid(1)
        .block("BLOCK")
        .reference(reference);
    try {
      api::Options options;
      options.device = "emulator";
      const api::Evaluation one = api::Tuner(options).evaluate(problem, {});
      return one.failure ? one.failure->detail : std::string("right");
    } catch (const api::Error& error) {
      return std::string(error.what());
    }
  };
  const auto exact = [](api::HostData& data) {
    for (std::int64_t& one : data.result<std::int64_t>("out")) one = (std::int64_t{1} << 53) + 1;
  };
  EXPECT_EQ(found("int64", exact), "right");
  EXPECT_THAT(found("int64", exact, "9007199254740992"), HasSubstr("9.00719925e+15, a difference of 1"));
  EXPECT_EQ(found("uint64", exact), "wide: the reference computes 'out' as int64, but it is of uint64");
  const auto as_double = [](double value) {
    return [value](api::HostData& data) {
      for (double& one : data.result("out")) one = value;
    };
  };
  EXPECT_EQ(found("int64", as_double(0x1p53)),
            "wide: the reference computes 'out' as double, which holds whole numbers to 2^53 alone, but some "
            "are larger: fill result<std::int64_t>(\"out\")");
  EXPECT_EQ(found("int64", as_double(0x1p52), "4503599627370496"), "right");
}

TEST(WrongUse, UnknownParametersOfOneEvaluation) {
  EXPECT_THAT(message([] {
                api::Options options;
                options.device = "emulator";
                api::Tuner(options).evaluate(doubling(), {{"BLOK", 32}});
              }),
              HasSubstr("'BLOK' is not a parameter (did you mean 'BLOCK'?)"));
}

}  // namespace
}  // namespace tune::testing
