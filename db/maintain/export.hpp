// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "tuner/session/store.hpp"

namespace tune::db {

/// Selects evaluations, which must match every member that is set.
struct ExportFilter {
  std::vector<RunId> runs = {};  ///< evaluations that these runs saw; empty for all
  std::optional<std::string> problem = std::nullopt;
  std::optional<std::string> size = std::nullopt;    ///< `512x512x512`
  std::optional<std::string> device = std::nullopt;  ///< model key or name
  std::vector<std::int64_t> workloads = {};          ///< Workload::id; empty for all
  bool best_only = false;  ///< the fastest configuration of each workload alone: for lookups, not for replays
  bool current_only = false;  ///< without evaluations that later ones replaced, but with all re-ranked ones
  bool samples = true;        ///< without samples the medians stay
  /// Marks the copy, so that no run, merge or import changes it, and leaves out paths of this machine.
  bool recording = false;
  bool views = true;  ///< without views lookups begin sooner (db/store/schema.hpp)
};

struct ExportResult {
  std::int64_t runs = 0;
  std::int64_t evaluations = 0;
  std::int64_t samples = 0;
};

/// Writes a new database with a part of another one, complete in itself: no log beside it, so that it can be
/// shipped and opened as OpenMode::immutable. Ids, times of day and versions stay. Where a part of a
/// re-ranking stays, its places are numbered anew in their order and the first ties with itself; times and
/// ratios stay, also where the winner was left out. Throws Error where `target` exists or cannot be written;
/// no file is left there then.
ExportResult export_database(const Database& source, const std::filesystem::path& target,
                             const ExportFilter& filter = {});

}  // namespace tune::db
