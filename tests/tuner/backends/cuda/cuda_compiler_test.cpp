// SPDX-License-Identifier: Apache-2.0
// The choice between NVRTC and nvcc, with compilers that are invented.
#include "tuner/backends/cuda/toolkit/cuda_compiler.hpp"

#include <gtest/gtest.h>

#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

/// Fails with a log where there is one.
class Invented : public Compiler {
 public:
  explicit Invented(std::string name) : name_(std::move(name)) {}
  Result<Binary> compile(const CompileRequest& request) const override {
    ++compiled;
    const bool is_host = request.source.text.find("<<<") != std::string::npos ||
                         request.source.text.find("<torch") != std::string::npos ||
                         request.source.text.find("helper") != std::string::npos;
    if (!log.empty() && (!of_host_code || is_host)) return fail(Phase::compile, "syntax", log);
    Binary binary;
    binary.compiler = name_;
    return binary;
  }
  void cancel() const override { ++cancelled; }
  std::string version() const override { return name_; }
  std::optional<std::string> files_key(const CompileRequest&) const override { return "files of " + name_; }

  std::string log;
  bool of_host_code = false;  ///< the log is of texts with code of the host alone
  mutable int compiled = 0, cancelled = 0;

 private:
  std::string name_;
};

class Choice : public ::testing::Test {
 protected:
  Choice() {
    auto nvrtc = std::make_unique<Invented>("NVRTC");
    nvrtc_ = nvrtc.get();
    compiler_ = std::make_unique<CudaCompiler>(std::move(nvrtc), [this](std::string* reason) {
      ++asked_;
      std::unique_ptr<Invented> nvcc = has_nvcc_ ? std::make_unique<Invented>("nvcc") : nullptr;
      nvcc_ = nvcc.get();
      if (!nvcc) *reason = "nvcc was not found: install it";
      return nvcc;
    });
  }
  static CompileRequest request(std::string text) {
    CompileRequest made;
    made.source = {"test.cu", std::move(text)};
    return made;
  }

  Invented* nvrtc_ = nullptr;
  Invented* nvcc_ = nullptr;
  bool has_nvcc_ = true;
  int asked_ = 0;
  std::unique_ptr<CudaCompiler> compiler_;
};

constexpr const char* host_function =
    "test.cu(2): error: A function without execution space annotations is considered a host function, and host "
    "functions are not allowed in JIT mode.";
constexpr const char* no_vector = "test.cu(1): catastrophic error: could not open source file \"vector\"";

TEST_F(Choice, NvrtcIsFirstAndNvccAfterItWhereItMayHelp) {
  const auto binary = compiler_->compile(request("#include <vector>\n"));
  ASSERT_TRUE(binary);
  EXPECT_EQ(binary->compiler, "NVRTC");
  EXPECT_EQ(binary->chosen_because, "");
  EXPECT_EQ(asked_, 0);
  nvrtc_->log = no_vector;
  const auto other = compiler_->compile(request("#include <vector>\n"));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->compiler, "nvcc");
  EXPECT_EQ(other->chosen_because, "NVRTC has no header <vector>");
  nvrtc_->log = host_function;
  const auto main = compiler_->compile(request("int main() {}\n"));
  ASSERT_TRUE(main);
  EXPECT_EQ(main->chosen_because, "NVRTC takes no host code");
  EXPECT_EQ(asked_, 1);
}

TEST_F(Choice, OptionsThatOnlyNvccHasChooseIt) {
  CompileRequest wanted = request("__global__ void k() {}");
  for (const char* const option : {"--extended-lambda", "-extended-lambda", "--ccbin=g++", "-O3"}) {
    wanted.options = {option};
    const auto binary = compiler_->compile(wanted);
    ASSERT_TRUE(binary);
    EXPECT_EQ(binary->compiler, "nvcc");
    EXPECT_EQ(binary->chosen_because, std::string("NVRTC has no option ") + option);
    EXPECT_EQ(compiler_->version_for(wanted), "nvcc");
    EXPECT_NE(*compiler_->files_key(wanted), *nvrtc_->files_key(wanted));
  }
  wanted.options = {"--use_fast_math", "-lineinfo"};
  EXPECT_EQ(compiler_->compile(wanted)->compiler, "NVRTC");
  wanted.options = {"--extended-lambda"};
  wanted.compiler = CompilerName::nvrtc;
  EXPECT_EQ(compiler_->compile(wanted)->compiler, "NVRTC");
}

