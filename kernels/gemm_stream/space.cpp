// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm_stream/space.hpp"

#include "kernels/gemm_stream/tiles.hpp"

namespace tune::kernels {

using search::Expr;
using search::Value;
using search::var;

namespace {

/// Tiles of more than 512 threads leave each too few registers.
std::vector<Value> tile_names(bool doubles) {
  std::vector<Value> names;
  for (const StreamTile& tile : stream_tiles())
    if (tile.block_m * tile.block_n / (doubles ? 32 : tile.thread_m * tile.thread_n) <= 512)
      names.emplace_back(std::string(tile.name));
  return names;
}

/// Rows of a product that a block computes.
Expr tile_rows() {
  Expr rows = Expr(0);
  for (const StreamTile& tile : stream_tiles())
    rows = rows + (var("tile") == std::string(tile.name)) * tile.block_m;
  return rows;
}

void add_parameters(const StreamJob& job, search::SpaceDefinition& space) {
  const bool doubles = job.product.type == ElementType::f64;
  space.parameters = {
      {"streams",
       "pieces under way at once, each with memory of its own on the device; 1: copies and products one "
       "after another",
       {1, 2, 3, 4, 6, 8},
       3},
      {"order",
       "pieces: a stream for each piece under way, in which its steps follow each other; stages: one stream "
       "for copies to the device, one for products, one for copies back",
       {"pieces", "stages"},
       "stages",
       var("streams") > 1},
      {"tail",
       "parts of rows in which the last product passes through the device, and the others of the last piece "
       "one "
       "by one: less is left to do when the last copy to the device has ended",
       {1, 2, 4},
       2,
       var("order") == "stages"},
      {"chunk", "products that are copied and computed as one piece", {1, 2, 4, 8, 16}, 1},
      {"memory",
       "where the matrices lie on the host: pinned, or pageable, which the driver copies through pinned "
       "memory",
       {"pinned", "pageable"},
       "pinned"},
      {"graph",
       "whether all steps are recorded as a CUDA graph once and started as a whole",
       {false, true},
       false,
       var("memory") == "pinned"},
      {"kernel", "the variant of gemm that computes a product", {"register", "async"}, "async"},
      {"tile", "rows and columns of a product that a block computes", tile_names(doubles),
       doubles ? "64x64" : "128x128"},
      {"vector", "neighbouring elements of an access to the device's memory",
       doubles ? std::vector<Value>{1, 2} : std::vector<Value>{1, 2, 4}, doubles ? 2 : 4},
      {"padded",
       "whether rows are padded to whole lines of 128 bytes on the device, so that vectors are aligned in "
       "every row; copies then go row by row",
       {false, true},
       true,
       var("k") % var("line") != 0 || var("n") % var("line") != 0},
  };
}

}  // namespace

search::SpaceDefinition gemm_stream_space(const StreamJob& job, const DeviceProperties& device) {
  search::SpaceDefinition space;
  const double bytes = (job.left_elements() + job.right_elements() + job.result_elements()) *
                       job.product.element_bytes() / static_cast<double>(job.count);
  space.constants = {
      {"m", job.product.m},
      {"n", job.product.n},
      {"k", job.product.k},
      {"count", job.count},
      {"line", 128 / job.product.element_bytes()},
      {"product_bytes", bytes},
      // The facts of an architecture rather than a device name none.
      {"device_bytes", device.global_memory > 0 ? static_cast<double>(device.global_memory) : 1e300},
  };
  add_parameters(job, space);
  space.constraints = {
      {var("padded") || (var("n") % var("vector") == 0 && var("k") % var("vector") == 0),
       "vectors of unpadded matrices need rows that are whole vectors: else they are not aligned"},
      {(var("streams") - 1) * var("chunk") < var("count"), "fewer pieces under way hold all products"},
      {var("tail") == 1 || (var("tail") - 1) * tile_rows() < var("m"),
       "the last product has not so many rows of tiles"},
      {var("chunk") <= var("count"), "there are not so many products"},
      {var("product_bytes") * var("chunk") * var("streams") <= var("device_bytes"),
       "the pieces under way do not fit the memory of the device"},
  };
  return space;
}

}  // namespace tune::kernels
