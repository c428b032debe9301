// SPDX-License-Identifier: Apache-2.0
#include "library/run/stored_databases.hpp"

#include "library/run/paths.hpp"
#include "tuner/base/error.hpp"

namespace tune::run {

std::vector<const db::Database*> StoredDatabases::all() const {
  std::vector<const db::Database*> result;
  for (const auto& database : opened) result.push_back(database.get());
  return result;
}

StoredDatabases open_stored(const std::filesystem::path& own, bool must_exist,
                            const std::filesystem::path& installed,
                            const std::function<void(const std::string&)>& on_left_out) {
  StoredDatabases stored;
  if (must_exist || std::filesystem::exists(own))
    stored.opened.push_back(std::make_unique<db::Database>(own, db::OpenMode::read_only));
  stored.own = stored.opened.size();
  for (const std::filesystem::path& recording : shipped_recordings(installed)) try {
      stored.opened.push_back(std::make_unique<db::Database>(recording, db::OpenMode::immutable));
    } catch (const Error& error) {
      if (on_left_out) on_left_out(error.what());
    }
  return stored;
}

}  // namespace tune::run
