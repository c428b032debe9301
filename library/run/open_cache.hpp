// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tuner/cache/binary_cache.hpp"

namespace tune::run {

/// The cache of device binaries in `folder`, or where the environment says (cache_folder), below
/// $TUNE_CACHE_SIZE. A folder that cannot be used is no error, but the cache's notice. Throws UsageError for
/// a size that cannot be read.
std::shared_ptr<cache::BinaryCache> open_cache(const std::string& folder = {});

}  // namespace tune::run