TEST_F(Choice, IsRememberedForTheTexts) {
  nvrtc_->log = no_vector;
  CompileRequest wanted = request("#include <vector>\n");
  EXPECT_EQ(compiler_->version_for(wanted), std::nullopt);
  for (const char* const value : {"1", "2", "3"}) {
    wanted.defines = {{"BLOCK", value}};
    EXPECT_TRUE(compiler_->compile(wanted));
  }
  EXPECT_EQ(nvrtc_->compiled, 2) << "as it is, and without its host code";
  EXPECT_EQ(nvcc_->compiled, 3);
  EXPECT_EQ(compiler_->version_for(wanted), "nvcc");
  EXPECT_EQ(compiler_->version_for(request("__global__ void k() {}")), "NVRTC");
}

TEST_F(Choice, NvrtcTakesTheTextWithoutItsHostCode) {
  nvrtc_->log = host_function;
  nvrtc_->of_host_code = true;
  CompileRequest wanted =
      request("#include <torch/types.h>\n__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }\n");
  for (const char* const value : {"1", "2"}) {
    wanted.defines = {{"BLOCK", value}};
    const auto binary = compiler_->compile(wanted);
    ASSERT_TRUE(binary);
    EXPECT_EQ(binary->compiler, "NVRTC");
    EXPECT_EQ(binary->chosen_because, "without the host code of the file");
    EXPECT_EQ(compiler_->version_for(wanted), "NVRTC");
  }
  EXPECT_EQ(nvrtc_->compiled, 3) << "once as it is";
  EXPECT_EQ(asked_, 0);
  // What another value of a macro needs may have been left out.
  nvrtc_->of_host_code = false;
  nvrtc_->log = "test.cu(2): error: identifier \"x\" is undefined";
  EXPECT_EQ(compiler_->compile(wanted)->compiler, "nvcc");
}

/// Nothing but the function's definition tells that it is of the host.
TEST_F(Choice, AFunctionOfTheHostBesideTheKernelIsLeftOut) {
  nvrtc_->log = host_function;
  nvrtc_->of_host_code = true;
  const CompileRequest wanted = request("__global__ void k() {}\nint helper(int a) { return a + 1; }\n");
  const auto binary = compiler_->compile(wanted);
  ASSERT_TRUE(binary);
  EXPECT_EQ(binary->chosen_because, "without the host code of the file");
  EXPECT_EQ(compiler_->version_for(wanted), "NVRTC");
  nvrtc_->of_host_code = false;
  EXPECT_FALSE(compiler_->compile(request("__global__ void k() { f(1); }\nint f(int a) { return a; }\n")));
  EXPECT_EQ(asked_, 0);
}

TEST_F(Choice, AMistakeOfTheKernelIsNotAskedAgain) {
  nvrtc_->log = host_function;
  nvrtc_->of_host_code = true;
  const CompileRequest wanted = request("__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }\n");
  ASSERT_TRUE(compiler_->compile(wanted));
  nvrtc_->of_host_code = false;
  nvrtc_->log = "test.cu(2): error: static assertion failed";
  EXPECT_FALSE(compiler_->compile(wanted));
  EXPECT_EQ(asked_, 0);
}

