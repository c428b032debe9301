// SPDX-License-Identifier: Apache-2.0
// The numbers with which outputs are compared.
#pragma once

#include "tuner/tensor/tensor.hpp"

namespace tune {

/// True for whole numbers of 64 bits, of which a double holds 53.
bool is_wide_whole(ElementType type);

/// Returns right outputs as a reference: f64, which holds the numbers of all types, but for whole numbers of
/// 64 bits from 2^53 on. A tensor that has such a number keeps its type and is compared exactly.
HostTensor as_reference(const TensorView& tensor);

/// Returns a reference in the type of its output.
HostTensor from_reference(const HostTensor& reference, ElementType type);

}  // namespace tune
