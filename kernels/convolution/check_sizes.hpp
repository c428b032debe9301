// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/convolution/model/job.hpp"
#include "search/space/configuration.hpp"

namespace tune::kernels {

/// Extents nx, ny at which a configuration is checked: several tiles and a remainder, less than a tile, less
/// than the taps reach, single rows and columns.
std::vector<std::pair<std::int64_t, std::int64_t>> convolution_check_sizes(
    const ConvolutionJob& job, const search::Configuration& configuration);

}  // namespace tune::kernels
