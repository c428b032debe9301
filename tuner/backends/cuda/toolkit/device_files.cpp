// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/device_files.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace tune::cuda {

bool has_device_files(const std::filesystem::path& folder) {
  constexpr std::string_view prefix = "nvidia";
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        std::all_of(name.begin() + prefix.size(), name.end(),
                    [](unsigned char letter) { return std::isdigit(letter) != 0; }))
      return true;
  }
  return false;
}

bool hides_devices() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return false;
  const std::string_view text = visible;
  return text.empty() || text == "-1" || text == "NoDevFiles";
}

}  // namespace tune::cuda
