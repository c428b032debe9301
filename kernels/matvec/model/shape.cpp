// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/shape.hpp"

#include "kernels/framework/request.hpp"

namespace tune::kernels {
using search::Expr;
using search::if_else;
using search::var;

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
  slices = ceil_div(job.columns, tile);
  row_blocks = ceil_div(job.rows, row_block);
}

Expr matvec_tile() {
  return var("block_x") * (var("vector") * var("unroll_x"));
}

Expr matvec_batch() {
  return var("block_y") * var("unroll_y");
}

Expr matvec_shared(bool products, bool sums) {
  const Expr x = products ? if_else(var("place") == "shared", matvec_tile(), Expr(0)) : Expr(0);
  const Expr ring = if_else(var("kept") == "shared", var("stages") * matvec_batch() * matvec_tile(), Expr(0));
  const Expr combined =
      sums ? if_else(var("block_y") > 1, var("block_x") * var("block_y") * var("vector"), Expr(0)) : Expr(0);
  return max(x + ring, combined);
}

}  // namespace tune::kernels
