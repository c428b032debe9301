// SPDX-License-Identifier: Apache-2.0
// The variant `global`: loads from global memory.
#include "kernels/rotate/model/variant.hpp"

namespace tune::kernels {
namespace {

void add_global(FamilySpace& space, const RotateJob& job) {
  add_arithmetic(space, job);
  space.rules().add_shared_memory(written_bytes(), "the pixels to write");
}

Result<LaunchPlan> plan_global(const RotateJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  LaunchPlan plan = rotate_plan(job, "global.cu", configuration, sources);
  set_tolerance_of_half(plan, job, configuration);
  add_rotate_launch(plan, job, configuration, "rotate_global", {BufferArgument{"in"}}, {});
  return plan;
}

bool is_linear(const RotateJob& job) {
  return job.source == RotateJob::Source::linear;
}

}  // namespace

RotateVariant global_rotate() {
  return {"global",   "loads of four pixels from global memory", is_linear, add_global, plan_global,
          rotate_tile};
}

}  // namespace tune::kernels
