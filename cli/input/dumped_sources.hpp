// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "cli/input/options.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// --keep-sources; `whose`: `the winner`.
void add_keep_sources_option(OptionTable& table, std::string_view whose, std::string& folder);

/// Writes what configurations are compiled from to a folder, one folder each: the kernel's file with its
/// macros in front, the headers that it includes, generated ones too, and README.txt with the configuration,
/// the command that compiles it and its launches. Made for people and for other tools: nvcc takes it as it
/// is.
class DumpedSources {
 public:
  /// Makes the folder. Throws Error where that cannot be.
  DumpedSources(std::filesystem::path folder, const Problem& problem, const Instance& instance,
                const KernelSources& sources);

  /// A configuration without a plan has no sources: nothing is written. Throws Error where there is no room.
  void keep(const Configuration& configuration) const;
  /// Name of a configuration's folder: its variant, where it has one, and a hash.
  static std::string folder_of(const Configuration& configuration);

 private:
  std::filesystem::path folder_;
  const Problem& problem_;
  const Instance& instance_;
  const KernelSources& sources_;
};

/// Null where --keep-sources was not given: where the folder is empty. All must outlive it.
std::unique_ptr<DumpedSources> chosen_dumped_sources(const std::string& folder, const Problem& problem,
                                                     const Instance& instance, const KernelSources& sources);

}  // namespace tune::cli
