// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/request.hpp"

#include <algorithm>
#include <cctype>

namespace tune::kernels {
namespace {

char upper(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

}  // namespace

SourceFile header(const KernelSources& sources, std::string_view file) {
  return {std::string(file.substr(file.rfind('/') + 1)), sources.text(file)};
}

std::pair<std::string, std::string> macro(const std::string& name, const search::Value& value) {
  std::string macro_name = name;
  std::ranges::transform(macro_name, macro_name.begin(), upper);
  if (!value.is_text()) return {macro_name, std::to_string(value.as_int())};
  std::string type = name;
  type[0] = upper(type[0]);
  return {macro_name, type + "::" + value.as_text()};
}

}  // namespace tune::kernels
