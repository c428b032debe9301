// SPDX-License-Identifier: Apache-2.0
// Parts of the reader of T1; the fields are those of the published schema, and what published definitions
// have besides.
#pragma once

#include <string>
#include <string_view>

#include "kernels/described/description.hpp"
#include "kernels/described/readers/json_field.hpp"

namespace tune::definition::t1 {

/// In lower case, without spaces around: how names of kinds are compared.
std::string word(const JsonField& field);

/// KernelSpecification.
void read_kernel(const JsonField& kernel, KernelDescription& definition);

}  // namespace tune::definition::t1
