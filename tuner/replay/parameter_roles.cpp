// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/parameter_roles.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tune::replay {
namespace {

struct KnownName {
  std::string_view name;  ///< in lower case; `*` at the end stands for any ending
  search::Role role;
};

/// Kernel Tuner's and OpenCL's names of the block's extents, CLBlast's of its (MDIMC, NDIMC: the work group;
/// WPT*: work per thread), and those of the usual benchmark collections.
constexpr std::array known_names = {KnownName{"block_size", search::Role::threads},
                                    KnownName{"block_size_x", search::Role::threads},
                                    KnownName{"block_size_y", search::Role::threads},
                                    KnownName{"block_size_z", search::Role::threads},
                                    KnownName{"block_x", search::Role::threads},
                                    KnownName{"block_y", search::Role::threads},
                                    KnownName{"block_z", search::Role::threads},
                                    KnownName{"block_dim*", search::Role::threads},
                                    KnownName{"blockdim*", search::Role::threads},
                                    KnownName{"threads*", search::Role::threads},
                                    KnownName{"num_threads*", search::Role::threads},
                                    KnownName{"local_size*", search::Role::threads},
                                    KnownName{"work_group*", search::Role::threads},
                                    KnownName{"workgroup*", search::Role::threads},
                                    KnownName{"mdimc", search::Role::threads},
                                    KnownName{"ndimc", search::Role::threads},
                                    KnownName{"tile_size_x", search::Role::work},
                                    KnownName{"tile_size_y", search::Role::work},
                                    KnownName{"tile_size_z", search::Role::work},
                                    KnownName{"wpt*", search::Role::work},
                                    KnownName{"work_per_thread*", search::Role::work},
                                    KnownName{"items_per_thread*", search::Role::work},
                                    KnownName{"elements_per_thread*", search::Role::work}};

bool matches(std::string_view name, std::string_view known) {
  if (!known.ends_with('*')) return name == known;
  known.remove_suffix(1);
  return name.starts_with(known);
}

}  // namespace

search::Role guess_role(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found =
      std::ranges::find_if(known_names, [&](const KnownName& known) { return matches(lower, known.name); });
  return found == known_names.end() ? search::Role::other : found->role;
}

}  // namespace tune::replay
