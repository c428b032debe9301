// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/source_lines.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include "tuner/backends/emulator/module/child_program.hpp"
#include "tuner/backends/emulator/module/module_source.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

bool of_prelude(const std::string& file) {
  return std::ranges::any_of(prelude_files(), [&](const SourceFile& known) {
    return file == known.name || file.ends_with("/" + known.name);
  });
}

/// `/tmp/x/stencil/direct.cu:44 (discriminator 2)` is `stencil/direct.cu:44`: compilers put the folder of
/// the compilation before names that are no paths.
std::string line_of(std::string place, const std::string& folder) {
  place.erase(std::min(place.size(), place.find(" (")));
  if (place.starts_with(folder + "/")) place.erase(0, folder.size() + 1);
  return place;
}

/// The kernel's lines for one address, innermost first: `vectors.cuh:60 < direct.cu:99`.
std::string chain(const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : places) {
    const std::string file = place.substr(0, place.rfind(':'));
    if (of_prelude(file) || file == "??" || file == "entries") continue;
    text += (text.empty() ? "" : " < ") + place;
  }
  return text;
}

}  // namespace

std::vector<Finding> with_source_lines(std::vector<NotedFinding> noted, const LoadedModule& module) {
  std::vector<std::string> command = {"addr2line", "-i", "-a", "-e", module.path().string()};
  for (const NotedFinding& one : noted) {
    // Of the call before the return address.
    if (one.code != nullptr)
      command.push_back(format("{:#x}", static_cast<const char*>(one.code) - module.base() - 1));
  }
  std::vector<std::string> chains;
  if (command.size() > 5 && !find_program(command.front()).empty()) {
    std::istringstream lines(run_program(command).output);
    const std::string folder = std::filesystem::current_path().string();
    std::vector<std::string> places;
    bool begun = false;
    const auto finish = [&] {
      if (begun) chains.push_back(chain(places));
      places.clear();
      begun = true;
    };
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("0x"))
        finish();
      else
        places.push_back(line_of(line, folder));
    }
    finish();
  }
  std::vector<Finding> findings;
  std::size_t next = 0;
  for (NotedFinding& one : noted) {
    if (one.code != nullptr && next < chains.size()) one.finding.source = chains[next++];
    findings.push_back(std::move(one.finding));
  }
  return findings;
}

}  // namespace tune::emulator
