// SPDX-License-Identifier: Apache-2.0
// The problem that both programs tune: norms of the rows of a matrix.
#pragma once

#include <cmath>
#include <tune/tune.hpp>

inline tune::Problem row_norms() {
  tune::Problem problem("row_norms");
  problem.size("rows", 65536)
      .size("columns", 1024)
      .parameter("BLOCK", {64, 128, 256, 512}, 256)
      .parameter("LANES", {1, 2, 4, 8, 16, 32}, 32)
      .parameter("UNROLL", {1, 2, 4, 8})
      .constraint("BLOCK <= max_threads", "a block has more threads than the device allows")
      .constraint([](const tune::Configuration& c,
                     const tune::Sizes& sizes) { return c["LANES"] <= sizes["columns"]; },
                  "more threads than columns")
      .output<float>("out", "rows")
      .input<float>("in", {"columns", "rows"}, tune::random(-1, 1))
      .scalar<int>("rows", "rows")
      .scalar<int>("columns", "columns")
      .kernel(KERNEL, "row_norms")
      .grid([](const tune::Configuration& c, const tune::Sizes& sizes) {
        const auto rows_a_block = c["BLOCK"] / c["LANES"];
        return tune::Dim3((sizes["rows"] + rows_a_block - 1) / rows_a_block);
      })
      .block("BLOCK")
      .reference([](tune::HostData& data) {
        const auto in = data.input<float>("in");
        const auto out = data.result("out");
        const auto columns = static_cast<std::size_t>(data.sizes()["columns"]);
        for (std::size_t row = 0; row < out.size; ++row) {
          double sum = 0;
          for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
            sum += double(in[i]) * double(in[i]);
          out[row] = std::sqrt(sum);
        }
      })
      .tolerance(0, 1e-5)
      .check_at({{"rows", 67}, {"columns", 45}})
      .flops("2 * rows * columns")
      .items("rows", "row");
  return problem;
}
