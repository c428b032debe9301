// SPDX-License-Identifier: Apache-2.0
// Kernels in C++ on the processor of this machine: definitions, and the problem gemm_host.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/sandbox.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::testing {
namespace {

using Ordered = nlohmann::ordered_json;

class HostKernel : public ::testing::Test {
 protected:
  HostKernel() { sandbox_.set_environment("TUNE_WORKER", TUNE_PROGRAM); }
  /// A kernel that scales an array, and goes wrong where `fault` says so.
  std::string define(const Ordered& more_of_kernel = Ordered::object(),
                     const Ordered& more = Ordered::object()) const {
    written(sandbox_, "scale.cpp",
            "#include <cstdlib>\n"
            "#include <cstring>\n"
            "extern \"C\" void scale(long n, float factor, const float* in, float* out) {\n"
            "#if fault == 1\n  for (int i = 0; i < 3; ++i) out[n + i] = 1;\n"
            "#elif fault == 2\n  *reinterpret_cast<volatile int*>(16) = 1;\n"
            "#elif fault == 3\n  for (volatile int i = 0;; i = 1 - i) {}\n"
            "#elif fault == 4\n  const_cast<float*>(in)[0] += 7;\n"
            "#elif fault == 5\n  this does not compile;\n"
            "#elif fault == 6\n  if (std::strcmp(std::getenv(\"MODE\"), \"fast\") != 0) return;\n"
            "#endif\n"
            "  for (long i = 0; i < n; ++i) out[i] = factor * in[i];\n}\n");
    Ordered kernel = {{"file", "scale.cpp"}, {"language", "c++"}, {"options", {"-O0"}}};
    kernel.update(more_of_kernel);
    Ordered all = {{"problem", "scale"},
                   {"kernel", kernel},
                   {"sizes", {{"n", 500}}},
                   {"check", {{{"n", 3}}}},
                   {"parameters", {{"fault", {0, 1, 2, 3, 4, 5}}}},
                   {"arguments",
                    {{"n", {{"type", "int64"}, {"value", "n"}}},
                     {"factor", {{"type", "float"}, {"value", 3}}},
                     {"in", {{"type", "float"}, {"size", "n"}}},
                     {"out", {{"type", "float"}, {"size", "n"}, {"access", "write"}}}}},
                   {"launches", {{"entry", "scale"}}}};
    all.update(more);
    return written(sandbox_, "scale.json", all.dump());
  }
  Ordered run(const std::string& file, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"run",       file,    "--strategy", "grid",
                                      "--timeout", "500ms", "--format",   "json"};
    words.insert(words.end(), more.begin(), more.end());
    return Ordered::parse(done(sandbox_, words).out, nullptr, false);
  }
  /// `phase: reason: detail` of each failure and `ok` of each measurement, by the value of the parameter.
  std::map<std::string, std::string> outcomes(const std::string& parameter) const {
    const SQLite::Database database(sandbox_.database().string());
    SQLite::Statement rows(
        database, "SELECT json_extract(configuration, '$." + parameter +
                      "'), coalesce(phase || ': ' || reason || ': ' || detail, 'ok') FROM evaluations");
    std::map<std::string, std::string> all;
    while (rows.executeStep()) all[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
    return all;
  }

  Sandbox sandbox_;
};

TEST_F(HostKernel, AFaultCostsItsOwnEvaluation) {
  const std::string file = define();
  const Ordered first = run(file, {});
  EXPECT_EQ(first["best"]["configuration"]["fault"], 0);
  const std::map<std::string, std::string> stored = outcomes("fault");
  ASSERT_EQ(stored.size(), 6);
  EXPECT_EQ(stored.at("0"), "ok");
  EXPECT_TRUE(
      has(stored.at("1"), "verify: out of bounds: at 3: buffer `out`: 12 bytes written right after its end"))
      << stored.at("1");
  EXPECT_TRUE(has(stored.at("2"), "crash: process: ") && has(stored.at("2"), "signal 11")) << stored.at("2");
  EXPECT_TRUE(has(stored.at("3"), "timeout: launch: ")) << stored.at("3");
  EXPECT_TRUE(has(stored.at("4"), "verify: changed input: at 3: input `in`: a kernel changed element (0)"))
      << stored.at("4");
  EXPECT_TRUE(has(stored.at("5"), "compile: syntax: scale.cpp:")) << stored.at("5");

  EXPECT_EQ(number(sandbox_.database(), "SELECT count(*) FROM devices WHERE architecture = 'cpu'"), 1);
  EXPECT_EQ(run(file, {"--device", "cpu"})["evaluations"], first["evaluations"])
      << "a finished run is not repeated";
  const std::size_t measured = 1;
  EXPECT_EQ(number(sandbox_.database(), "SELECT count(*) FROM evaluations WHERE phase IS NULL"), measured);
  run(file, {"--fresh", "--where", "fault == 0 or fault == 5"});
  EXPECT_EQ(
      number(sandbox_.database(),
             "SELECT count(*) FROM evaluations WHERE run = (SELECT max(id) FROM runs) AND from_cache = 1"),
      1)
      << "libraries are kept";
  const Ordered replayed = run(file, {"--device", "replay:" + sandbox_.database().string()});
  EXPECT_EQ(replayed["best"]["configuration"]["fault"], 0);
  EXPECT_TRUE(has(done(sandbox_, {"best", file}).out, "fault=0"));
  EXPECT_TRUE(has(done(sandbox_, {"report", "--run", "1", "--format", "csv"}).out, "fault"));

  const ProgramResult checked = sandbox_.tune({"check", file, "--config", "fault=0", "--config", "fault=1"});
  EXPECT_EQ(checked.status, 1) << checked.err;
  EXPECT_TRUE(has(checked.out, "out of bounds") && has(checked.out, "1 failed")) << checked.out;
  const ProgramResult again = sandbox_.tune({"check", "--stored", "--device", "cpu", "--threshold", "90%"});
  EXPECT_EQ(again.status, 0) << again.out << again.err;
  EXPECT_TRUE(has(again.out, "ok        scale 500") && has(again.out, "1 stored winner, 0 worse"))
      << again.out;
  expect_refused(sandbox_.tune({"check", file, "--device", "emulator"}), 2, {"runs on the processor"});
  expect_refused(sandbox_.tune({"run", file, "--device", "cuda:0"}), 2, {"scale runs on the processor"});
}

// The process that runs a kernel has the variables of its configuration.
TEST_F(HostKernel, ParametersReachTheEnvironment) {
  const std::string file = define({{"environment", {{"MODE", "{mode}"}}}},
                                  {{"parameters", {{"fault", {6}}, {"mode", {"fast", "slow"}}}}});
  run(file, {});
  const std::map<std::string, std::string> stored = outcomes("mode");
  EXPECT_EQ(stored.at("fast"), "ok");
  EXPECT_TRUE(has(stored.at("slow"), "was never written")) << stored.at("slow");
}

TEST_F(HostKernel, MistakesOfADefinitionAreNamed) {
  const auto refused = [&](const std::string& file, const std::vector<std::string>& words) {
    expect_refused(sandbox_.tune({"run", file}), 2, words);
  };
  refused(define({{"compiler", "nvcc"}}), {"C++ is compiled by g++, or what TUNE_CXX names"});
  refused(define(Ordered::object(), {{"launches", {{"entry", "scale"}, {"grid", "n"}, {"block", 32}}}}),
          {"grid"});
  refused(define(Ordered::object(), {{"launches", {{"entry", "scal"}}}}),
          {"there is no kernel 'scal'", "scale (scale.cpp:3)"});
  refused(define({{"environment", {{"MODE", "{speed}"}}}}),
          {"there is no parameter, size or setting 'speed'"});
  refused(define({{"language", "cuda"}, {"environment", {{"MODE", "1"}}}}),
          {"a kernel of a GPU has no environment"});
  const std::string file =
      define(Ordered::object(), {{"arguments", {{"n", {{"type", "int"}, {"value", "n"}}}}}});
  refused(file, {"kernel 'scale' takes 4 arguments"});
  sandbox_.set_environment("TUNE_CXX", "no-such-compiler");
  expect_refused(sandbox_.tune({"run", define()}), 1,
                 {"kernels of the processor need a C++ compiler, and there is no 'no-such-compiler' in PATH",
                  "TUNE_CXX"});
}

// At a single element, and at sizes that no tile divides.
TEST_F(HostKernel, EveryVariantOfGemmHostIsRight) {
  std::vector<std::string> words = {"check", "gemm_host", "--size", "45x70x19"};
  const auto add = [&](const std::string& configuration) {
    words.insert(words.end(), {"--config", configuration});
  };
  const std::string one = "threads=1,bind=close,parallel_loop=none,vector_width=128,";
  add(one + "variant=loops3,order=jki,unroll_by=4");
  add(one + "variant=loops6,order=kij,unroll_by=2,tile_m=8,tile_n=32,tile_k=16");
  add(one + "variant=packed,rows=6,vectors=2,block_m=48,block_n=384,block_k=128");
  if (host_threads() > 1) {
    const std::string two = "threads=2,bind=spread,vector_width=128,";
    add(two + "variant=loops3,order=kij,unroll_by=1,parallel_loop=i,omp_schedule=guided");
    add(two +
        "variant=loops6,order=ijk,unroll_by=1,tile_m=16,tile_n=32,tile_k=8,parallel_loop=j,omp_schedule=dynamic");
    add(two +
        "variant=packed,rows=4,vectors=3,block_m=48,block_n=384,block_k=128,parallel_loop=i,omp_schedule=dynamic");
    add(two +
        "variant=packed,rows=4,vectors=1,block_m=48,block_n=384,block_k=128,parallel_loop=j,omp_schedule=static");
  }
  const ProgramResult floats = sandbox_.tune(words);
  EXPECT_EQ(floats.status, 0) << floats.out << floats.err;
  EXPECT_TRUE(has(floats.out, "0 failed") && has(floats.out, "the reference function")) << floats.out;
  words.resize(4);
  add(one + "variant=packed,rows=8,vectors=1,block_m=84,block_n=384,block_k=128");
  words.insert(words.end(), {"--set", "type=double"});
  const ProgramResult doubles = sandbox_.tune(words);
  EXPECT_EQ(doubles.status, 0) << doubles.out << doubles.err;
}

}  // namespace
}  // namespace tune::testing
