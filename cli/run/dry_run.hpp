// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "library/run/tuning_run.hpp"
#include "search/space/search_space.hpp"

namespace tune::cli {

/// What a run would do for one work.
struct PlannedWork {
  std::string work;      ///< `stencil3d 64x64x64 radius=1 on NVIDIA H200`
  std::string space;     ///< number of valid configurations; empty where they are not counted
  std::string strategy;  ///< with its options
  Budget budget;
  std::uint64_t known = 0;          ///< configurations of this work that the database has
  std::uint64_t evaluations = 0;    ///< of this problem there, from which the seconds follow
  double compile = 0, measure = 0;  ///< seconds of one of those, on average; 0 without any
  unsigned compilers = 1;
  std::size_t devices = 1;  ///< that share the search
};

/// Reads the database, which may be missing, and writes nothing.
PlannedWork planned_work(const std::filesystem::path& database, const search::SearchSpace& space,
                         const RunRecord& record, const run::TuningRequest& tuning);

std::string to_text(const std::vector<PlannedWork>& works);
std::string to_json(const std::vector<PlannedWork>& works);

}  // namespace tune::cli
