// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "db/read/best.hpp"
#include "lookup/src/loss.hpp"
#include "tuner/base/error.hpp"

/// The lookup on databases that are open here: for the .cpp files of this folder only.
namespace tune::db {

lookup::Want want_of(const BestQuery& query);

/// Runs `work` inside a reading transaction of each database.
inline void read_all(std::span<const Database* const> databases, const std::function<void()>& function) {
  if (databases.empty()) return function();
  databases.front()->read([&](SQLite::Database&) { read_all(databases.subspan(1), function); });
}

/// Runs `work` on the records of the databases, which do not change meanwhile. Throws Error.
inline void with_records(std::span<const Database* const> databases, const BestQuery& query,
                         const std::function<void(lookup::Records&)>& function) {
  try {
    read_all(databases, [&] {
      std::vector<std::unique_ptr<lookup::Connection>> owned;
      std::vector<lookup::Connection*> connections;
      for (const Database* database : databases) {
        owned.push_back(std::make_unique<lookup::Connection>(database->connection().getHandle(),
                                                             database->path().string()));
        connections.push_back(owned.back().get());
      }
      lookup::Records records(connections, want_of(query));
      function(records);
    });
  } catch (const lookup::Failed& failed) {
    throw Error(failed.error().message);
  }
}

}  // namespace tune::db
