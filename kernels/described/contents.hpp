// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kernels/described/definition.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::definition {

/// A tensor with these contents; those that are random follow from the seed and the argument's name. Throws
/// UsageError for a file that cannot be read or has another size.
HostTensor make_tensor(const Contents& contents, const Argument& argument, const Extents& extents,
                       std::uint64_t seed);

}  // namespace tune::definition
