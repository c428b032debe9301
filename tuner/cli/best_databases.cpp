// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/best_databases.hpp"

#include "tuner/cli/options.hpp"
#include "tuner/cli/paths.hpp"

namespace tune::cli {

StoredDatabases::StoredDatabases(const po::variables_map& values) {
  const std::filesystem::path path = database_path(text_of(values, "db"));
  if (values.count("db") || std::filesystem::exists(path))
    opened.push_back(std::make_unique<db::Database>(path, db::Access::read_only));
  own = opened.size();
  for (const std::filesystem::path& recording : shipped_recordings())
    opened.push_back(std::make_unique<db::Database>(recording, db::Access::immutable));
}

std::vector<const db::Database*> StoredDatabases::all() const {
  std::vector<const db::Database*> result;
  for (const auto& database : opened) result.push_back(database.get());
  return result;
}

}  // namespace tune::cli
