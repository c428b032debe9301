// SPDX-License-Identifier: Apache-2.0
#include "cli/input/stored_databases.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <set>

#include "cli/output/text_layout.hpp"
#include "db/maintain/check.hpp"
#include "db/read/queries.hpp"
#include "kernels/registry.hpp"
#include "library/run/paths.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
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

StoredDatabases::StoredDatabases(const std::string& given) {
  const std::filesystem::path path = run::database_path(given);
  if (!given.empty() || std::filesystem::exists(path))
    opened.push_back(std::make_unique<db::Database>(path, db::OpenMode::read_only));
  own = opened.size();
  tell_missing_folder();
  for (const std::filesystem::path& recording : run::shipped_recordings()) try {
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

namespace {

/// Of what the database has, the nearest to `name`, or else all.
std::string what_there_is(const std::string& name, const std::vector<std::string>& known) {
  if (const auto nearest = search::nearest_name(name, known)) return format("did you mean '{}'?", *nearest);
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  return known.empty() ? "nothing is stored yet" : "there is: " + all;
}

void check_problem(const std::string& name, const db::Database* database) {
  if (!has_results_of(name, database) && database != nullptr)
    throw Error(format("{} has no result of {}; to get one: tune --problem {}", database->path().string(),
                       name, name),
                Exit::no_answer);
}

void check_device(const std::string& name, const db::Database& database) {
  std::vector<std::string> names;
  for (const db::DeviceSummary& device : db::list_devices(database)) {
    if (device.name == name || device.model_key == name) return;
    if (std::ranges::find(names, device.name) == names.end()) names.push_back(device.name);
  }
  throw Error(format("no result of a device '{}'; {}", name, what_there_is(name, names)), Exit::no_answer);
}

void check_size_form(const std::string& size) {
  const auto wrong = [](unsigned char letter) { return std::isdigit(letter) == 0 && letter != 'x'; };
  if (std::ranges::any_of(size, wrong) || size.front() == 'x' || size.back() == 'x' ||
      size.find("xx") != std::string::npos)
    throw UsageError(format("--size: '{}' is not a size such as 512x512x512", size));
}

/// Among what the rest of the choice leaves.
void check_size(const StoredChoice& choice, const db::Database& database) {
  std::set<std::string> sizes;
  for (const db::RunSummary& run :
       db::list_runs(database, {.problem = choice.problem, .device = choice.device}))
    sizes.insert(run.workload.size);
  if (sizes.contains(*choice.size)) return;
  std::string all;
  for (const std::string& each : sizes) all += (all.empty() ? "; there is: " : ", ") + each;
  const std::string problem = choice.problem ? " of " + *choice.problem : "";
  const std::string device = choice.device ? " on " + *choice.device : "";
  throw Error(format("no result{}{} of size {}{}", problem, device, *choice.size, all), Exit::no_answer);
}

}  // namespace

bool has_results_of(const std::string& problem, const db::Database* database) {
  std::vector<std::string> known;
  if (database != nullptr)
    for (const db::ProblemSummary& stored : db::list_problems(*database)) known.push_back(stored.problem);
  if (std::ranges::find(known, problem) != known.end()) return true;
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    if (entry.name == problem) return false;
    if (std::ranges::find(known, entry.name) == known.end()) known.emplace_back(entry.name);
  }
  throw UsageError(format("unknown problem '{}'; {}", problem, what_there_is(problem, known)));
}

void StoredChoice::add_to(OptionTable& table) {
  table.text("problem", "P", "only of this problem", problem);
  table.text("device", "NAME", "only of this device, named as in 'tune list devices'", device);
  table.text("size", "NXxNYxNZ", "only of this size", size);
}

void check_stored_choice(const StoredChoice& choice, const db::Database* database) {
  if (choice.size) check_size_form(*choice.size);
  if (choice.problem) check_problem(*choice.problem, database);
  if (database == nullptr) return;
  if (choice.device) check_device(*choice.device, *database);
  if (choice.size) check_size(choice, *database);
}

std::optional<RunId> find_run(std::optional<std::uint64_t> number, const db::Database& database) {
  if (!number) return std::nullopt;
  for (const db::RunSummary& run : db::list_runs(database))
    if (static_cast<std::uint64_t>(run.run) == *number) return run.run;
  throw Error(
      format("there is no run {} in {}; 'tune list runs' shows them", *number, database.path().string()),
      Exit::no_answer);
}

}  // namespace tune::cli
