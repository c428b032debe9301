// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tuner/backends/backend.hpp"
#include "tuner/cache/binary_cache.hpp"

namespace tune::run {

/// Finds the program `tune`, which serves as the worker process: $TUNE_WORKER, else beside the calling
/// program, else in the folder `bin` beside the library that this code is in (an application that links
/// libtune). Returns nothing where there is none.
std::optional<std::filesystem::path> worker_program();

/// Opens the device behind a worker process. `timeout` is in seconds: how long a kernel may run once. Throws
/// Error where there is no such device.
std::unique_ptr<Backend> worker_backend(const std::filesystem::path& program, int number, double timeout);

/// Opens the cache of device binaries in `folder`, or in that of the environment (cache_folder), limited to
/// $TUNE_CACHE_SIZE. A folder that cannot be used becomes the cache's notice. Throws UsageError for a size
/// that cannot be read.
std::shared_ptr<cache::BinaryCache> open_cache(const std::string& folder = {});

}  // namespace tune::run
