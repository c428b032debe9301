// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/backends/backend.hpp"

namespace tune::host {

/// Returns the processor of this machine, whose kernels are functions in C++ that its compiler makes a
/// library of. Its runner calls them in this process: a fault ends it. There is no figure of resources of a
/// kernel. `compile_timeout`: seconds that a compile may take. The compiler is looked for when it is first
/// used.
std::unique_ptr<Backend> open_processor(double compile_timeout = default_compile_timeout);

}  // namespace tune::host
