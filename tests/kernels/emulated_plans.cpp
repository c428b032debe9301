// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/emulated_plans.hpp"

#include <memory>

#include "kernels/stencil/reference/reference.hpp"

namespace tune::kernels::testing {

StencilJob small_job(const Stencil& stencil, std::array<std::int64_t, 3> extents, ElementType type,
                     Boundary boundary, std::int64_t steps) {
  StencilJob job;
  job.dimensions = stencil.dimensions;
  job.nx = extents[0];
  job.ny = extents[1];
  job.nz = extents[2];
  job.type = type;
  job.stencil = in_kernel_axes(stencil);
  job.boundary = boundary;
  job.steps = steps;
  return job;
}

std::vector<emulator::CheckVerdict> emulated(const std::vector<PlannedJob>& planned,
                                             emulator::Flavour flavour) {
  emulator::CheckOptions options;
  options.flavour = flavour;
  const auto job = [&](std::size_t number) {
    const PlannedJob& one = planned[number];
    auto expected = std::make_shared<ReferenceData>();
    expected->inputs.emplace("in", stencil_input(one.job, 1));
    expected->reference.emplace("out", stencil_reference(one.job, expected->inputs.at("in")));
    expected->tolerance = step_tolerance(one.job);
    return emulator::CheckJob{{{one.name, one.plan, std::move(expected)}}};
  };
  return tune::testing::verdicts_of(planned.size(), job, options);
}

}  // namespace tune::kernels::testing
