// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotate/model/variant.hpp"

#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/framework/request.hpp"

namespace tune::kernels {

using search::Expr;
using search::floor_div;
using search::var;

const KernelFiles& rotate_kernels() {
  static const KernelFiles files("rotate");
  return files;
}

Constants rotate_constants(const RotateJob& job) {
  const auto rounded_up = [](std::int64_t part) { return ceil_div(std::abs(part), 1 << 12); };
  return {{"nx", job.nx},
          {"ny", job.ny},
          {"pixel_bytes", job.pixel_bytes()},
          {"cosine", rounded_up(job.cosine)},
          {"sine", rounded_up(job.sine)}};
}

Expr tile_x() {
  return var("warp_x") * var("warps_x") * var("pixels");
}

Expr tile_y() {
  return floor_div(Expr(32), var("warp_x")) * floor_div(var("block"), 32 * var("warps_x")) * var("rows");
}

Expr written_bytes() {
  // As written_pitch of pixels.cuh.
  const Expr between =
      if_else(var("warp_x") == 32, Expr(0), search::max(Expr(16), var("warp_x") * var("pixel_bytes")));
  return if_else(var("write") == "shared", (tile_x() * var("pixel_bytes") + between) * tile_y(), Expr(0));
}

void add_arithmetic(FamilySpace& space, const RotateJob& job) {
  std::vector<search::Value> values = {"single"};
  if (job.channels == 4) values.emplace_back("half");
  space.add("arithmetic",
            "what pixels are interpolated with: single precision, or half for two channels at once", values,
            values.back());
}

void set_tolerance_of_half(LaunchPlan& plan, const RotateJob& job, const Configuration& configuration) {
  if (configuration["arithmetic"].as_text() != "half") return;
  plan.tolerance =
      rotate_tolerance(job, 0x1p-12 + 0x1p-15, 0x1p-10,
                       "weights and values up to 255 are rounded to 11 bits, three times in turn");
}

RotateTile rotate_tile(const RotateJob& job, const Configuration& configuration) {
  const Constants constants = rotate_constants(job);
  return {evaluated(tile_x(), configuration, constants), evaluated(tile_y(), configuration, constants)};
}

LaunchPlan rotate_plan(const RotateJob& job, std::string_view file, const Configuration& configuration,
                       const KernelSources& sources) {
  LaunchPlan plan;
  plan.compile = rotate_kernels().request(file, sources);
  const char* const pixel = job.type == ElementType::f32   ? "float"
                            : job.type == ElementType::u16 ? "unsigned short"
                            : job.channels == 4            ? "uchar4"
                                                           : "unsigned char";
  const char* const border = job.border == RotateJob::Border::clamp  ? "Border::clamp"
                             : job.border == RotateJob::Border::wrap ? "Border::wrap"
                                                                     : "Border::zero";
  plan.compile.defines = {{"PIXEL", pixel}, {"BORDER", border}};
  add_macros(plan.compile, configuration, {"pad"});
  // Rows of whole lines of memory, as textures and vectors of 16 bytes need them.
  const std::int64_t line = 128 / static_cast<std::int64_t>(element_size(job.type));
  Layout layout = row_layout(
      {job.extents()[0] * (job.channels > 1 ? job.extents()[1] : 1), job.extents().back()}, true, line);
  if (job.channels > 1) {
    const std::uint64_t pitch = layout.strides[1];
    layout = Layout::dense(job.extents());
    layout.strides[2] = pitch;
    layout.allocation = pitch * static_cast<std::uint64_t>(job.ny);
  }
  plan.buffers.push_back({"in", job.type, layout, BufferRole::input});
  plan.buffers.push_back({"out", job.type, layout, BufferRole::output});
  return plan;
}

void add_rotate_launch(LaunchPlan& plan, const RotateJob& job, const Configuration& configuration,
                       const std::string& entry, std::vector<KernelArgument> first,
                       const std::vector<KernelArgument>& last, std::int64_t box_bytes) {
  // Turn of pixels.cuh.
  struct Turn {
    std::int64_t cosine, sine;
    std::int32_t nx, ny, pitch, unused;
  };
  const auto pitch = static_cast<std::int64_t>(plan.buffers.front().layout.strides.back());
  const Turn turn{job.cosine,
                  job.sine,
                  static_cast<std::int32_t>(job.nx),
                  static_cast<std::int32_t>(job.ny),
                  static_cast<std::int32_t>(pitch / job.channels),
                  0};
  StructArgument argument;
  argument.bytes.resize(sizeof turn);
  std::memcpy(argument.bytes.data(), &turn, sizeof turn);
  const RotateTile tile = rotate_tile(job, configuration);
  first.emplace_back(BufferArgument{"out"});
  first.emplace_back(std::move(argument));
  first.insert(first.end(), last.begin(), last.end());
  plan.compile.entries = {entry};
  plan.launches.emplace_back(make_launch(
      entry, ceil_div(job.nx, tile.x) * ceil_div(job.ny, tile.y), block_of(configuration["block"].as_int()),
      std::move(first), box_bytes + evaluated(written_bytes(), configuration, rotate_constants(job))));
}

Tolerance rotate_tolerance(const RotateJob& job, double weight, double value, std::string derivation) {
  // Neighbouring pixels differ by the whole range at most, and the result is rounded to a whole number.
  const double rounding = job.type == ElementType::f32 ? 0 : 0.5;
  Tolerance tolerance;
  tolerance.absolute = job.range() * (2 * weight + value) + rounding;
  tolerance.derivation = std::move(derivation);
  return tolerance;
}

}  // namespace tune::kernels
