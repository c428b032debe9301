// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cli/database/db_command.hpp"
#include "cli/database/db_command_records.hpp"
#include "cli/database/export_choice.hpp"
#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/input/stored_databases.hpp"
#include "cli/output/text_layout.hpp"
#include "db/formats/text_file.hpp"
#include "db/formats/write.hpp"
#include "db/maintain/export.hpp"
#include "db/read/recording.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

po::options_description db_export_options() {
  po::options_description all;
  all.add_options()(
      "out", po::value<std::string>()->value_name("FILE"),
      "the new file; of another format than db also a folder (FILE ends in /, or is there), for one "
      "file a work")  //
      ("format", po::value<std::string>()->value_name("FORMAT"),
       "db (a database), t4, kernel-tuner or ktt; default: by the ending of FILE (.t4.json, .kt.json, "
       ".ktt.json, "
       "each also with .gz; .db, .sqlite or none: db)");
  add_stored_options(all, true);
  all.add_options()("set", po::value<std::vector<std::string>>()->value_name("NAME=VALUE,..."),
                    "only with these settings (radius=1, type=float, ...)");
  all.add_options()("all", po::bool_switch(), "every configuration that counts: the default")  //
      ("best", po::bool_switch(),
       "of each problem, size with settings, and device the configuration that 'tune best' gives, alone")  //
      ("without-samples", po::bool_switch(), "medians only: a third of the size")                          //
      ("without-views", po::bool_switch(),
       "without the views for sqlite3: lookups begin 0.2 ms sooner; tune itself does not need them");
  add_database_option(all);
  return all;
}

bool is_folder(const std::string& out) {
  std::error_code ignored;
  return out.ends_with('/') || fs::is_directory(out, ignored);
}

/// Null for a database.
const replay::WriterEntry* chosen_writer(const po::variables_map& values, const std::string& out) {
  if (values.count("format")) {
    const std::string name = chosen_name(values, "format", {"db", "t4", "kernel-tuner", "ktt"});
    const auto found = std::ranges::find(replay::writers(), name, &replay::WriterEntry::name);
    return found == replay::writers().end() ? nullptr : &*found;
  }
  if (is_folder(out))
    throw UsageError(
        format("{} is a folder: say what to write there: --format t4, kernel-tuner or ktt", out));
  for (const replay::WriterEntry& writer : replay::writers())
    if (out.ends_with(writer.ending) || out.ends_with(std::string(writer.ending) + ".gz")) return &writer;
  const std::string ending = fs::path(out).extension().string();
  const auto databases = {"", ".db", ".db3", ".sqlite", ".sqlite3"};
  if (std::ranges::find(databases, ending) != databases.end()) return nullptr;
  throw UsageError(
      format("--out: {} ends in nothing that is written here (.db, .t4.json, .kt.json, .ktt.json): name "
             "the format with --format ('--format db' for a database){}",
             out, ending == ".csv" ? "; CSV: 'tune report --format csv'" : ""));
}

/// The work's evaluations as they are to be written.
db::Recording recording_of(const po::variables_map& values, const db::Database& source,
                           const db::Workload& workload) {
  auto found = db::recording_of(source, workload.id);
  if (!found) throw Error(source.path().string() + " lost a result while it was read");
  if (values["best"].as<bool>()) {  // they come in the order in which they are ranked
    found->evaluations.resize(1);
    found->recorded.resize(1);
  }
  if (values["without-samples"].as<bool>())
    for (Evaluation& evaluation : found->evaluations)
      if (evaluation.outcome) evaluation.outcome->samples = {evaluation.outcome->time()};
  return std::move(*found);
}

void write_one(const db::Recording& recording, const replay::WriterEntry& writer, const fs::path& path,
               const std::string& title) {
  replay::ThirdPartyRecord record = record_of(recording);
  const std::string text = writer.write(record);
  replay::write_new_text(path, text);
  const auto failures =
      std::ranges::count_if(record.evaluations, [](const Evaluation& one) { return !one.outcome; });
  std::cout << format("{}: {}: {}, {} of them failed\n", path.string(), title,
                      counted(std::ssize(record.evaluations), "configuration"), failures);
  std::cout.flush();
  for (const std::string& line : record.losses) std::cerr << format("{}: {}\n", path.string(), line);
}

