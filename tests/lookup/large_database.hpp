// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace tune::testing {

/// A database of 100,000 evaluations in 40 works of stencil3d: ten sizes of four radii on `NVIDIA H200`, each
/// with 2,500 evaluations and finals of 12. Made in about a second.
void make_large_database(const std::filesystem::path& path);

}  // namespace tune::testing
