// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "cli/database/db_command.hpp"
#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/output/text_layout.hpp"
#include "db/maintain/merge.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

po::options_description db_merge_options() {
  po::options_description all;
  all.add_options()("source", po::value<std::vector<std::string>>()->value_name("FILE..."),
                    "databases to take everything from, also without --source; they are not changed");
  add_database_option(all);
  return all;
}

/// A copy of an older database, gone with this object.
class Scratch {
 public:
  explicit Scratch(const fs::path& target)
      : path_(format("{}.merge-{}", target.string(), static_cast<long>(getpid()))) {
    remove();  // of a process that was killed and had the same number
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { remove(); }
  const fs::path& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(path_.string() + suffix, ignored);
  }
  fs::path path_;
};

void merge_one(db::Database& target, const std::string& source) {
  std::error_code ignored;
  if (fs::equivalent(source, target.path(), ignored)) {
    std::cout << format("{}: is the database itself, nothing to take\n", source);
    return;
  }
  const Scratch scratch(target.path());
  const db::Database opened = db::open_source(source, scratch.path());
  const db::MergeResult result =
      db::merge_database(target, opened, {.file = fs::absolute(source).lexically_normal().string()});
  const auto all = [](auto count, std::string_view what) {
    return counted(static_cast<std::uint64_t>(count), what);
  };
  std::cout << format("{}: new are {}, {}, {}, {} of finals; {} and {} were there\n", source,
                      all(result.runs, "run"), all(result.evaluations, "evaluation"),
                      all(result.samples, "sample"), all(result.rerank, "place"),
                      all(result.known_runs, "run"), all(result.known_evaluations, "evaluation"));
  std::cout.flush();
  for (const std::string& conflict : result.conflicts) std::cerr << format("{}: {}\n", source, conflict);
}

int run_db_merge(const po::variables_map& values) {
  if (!values.count("source")) throw UsageError("name databases to merge: tune db merge FILE...");
  const auto& sources = values["source"].as<std::vector<std::string>>();
  for (const std::string& source : sources)
    db::Database(source, db::OpenMode::inspect);  // told before the work
  db::Database target(database_path(option_text(values, "db")));
  for (const std::string& source : sources) merge_one(target, source);
  std::cout << format("into {}\n", target.path().string());
  return 0;
}

}  // namespace

Command db_merge_command() {
  return {.name = "db merge",
          .summary = "takes everything from other databases, each result once",
          .usage = "tune db merge FILE... [--db TARGET]",
          .example = "  tune db merge node1.db node2.db --db all.db\n",
          .positional = "source",
          .options = db_merge_options,
          .run = run_db_merge,
          .words = -1};
}

}  // namespace tune::cli
