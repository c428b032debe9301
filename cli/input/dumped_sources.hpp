// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "cli/input/options.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// --keep-sources; `whose` is the configuration in words: `the winner`.
void add_keep_sources_option(OptionTable& table, std::string_view whose, std::string& folder);

/// Writes the sources of configurations, a folder for each: the kernel's file with its macros in front, the
/// headers that it includes, generated ones too, and README.txt with the configuration, the command that
/// compiles it and its launches. nvcc takes the file as it is.
class DumpedSources {
 public:
  /// Makes the folder. Throws Error where that fails.
  DumpedSources(std::filesystem::path folder, const Problem& problem, const Instance& instance,
                const KernelSources& sources);

  /// Returns the kernel's file. Writes nothing for a configuration without a plan, which has no sources, and
  /// returns an empty path. Throws Error where writing fails.
  std::filesystem::path keep(const Configuration& configuration) const;
  /// The name of a configuration's folder: its variant, where it has one, and a hash.
  static std::string folder_of(const Configuration& configuration);

 private:
  std::filesystem::path folder_;
  const Problem& problem_;
  const Instance& instance_;
  const KernelSources& sources_;
};

/// Null where `folder` is empty: --keep-sources was not given. The arguments must outlive the result.
std::unique_ptr<DumpedSources> chosen_dumped_sources(const std::string& folder, const Problem& problem,
                                                     const Instance& instance, const KernelSources& sources);

}  // namespace tune::cli
