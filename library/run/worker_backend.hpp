// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "tuner/backends/backend.hpp"

namespace tune::run {

/// The program `tune`, which serves as the worker process: $TUNE_WORKER, else beside the calling program,
/// else in the folder `bin` beside the library that this code is in (an application that links libtune).
/// Nothing where there is none.
std::optional<std::filesystem::path> worker_program();

/// The device, behind a worker process. `timeout`: seconds that a kernel may take to run once. Throws Error
/// where there is no such device.
std::unique_ptr<Backend> worker_backend(const std::filesystem::path& program, int number, double timeout);

}  // namespace tune::run
