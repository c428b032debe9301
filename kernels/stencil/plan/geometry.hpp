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

/// The extents and the memory of a block of direct or streaming, as the kernels compute them.
struct StencilGeometry {
  Dim3 block;
  std::int64_t tile_x = 0, tile_y = 0, tile_z = 0;  ///< cells that a block computes
  std::int64_t aligned_halo = 0;                    ///< the reach along x rounded up to whole vectors [cells]
  std::uint64_t shared_bytes = 0;                   ///< dynamic shared memory of a block
  std::vector<std::uint32_t> box = {};  ///< of the copy engine, where that brings the planes [cells]
};

/// True if the copy engine brings the planes: the kernel then reads its array through a map.
bool takes_boxes(const search::Configuration& configuration);

/// Returns the bytes of dynamic shared memory of a block with `stages` planes for a stencil of this reach.
search::Expr planes_bytes(const search::Expr& reach_x, const search::Expr& reach_y);

StencilGeometry stencil_geometry(const StencilJob& job, const search::Configuration& configuration);

/// Returns the layout of the array. Dense: no gaps. Padded: rows and planes are rounded up to whole tiles
/// (rows to 32 cells too), so that every thread may store, and enough cells lie before and after the array
/// that every thread may load all its neighbours. The ghost cells of a row are its neighbours' padding or the
/// neighbours themselves; no inner cell uses them.
Layout stencil_layout(const StencilJob& job, const StencilGeometry& geometry, bool padded);

/// Returns a grid along x: blocks along x, then y, then z. Failure{constraint} if an index exceeds 31 bits.
Result<Dim3> stencil_grid(const StencilJob& job, const StencilGeometry& geometry);

}  // namespace tune::kernels
