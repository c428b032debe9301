// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/input/command.hpp"
#include "cli/input/recorded_spaces.hpp"
#include "cli/output/printable_output.hpp"
#include "db/formats/file_format.hpp"
#include "db/formats/write.hpp"
#include "db/maintain/import.hpp"
#include "db/store/database.hpp"
#include "kernels/described/readers/definition.hpp"
#include "library/run/paths.hpp"
#include "library/run/recorded_spaces.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/hand_over.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

/// What a file may lack, and the user may add.
struct MissingProperties {
  std::string problem, size, device;  ///< empty where they are not given
  Assignments settings = {};          ///< replace the file's of the same name
};

struct DbImportRequest {
  std::vector<std::string> files;
  MissingProperties properties;
  std::string database;
  Format form = Format::text;

  void add_to(OptionTable& table);
};

void DbImportRequest::add_to(OptionTable& table) {
  const auto printable = [&table](const char* name, const char* value, const char* what,
                                  std::string& target) {
    table.add(name, value, what, [&target](const std::string& text) { target = replay::printable(text); });
  };
  table.texts("file", "FILE...",
              format("{}; each also as .gz ('--file' may be left out)", replay::format_titles()), files);
  table.add("problem", "P",
            "the problem of the results: a name, or the file of your own definition; default: as in the file",
            [this](const std::string& text) {
              const bool is_file = text.ends_with(".json") || text.ends_with(".jsonc");
              properties.problem = is_file ? described::read_definition(text).name : replay::printable(text);
            });
  table.add("size", "NXxNYxNZ", "its extents; default: as in the file", [this](const std::string& text) {
    if (extents_of(text).empty())
      throw UsageError(format("--size: '{}' is not a size such as 512x512x512", replay::printable(text)));
    properties.size = text;
  });
  printable("device", "NAME", "the device on which they were measured; default: as in the file",
            properties.device);
  table.assignments("set", "settings of the problem (radius=1, type=float, ...); default: as in the file",
                    properties.settings);
  add_database_option(table, database);
  add_format_option(table, form);
}

constexpr const char* unknown = "unknown";

/// Characters that the text of a setting cannot hold become `_`.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c == ',' || c == '=' || std::isspace(c) != 0; }, '_');
  return text;
}

