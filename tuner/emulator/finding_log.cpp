// SPDX-License-Identifier: Apache-2.0
#include "tuner/emulator/finding_log.hpp"

#include <algorithm>
#include <utility>

#include "tuner/core/format.hpp"

namespace tune::emulator {
namespace {

bool is_race(Kind kind) {
  return kind == Kind::race_in_warp || kind == Kind::race_in_block || kind == Kind::race_between_blocks;
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
  const auto races_in = [&](const std::string& array) {
    return std::ranges::any_of(noted_, [&](const NotedFinding& noted) {
      return is_race(noted.finding.kind) && noted.finding.array == array;
    });
  };
  // Who reads too early may find nothing there yet: that is the race once more.
  std::erase_if(noted_, [&](const NotedFinding& noted) {
    return noted.finding.kind == Kind::uninitialised_read && races_in(noted.finding.array);
  });
  return std::exchange(noted_, {});
}

}  // namespace tune::emulator
