// SPDX-License-Identifier: Apache-2.0
// A whole problem whose kernel reads its input through a texture, on the way that `tune check` takes.
#include <gtest/gtest.h>

#include <algorithm>

#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::emulator {
namespace {

constexpr const char* kernel_text = R"(
extern "C" __global__ void moved(cudaTextureObject_t in, float* out, int nx, int ny) {
  const int x = blockIdx.x * block_x + threadIdx.x, y = blockIdx.y * block_y + threadIdx.y;
  if (x < nx && y < ny) out[y * nx + x] = tex2D<float>(in, x + 0.75f + 0.5f * shift, y + 1.0f);
}
)";

/// An image moved by a quarter of a pixel to the left and half a one down, between pixels linear: weights
/// that the hardware has without an error.
class MovedImage : public Problem {
 public:
  MovedImage() {
    info_.name = "moved";
    info_.summary = "moves an image";
    info_.extents = {{"nx", "width", 100}, {"ny", "height", 100}};
    info_.item = "pixel";
    info_.sources = {"moved.cu"};
  }
  const ProblemInfo& info() const override { return info_; }
  search::SpaceDefinition space(const Instance&, const DeviceProperties&) const override {
    search::SpaceDefinition definition;
    definition.parameters = {{"memory", "of the texture", {"array", "pitched", "dense"}, "array"},
                             {"block_x", "threads", {8, 32}, 8},
                             {"block_y", "threads", {1, 4}, 1},
                             {"shift", "an error", {0, 1}, 0}};
    return definition;
  }
  ProblemCost cost(const Instance&) const override { return {}; }
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    const auto nx = static_cast<std::uint64_t>(instance.extent("nx"));
    const auto ny = static_cast<std::uint64_t>(instance.extent("ny"));
    LaunchPlan plan;
    plan.compile.source = {"moved.cu", sources.text("moved.cu")};
    plan.compile.entries = {"moved"};
    for (const char* name : {"block_x", "block_y", "shift"})
      plan.compile.defines.emplace_back(name, configuration[name].to_string());
    TextureSpec spec;
    spec.filter = FilterMode::linear;
    spec.memory =
        configuration["memory"].as_text() == "array" ? TextureMemory::array : TextureMemory::pitched;
    Layout in = Layout::dense({nx, ny});
    if (configuration["memory"].as_text() == "pitched") in.strides[1] = (nx + 7) / 8 * 8;
    in.allocation = in.strides[1] * ny;
    plan.buffers = {{"in", ElementType::f32, in, BufferRole::input},
                    {"out", ElementType::f32, Layout::dense({nx, ny}), BufferRole::output}};
    const auto blocks = [&](std::uint64_t extent, const char* name) {
      const auto block = static_cast<std::uint64_t>(configuration[name].as_int());
      return static_cast<std::uint32_t>((extent + block - 1) / block);
    };
    Launch launch;
    launch.entry = "moved";
    launch.grid = {blocks(nx, "block_x"), blocks(ny, "block_y"), 1};
    launch.block = {static_cast<std::uint32_t>(configuration["block_x"].as_int()),
                    static_cast<std::uint32_t>(configuration["block_y"].as_int()), 1};
    launch.arguments = {TextureArgument{"in", spec}, BufferArgument{"out"},
                        ScalarArgument{static_cast<std::int32_t>(nx)},
                        ScalarArgument{static_cast<std::int32_t>(ny)}};
    plan.launches = {launch};
    return plan;
  }
  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    HostTensor in(ElementType::f32, {static_cast<std::uint64_t>(instance.extent("nx")),
                                     static_cast<std::uint64_t>(instance.extent("ny"))});
    search::Random random(seed);
    for (float& value : in.as<float>()) value = static_cast<float>(random.uniform());
    TensorSet set;
    set.emplace("in", std::move(in));
    return set;
  }
  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    const auto nx = instance.extent("nx"), ny = instance.extent("ny");
    const auto in = inputs.at("in").as<float>();
    const auto pixel = [&](std::int64_t x, std::int64_t y) -> double {
      return in[static_cast<std::size_t>(std::min(y, ny - 1) * nx + std::min(x, nx - 1))];
    };
    HostTensor out(ElementType::f64, inputs.at("in").extents());
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x)
        out.as<double>()[static_cast<std::size_t>(y * nx + x)] =
            0.5 * (0.75 * (pixel(x, y) + pixel(x, y + 1)) + 0.25 * (pixel(x + 1, y) + pixel(x + 1, y + 1)));
    TensorSet set;
    set.emplace("out", std::move(out));
    return set;
  }
  Tolerance tolerance(const Instance&) const override { return {1e-6, "one rounding"}; }
  std::vector<Instance> check_instances(const Instance&, const Configuration&) const override { return {}; }

 private:
  ProblemInfo info_;
};

class OneText : public KernelSources {
 public:
  std::string text(std::string_view) const override { return kernel_text; }
};

TEST(TextureProblem, IsCheckedAsEveryOther) {
  const MovedImage problem;
  const OneText sources;
  const Instance size = make_instance(problem.info(), "29x13", {});
  const search::SearchSpace space(problem.space(size, architecture_properties("sm_90")));
  ASSERT_EQ(space.size(), 24u);
  for (const Flavour flavour : {Flavour::plain, Flavour::sanitize}) {
    ProblemJobs jobs(problem, sources);
    CheckOptions options;
    options.flavour = flavour;
    std::size_t right = 0, wrong = 0, impossible = 0;
    check(
        space.size(), [&](std::size_t number) { return jobs.job(space.at(number), std::span(&size, 1)); },
        options,
        [&](std::size_t number, const CheckVerdict& verdict) {
          const Configuration configuration = space.at(number);
          if (configuration["memory"].as_text() == "dense") {
            EXPECT_TRUE(verdict.cannot_run && verdict.cannot_run->phase == Phase::resources &&
                        verdict.cannot_run->detail.find(
                            "its rows lie 116 bytes apart, which must be a multiple of 32") !=
                            std::string::npos)
                << configuration.to_string();
            ++impossible;
          } else if (configuration["shift"].as_int() == 0) {
            EXPECT_TRUE(verdict.clean()) << configuration.to_string() << verdict.not_emulated
                                         << (verdict.findings.empty() ? "" : verdict.findings[0].text());
            ++right;
          } else {
            EXPECT_EQ(verdict.findings.size(), 1u) << configuration.to_string();
            EXPECT_TRUE(!verdict.findings.empty() && verdict.findings[0].kind == FindingKind::wrong_result);
            ++wrong;
          }
          return true;
        });
    EXPECT_EQ(right, 8u);
    EXPECT_EQ(wrong, 8u);
    EXPECT_EQ(impossible, 8u);
  }
}

}  // namespace
}  // namespace tune::emulator
