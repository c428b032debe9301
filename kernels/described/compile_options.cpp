// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/compile_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

/// The name of an option about the architecture at the beginning of `option`; empty where there is none.
std::string_view architecture_option(std::string_view option) {
  constexpr std::array<std::string_view, 6> names = {"--gpu-architecture", "--gpu-code", "--generate-code",
                                                     "-gencode",           "-arch",      "-code"};
  for (const std::string_view name : names)
    if (option.starts_with(name) && (option.size() == name.size() || option[name.size()] == '=')) return name;
  return {};
}

}  // namespace

void take_options(const std::vector<std::string>& options, CompileRequest& request) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (const std::string_view name = architecture_option(options[i]); !name.empty()) {
      const bool is_next = options[i] == name && i + 1 < options.size();
      request.architecture_specific = request.architecture_specific || options[i += is_next].ends_with('a');
      continue;
    }
    std::string_view macro = options[i];
    bool undefines = false;
    if (macro.starts_with("--undefine-macro") || macro.starts_with("-U")) {
      undefines = true;
      macro.remove_prefix(macro.starts_with("-U") ? 2 : 16);
    } else if (macro.starts_with("--define-macro"))
      macro.remove_prefix(14);
    else if (macro.starts_with("-D"))
      macro.remove_prefix(2);
    else {
      request.options.push_back(options[i]);
      continue;
    }
    if (macro.empty() && i + 1 < options.size()) macro = options[++i];
    if (macro.starts_with('=')) macro.remove_prefix(1);
    if (undefines) {
      // A later definition counts for compilers that take both from the command line.
      std::erase_if(request.defines, [&](const auto& one) { return one.first == macro; });
      request.options.push_back(format("-U{}", macro));
      continue;
    }
    const std::size_t equal = macro.find('=');
    std::erase(request.options, format("-U{}", macro.substr(0, equal)));
    request.defines.emplace_back(macro.substr(0, equal),
                                 equal == std::string_view::npos ? "1" : macro.substr(equal + 1));
  }
}

std::string option_of_output(const std::vector<std::string>& options) {
  constexpr std::array<std::string_view, 24> names = {
      "-o",    "--output-file", "-c",    "--compile", "-cubin", "--cubin",   "-ptx",      "--ptx",
      "-cuda", "--cuda",        "-dc",   "-dw",       "-dlink", "-fatbin",   "--fatbin",  "-E",
      "-M",    "-MD",           "-link", "-lib",      "-run",   "-optix-ir", "--dry-run", "-dryrun"};
  const auto found = std::ranges::find_if(
      options, [&](const std::string& option) { return std::ranges::find(names, option) != names.end(); });
  return found == options.end() ? std::string() : *found;
}

std::vector<std::filesystem::path> folders_in(const std::vector<std::string>& options) {
  constexpr std::array<std::string_view, 4> names = {"--include-path", "--system-include", "-isystem", "-I"};
  std::vector<std::filesystem::path> folders;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto name =
        std::ranges::find_if(names, [&](std::string_view one) { return options[i].starts_with(one); });
    if (name == names.end()) continue;
    std::string folder = options[i].substr(name->size());
    if (folder.empty() && i + 1 < options.size()) folder = options[++i];
    if (folder.starts_with('=')) folder.erase(0, 1);
    std::error_code error;
    const std::filesystem::path path(folder);
    if (folder.empty() || std::filesystem::exists(path / "cuda_runtime.h", error) ||
        std::filesystem::exists(path / "cuda" / "std" / "version", error) ||
        std::filesystem::exists(path / "stdlib.h", error))
      continue;
    folders.push_back(path);
  }
  return folders;
}

}  // namespace tune::described
