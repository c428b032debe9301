// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "cli/database/db_command.hpp"
#include "cli/database/db_command_records.hpp"
#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/input/space_files.hpp"
#include "cli/input/third_party_recording.hpp"
#include "cli/output/text_layout.hpp"
#include "db/formats/json_fields.hpp"
#include "db/formats/recorded_json.hpp"
#include "db/formats/text_file.hpp"
#include "db/formats/write.hpp"
#include "db/maintain/import.hpp"
#include "db/store/database.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

po::options_description db_import_options() {
  po::options_description all;
  all.add_options()  //
      ("file", po::value<std::vector<std::string>>()->value_name("FILE..."),
       "caches of Kernel Tuner, T4 files or JSON results of KTT (also as .gz), also without --file")  //
      ("problem", po::value<std::string>()->value_name("P"),
       "what they compute; default: as the file says")                                                      //
      ("size", po::value<std::string>()->value_name("NXxNYxNZ"), "its extents; default: as the file says")  //
      ("device", po::value<std::string>()->value_name("NAME"),
       "on which they were measured; default: as the file says")  //
      ("set", po::value<std::vector<std::string>>()->value_name("NAME=VALUE,..."),
       "settings of what they compute (radius=1, type=float, ...); default: as the file says");
  add_database_option(all);
  return all;
}

/// A file that has been read whole and understood, but not stored.
struct Understood {
  std::string file;
  db::ImportedRun run;
  std::string format;
  std::vector<std::string> lines;  ///< notes and losses
};

Understood understand(const std::string& file, const MissingProperties& properties) {
  if (db::is_database(file))
    throw UsageError(format("{} is a database: take it in with 'tune db merge {}'", file, file));
  const std::string name = name_of_recording(file);
  replay::ThirdPartyRecord record =
      replay::read_recorded_json(replay::read_text(file), name, file, replay::Samples::keep);
  if (record.evaluations.empty())
    throw Error(format("{}: no configuration is recorded there: tune first", file));
  if (record.parameters.empty())
    throw Error(format("{}: its configurations have no parameters: is it the right file?", file));
  Understood understood{file, {}, record.format, record.notes};
  replay::ThirdPartyRecord named = record;
  if (!properties.problem.empty()) named.problem = properties.problem;
  if (!properties.size.empty()) named.workload = properties.size;
  if (!properties.device.empty()) named.device = properties.device;
  const std::string size = named.workload.substr(0, named.workload.find(' '));
  if (is_nonsense_size(size))
    understood.lines.push_back(format("'{}' is no size: stored without; name it with --size", size));
  for (std::string& line : replay::import_losses(named)) understood.lines.push_back(std::move(line));
  understood.run = imported_run(std::move(record), properties, name);
  return understood;
}

std::string title_of(const WorkloadKey& key) {
  const std::string workload = key.instance.key();
  return format("{}{}{} on {}", key.instance.problem, workload.empty() ? "" : " ", workload, key.device.name);
}

/// Files of which nothing tells that they are of different work become one, in which the newest result of a
/// configuration counts: who gave them is told.
void tell_merged(const std::vector<Understood>& all) {
  std::map<std::string, std::vector<const Understood*>> workloads;
  for (const Understood& one : all) workloads[title_of(one.run.key) + " " + one.format].push_back(&one);
  for (const auto& [title, files] : workloads) {
    if (files.size() < 2) continue;
    std::set<std::string> configurations;
    std::set<std::tuple<std::string, double, std::string>> results;
    for (const Understood* file : files)
      for (std::size_t i = 0; i < file->run.evaluations.size(); ++i) {
        const Evaluation& one = file->run.evaluations[i];
        const std::string key = one.configuration.key();
        configurations.insert(key);
        results.emplace(key, one.outcome ? one.outcome->time() : 0,
                        i < file->run.recorded.size() ? file->run.recorded[i] : std::string());
      }
    const std::size_t replaced = results.size() - configurations.size();
    std::cerr << format("{} files become one work, {}: {}\n", files.size(), title_of(files.front()->run.key),
                        replaced == 0
                            ? "no result replaces another"
                            : format("{} of their {} results are replaced by newer ones of the same "
                                     "configuration; where they are of different work, say so with "
                                     "--set NAME=VALUE and import each by itself",
                                     replaced, results.size()));
  }
}

void store(db::Database& database, const Understood& understood) {
  const db::MergeResult result =
      db::import_run(database, understood.run,
                     {.file = std::filesystem::absolute(understood.file).lexically_normal().string(),
                      .format = understood.format,
                      .has_runs = false});
  std::cout << format("{}: {} {}: {} {} new, {} {} there\n", understood.file, understood.format,
                      title_of(understood.run.key), counted(result.evaluations, "evaluation"),
                      result.evaluations == 1 ? "is" : "are", result.known_evaluations,
                      result.known_evaluations == 1 ? "was" : "were");
  std::cout.flush();
  for (const std::string& line : understood.lines) std::cerr << format("{}: {}\n", understood.file, line);
  for (const std::string& line : result.conflicts) std::cerr << format("{}: {}\n", understood.file, line);
}

int run_db_import(const po::variables_map& values) {
  if (!values.count("file")) throw UsageError("name files to import: tune db import FILE...");
  const MissingProperties properties{
      replay::printable(option_text(values, "problem")), option_text(values, "size"),
      replay::printable(option_text(values, "device")), assignments(values, "set")};
  if (!properties.size.empty() && extents_of(properties.size).empty())
    throw UsageError(
        format("--size: '{}' is not a size such as 512x512x512", replay::printable(properties.size)));
  std::vector<Understood> all;  // a file that cannot be read is told before anything is stored
  for (const std::string& file : values["file"].as<std::vector<std::string>>())
    all.push_back(understand(file, properties));
  tell_merged(all);
  db::Database database(database_path(option_text(values, "db")));
  for (const Understood& understood : all) store(database, understood);
  std::cout << format("into {}, as imported: no ranking mixes them with measured ones\n",
                      database.path().string());
  return 0;
}

}  // namespace

Command db_import_command() {
  return {.name = "db import",
          .summary = "takes in what other programs measured: Kernel Tuner, T4, KTT",
          .usage = "tune db import FILE... [options]",
          .example =
              "  tune db import gemm_cache.json\n"
              "  tune db import runs.t4.json --problem gemm --size 4096x4096\n",
          .positional = "file",
          .options = db_import_options,
          .run = run_db_import,
          .words = -1};
}

}  // namespace tune::cli
