// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/readers/first_definition.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "search/space/search_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::described {
namespace {

const char* const kernel =
    "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 256  // threads\n#endif\n#ifndef UNROLL\n#define UNROLL "
    "1\n#endif\n"
    "#ifndef TYPE\n#define TYPE float\n#endif\n"
    "extern \"C\" __global__ void __launch_bounds__(BLOCK_SIZE) saxpy(float* __restrict__ y,\n"
    "    const double *x, unsigned int n, TYPE a) { y[0] = a * x[n]; }\n"
    "__global__ void second(int* out) {}\n";

// What comes out is a definition: it has a space and plans as it stands.
TEST(FirstDefinition, IsOneAsItStands) {
  const tune::testing::TemporaryFolder folder;
  std::ofstream(folder / "saxpy.cu") << kernel;
  const std::string text = first_definition("saxpy.cu", kernel, "");
  std::ofstream(folder / "saxpy.json") << text;
  const DescribedProblem problem(read_definition(folder / "saxpy.json"));
  EXPECT_EQ(problem.info().name, "saxpy");
  const Instance instance = make_instance(problem.info(), "", {});
  const search::SearchSpace space(problem.space(instance, architecture_properties("sm_90")));
  EXPECT_EQ(space.size(), 4U * 2) << text;
  EXPECT_EQ(space.at(*space.default_configuration()).to_string(), "BLOCK_SIZE=256, UNROLL=1");
  const KernelDescription& definition = problem.description();
  ASSERT_EQ(definition.arguments.size(), 4U);
  EXPECT_EQ(definition.argument("y")->access, BufferAccess::write);
  EXPECT_EQ(definition.argument("x")->access, BufferAccess::read);
  EXPECT_EQ(definition.argument("x")->type->element, ElementType::f64);
  EXPECT_EQ(definition.argument("n")->type->element, ElementType::u32);
  EXPECT_NE(text.find("TODO: the type of 'TYPE a'"), std::string::npos);
}

TEST(FirstDefinition, OfAnotherKernelOfTheFile) {
  EXPECT_NE(first_definition("saxpy.cu", kernel, "second").find("\"entry\": \"second\""), std::string::npos);
  EXPECT_THROW(first_definition("saxpy.cu", kernel, "third"), UsageError);
  EXPECT_THROW(first_definition("empty.cu", "int main() {}", ""), UsageError);
}

TEST(FirstDefinition, OfAFileWithoutMacros) {
  const tune::testing::TemporaryFolder folder;
  const char* const plain = "__global__ void k(float* out) {}\n";
  std::ofstream(folder / "k.cu") << plain;
  std::ofstream(folder / "k.json") << first_definition("k.cu", plain, "");
  const DescribedProblem problem(read_definition(folder / "k.json"));
  const Instance instance = make_instance(problem.info(), "", {});
  EXPECT_EQ(search::SearchSpace(problem.space(instance, architecture_properties("sm_90"))).size(), 4U);
}

TEST(FirstDefinition, OfAFileWithLongLines) {
  const std::string spaces(1'000'000, ' '), text = "#ifndef A //" + spaces +
                                                   "\n#define A 8\n#endif\n// __global__" + spaces +
                                                   "\n__global__ void k(const" + spaces + "float* in) {}\n";
  const std::string definition = first_definition("k.cu", text, "");
  EXPECT_NE(definition.find("\"A\": {\"values\": [4, 8, 16], \"default\": 8}"), std::string::npos);
  EXPECT_NE(definition.find("\"in\": {\"type\": \"float\", \"size\""), std::string::npos);
}

TEST(FirstDefinition, OfADeclarationWithWordsBefore) {
  EXPECT_NO_THROW(
      first_definition("k.cu", "static __global__ inline void __launch_bounds__(32 * 2, 1) k() {}", "k"));
  EXPECT_NO_THROW(first_definition("k.cu", "template<int N> __global__ static void\nk(int n);", "k"));
  EXPECT_THROW(first_definition("k.cu", "__global__ void __launch_bounds__(32", ""), UsageError);
  EXPECT_THROW(first_definition("k.cu", "__global__", ""), UsageError);
}

}  // namespace
}  // namespace tune::described
