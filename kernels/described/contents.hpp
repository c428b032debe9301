// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/described/description.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {

/// Returns a tensor with these contents; random ones follow from the seed and the name of the
/// argument, or of the one whose contents they are. Throws
/// UsageError for a file that cannot be read or has another size; `is_small`: it may have more elements.
HostTensor make_tensor(const Contents& contents, const Argument& argument, const TypeName& type,
                       const Extents& extents, std::uint64_t seed, const ExpressionScope& scope,
                       bool is_small);

}  // namespace tune::described
