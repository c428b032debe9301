// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/slabs.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {

using search::var;

const VariantTable<StencilJob, std::vector<CheckSize>>& stencil_variants() {
  static const VariantTable<StencilJob, std::vector<CheckSize>> table = {
      "stencil",
      {
          TUNE_VARIANT(StencilVariant, direct_stencil),
          TUNE_VARIANT(StencilVariant, streaming_stencil),
          TUNE_VARIANT(StencilVariant, split_stencil),
          TUNE_VARIANT(StencilVariant, composed_stencil),
          TUNE_VARIANT(StencilVariant, temporal_stencil),
          TUNE_VARIANT(StencilVariant, persistent_stencil),
          TUNE_VARIANT(StencilVariant, fft_stencil),
      },
  };
  return table;
}

namespace {

/// The orders in which parameters and rules are told. Other names come last.
const SpaceOrder& space_order() {
  static const SpaceOrder order = {
      {"sweep",    "fused",       "kept",     "blocks",  "tiles_x",    "tiles_y",      "tiles_z",
       "parts",    "divide",      "block_x",  "block_y", "block_z",    "vector",       "cells_y",
       "cells_z",  "cells_x",     "threads",  "ahead",   "last_axis",  "transform",    "in_place",
       "spectrum", "shuffle",     "readonly", "chunk",   "queue",      "loader",       "stages",
       "unroll",   "unroll_rows", "padded",   "store",   "min_blocks", "unroll_planes"},
      {"direct", "streaming", "composed", "temporal", "persistent", "split", "fft"}};
  return order;
}

/// The best of some thousand orders that were tried at 1, 8, 16 and 96 steps. The numbers of configurations
/// follow from it.
const std::vector<std::string>& counting_order() {
  static const std::vector<std::string> order = {
      "variant", "kept",    "sweep",   "unroll_rows", "padded",     "last_axis", "cells_x", "shuffle",
      "fused",   "unroll",  "vector",  "tiles_z",     "block_z",    "block_x",   "cells_y", "tiles_x",
      "tiles_y", "cells_z", "threads", "block_y",     "min_blocks", "loader",    "ahead",   "stages"};
  return order;
}

}  // namespace

// Variants that do not apply cannot be chosen. As a rule their parameters exist nevertheless.
search::SpaceDefinition stencil_space(const StencilJob& whole, const DeviceProperties& device) {
  const StencilJob job = slab_job(whole);
  FamilySpace space(stencil_constants(job), device);
  space.rule(var("padded") || var("nx") % var("vector") == 0,
             "vectors of an unpadded array need rows that are whole vectors: else they are not aligned");
  if (whole.gpus > 1) add_slab_parameters(space, whole);
  bool any = false;
  for (const StencilVariant& variant : stencil_variants()) {
    if (whole.gpus > 1 && !computes_slabs(variant.name)) continue;
    space.begin(variant.name);
    if (variant.applies(job)) space.offer(variant.summary);
    any = any || variant.applies(job);
    variant.add_to_space(space, job);
  }
  if (!any)
    throw UsageError(
        format("no variant can compute a stencil of {} points: its weights do not fit a kernel's constant "
               "memory; take a smaller radius, or a star",
               job.stencil.points.size()));
  search::SpaceDefinition definition = space.definition(space_order());
  definition.counting_order = counting_order();
  return definition;
}

}  // namespace tune::kernels
