// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants.hpp"

#include <stdexcept>

#include "kernels/stencil/plan/sweeps.hpp"
#include "kernels/stencil/variants/composed/composed.hpp"
#include "kernels/stencil/variants/fft/fft.hpp"
#include "kernels/stencil/variants/persistent/persistent.hpp"
#include "kernels/stencil/variants/split/split.hpp"
#include "kernels/stencil/variants/temporal/temporal.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

std::int64_t one_step(const Configuration&) {
  return 1;
}
std::int64_t fused_steps(const Configuration& configuration) {
  return configuration["fused"].as_int();
}

constexpr StencilVariant table[] = {
    {"direct", "a thread computes its cells straight from global memory", sweeps_apply, plan_sweeps,
     one_step},
    {"streaming", "a block marches through planes of z", sweeps_apply, plan_sweeps, one_step},
    {"split", "as direct, but a launch for each of several parts of the points", split_applies, plan_split,
     one_step},
    {"composed", "the stencil convolved with itself, several time steps in one sweep", composed_applies,
     plan_composed, fused_steps},
    {"temporal", "a block marches through planes of z and computes several time steps on the way",
     temporal_applies, plan_temporal, fused_steps},
    {"persistent",
     "one launch computes all steps, between which its blocks meet, and the array stays in the L2 cache or "
     "in "
     "shared memory",
     persistent_applies, plan_persistent, one_step},
    {"fft", "Fourier transforms, between which any number of time steps is a product", fft_applies, plan_fft,
     fused_steps},
};

}  // namespace

std::span<const StencilVariant> stencil_variants() {
  return table;
}

const StencilVariant& variant_of(const Configuration& configuration) {
  const std::string& name = configuration["variant"].as_text();
  for (const StencilVariant& variant : table)
    if (variant.name == name) return variant;
  throw std::out_of_range(format("no stencil variant '{}'", name));
}

}  // namespace tune::kernels