/// One file a work. Files that are in the way are found before the first is written.
void write_folder(const po::variables_map& values, const db::Database& source,
                  const std::vector<db::Workload>& workloads, const replay::WriterEntry& writer,
                  const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const std::string& name : file_names(workloads)) {
    paths.push_back(folder / (name + std::string(writer.ending)));
    if (fs::exists(paths.back()))
      throw Error(format("{} exists: name a new folder, or remove it first; nothing was written",
                         paths.back().string()));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(format("cannot make the folder {}: {}", folder.string(), error.message()));
  for (std::size_t i = 0; i < workloads.size(); ++i)
    write_one(recording_of(values, source, workloads[i]), writer, paths[i], title_of(workloads[i]));
}

int write_third_party(const po::variables_map& values, const db::Database& source,
                      std::vector<db::Workload> workloads, const replay::WriterEntry& writer) {
  std::erase_if(workloads, [](const db::Workload& workload) { return workload.origin == Origin::replayed; });
  const std::string out = option_text(values, "out");
  if (workloads.empty())
    throw Error(format("{} has nothing measured that fits: replayed results are nobody's times",
                       source.path().string()),
                Exit::no_answer);
  if (is_folder(out)) {
    write_folder(values, source, workloads, writer, out);
    return 0;
  }
  std::vector<std::string> notes;
  workloads = current_workloads(std::move(workloads), notes);
  if (workloads.size() > 1)
    throw UsageError(format("{} works fit, a file of this format holds one: {}", workloads.size(),
                            differences(workloads)));
  write_one(recording_of(values, source, workloads.front()), writer, out, title_of(workloads.front()));
  for (const std::string& note : notes) std::cerr << note << "\n";
  return 0;
}

int write_database(const po::variables_map& values, const db::Database& source, const StoredChoice& choice,
                   const std::vector<db::Workload>& workloads) {
  const std::string out = option_text(values, "out");
  if (is_folder(out)) throw UsageError(format("{} is a folder: name a file for a database", out));
  db::ExportFilter filter;
  filter.best_only = values["best"].as<bool>();
  filter.current_only = true;
  filter.samples = !values["without-samples"].as<bool>();
  filter.views = !values["without-views"].as<bool>();
  filter.problem = choice.problem;
  filter.size = choice.size;
  filter.device = choice.device;
  if (filter.best_only || values.count("set"))
    for (const db::Workload& workload : workloads) filter.workloads.push_back(workload.id);
  const db::ExportResult result = db::export_database(source, out, filter);
  std::cout << format("{}: {}, {}, {}\n", out, counted(result.runs, "run"),
                      counted(result.evaluations, "evaluation"), counted(result.samples, "sample"));
  return 0;
}

/// Throws where nothing that was measured fits a choice.
std::vector<db::Workload> chosen_workloads(const po::variables_map& values, const db::Database& source,
                                           const StoredChoice& choice) {
  const Settings settings = assignments(values, "set");
  std::vector<db::Workload> workloads = fitting_workloads(source, choice, settings);
  if (workloads.empty() && !settings.empty())
    throw Error(format("{} has no result with these settings of --set{}", source.path().string(),
                       settings_there(fitting_workloads(source, choice, {}))),
                Exit::no_answer);
  return values["best"].as<bool>() ? best_workloads(source, workloads) : workloads;
}

int run_db_export(const po::variables_map& values) {
  const std::string out = option_text(values, "out");
  if (out.empty()) throw UsageError("name the new file with --out FILE");
  if (values["best"].as<bool>() && values["all"].as<bool>()) throw UsageError("--best and --all: choose one");
  const replay::WriterEntry* writer = chosen_writer(values, out);
  const db::Database source(database_path(option_text(values, "db")), db::OpenMode::read_only);
  const StoredChoice choice = stored_choice(values, &source);
  if (writer != nullptr && values["without-views"].as<bool>())
    throw UsageError("--without-views is for databases: leave it out, or name a file that ends in .db");
  const std::vector<db::Workload> workloads = chosen_workloads(values, source, choice);
  return writer == nullptr ? write_database(values, source, choice, workloads)
                           : write_third_party(values, source, workloads, *writer);
}

}  // namespace

Command db_export_command() {
  return {.name = "db export",
          .summary = "writes a part of it: a database, T4, Kernel Tuner or KTT",
          .usage = "tune db export --out FILE [options]",
          .example =
              "  tune db export --problem stencil3d --without-samples --out stencil3d.db\n"
              "  tune db export --problem stencil3d --size 512x512x512 \\\n"
              "    --set radius=1,shape=star,type=float --out stencil3d.t4.json\n",
          .positional = "",
          .options = db_export_options,
          .run = run_db_export};
}

}  // namespace tune::cli
