// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/finding.hpp"

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

}  // namespace tune::emulator
