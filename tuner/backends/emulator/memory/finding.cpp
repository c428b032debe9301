// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/finding.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

constexpr std::array<std::pair<FindingKind, std::string_view>, 19> names = {{
    {FindingKind::out_of_bounds, "out of bounds"},
    {FindingKind::misaligned, "misaligned address"},
    {FindingKind::write_to_input, "write to an input"},
    {FindingKind::uninitialised_read, "uninitialised read"},
    {FindingKind::race_in_warp, "race within a warp"},
    {FindingKind::race_in_block, "race within a block"},
    {FindingKind::race_between_blocks, "race between blocks"},
    {FindingKind::race_between_steps, "race between steps"},
    {FindingKind::stale_texture, "stale texture read"},
    {FindingKind::unfinished_copy, "unfinished copy"},
    {FindingKind::misused_barrier, "misused mbarrier"},
    {FindingKind::divergent_barrier, "divergent barrier"},
    {FindingKind::divergent_warp, "divergent warp operation"},
    {FindingKind::deadlock, "deadlock"},
    {FindingKind::wrong_result, "wrong result"},
    {FindingKind::crash, "crash"},
    {FindingKind::hang, "hang"},
    {FindingKind::failed, "failed"},
    {FindingKind::compile, "does not compile"},
}};

std::string index_text(const Index3& index) {
  return format("({}, {}, {})", index.x, index.y, index.z);
}

}  // namespace

std::string_view to_string(FindingKind kind) {
  for (const auto& [known, name] : names)
    if (known == kind) return name;
  throw std::invalid_argument("unknown kind of finding");
}

FindingKind kind_from_string(std::string_view name) {
  for (const auto& [kind, known] : names)
    if (known == name) return kind;
  throw std::invalid_argument("unknown kind of finding: " + std::string(name));
}

std::string Finding::text() const {
  std::string line = format("{}: {}", to_string(kind), detail);
  if (!kernel.empty()) line += format("; kernel {}", kernel);
  if (has_thread) line += format(", block {}, thread {}", index_text(block), index_text(thread));
  if (!source.empty()) line += format(", at {}", source);
  if (!size.empty()) line += format(", size {}", size);
  return line;
}

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
