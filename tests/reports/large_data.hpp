// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "reports/data/report_data.hpp"

namespace tune::testing {

/// One section with this many measurements, the fastest first, of two variants and eight parameters, some of
/// them conditional; times, errors and what kernels need follow from the parameters and a little chance.
/// Equal calls give equal data.
reports::ReportData large_data(std::size_t measurements);

}  // namespace tune::testing
