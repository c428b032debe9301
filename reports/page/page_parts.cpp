// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_parts.hpp"

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::reports {

/// Files by name; made by cmake/TuneEmbed.cmake.
std::span<const std::pair<std::string_view, std::string_view>> page_files();
std::span<const std::pair<std::string_view, std::string_view>> library_files();

namespace {

std::string_view file_named(std::string_view name) {
  for (const auto& [file, text] : page_files())
    if (file == name) return text;
  throw std::logic_error(format("{} is not embedded", name));
}

}  // namespace

std::string_view page_style() {
  return file_named("style.css");
}

std::string page_script() {
  std::string script = "(() => {\n\"use strict\";\n";
  for (const auto& [file, text] : page_files())
    if (file.ends_with(".js")) script += text;
  return script + "})();\n";
}

std::string_view page_library() {
  return library_files().front().second;
}

std::string library_address() {
  const auto package = nlohmann::json::parse(file_named("package.json"));
  return format("https://cdn.jsdelivr.net/npm/echarts@{}/dist/echarts.min.js",
                package.at("dependencies").at("echarts").get<std::string>());
}

std::string library_integrity() {
  std::string hash(file_named("echarts.integrity"));
  while (!hash.empty() && hash.back() == '\n') hash.pop_back();
  return hash;
}

}  // namespace tune::reports
