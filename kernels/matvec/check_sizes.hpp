// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/matvec/model/job.hpp"
#include "search/space/configuration.hpp"

namespace tune::kernels {

/// Small rows x columns at which a configuration is checked: several batches and one that is not full, two
/// strips, two tiles where the variant takes them, narrower than a vector, a single element.
std::vector<std::pair<std::int64_t, std::int64_t>> matvec_check_sizes(
    const MatvecJob& job, const search::Configuration& configuration);

}  // namespace tune::kernels
