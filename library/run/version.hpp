// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune::run {

/// Returns `0.1.0 (1a2b3c4d)`: release and revision, `-dirty` where files were changed; without a revision
/// where the build had none.
std::string version();

}  // namespace tune::run
