// SPDX-License-Identifier: Apache-2.0
// The examples of docs/stencils.md are read as the page says.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "kernels/stencil/language/definition.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

std::string section() {
  std::ifstream file(TUNE_SOURCE_DIR "/docs/stencils.md");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::size_t start = page.find("## Defining a stencil");
  if (start == std::string::npos) return {};
  return page.substr(start, page.find("\n## ", start) - start);
}

/// What stands between pairs of ``` lines.
std::vector<std::string> examples() {
  std::vector<std::string> result;
  std::istringstream lines(section());
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) result.emplace_back();
    } else if (inside) {
      result.back() += line + "\n";
    }
  }
  return result;
}

TEST(StencilDocs, ExamplesAreDefinitions) {
  int read = 0;
  for (const std::string& example : examples()) {
    if (example.find(": found") != std::string::npos) continue;
    const Parsed<StencilDefinition> definition = parse_definition(example);
    EXPECT_TRUE(definition.has_value()) << definition.error().message;
    ++read;
  }
  EXPECT_EQ(read, 5);
}

TEST(StencilDocs, ErrorIsTheOneThatIsShown) {
  const std::vector<std::string> all = examples();
  ASSERT_GE(all.size(), 2U);
  std::string wrong = all.front();
  const std::string right = "D[x+i,y,z]";
  ASSERT_NE(wrong.find(right), std::string::npos);
  wrong.replace(wrong.find(right), right.size(), "D[x+q,y,z]");
  const Parsed<StencilDefinition> definition = parse_definition(wrong, "laplacian8.stencil");
  ASSERT_FALSE(definition.has_value());
  const std::string& message = definition.error().message;  // the program prints its first line
  EXPECT_EQ("tune: " + message.substr(0, message.find('\n')) + "\n", all.back());
}

TEST(StencilDocs, TableHasEveryShape) {
  const std::string text = section();
  for (const StencilShape& shape : stencil_shapes())
    EXPECT_NE(
        text.find(format("\n| `{}` | {} |", shape.name, shape.in_2d ? shape.in_3d ? "2, 3" : "2" : "3")),
        std::string::npos)
        << shape.name;
}

}  // namespace
}  // namespace tune::kernels
