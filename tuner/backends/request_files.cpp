// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/request_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune {

namespace fs = std::filesystem;

fs::path write_texts(const fs::path& folder, const CompileRequest& request,
                     const std::vector<SourceFile>& more) {
  std::size_t depth = 0;
  for (const SourceFile& header : request.headers) {
    std::size_t up = 0;
    for (const fs::path& part : fs::path(header.name)) up += part == ".." ? 1 : 0;
    depth = std::max(depth, up);
  }
  fs::path root = folder;
  for (std::size_t i = 0; i < depth; ++i) root /= "d";
  const auto write = [&](const std::string& name, const std::string& text) {
    const fs::path path = root / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (!error) error = write_bytes(path, text);
    // Tables of lines have the time of a file.
    constexpr std::array<timespec, 2> always = {};
    utimensat(AT_FDCWD, path.c_str(), always.data(), 0);
    if (error)
      throw Error(format("cannot write '{}' for the compiler ({}): TMPDIR names another place", path.string(),
                         error.message()));
  };
  fs::create_directories(root);
  for (const SourceFile& file : more) write(file.name, file.text);
  for (const SourceFile& header : request.headers)
    if (!fs::path(header.name).is_absolute()) write(header.name, header.text);
  write(fs::path(request.source.name).filename().string(), request.source.text);
  return root;
}

std::vector<std::string> with_absolute_folders(const std::vector<std::string>& options) {
  constexpr std::array<std::string_view, 6> names = {"--include-path",   "-I",     "-isystem",
                                                     "--system-include", "-ccbin", "--compiler-bindir"};
  std::vector<std::string> absolute;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto name =
        std::ranges::find_if(names, [&](std::string_view start) { return options[i].starts_with(start); });
    if (name == names.end()) {
      absolute.push_back(options[i]);
      continue;
    }
    std::string value = options[i].substr(name->size());
    if (value.starts_with('=')) value.erase(0, 1);
    if (value.empty() && i + 1 < options.size()) value = options[++i];
    absolute.emplace_back(*name);
    absolute.push_back(value.find('/') == std::string::npos && name->ends_with("bin")
                           ? value
                           : fs::absolute(value).string());
  }
  return absolute;
}

}  // namespace tune
