// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/cuda/toolkit/readable_errors.hpp"

namespace tune::cuda {
namespace {

// Recorded from NVRTC 13.0 for sm_90: two instances of a template, a kernel and a function that is not
// inlined.
constexpr const char* sm_90_log = R"(ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function '_Z5scaleILi8EEvPff' for 'sm_90'
ptxas info    : Function properties for _Z5scaleILi8EEvPff
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compile time = 16.500 ms
ptxas info    : Compiling entry function '_Z5scaleILi4EEvPff' for 'sm_90'
ptxas info    : Function properties for _Z5scaleILi4EEvPff
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 512 bytes smem
ptxas info    : Compile time = 1.916 ms
ptxas info    : Compiling entry function 'spill' for 'sm_90'
ptxas info    : Function properties for spill
ptxas         .     432 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 432 bytes cumulative stack size
ptxas info    : Compile time = 75.856 ms
ptxas info    : Function properties for _ZN1n6helperEf
ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
)";

// The layout that other versions of ptxas print.
constexpr const char* older_log = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    8 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, 320 bytes smem, 360 bytes cmem[0]
)";

TEST(PtxasLog, TellsSeveralKernelsApart) {
  const auto kernels = parse_ptxas_log(sm_90_log);
  ASSERT_EQ(kernels.size(), 3u) << "functions that are no kernels are left out";
  EXPECT_EQ(kernels.at("_Z5scaleILi8EEvPff").registers, 10);
  EXPECT_EQ(kernels.at("_Z5scaleILi8EEvPff").static_shared_memory, 1024);
  EXPECT_EQ(kernels.at("_Z5scaleILi4EEvPff").registers, 12);
  EXPECT_EQ(kernels.at("_Z5scaleILi4EEvPff").static_shared_memory, 512);
  EXPECT_EQ(kernels.at("_Z5scaleILi4EEvPff").spill_store_bytes, 0);
}

TEST(PtxasLog, ReadsStackFrameAndSpills) {
  const auto spill = parse_ptxas_log(sm_90_log).at("spill");
  EXPECT_EQ(spill.registers, 32);
  EXPECT_EQ(spill.local_bytes, 432);
  EXPECT_EQ(spill.spill_store_bytes, 16) << "not those of the function described after it";
  EXPECT_EQ(spill.spill_load_bytes, 20);
  EXPECT_EQ(spill.static_shared_memory, 0);
}

TEST(PtxasLog, ReadsOtherVersions) {
  const auto kernel = parse_ptxas_log(older_log).at("k");
  EXPECT_EQ(kernel.registers, 255);
  EXPECT_EQ(kernel.local_bytes, 8);
  EXPECT_EQ(kernel.spill_store_bytes, 12);
  EXPECT_EQ(kernel.static_shared_memory, 320);
}

TEST(PtxasLog, SurvivesWhatItDoesNotKnow) {
  EXPECT_TRUE(parse_ptxas_log("").empty());
  EXPECT_TRUE(parse_ptxas_log("Used registers\n bytes stack frame\n\nUsed 7 registers").empty());
  EXPECT_EQ(parse_ptxas_log("Compiling entry function 'k").size(), 1u);
}

