// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <set>

#include "db/export.hpp"
#include "db/recording.hpp"
#include "tuner/cli/db_command.hpp"
#include "tuner/cli/db_command_records.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/paths.hpp"
#include "tuner/cli/stored_choice.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"
#include "tuner/replay/formats/text_file.hpp"
#include "tuner/replay/formats/write.hpp"

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

po::options_description options() {
  po::options_description all;
  all.add_options()("out", po::value<std::string>()->value_name("FILE"),
                    "the new file; of another format than db also a folder, for one file a work")  //
      ("format", po::value<std::string>()->value_name("FORMAT"),
       "db (a database), t4, kernel-tuner or ktt; default: by the ending of FILE (.t4.json, .kt.json, "
       ".ktt.json, "
       "each also with .gz), else db");
  add_stored_options(all, true);
  all.add_options()("all", po::bool_switch(), "every configuration that counts: the default")          //
      ("best", po::bool_switch(), "of each problem, size and device the fastest configuration alone")  //
      ("without-samples", po::bool_switch(), "medians only: a third of the size")                      //
      ("without-views", po::bool_switch(),
       "without the views for sqlite3: lookups begin 0.2 ms sooner; tune itself does not need them");
  add_database_option(all);
  return all;
}

/// Null for a database.
const replay::WriterEntry* chosen_writer(const po::variables_map& values, const std::string& out) {
  if (values.count("format")) {
    const std::string name = chosen_name(values, "format", {"db", "t4", "kernel-tuner", "ktt"});
    const auto found = std::ranges::find(replay::writers(), name, &replay::WriterEntry::name);
    return found == replay::writers().end() ? nullptr : &*found;
  }
  for (const replay::WriterEntry& writer : replay::writers())
    if (out.ends_with(writer.ending) || out.ends_with(std::string(writer.ending) + ".gz")) return &writer;
  return nullptr;
}

/// A part of a file's name.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-'; }, '_');
  return text;
}

std::string title_of(const db::Recording& recording) {
  return format("{} {} on {}", recording.instance.problem, recording.instance.key(), recording.device.name);
}

bool fits(const db::Recording& recording, const StoredChoice& choice) {
  return (!choice.problem || *choice.problem == recording.instance.problem) &&
         (!choice.size || *choice.size == recording.instance.size()) &&
         (!choice.device || *choice.device == recording.device.name ||
          *choice.device == recording.device.model_key());
}

void keep_best(db::Recording& recording) {
  const auto time = [](const Evaluation& one) { return one.outcome ? one.outcome->time() : 1e300; };
  const auto best = std::ranges::min_element(recording.evaluations, {}, time);
  const auto place = static_cast<std::size_t>(best - recording.evaluations.begin());
  recording.evaluations = {recording.evaluations[place]};
  recording.recorded = {recording.recorded[place]};
}

void write_one(const db::Recording& recording, const replay::WriterEntry& writer, const fs::path& path) {
  replay::ForeignRecord record = record_of(recording);
  const std::string text = writer.write(record);
  replay::write_new_text(path, text);
  const auto failures =
      std::ranges::count_if(record.evaluations, [](const Evaluation& one) { return !one.outcome; });
  std::cout << format("{}: {}: {} configurations, {} of them failed\n", path.string(), title_of(recording),
                      record.evaluations.size(), failures);
  std::cout.flush();
  for (const std::string& line : record.losses) std::cerr << format("{}: {}\n", path.string(), line);
}

int write_foreign(const po::variables_map& values, const db::Database& source, const StoredChoice& choice,
                  const replay::WriterEntry& writer) {
  std::vector<db::Recording> chosen;
  for (db::Recording& recording : db::all_recordings(source)) {
    if (!fits(recording, choice)) continue;
    if (values["best"].as<bool>()) keep_best(recording);
    if (values["without-samples"].as<bool>())
      for (Evaluation& evaluation : recording.evaluations)
        if (evaluation.outcome) evaluation.outcome->samples = {evaluation.outcome->time()};
    chosen.push_back(std::move(recording));
  }
  const std::string out = text_of(values, "out");
  if (chosen.empty())
    throw Error(format("{} has nothing measured that fits: replayed results are nobody's times",
                       source.path().string()),
                Exit::no_answer);
  if (!fs::is_directory(out)) {
    if (chosen.size() > 1)
      throw UsageError(format(
          "{} works fit, a file of this format holds one: choose with --problem, --size and --device, or "
          "name a folder with --out ({}; {}; ...)",
          chosen.size(), title_of(chosen[0]), title_of(chosen[1])));
    write_one(chosen.front(), writer, out);
    return 0;
  }
  std::set<std::string> names;
  for (const db::Recording& recording : chosen) {
    const Instance& instance = recording.instance;
    const std::string settings = instance.settings.empty() ? "" : "_" + instance.settings_key();
    const std::string name =
        plain(instance.problem + "_" + instance.size() + settings + "_" + recording.device.name);
    std::string unique = name;
    for (int number = 2; !names.insert(unique).second; ++number) unique = format("{}_{}", name, number);
    write_one(recording, writer, fs::path(out) / (unique + std::string(writer.ending)));
  }
  return 0;
}

int run(const po::variables_map& values) {
  const std::string out = text_of(values, "out");
  if (out.empty()) throw UsageError("name the new file with --out FILE");
  if (values["best"].as<bool>() && values["all"].as<bool>()) throw UsageError("--best and --all: choose one");
  const replay::WriterEntry* writer = chosen_writer(values, out);
  const db::Database source(database_path(text_of(values, "db")), db::Access::read_only);
  const StoredChoice choice = stored_choice(values, &source);
  if (writer != nullptr && values["without-views"].as<bool>())
    throw UsageError("--without-views is for databases: leave it out, or name a file that ends in .db");
  if (writer != nullptr) return write_foreign(values, source, choice, *writer);
  db::ExportFilter filter;
  filter.best_only = values["best"].as<bool>();
  filter.current_only = true;
  filter.samples = !values["without-samples"].as<bool>();
  filter.views = !values["without-views"].as<bool>();
  filter.problem = choice.problem;
  filter.size = choice.size;
  filter.device = choice.device;
  const db::ExportResult result = db::export_database(source, out, filter);
  std::cout << format("{}: {} runs, {} evaluations, {} samples\n", out, result.runs, result.evaluations,
                      result.samples);
  return 0;
}

}  // namespace

Command db_export_command() {
  return {.name = "db export",
          .summary = "writes a part of it: a database, T4, Kernel Tuner or KTT",
          .usage = "tune db export --out FILE [options]",
          .example =
              "  tune db export --problem stencil3d --without-samples --out stencil3d.db\n"
              "  tune db export --problem stencil3d --size 512x512x512 --out stencil3d.t4.json\n",
          .positional = "",
          .options = options,
          .run = run};
}

}  // namespace tune::cli
