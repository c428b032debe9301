// SPDX-License-Identifier: Apache-2.0
// --stencil FILE: stencils of a person's own on the command line.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

TEST(StencilFile, NamesTheProblemAndTheShape) {
  const Sandbox sandbox;
  const std::string file =
      written(sandbox, "heat.stencil", "c = 0.1\nA[x,y]*(1-4*c) + c*(A[x+1,y]+A[x-1,y]+A[x,y+1]+A[x,y-1])\n");
  const ProgramResult outcome =
      sandbox.tune({"check", "--stencil", file, "--size", "37x21", "--set", "steps=3", "--device", "emulator",
                    "--sample", "2", "--where", "variant == temporal"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("2 configurations, 0 failed, 0 cannot be emulated"), std::string::npos)
      << outcome.out;
}

// The same stencil in other words is the same work.
TEST(StencilFile, IsKnownByItsPointsAndWeights) {
  const Sandbox sandbox;
  const auto shape_of = [&](const std::string& name, const std::string& text) {
    const ProgramResult outcome =
        sandbox.tune({"space", "--stencil", written(sandbox, name, "name = mine\n" + text), "--arch", "sm_90",
                      "--format", "json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::size_t at = outcome.out.find("mine-");
    return at == std::string::npos ? std::string() : outcome.out.substr(at, 17);
  };
  const std::string first = shape_of("a.stencil", "0.5*A[x,y,z] + 0.25*A[x+1,y,z]\n");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, shape_of("b.stencil", "A[x+1,y,z]/4 + A[x,y,z]/2\n"));
  EXPECT_NE(first, shape_of("c.stencil", "A[x-1,y,z]/4 + A[x,y,z]/2\n"));
}

TEST(StencilFile, SaysInOneLineWhatIsWrong) {
  const Sandbox sandbox;
  const std::string flat = written(sandbox, "flat.stencil", "A[x,y] + A[x+1,y]\n");
  expect_refused(sandbox.tune({"space", "--problem", "stencil3d", "--stencil", flat}), 2,
                 {"2 dimensions", "stencil2d"});
  expect_refused(sandbox.tune({"space", "--stencil", (sandbox / "none.stencil").string()}), 2,
                 {"none.stencil"});
  expect_refused(sandbox.tune({"space", "--stencil", flat, "--set", "radius=2"}), 2, {"radius"});
  expect_refused(sandbox.tune({"space", "--stencil", written(sandbox, "far.stencil", "A[x+40,y]\n")}), 2,
                 {"32"});
  for (const std::string command : {"best", "space"})
    expect_refused(sandbox.tune({command, "--stencil", flat, "--set", "shape=star"}), 2,
                   {"shape=star contradicts --stencil"});
  const std::string wrong = written(sandbox, "wrong.stencil", "c0 = 1\nc0 * D[x,q]\n");
  const ProgramResult mistake = sandbox.tune({"space", "--stencil", wrong});
  expect_refused(mistake, 2, {wrong + ":2:10: found 'q', expected an integer, a variable"});
  expect_refused(sandbox.tune({"space", "--stencil", written(sandbox, "c.stencil", "u = 1; v = 2\n")}), 2,
                 {"found ';', expected a new line for each assignment"});
  EXPECT_TRUE(mistake.err.ends_with("a coordinate (x,y,z)\n")) << mistake.err;
}

}  // namespace
}  // namespace tune::testing
