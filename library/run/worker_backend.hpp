// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/backends/backend.hpp"
#include "tuner/cache/binary_cache.hpp"

namespace tune::run {

/// Reads `0` or `cuda:0`; returns nothing for another text.
std::optional<int> device_number(std::string_view text);

/// Opens the GPU of that number. It launches in a worker process of the program `tune` (found as
/// $TUNE_WORKER, else beside the calling program, else in the folder `bin` beside the library that this code
/// is in), or in this process. `timeout` is in seconds: how long a kernel may run once in a worker. Throws
/// Error where there is no such device, or no worker program.
std::unique_ptr<Backend> open_gpu(int number, double timeout, bool in_process);

/// Opens the cache of device binaries in `folder`, or in that of the environment (cache_folder), limited to
/// $TUNE_CACHE_SIZE. A folder that cannot be used becomes the cache's notice. Throws UsageError for a size
/// that cannot be read.
std::shared_ptr<cache::BinaryCache> open_cache(const std::string& folder = {});

}  // namespace tune::run
