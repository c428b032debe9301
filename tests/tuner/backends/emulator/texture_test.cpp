// SPDX-License-Identifier: Apache-2.0
// What fetches from textures give in the emulator, against the formulas of the CUDA C++ Programming Guide
// ("Texture Fetching") written down a second time.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/texture_sample.hpp"
#include "tests/tuner/backends/emulator/kernel_check.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

using tune::testing::all_texture_samples;
using tune::testing::texture_sample;
using tune::testing::TextureSample;

/// The texel with this number along a dimension, counted from the texture on; -1 for a border.
long reached(const TextureSpec& spec, std::size_t axis, long index, long extent) {
  AddressMode mode = spec.address[axis];
  if (!spec.normalized_coordinates && (mode == AddressMode::wrap || mode == AddressMode::mirror))
    mode = AddressMode::clamp;
  while (index < 0 || index >= extent) {
    switch (mode) {
      case AddressMode::wrap:
        index += index < 0 ? extent : -extent;
        break;
      case AddressMode::mirror:
        index = index < 0 ? -1 - index : 2 * extent - 1 - index;
        break;
      case AddressMode::clamp:
        index = index < 0 ? 0 : extent - 1;
        break;
      case AddressMode::border:
        return -1;
    }
  }
  return index;
}

struct Point {
  const TextureSample& sample;
  std::size_t fetch, channel;

  long extent(std::size_t axis) const {
    return axis < sample.texels.size() ? static_cast<long>(sample.texels[axis]) : 1;
  }
  double place(std::size_t axis) const {
    const double at = sample.coordinate(fetch, axis);
    return sample.texture.texture.normalized_coordinates ? at * static_cast<double>(extent(axis)) : at;
  }
  double texel(long x, long y, long z, std::size_t of_channel) const {
    const TextureSpec& spec = sample.texture.texture;
    const long i = reached(spec, 0, x, extent(0)), j = reached(spec, 1, y, extent(1)),
               k = reached(spec, 2, z, extent(2));
    if (i < 0 || j < 0 || k < 0) return 0;
    const double value = sample.texel(static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                                      static_cast<std::size_t>(k), of_channel);
    return spec.read == ReadMode::normalized ? value / 255 : value;
  }
  /// Weight of the upper one of two texels along an axis, in 256ths.
  double upper(std::size_t axis) const {
    if (axis >= sample.texels.size()) return 0;
    const double at = place(axis) - 0.5;
    return std::round((at - std::floor(at)) * 256);
  }
  /// Weights of the eight texels as a device rounds them: the corner that is upper along x and z, what is
  /// left of x and of z, the rest; then each along y.
  double filtered(long i, long j, long k) const {
    const double x = upper(0), y = upper(1), z = upper(2);
    const double corner = std::floor(x * z / 256 + 0.5);
    const double columns[2][2] = {{256 - x - z + corner, z - corner}, {x - corner, corner}};
    double sum = 0;
    for (long dx = 0; dx < 2; ++dx)
      for (long dz = 0; dz < 2; ++dz) {
        const double whole = columns[dx][dz];
        const double above = dx == 1 ? std::floor(whole * y / 256 + 0.5) : std::ceil(whole * y / 256 - 0.5);
        for (long dy = 0; dy < 2; ++dy) {
          const double weight = dy == 1 ? above : whole - above;
          if (weight > 0) sum += weight / 256 * texel(i + dx, j + dy, k + dz, channel);
        }
      }
    return sum;
  }
  long floor_of(std::size_t axis, double shift) const {
    return axis < sample.texels.size() ? static_cast<long>(std::floor(place(axis) - shift)) : 0;
  }

  double value() const {
    const TextureSpec& spec = sample.texture.texture;
    const long i = floor_of(0, 0.5), j = floor_of(1, 0.5), k = floor_of(2, 0.5);
    if (sample.gather) {
      const long right[] = {0, 1, 1, 0}, up[] = {1, 1, 0, 0};
      const std::size_t asked = spec.channels == 2 && sample.inputs.at("image").type() == ElementType::f32;
      return texel(i + right[channel], j + up[channel], 0, asked);
    }
    if (spec.memory == TextureMemory::linear) {
      const long index = floor_of(0, 0);
      return index < 0 || index >= extent(0) ? 0 : texel(index, 0, 0, channel);
    }
    if (spec.filter == FilterMode::point)
      return texel(floor_of(0, 0), floor_of(1, 0), floor_of(2, 0), channel);
    return filtered(i, j, k);
  }
};

