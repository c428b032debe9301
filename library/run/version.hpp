// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune::run {

/// `0.1.0 (1a2b3c4d)`: release and revision, `-dirty` where files were changed; the revision is left out
/// where the build knew none.
std::string version();

}  // namespace tune::run
