// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/source/names.hpp"

#include <algorithm>
#include <cctype>

#include "kernels/described/source/kernel_source.hpp"

namespace tune::described {

std::string lower(std::string_view name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool has_one_of(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

bool names_a_block(std::string_view name) {
  const std::string text = lower(name);
  if (has_one_of(text, {"num_blocks", "nblocks", "blocks_per", "per_block"})) return false;
  return has_one_of(text, {"block", "threads", "group", "wg_size", "wgs"}) || text == "bx" || text == "by" ||
         text == "bz" || text == "tbx" || text == "tby" || text == "tbz";
}

bool names_a_grid(std::string_view name) {
  const std::string text = lower(name);
  return has_one_of(
      text, {"num_blocks", "nblocks", "n_blocks", "numblocks", "grid_size", "num_groups", "grid_dim"});
}

std::size_t axis_in(std::string_view name) {
  const std::string text = lower(name);
  if (text.size() < 2) return axis_names.size();
  return static_cast<std::size_t>(
      std::ranges::find(axis_names, std::string_view(text).substr(text.size() - 1)) - axis_names.begin());
}

bool names_a_switch(std::string_view name) {
  const std::string text = lower(name);
  return text.starts_with("use") || text.starts_with("enable") || text.starts_with("with_") ||
         text.starts_with("is_") || text.starts_with("no_") ||
         has_one_of(text, {"_use_", "ldg", "cache", "padding", "read_only", "prefetch", "local_mem",
                           "shared_mem", "precompute"});
}

bool rounds_up(std::string_view name) {
  std::string text = lower(name);
  std::erase(text, '_');
  for (const std::string_view known :
       {"divup", "idivup", "ceildiv", "iceildiv", "divceil", "cdiv", "divrndup", "divroundup", "ceildivide"})
    if (text == known) return true;
  return false;
}

bool names_a_turn(std::string_view name) {
  return has_one_of(lower(name), {"iter", "step", "pass", "level", "stage", "round", "radius"});
}

bool names_a_parameter(std::string_view name) {
  return names_a_block(name) || has_one_of(lower(name), {"tile", "unroll", "per_thread", "items", "coarsen"});
}

bool names_a_size(std::string_view name, bool is_argument) {
  const std::string text = lower(name);
  if (names_a_block(name) || names_a_grid(name) ||
      has_one_of(text, {"tile", "vec", "warp", "unroll", "work", "chunk", "local", "shared", "cache", "radix",
                        "item", "step", "bucket", "pad", "filter", "per_"}))
    return false;
  if (has_one_of(text, {"width", "height", "rows", "cols", "columns", "length", "depth"}) ||
      text.starts_with("size") || text.ends_with("size"))
    return true;
  // `kSizeM`
  if (is_argument && name.size() > 5 && name.substr(name.size() - 5).starts_with("Size")) return true;
  for (const std::string_view known : {"n", "m", "k", "w", "h", "nx", "ny", "nz"})
    if (text == known) return true;
  return is_argument &&
         (text.starts_with("num") || text.ends_with("count") || text.starts_with("nr_") ||
          text.starts_with("n_") || text.ends_with("len") || text.starts_with("dim") || text == "total");
}

bool names_a_stride(std::string_view name) {
  return has_one_of(lower(name), {"stride"});
}

bool names_a_pitch(std::string_view name) {
  const std::string text = lower(name);
  return has_one_of(text, {"pitch", "stride", "leading"}) || (text.starts_with("ld") && text.size() <= 3);
}

}  // namespace tune::described
