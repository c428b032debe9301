// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>

#include "db/import.hpp"
#include "tuner/cli/db_command.hpp"
#include "tuner/cli/db_command_records.hpp"
#include "tuner/cli/foreign_recording.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/paths.hpp"
#include "tuner/cli/space_files.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"
#include "tuner/replay/formats/recorded_json.hpp"
#include "tuner/replay/formats/text_file.hpp"
#include "tuner/replay/formats/write.hpp"

namespace tune::cli {
namespace {

po::options_description options() {
  po::options_description all;
  all.add_options()  //
      ("file", po::value<std::vector<std::string>>()->value_name("FILE..."),
       "caches of Kernel Tuner, T4 files or JSON results of KTT (also as .gz), also without --file")  //
      ("problem", po::value<std::string>()->value_name("P"),
       "what they compute; default: as the file says")                                                      //
      ("size", po::value<std::string>()->value_name("NXxNYxNZ"), "its extents; default: as the file says")  //
      ("device", po::value<std::string>()->value_name("NAME"),
       "on which they were measured; default: as the file says");
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

Understood understand(const std::string& file, const MissingFacts& facts) {
  if (is_database(file))
    throw UsageError(format("{} is a database: take it in with 'tune db merge {}'", file, file));
  const std::string name = name_of_recording(file);
  replay::ForeignRecord record =
      replay::read_recorded_json(replay::read_text(file), name, file, replay::Samples::keep);
  if (record.evaluations.empty())
    throw Error(format("{}: no configuration is recorded there: tune first", file));
  if (record.parameters.empty())
    throw Error(format("{}: its configurations have no parameters: is it the right file?", file));
  Understood understood{file, {}, record.format, record.notes};
  MissingFacts known = facts;
  replay::ForeignRecord named = record;
  if (!facts.problem.empty()) named.problem = facts.problem;
  if (!facts.size.empty()) named.work = facts.size;
  if (!facts.device.empty()) named.device = facts.device;
  for (std::string& line : replay::import_losses(named)) understood.lines.push_back(std::move(line));
  understood.run = imported_run(std::move(record), known, name);
  return understood;
}

void store(db::Database& database, const Understood& understood) {
  const Instance& instance = understood.run.key.instance;
  const db::MergeResult result =
      db::import_run(database, understood.run,
                     {.file = std::filesystem::absolute(understood.file).lexically_normal().string(),
                      .format = understood.format,
                      .has_runs = false});
  std::cout << format("{}: {} {}{}{} on {}: {} evaluations are new, {} were there\n", understood.file,
                      understood.format, instance.problem, instance.key().empty() ? "" : " ", instance.key(),
                      understood.run.key.device.name, result.evaluations, result.known_evaluations);
  std::cout.flush();
  for (const std::string& line : understood.lines) std::cerr << format("{}: {}\n", understood.file, line);
  for (const std::string& line : result.conflicts) std::cerr << format("{}: {}\n", understood.file, line);
}

int run(const po::variables_map& values) {
  if (!values.count("file")) throw UsageError("name files to import: tune db import FILE...");
  const MissingFacts facts{text_of(values, "problem"), text_of(values, "size"), text_of(values, "device")};
  if (!facts.size.empty() && extents_of(facts.size).empty())
    throw UsageError(format("--size: '{}' is not a size such as 512x512x512", facts.size));
  std::vector<Understood> all;  // a file that cannot be read is told before anything is stored
  for (const std::string& file : values["file"].as<std::vector<std::string>>())
    all.push_back(understand(file, facts));
  db::Database database(database_path(text_of(values, "db")));
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
          .options = options,
          .run = run,
          .words = -1};
}

}  // namespace tune::cli
