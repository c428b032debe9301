// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/store/database.hpp"

namespace tune::run {

/// What stored results are looked for in: the user's own database, where there is one, then the shipped
/// recordings. Of equal matches the first wins.
struct StoredDatabases {
  std::vector<std::unique_ptr<db::Database>> opened;
  std::size_t own = 0;  ///< how many of them are the user's

  std::vector<const db::Database*> all() const;
};

/// `own`: the user's file; where it is missing, there is none, unless it `must_exist`. Throws Error where it
/// cannot be read. A recording that cannot be opened is left out, with the reason for `on_left_out`.
/// `installed`: as of shipped_recordings.
StoredDatabases open_stored(const std::filesystem::path& own, bool must_exist,
                            const std::filesystem::path& installed,
                            const std::function<void(const std::string&)>& on_left_out);

}  // namespace tune::run