TEST(DeviceRequest, KeepsHeadersOfTheDevice) {
  CompileRequest wanted;
  wanted.source = {
      "k.cu",
      "#include <torch/types.h>\n#include <cuda_fp16.h>\n#include <cub/block/block_scan.cuh>\n"
      "# include <cublas_v2.h> // BLAS\n#include \"own.cuh\"\n#include <limits>\n#include <own.cuh>\n#include <map>\n"
      "#include <thrust/sort.h>\nusing Scan = cub::BlockScan<int, 32>;\n__device__ int f(Scan*);\n"
      "void g(int* x) { thrust::sort(x, x + 9); }\n"};
  wanted.headers = {{"own.cuh", "#include <mpi.h>\n"}};
  const CompileRequest left = device_request(wanted);
  EXPECT_EQ(left.source.text,
            "#include <cuda_runtime.h>\n#line 1 \"k.cu\"\n"
            "\n#include <cuda_fp16.h>\n#include <cub/block/block_scan.cuh>\n"
            "#include <cuda_bf16.h> // BLAS\n#include \"own.cuh\"\n#include <limits>\n#include <own.cuh>\n\n"
            "\nusing Scan = cub::BlockScan<int, 32>;\n__device__ int f(Scan*);\n" +
                std::string(42, ' ') + "\n");
  EXPECT_EQ(left.headers[0].text, "\n");
}

TEST_F(Choice, ErrorsOfTheSourceStayThoseOfNvrtc) {
  nvrtc_->log = "test.cu(2): error: identifier \"x\" is undefined";
  EXPECT_FALSE(compiler_->compile(request("#include <vector>\n")));
  nvrtc_->log = host_function;
  EXPECT_FALSE(compiler_->compile(request("void helper() {}\n"))) << "there is nothing of the host";
  nvrtc_->log = "test.cu(1): catastrophic error: could not open source file \"lost.cuh\"";
  EXPECT_FALSE(compiler_->compile(request("#include \"lost.cuh\"\n"))) << "nvcc would miss it too";
  EXPECT_EQ(asked_, 0);
}

TEST_F(Choice, TheRequestMayName) {
  CompileRequest wanted = request("__global__ void k() {}");
  wanted.compiler = CompilerName::nvcc;
  EXPECT_EQ(compiler_->version_for(wanted), "nvcc");
  EXPECT_EQ(compiler_->compile(wanted)->compiler, "nvcc");
  EXPECT_EQ(nvrtc_->compiled, 0);
  wanted = request("#include <vector>\n");
  wanted.compiler = CompilerName::nvrtc;
  nvrtc_->log = no_vector;
  EXPECT_FALSE(compiler_->compile(wanted));
  EXPECT_EQ(nvcc_->compiled, 1);
}

TEST_F(Choice, WithoutNvccTheCureIsNamed) {
  has_nvcc_ = false;
  nvrtc_->log = no_vector;
  const auto failed = compiler_->compile(request("#include <vector>\n"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "no nvcc");
  EXPECT_EQ(failed.error().detail, "NVRTC has no header <vector>, and nvcc was not found: install it");
  EXPECT_EQ(recurrence_of(failed.error()), Recurrence::unknown) << "an installed nvcc cures it";
  CompileRequest wanted = request("");
  wanted.compiler = CompilerName::nvcc;
  EXPECT_THROW((void)compiler_->compile(wanted), Error);
}

TEST_F(Choice, NvccIsInTheKeyOfWhatItMayCompile) {
  EXPECT_EQ(compiler_->files_key(request("__global__ void k() {}")), "files of NVRTC");
  EXPECT_EQ(compiler_->files_key(request("#include <cmath>\n")), "files of NVRTC");
  EXPECT_EQ(asked_, 0);
  const std::string both = "files of NVRTC nvcc nvcc files of nvcc";
  for (const char* const text :
       {"#include <vector>\n", "void f() { k<<<1, 2>>>(); }", "int  main (int n) {}"})
    EXPECT_EQ(compiler_->files_key(request(text)), both) << text;
  CompileRequest wanted = request("");
  wanted.compiler = CompilerName::nvcc;
  EXPECT_EQ(compiler_->files_key(wanted), "nvcc nvcc files of nvcc");
}

TEST_F(Choice, CancelReachesBoth) {
  compiler_->cancel();
  nvrtc_->log = no_vector;
  EXPECT_TRUE(compiler_->compile(request("#include <vector>\n")));
  compiler_->cancel();
  EXPECT_EQ(nvrtc_->cancelled, 2);
  EXPECT_EQ(nvcc_->cancelled, 1);
}

}  // namespace
}  // namespace tune::cuda
