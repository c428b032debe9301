// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/finding_log.hpp"

#include <algorithm>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

bool is_race(FindingKind kind) {
  return kind == FindingKind::race_in_warp || kind == FindingKind::race_in_block ||
         kind == FindingKind::race_between_blocks;
}

}  // namespace

bool FindingLog::add(Finding finding, const Place& place) {
  if (place.file != nullptr) finding.source = format("{}:{}", place.file, place.line);
  const auto* const code = place.file != nullptr ? nullptr : place.code;
  if (!seen_.emplace(finding.kind, finding.array, finding.source, code).second || full()) return false;
  noted_.push_back({std::move(finding), code});
  return true;
}

std::vector<NotedFinding> FindingLog::take() {
  seen_.clear();
  const auto has = [&](const std::string& array, auto&& kinds) {
    return std::ranges::any_of(noted_, [&](const NotedFinding& noted) {
      return kinds(noted.finding.kind) && noted.finding.array == array;
    });
  };
  const auto in_block = [](FindingKind kind) { return kind == FindingKind::race_in_block; };
  // Who reads too early may find nothing there yet, and where a block's barrier is missing, lanes of one warp
  // race as well: that is the same error once more.
  std::vector<NotedFinding> kept;
  for (const NotedFinding& noted : noted_) {
    const Finding& finding = noted.finding;
    const bool symptom = (finding.kind == FindingKind::uninitialised_read && has(finding.array, is_race)) ||
                         (finding.kind == FindingKind::race_in_warp && has(finding.array, in_block));
    if (!symptom) kept.push_back(noted);
  }
  noted_.clear();
  return kept;
}

}  // namespace tune::emulator
