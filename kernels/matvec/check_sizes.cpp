// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/check_sizes.hpp"

#include <algorithm>

#include "kernels/matvec/model/shape.hpp"

namespace tune::kernels {

std::vector<std::pair<std::int64_t, std::int64_t>> matvec_check_sizes(
    const MatvecJob& job, const search::Configuration& configuration) {
  // The emulator needs a microsecond for each.
  constexpr std::int64_t max_elements = 1 << 17;
  const MatvecShape shape(job, configuration);
  const bool whole_rows = configuration["variant"].as_text() == "fused";
  const bool padded = configuration["padded"].as_bool();
  // Rows of an unpadded matrix are whole vectors.
  const auto columns_near = [&](std::int64_t wanted) {
    const std::int64_t step = padded ? 1 : shape.vector;
    return std::max(step, wanted / step * step);
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  const auto add = [&](std::int64_t rows, std::int64_t columns) {
    if (rows > shape.batch + 1) rows = std::max(shape.batch + 1, std::min(rows, max_elements / columns));
    if (std::ranges::find(sizes, std::pair{rows, columns}) == sizes.end()) sizes.emplace_back(rows, columns);
  };
  const std::int64_t last = shape.batch > 1 ? shape.batch - 1 : 0;
  const std::int64_t batches = (shape.stages + 2) * shape.batch + last;
  const std::int64_t wide = whole_rows ? columns_near(shape.tile - 1) : columns_near(shape.tile * 5 / 2 + 1);
  add(batches, wide);
  // A second strip, where strips are not too long for a small size.
  if ((shape.row_block + shape.batch) * shape.tile <= max_elements)
    add(shape.row_block + shape.batch + last, columns_near(shape.tile));
  else
    add(shape.batch, shape.tile);
  // Narrow: two strips here too, where they are short.
  add(shape.row_block <= 256 ? shape.row_block + shape.batch / 2 + 1 : 2 * shape.batch + 1,
      columns_near(shape.vector + 1));
  add(1, columns_near(std::min<std::int64_t>(shape.tile, 37)));
  add(1, columns_near(1));
  return sizes;
}

}  // namespace tune::kernels