/// `radius=1,type=float`; nothing for another text.
std::optional<Configuration> settings_in(const std::string& text) {
  try {
    return Configuration::parse(text);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// True for a text of numbers that is not a size, such as `0x-5`.
bool is_nonsense_size(const std::string& size) {
  return !size.empty() && size.find_first_not_of("0123456789x+-.") == std::string::npos &&
         std::ranges::count(size, 'x') < 4 && extents_of(size).empty();
}

/// Splits `512x512 radius=1,type=float` into size and settings.
void set_instance(const std::string& workload, const MissingProperties& properties, Instance& instance) {
  const std::size_t space = std::min(workload.find(' '), workload.size());
  const std::string size = properties.size.empty() ? workload.substr(0, space) : properties.size;
  const std::string rest = workload.substr(std::min(space + 1, workload.size()));
  instance.extents = extents_of(size);
  const auto settings = settings_in(rest);
  if (instance.extents.empty() && !size.empty() && !is_nonsense_size(size))
    instance.settings = {{"size", Value(plain(workload))}};
  else if (settings)
    instance.settings = settings->entries();
  else if (properties.size.empty())
    instance.settings = {{"settings", Value(plain(rest))}};
  for (const auto& [name, value] : properties.settings) {
    std::erase_if(instance.settings, [&name = name](const auto& known) { return known.first == name; });
    instance.settings.emplace_back(name, value);
  }
}

/// Another program's record as it is stored: origin `imported`; driver, compiler and sources unknown.
/// `file_name` is the problem's name where neither the file nor the user has one. A size in words becomes a
/// setting; a text of numbers that is not a size (`0x-5`) is left out. A size from the user keeps the file's
/// settings.
db::ImportedRun imported_run(std::shared_ptr<const replay::RecordedFile> file,
                             const MissingProperties& properties, const std::string& file_name) {
  const replay::ThirdPartyRecord& record = file->record();
  const auto first_of = [](const std::string& a, const std::string& b, const std::string& c) {
    return !a.empty() ? a : !b.empty() ? b : c;
  };
  db::ImportedRun run;
  run.key.instance.problem = first_of(properties.problem, record.problem, file_name);
  set_instance(record.workload, properties, run.key.instance);
  run.key.device.name = first_of(properties.device, record.device, "unknown device");
  run.key.device.driver = unknown;
  run.key.toolchain = {record.format + ", compiler unknown", unknown};
  run.key.origin = Origin::imported;
  run.program = record.format;
  if (replay::is_energy(record.objective)) run.objective = Objective::energy;
  run.started = file->first_date();
  run.ended = file->last_date();
  run.count = static_cast<std::int64_t>(file->count());
  // The file is read while what was read before is stored: each takes about as long.
  run.each = [file = std::move(file)](const db::ImportedRun::Take& take) {
    using Batch = std::vector<replay::RecordedEvaluation>;
    constexpr std::size_t in_batch = 64, batches = 16;
    hand_over<Batch>(
        [&](const std::function<void(Batch)>& give) {
          Batch batch;
          file->each([&](const replay::RecordedEvaluation& one) {
            batch.push_back(one);
            if (batch.size() == in_batch) give(std::exchange(batch, {}));
          });
          give(std::move(batch));
        },
        [&](const Batch& batch) {
          for (const replay::RecordedEvaluation& one : batch) take(one.evaluation, one.recorded);
        },
        batches);
  };
  return run;
}

/// A file that has been read to its end and understood, but not stored.
struct Understood {
  std::string file;
  db::ImportedRun run;
  std::string format;
  std::vector<std::string> lines;  ///< notes and losses
};

Understood understand(const std::string& file, const MissingProperties& properties) {
  if (db::is_database(file))
    throw UsageError(format("{} is a database: merge it with 'tune db merge {}'", file, file));
  const std::string name = run::name_of_recording(file);
  const auto content = std::make_shared<const replay::RecordedFile>(file, name, file);
  const replay::ThirdPartyRecord& record = content->record();
  if (content->count() == 0) throw Error(format("{}: it has no recorded configuration: tune first", file));
  if (record.parameters.empty())
    throw Error(format("{}: its configurations have no parameters: check that it is the right file", file));
  Understood understood{file, {}, record.format, record.notes};
  replay::ThirdPartyRecord named = record;
  if (!properties.problem.empty()) named.problem = properties.problem;
  if (!properties.size.empty()) named.workload = properties.size;
  if (!properties.device.empty()) named.device = properties.device;
  const std::string size = named.workload.substr(0, named.workload.find(' '));
  if (is_nonsense_size(size))
    understood.lines.push_back(format("'{}' is not a size: stored without one; name it with --size", size));
  for (std::string& line : replay::import_losses(*content, named))
    understood.lines.push_back(std::move(line));
  understood.run = imported_run(content, properties, name);
  return understood;
}

std::string title_of(const WorkloadKey& key) {
  const std::string workload = key.instance.key();
  return format("{}{}{} on {}", key.instance.problem, workload.empty() ? "" : " ", workload, key.device.name);
}

std::size_t count_different(std::vector<ContentDigest>& all) {
  std::ranges::sort(all);
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

/// Tells which files become one workload, because nothing tells them apart; the newest result of a
/// configuration then counts.
void tell_merged(const std::vector<Understood>& all) {
  std::map<std::string, std::vector<const Understood*>> workloads;
  for (const Understood& one : all) workloads[title_of(one.run.key) + " " + one.format].push_back(&one);
  for (const auto& [title, files] : workloads) {
    if (files.size() < 2) continue;
    std::vector<ContentDigest> configurations, results;
    for (const Understood* file : files)
      file->run.each([&](const Evaluation& one, const std::string& recorded) {
        const std::string key = one.configuration.key();
        configurations.push_back(content_digest(key));
        results.push_back(
            content_digest(format("{} {} {}", key, one.outcome ? one.outcome->time() : 0, recorded)));
      });
    const std::size_t different = count_different(results);
    const std::size_t replaced = different - count_different(configurations);
    say(format(
        "{} files become one workload, {}: {}", files.size(), title_of(files.front()->run.key),
        replaced == 0
            ? "no result replaces another"
            : format("newer results of the same configuration replace {} of their {} results; if the files "
                     "are of different workloads, import each separately with --set NAME=VALUE",
                     replaced, different)));
  }
}

/// Tells the result, or returns it for JSON.
nlohmann::ordered_json store(db::Database& database, const Understood& understood, Format form) {
  const db::MergeResult result =
      db::import_run(database, understood.run,
                     {.file = std::filesystem::absolute(understood.file).lexically_normal().string(),
                      .format = understood.format,
                      .has_runs = false});
  if (form == Format::text)
    std::cout << format("{}: {} {}: {} added, {} were there already\n", understood.file, understood.format,
                        title_of(understood.run.key), counted(result.evaluations, "evaluation"),
                        result.known_evaluations);
  std::cout.flush();
  for (const std::string& line : understood.lines) say(format("{}: {}", understood.file, line));
  for (const std::string& line : result.conflicts) say(format("{}: {}", understood.file, line));
  return {{"file", understood.file},
          {"format", understood.format},
          {"work", title_of(understood.run.key)},
          {"added_evaluations", result.evaluations},
          {"known_evaluations", result.known_evaluations},
          {"notes", understood.lines},
          {"conflicts", result.conflicts}};
}

int run_db_import(const DbImportRequest& request) {
  if (request.files.empty()) throw UsageError("name files to import: tune db import FILE...");
  std::vector<Understood> all;  // a file that cannot be read is told before anything is stored
  for (const std::string& file : request.files) all.push_back(understand(file, request.properties));
  tell_merged(all);
  db::Database database(run::database_path(request.database));
  nlohmann::ordered_json stored = nlohmann::ordered_json::array();
  for (const Understood& understood : all) stored.push_back(store(database, understood, request.form));
  if (request.form == Format::json)
    std::cout << json_text({{"database", database.path().string()}, {"imported", stored}});
  else
    std::cout << format("into {}, marked as imported: they are never ranked with measured results\n",
                        database.path().string());
  return 0;
}

}  // namespace

Command db_import_command() {
  return {.name = "db import",
          .summary = "imports results of other programs",
          .usage = "tune db import FILE... [options]",
          .example =
              "  tune db import gemm_cache.json\n"
              "  tune db import runs.t4.json --problem gemm --size 4096x4096\n",
          .positional = "file",
          .bind = bind_request<DbImportRequest, run_db_import>,
          .words = -1};
}

}  // namespace tune::cli
