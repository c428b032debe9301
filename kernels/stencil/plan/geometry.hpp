// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "search/expressions/expr.hpp"
#include "search/space/configuration.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::kernels {

/// What a block of direct or streaming covers and needs, as the kernels compute it.
struct StencilGeometry {
  Dim3 block;
  std::int64_t tile_x = 0, tile_y = 0, tile_z = 0;  ///< cells that a block computes
  std::int64_t aligned_halo = 0;                    ///< the reach along x rounded up to whole vectors [cells]
  std::uint64_t shared_bytes = 0;                   ///< dynamic shared memory of a block
  std::vector<std::uint32_t> box = {};  ///< of the copy engine, where that brings the planes [cells]
};

/// Whether the copy engine brings the planes: the kernel then reads its array through a map.
bool takes_boxes(const search::Configuration& configuration);

/// Bytes of dynamic shared memory of a block whose `stages` planes a stencil that reaches so far needs.
search::Expr planes_bytes(const search::Expr& reach_x, const search::Expr& reach_y);

StencilGeometry stencil_geometry(const StencilJob& job, const search::Configuration& configuration);

/// Where the array lies. Dense: no gaps. Padded: rows and planes are rounded up to whole tiles (rows to 32
/// cells too), so that every thread may store, and enough cells lie before and after the array that every
/// thread may load all its neighbours; the ghost cells of a row are its neighbours' padding or the neighbours
/// themselves, which is good enough because no inner cell uses them.
Layout stencil_layout(const StencilJob& job, const StencilGeometry& geometry, bool padded);

/// Blocks along x, then y, then z, all in grid.x. Failure{constraint} where an index would leave 31 bits.
Result<Dim3> stencil_grid(const StencilJob& job, const StencilGeometry& geometry);

}  // namespace tune::kernels
