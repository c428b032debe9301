// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stencil/plan/variant.hpp"

// Stencils over several GPUs. Each computes a slab of the slowest axis by any variant, as if it were a
// smaller array: what is wrong at a cut moves inwards by the reach a step and must not leave the ghost
// planes, which are brought anew from the neighbour before that.

namespace tune::kernels {

/// The planes of one GPU, along the kernels' z.
struct Slab {
  std::int64_t own_begin = 0, own_end = 0;  ///< that it computes
  std::int64_t begin = 0, end = 0;          ///< that its arrays hold: with ghost planes at each cut

  std::int64_t planes() const { return end - begin; }
  bool low_cut() const { return begin < own_begin; }
  bool high_cut() const { return end > own_end; }
};

/// Returns the slabs of a job, with so many ghost planes.
std::vector<Slab> slabs_of(const StencilJob& job, std::int64_t ghosts);

/// Returns the job of a GPU without ghost planes, for spaces and estimates.
StencilJob slab_job(const StencilJob& job);

/// Returns why the job cannot be cut into slabs; empty where it can.
std::string cannot_cut(const StencilJob& job);

/// True for a variant that can compute slabs: its plans are of launches alone.
bool computes_slabs(std::string_view variant);

/// Adds the parameters of the exchange, which all variants have.
void add_slab_parameters(FamilySpace& space, const StencilJob& job);

/// Plans a job of several GPUs.
Result<LaunchPlan> plan_slabs(const StencilJob& job, const Configuration& configuration,
                              const KernelSources& sources);

/// Returns the sizes at which a configuration is checked: those of its variant, with planes and steps for
/// several exchanges.
std::vector<CheckSize> slab_sizes(const StencilJob& job, const Configuration& configuration);

}  // namespace tune::kernels
