// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/checks/check_sources.hpp"

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {

// Generated from the files at build time.
std::span<const std::pair<std::string_view, std::string_view>> embedded_checks();

namespace {

CompileRequest request_of(std::string_view source, std::vector<std::string> entries) {
  CompileRequest request;
  for (const auto& [name, text] : embedded_checks()) {
    SourceFile file{std::string(name), std::string(text)};
    if (name.ends_with(source))
      request.source = std::move(file);
    else if (name.ends_with(".cuh"))
      request.headers.push_back(std::move(file));
  }
  if (request.source.text.empty()) throw Error(format("the program has no kernel file `{}`", source));
  request.entries = std::move(entries);
  return request;
}

std::string_view device_name(ElementType type) {
  constexpr std::array<std::string_view, 12> names = {"float",
                                                      "double",
                                                      "int",
                                                      "unsigned int",
                                                      "unsigned char",
                                                      "tune::checks::Half",
                                                      "tune::checks::Bfloat16",
                                                      "signed char",
                                                      "short",
                                                      "unsigned short",
                                                      "long long",
                                                      "unsigned long long"};
  return names.at(static_cast<std::size_t>(type));
}

}  // namespace

CompileRequest guard_kernels() {
  return request_of("guards.cu", {"tune::checks::fill_guards", "tune::checks::check_guards"});
}

CompileRequest difference_kernels() {
  return request_of("differences.cu", {"tune::checks::find_difference", "tune::checks::sum_tiles"});
}

CompileRequest comparing_kernel(ElementType type) {
  return request_of("compare.cu", {format("tune::checks::compare<{}>", device_name(type))});
}

}  // namespace tune::cuda
