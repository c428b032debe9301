// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

namespace tune {

tl::expected<std::string, std::string> read_text(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return tl::unexpected(std::string("it is a folder"));
  std::ifstream in(path, std::ios::binary);
  if (!in) return tl::unexpected(std::string(std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return tl::unexpected(std::string("it cannot be read to its end"));
  return text.str();
}

}  // namespace tune
