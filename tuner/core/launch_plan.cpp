// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/launch_plan.hpp"

namespace tune {

std::uint64_t LaunchPlan::memory() const {
  std::uint64_t bytes = 0;
  for (const BufferSpec& buffer : buffers) bytes += buffer.allocation_bytes();
  return bytes;
}

std::string content_of(const CompileRequest& request) {
  // Every part is preceded by its length, so that no two requests read the same.
  std::string text;
  const auto add = [&](const std::string& part) {
    text += std::to_string(part.size()) + ':';
    text += part;
  };
  add(request.source.name);
  add(request.source.text);
  for (const SourceFile& header : request.headers) {
    add(header.name);
    add(header.text);
  }
  for (const auto& [name, value] : request.defines) {
    add(name);
    add(value);
  }
  for (const std::string& option : request.options) add(option);
  for (const std::string& entry : request.entries) add(entry);
  return text;
}

}  // namespace tune
