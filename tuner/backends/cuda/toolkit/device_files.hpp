// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace tune::cuda {

/// True where the folder has the files of a GPU: `nvidia0`, `nvidia1`, ...
bool has_device_files(const std::filesystem::path& folder = "/dev");

/// Returns a file of a GPU in the folder that this user may not open; nothing where there is none.
std::optional<std::filesystem::path> forbidden_device_file(const std::filesystem::path& folder = "/dev");

/// True where $CUDA_VISIBLE_DEVICES hides all devices.
bool hides_devices();

}  // namespace tune::cuda
