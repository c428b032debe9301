// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/finding.hpp"

#include <algorithm>
#include <array>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

constexpr std::array<std::string_view, 20> kind_names = {"out of bounds",
                                                         "misaligned address",
                                                         "write to an input",
                                                         "uninitialised read",
                                                         "race within a warp",
                                                         "race within a block",
                                                         "race between blocks",
                                                         "race between steps",
                                                         "stale texture read",
                                                         "unfinished copy",
                                                         "misused mbarrier",
                                                         "divergent barrier",
                                                         "divergent warp operation",
                                                         "deadlock",
                                                         "wrong result",
                                                         "crash",
                                                         "hang",
                                                         "failed",
                                                         "does not compile",
                                                         "cannot be launched"};

std::string index_text(const Index3& index) {
  return format("({}, {}, {})", index.x, index.y, index.z);
}

bool is_race(FindingKind kind) {
  return kind == FindingKind::race_in_warp || kind == FindingKind::race_in_block ||
         kind == FindingKind::race_between_blocks;
}

}  // namespace

std::string_view to_string(FindingKind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

std::string Finding::text() const {
  std::string line = format("{}: {}", to_string(kind), detail);
  if (!kernel.empty()) line += format("; kernel {}", kernel);
  if (has_thread) line += format(", block {}, thread {}", index_text(block), index_text(thread));
  if (!source.empty()) line += format(", at {}", source);
  if (!size.empty()) line += format(", {} {}", is_of_reference() ? "in" : "size", size);
  return line;
}

bool FindingLog::add(Finding finding, const Place& place) {
  if (allowed_.contains(finding.kind)) return false;
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
  // Drops symptoms of the same error: a read that comes too early may find unwritten memory, and without a
  // block's barrier lanes of one warp race too.
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
