// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/shape.hpp"

#include <algorithm>

namespace tune::kernels {
namespace {

std::int64_t ceil_divided(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

MatvecShape::MatvecShape(const MatvecJob& job, const search::Configuration& configuration) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  block_x = value("block_x");
  block_y = value("block_y");
  vector = value("vector");
  unroll_x = value("unroll_x");
  unroll_y = value("unroll_y");
  stages = value("stages");
  row_block = value("strip");
  stored_in_shared = configuration["kept"].as_text() == "shared";
  x_shared = configuration.has("place") && configuration["place"].as_text() == "shared";
  tile = block_x * vector * unroll_x;
  batch = block_y * unroll_y;
  slices = ceil_divided(job.columns, tile);
  row_blocks = ceil_divided(job.rows, row_block);
}

std::int64_t MatvecShape::shared_elements(bool products, bool sums) const {
  const std::int64_t x = products && x_shared ? tile : 0;
  const std::int64_t ring = stored_in_shared ? stages * batch * tile : 0;
  const std::int64_t combined = sums && block_y > 1 ? threads() * vector : 0;
  return std::max(x + ring, combined);
}

}  // namespace tune::kernels