Case case_of(const TextureSample& sample) {
  ReferenceData expected;
  expected.inputs = sample.inputs;
  const auto channels = static_cast<std::size_t>(sample.channels);
  HostTensor out(ElementType::f64, {channels, sample.fetches()});
  for (std::size_t i = 0; i < sample.fetches(); ++i)
    for (std::size_t c = 0; c < channels; ++c)
      out.as<double>()[channels * i + c] = Point{sample, i, c}.value();
  expected.reference.emplace("out", std::move(out));
  expected.tolerance.absolute = sample.inputs.at("image").type() == ElementType::f32 ||
                                        sample.texture.texture.read == ReadMode::normalized
                                    ? 1e-7
                                    : 0;
  return {sample.text(), sample.plan, std::make_shared<ReferenceData>(std::move(expected))};
}

TEST(Textures, FetchesFollowTheProgrammingGuide) {
  const std::vector<TextureSample> samples = all_texture_samples();
  std::size_t seen = 0;
  for (const Flavour flavour : {Flavour::plain, Flavour::sanitize}) {
    CheckOptions options;
    options.flavour = flavour;
    options.batch = 64;
    check(
        samples.size(), [&](std::size_t number) { return CheckJob{{case_of(samples[number])}}; }, options,
        [&](std::size_t number, const CheckVerdict& verdict) {
          std::string report = verdict.not_emulated;
          for (const Finding& finding : verdict.findings) report += finding.text();
          EXPECT_EQ(report, "") << samples[number].text();
          ++seen;
          return true;
        });
  }
  EXPECT_EQ(seen, 2 * samples.size());
  EXPECT_GT(samples.size(), 400u);
}

/// What a kernel with a texture over `in`, 64 floats, says when it runs.
std::string report_of(const std::string& fetch, TextureSpec spec) {
  testing::KernelCheck check(
      "extern \"C\" __global__ void k(const float* in, float* out, cudaTextureObject_t t, int n) {\n"
      "  const int i = threadIdx.x;\n  out[i] = " +
      fetch + ";\n}\n");
  auto& arguments = check.launch().arguments;
  arguments.insert(arguments.end() - 1, TextureArgument{"in", spec});
  return check.report();
}

TextureSpec vector_texture(TextureMemory memory = TextureMemory::array) {
  TextureSpec spec;
  spec.memory = memory;
  spec.dimensions = 1;
  return spec;
}

TEST(Textures, SayWhatDoesNotGoTogether) {
  const TextureSpec array = vector_texture(), linear = vector_texture(TextureMemory::linear);
  const auto says = [](const std::string& fetch, const TextureSpec& spec, const std::string& what) {
    EXPECT_NE(report_of(fetch, spec).find(what), std::string::npos) << report_of(fetch, spec);
  };
  EXPECT_EQ(report_of("tex1D<float>(t, i + 0.5f)", array), "");
  EXPECT_EQ(report_of("tex1D<float1>(t, i + 0.5f).x", array), "");
  says("tex1D<int>(t, i + 0.5f)", array,
       "failed: tex1D of the texture over 'in' asks for 1 signed numbers of 4 bytes, and the texture has 1 "
       "floating-point ones of 4 bytes; kernel k, block (0, 0, 0), thread (0, 0, 0), at k.cu:3");
  says("tex1D<float4>(t, i + 0.5f).x", array, "asks for 4 floating-point");
  says("tex2D<float>(t, i + 0.5f, 0)", array, "tex2D of the texture over 'in', which has 1 dimensions");
  says("tex1Dfetch<float>(t, i)", array, "which is not linear memory");
  says("tex1D<float>(t, i + 0.5f)", linear, "which is linear memory");
  says("tex2Dgather<float4>(t, i + 0.5f, 0).x", array, "which does not allow gathering");
  says("tex1Dfetch<float>(i, i)", linear, "the argument of a fetch is not a texture object");
  says("tex1Dfetch<float>((cudaTextureObject_t)in, i)", linear, "is not a texture object");
  says("tex2DLod<float>(t, i, 0, 0)", array, "the emulator has no tex2DLod");
}

TEST(Textures, AreRefusedWhereNoDeviceTakesThem) {
  TextureSpec pitched;
  pitched.memory = TextureMemory::pitched;
  EXPECT_NE(report_of("0", pitched).find("the texture over `in`"), std::string::npos)
      << report_of("0", pitched);
}

}  // namespace
}  // namespace tune::emulator
