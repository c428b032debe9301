// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/input/command.hpp"
#include "tuner/cache/binary_cache.hpp"

namespace tune::cli {

void add_cache_options(po::options_description& options);

/// The cache of device binaries that the command line and the environment name, below $TUNE_CACHE_SIZE; null
/// with --no-compile-cache. A folder that cannot be used is no error, but the cache's notice. Throws
/// UsageError for a size that cannot be read.
std::shared_ptr<cache::BinaryCache> chosen_cache(const po::variables_map& values);

/// After the work: the cache's notice, if any, on standard error. `cache` may be null.
void tell_notice(const cache::BinaryCache* cache);

}  // namespace tune::cli
