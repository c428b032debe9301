// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace tune {

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // others would be read as types: `d` as double
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? plain.get() : symbol;
}

std::string variable_name(const std::string& symbol) {
  const std::string whole = demangled(symbol);
  std::string name;
  for (std::string_view rest = whole; !rest.empty();) {
    const std::size_t colons = rest.find("::");
    const std::string_view part = rest.substr(0, colons);
    const bool is_last = colons == std::string_view::npos;
    const bool is_unnamed =
        part == "(anonymous namespace)" || part.starts_with("_GLOBAL__N_") || part.starts_with("_INTERNAL_");
    if (is_last || !is_unnamed) name.append(part).append(is_last ? "" : "::");
    rest.remove_prefix(is_last ? rest.size() : colons + 2);
  }
  return name;
}

}  // namespace tune
