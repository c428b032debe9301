// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/device_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace tune::cuda {

namespace {

/// `nvidia0`, but neither `nvidiactl` nor `nvidia-uvm`.
bool is_of_a_gpu(const std::filesystem::path& file) {
  constexpr std::string_view prefix = "nvidia";
  const std::string name = file.filename().string();
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         std::all_of(name.begin() + prefix.size(), name.end(),
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

/// Returns the first file of a GPU for which `matches` holds.
template<class Matches>
std::optional<std::filesystem::path> find_device_file(const std::filesystem::path& folder,
                                                      const Matches& matches) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (is_of_a_gpu(at->path()) && matches(at->path())) return at->path();
  return std::nullopt;
}

}  // namespace

bool has_device_files(const std::filesystem::path& folder) {
  return find_device_file(folder, [](const auto&) { return true; }).has_value();
}

std::optional<std::filesystem::path> forbidden_device_file(const std::filesystem::path& folder) {
  return find_device_file(folder, [](const auto& file) {
    return faccessat(AT_FDCWD, file.c_str(), R_OK | W_OK, AT_EACCESS) != 0 && errno == EACCES;
  });
}

bool hides_devices() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return false;
  const std::string_view text = visible;
  return text.empty() || text == "-1" || text.starts_with("-1,") || text == "NoDevFiles";
}

}  // namespace tune::cuda
