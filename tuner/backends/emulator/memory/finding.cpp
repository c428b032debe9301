// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/finding.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 19> names = {{
    {Kind::out_of_bounds, "out of bounds"},
    {Kind::misaligned, "misaligned address"},
    {Kind::write_to_input, "write to an input"},
    {Kind::uninitialised_read, "uninitialised read"},
    {Kind::race_in_warp, "race within a warp"},
    {Kind::race_in_block, "race within a block"},
    {Kind::race_between_blocks, "race between blocks"},
    {Kind::race_between_steps, "race between steps"},
    {Kind::stale_texture, "stale texture read"},
    {Kind::unfinished_copy, "unfinished copy"},
    {Kind::misused_barrier, "misused mbarrier"},
    {Kind::divergent_barrier, "divergent barrier"},
    {Kind::divergent_warp, "divergent warp operation"},
    {Kind::deadlock, "deadlock"},
    {Kind::wrong_result, "wrong result"},
    {Kind::crash, "crash"},
    {Kind::hang, "hang"},
    {Kind::failed, "failed"},
    {Kind::compile, "does not compile"},
}};

std::string index_text(const Index3& index) {
  return format("({}, {}, {})", index.x, index.y, index.z);
}

}  // namespace

std::string_view to_string(Kind kind) {
  for (const auto& [known, name] : names)
    if (known == kind) return name;
  throw std::invalid_argument("unknown kind of finding");
}

Kind kind_from_string(std::string_view name) {
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
