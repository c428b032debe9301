// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/launch_plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tune {

std::uint64_t LaunchPlan::memory() const {
  std::uint64_t bytes = 0;
  for (const BufferSpec& buffer : buffers) bytes += buffer.allocation_bytes();
  return bytes;
}

std::string content_of(const CompileRequest& request) {
  // Every part is preceded by its length and every list by its count, so that no two requests read the same.
  std::string text;
  const auto add = [&](const std::string& part) {
    text += std::to_string(part.size()) + ':';
    text += part;
  };
  const auto count = [&](std::size_t parts) { text += std::to_string(parts) + ';'; };
  add(request.source.name);
  add(request.source.text);
  count(request.headers.size());
  for (const SourceFile& header : request.headers) {
    add(header.name);
    add(header.text);
  }
  count(request.defines.size());
  for (const auto& [name, value] : request.defines) {
    add(name);
    add(value);
  }
  count(request.options.size());
  for (const std::string& option : request.options) add(option);
  count(request.entries.size());
  for (const std::string& entry : request.entries) add(entry);
  return text;
}

bool uses_files(const CompileRequest& request) {
  constexpr std::array<std::string_view, 9> starts = {"-I",    "--include-path", "-include",  "--pre-include",
                                                      "-pch",  "--pch",          "--use-pch", "--create-pch",
                                                      "--time"};
  return std::ranges::any_of(request.options, [&](const std::string& option) {
    return std::ranges::any_of(starts, [&](std::string_view start) { return option.starts_with(start); });
  });
}

}  // namespace tune
