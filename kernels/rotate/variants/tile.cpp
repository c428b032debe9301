// SPDX-License-Identifier: Apache-2.0
// The variant `tile`: a block's part of the image in shared memory.
#include <string>

#include "kernels/framework/request.hpp"
#include "kernels/rotate/model/variant.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::floor_div;
using search::var;

/// Pixels that a tile's places span along an axis, with the neighbours that they are interpolated between and
/// what rounding may add.
Expr span_of(const Expr& along_x, const Expr& along_y) {
  return search::ceil_div(along_x * (tile_x() - 1) + along_y * (tile_y() - 1), Expr(1 << 20)) + 3;
}

/// Pixels of a row of the box: whole pieces of 16 bytes.
Expr box_pitch() {
  const Expr piece = floor_div(Expr(16), var("pixel_bytes"));
  return search::ceil_div(span_of(var("cosine"), var("sine")) + piece - 1, piece) * piece +
         var("pad") * piece;
}

Expr box_rows() {
  return span_of(var("sine"), var("cosine"));
}

void add_tile(FamilySpace& space, const RotateJob& job) {
  space.add("copy", "how a block's part of the image comes to shared memory", {"threads", "async", "engine"},
            has_tensor_maps(space.device()) ? "engine" : "async");
  space.add("pad", "pieces of 16 bytes that rows in shared memory have more, against bank conflicts",
            {0, 1, 2, 3, 4, 5, 6, 7}, 0);
  add_arithmetic(space, job);
  const Rules rules = space.rules();
  rules.add_shared_memory(box_pitch() * box_rows() * var("pixel_bytes") + written_bytes(),
                          "the part of the image and the pixels to write");
  rules.add(var("copy") != "async" || has_async_copies(), no_async_copies);
  const Rules engine = space.rules(var("copy") == "engine");
  engine.add(var("tensor_maps"), "the device has no copy engine: it came with compute capability 9.0");
  engine.add(box_pitch() <= 256 && box_rows() <= 256,
             "a copy of the engine has at most 256 elements along an axis");
}

bool has_rows(const RotateJob& job) {
  return job.source == RotateJob::Source::linear;
}

Result<LaunchPlan> plan_tile(const RotateJob& job, const Configuration& configuration,
                             const KernelSources& sources) {
  LaunchPlan plan = rotate_plan(job, "tile.cu", configuration, sources);
  set_tolerance_of_half(plan, job, configuration);
  const Constants constants = rotate_constants(job);
  const std::int64_t pitch = evaluated(box_pitch(), configuration, constants);
  const std::int64_t rows = evaluated(box_rows(), configuration, constants);
  plan.compile.defines.emplace_back("BOX_PITCH", std::to_string(pitch));
  std::vector<KernelArgument> first;
  if (configuration["copy"].as_text() == "engine") {
    plan.compile.defines.emplace_back("USES_ENGINE", "1");
    BufferSpec& in = plan.buffers.front();
    TensorMapSpec map;
    map.extents = {static_cast<std::uint64_t>(job.nx), static_cast<std::uint64_t>(job.ny)};
    map.group = static_cast<std::uint32_t>(job.channels);
    map.strides = {in.layout.strides.back() * element_size(job.type)};
    map.box = {static_cast<std::uint32_t>(pitch), static_cast<std::uint32_t>(rows)};
    if (const Result<void> right = check_tensor_map(in, map); !right)
      return fail(Phase::constraint, "tensor map", right.error().detail);
    first.emplace_back(TensorMapArgument{"in", map});
  }
  first.emplace_back(BufferArgument{"in"});
  add_rotate_launch(plan, job, configuration, "rotate_tile", std::move(first), {int32(rows)},
                    pitch * rows * job.pixel_bytes());
  return plan;
}

}  // namespace

RotateVariant tile_rotate() {
  return {"tile",  "a block's part of the image in shared memory", has_rows, add_tile, plan_tile, rotate_tile,
          has_rows};
}

}  // namespace tune::kernels
