// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace tune::cuda {

/// True where the folder has the files of a GPU: `nvidia0`, `nvidia1`, ...
bool has_device_files(const std::filesystem::path& folder = "/dev");

/// True where $CUDA_VISIBLE_DEVICES hides all devices.
bool hides_devices();

}  // namespace tune::cuda