TEST(CompileFailureReason, NamesTheCause) {
  EXPECT_EQ(compile_failure_reason(
                "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)"),
            "static shared memory");
  EXPECT_EQ(compile_failure_reason("t.cu(1): error: identifier \"b\" is undefined"), "syntax");
  EXPECT_EQ(compile_failure_reason("t.cu(1): error: static assertion failed with \"no\""),
            "static assertion");
  EXPECT_EQ(compile_failure_reason("t.cu(2): catastrophic error: could not open source file \"foo.h\""),
            "missing header");
  EXPECT_EQ(
      compile_failure_reason("__nv_name_map(2): error: identifier \"nope\" is undefined\n"
                             "__nv_name_map(2): error: Error in parsing name expression for lowered name"),
      "entry");
  EXPECT_EQ(compile_failure_reason("nvrtc: error: unrecognized option --bogus found"), "option");
  EXPECT_EQ(compile_failure_reason("ptxas error   : something else"), "compiler");
  CompileRequest request;
  request.source = {"k.cu", "// __constant__ float no;\n__constant__ float a[10000], b[10000];\n"};
  const std::string log =
      "ptxas error   : File uses too much global constant data (0x13880 bytes, 0x10000 max)\n";
  EXPECT_EQ(compile_failure_reason(log), "constant memory");
  EXPECT_EQ(
      compile_failure_detail(log, request),
      "k.cu:2: the __constant__ variables have 80000 bytes together, at most 65536 fit: pass large ones as "
      "arrays");
  EXPECT_EQ(compile_failure_detail("other", request), "other");
  EXPECT_EQ(compile_failure_reason(""), "compiler");
}

TEST(ReadableErrors, AreThoseOfTheFileForEveryConfiguration) {
  CompileRequest request;
  request.source = {"folder/k.cu", "#include \"h.h\"\n  __global__ void k(float* x) { x[TILE] = y; }\n"};
  request.headers = {{"h.h", "int a = b;\n"}};
  const auto of_tile = [&](const std::string& tile) {
    return readable_errors(
        "k.cu(1): warning #1-D: last line\n\n"
        "k.cu(2): error: identifier \"y\" is undefined\n"
        "    __attribute__((global)) void k(float* x) { x[" +
            tile +
            "] = y; }\n"
            "                                                     ^\n\n"
            "h.h(1): error: identifier \"b\" is undefined\n  int a = b;\n          ^\n"
            "          detected during:\n            instantiation of \"one\"\n            of \"two\" at line 2 of k.cu\n\n"
            "2 errors detected in the compilation of \"tune_entries.cu\".\n",
        request);
  };
  EXPECT_EQ(of_tile("32"), of_tile("64"));
  EXPECT_EQ(of_tile("32"),
            "k.cu(2): error: identifier \"y\" is undefined\n  __global__ void k(float* x) { x[TILE] = y; }\n"
            "h.h(1): error: identifier \"b\" is undefined\n  int a = b;\n          ^\n"
            "            of \"two\" at line 2 of k.cu");
}

TEST(ReadableErrors, AreTheFirstOnesAndOtherTextsStay) {
  const CompileRequest request;
  std::string log = "In file included from tune_entries.cu:1:\nk.cu:1:2: error: a\n    1 | code\n";
  for (const char* const name : {"b", "c", "d", "c", "e"})
    log += std::string("k.cu(9): error: ") + name + "\n  code\n";
  EXPECT_EQ(readable_errors(log, request),
            "In file included from tune_entries.cu:1:\nk.cu:1:2: error: a\n    1 | code\n"
            "k.cu(9): error: b\n  code\nk.cu(9): error: c\n  code\nk.cu(9): error: d\nk.cu(9): error: e\n"
            "and 1 more error");
  for (int i = 0; i < 20; ++i) log += "k.cu(9): error: x" + std::to_string(i) + "\n";
  EXPECT_NE(readable_errors(log, request).find("x6\nand 14 more errors"), std::string::npos);
  const std::string option = "calls a function. The experimental flag '--expt-relaxed-constexpr' can be used";
  EXPECT_EQ(readable_errors("k.cu(3): error: " + option, request),
            "k.cu(3): error: " + option + "\nor add --expt-relaxed-constexpr to the options of the kernel");
  for (const std::string text : {"", "the kernel `k` is not there", "ptxas info : x", "k.cu(): error:"})
    EXPECT_EQ(readable_errors(text, request), text);
  EXPECT_LT(readable_errors("k.cu(3): error: " + std::string(9000, 'x'), request).size(), 500u);
}

}  // namespace
}  // namespace tune::cuda
