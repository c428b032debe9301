// SPDX-License-Identifier: Apache-2.0
#include "cli/input/best_databases.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/output/text_layout.hpp"
#include "db/maintain/check.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

void tell_missing_folder() {
  const char* named = std::getenv("TUNE_RECORDINGS");
  if (named == nullptr || *named == '\0' || std::filesystem::exists(named)) return;
  std::cerr << format("TUNE_RECORDINGS: there is no '{}'\n", named);
}

}  // namespace

void tell_left_out(const std::string& reason) {
  std::cerr << format("left out a recording that cannot be read: {}\n", reason.substr(0, reason.find('\n')));
}

StoredDatabases::StoredDatabases(const po::variables_map& values) {
  const std::filesystem::path path = database_path(option_text(values, "db"));
  if (values.count("db") || std::filesystem::exists(path))
    opened.push_back(std::make_unique<db::Database>(path, db::OpenMode::read_only));
  own = opened.size();
  tell_missing_folder();
  for (const std::filesystem::path& recording : shipped_recordings()) try {
      opened.push_back(std::make_unique<db::Database>(recording, db::OpenMode::immutable));
    } catch (const Error& error) {
      tell_left_out(error.what());
    }
}

std::vector<const db::Database*> StoredDatabases::all() const {
  std::vector<const db::Database*> result;
  for (const auto& database : opened) result.push_back(database.get());
  return result;
}

bool StoredDatabases::leave_out_damaged() {
  const auto damaged = [](const std::unique_ptr<db::Database>& recording) {
    if (db::check_database(*recording).count() == 0) return false;
    const std::string path = recording->path().string();
    tell_left_out(format("{} is damaged ('tune db check {}' says where)", path, shell_quoted(path)));
    return true;
  };
  const auto first = opened.begin() + static_cast<std::ptrdiff_t>(own);
  const auto end = std::remove_if(first, opened.end(), damaged);
  const bool any = end != opened.end();
  opened.erase(end, opened.end());
  return any;
}

}  // namespace tune::cli
