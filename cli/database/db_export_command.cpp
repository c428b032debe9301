// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/input/command.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/printable_output.hpp"
#include "db/formats/file_format.hpp"
#include "db/formats/text_file.hpp"
#include "db/maintain/export.hpp"
#include "db/read/queries.hpp"
#include "db/read/recording.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "library/run/paths.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/problem/instance.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

using Workloads = std::vector<db::Workload>;

/// Equal for workloads that differ only in versions.
auto question_of(const db::Workload& workload) {
  return std::tuple(workload.problem, workload.size, workload.settings, workload.model_key, workload.origin,
                    workload.cache);
}

/// A property that may differ between workloads of one problem, size, settings and device.
struct WorkloadFact {
  const char* name;
  std::string (*of)(const db::Workload& workload);
};
constexpr std::array differing = {
    WorkloadFact{"origin",
                 [](const db::Workload& workload) { return std::string(to_string(workload.origin)); }},
    WorkloadFact{"cache",
                 [](const db::Workload& workload) { return std::string(to_string(workload.cache)); }},
    WorkloadFact{"sources",
                 [](const db::Workload& workload) { return workload.toolchain.source_hash.substr(0, 8); }},
    WorkloadFact{"compiler", [](const db::Workload& workload) { return workload.toolchain.compiler; }},
    WorkloadFact{"driver", [](const db::Workload& workload) { return workload.driver; }}};

template<class Of>
std::set<std::string> values_of(const Workloads& workloads, Of of) {
  std::set<std::string> values;
  for (const db::Workload& workload : workloads) values.insert(of(workload));
  return values;
}

std::string some_of(const std::set<std::string>& values) {
  constexpr std::size_t max = 4;
  std::string text;
  std::size_t count = 0;
  for (const std::string& value : values) {
    if (count++ == max) return text + ", ...";
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

/// True for results of the kernel sources that this program has; false for problems that it does not have.
/// Hashes each problem once.
class Current {
 public:
  bool operator()(const db::Workload& workload) {
    const auto [found, missing] = hashes_.try_emplace(workload.problem);
    if (missing && kernels::find_problem(workload.problem) != nullptr)
      found->second = source_hash(*kernels::make_problem(workload.problem), kernels::EmbeddedSources());
    return !found->second.empty() && workload.toolchain.source_hash == found->second;
  }

 private:
  std::map<std::string, std::string> hashes_;
};

bool has(const Configuration& stored, const Assignments& settings) {
  return std::ranges::all_of(settings, [&](const auto& setting) {
    return stored.has(setting.first) && stored[setting.first].to_string() == setting.second.to_string();
  });
}

Configuration settings_of(const db::Workload& workload) {
  return workload.settings.empty() ? Configuration() : Configuration::parse(workload.settings);
}

/// `radius: 1, 2; type: float` for the settings with at least `min` different values.
std::string settings_of(const Workloads& workloads, std::size_t min) {
  std::set<std::string> names;
  for (const db::Workload& workload : workloads) {
    const Configuration stored = settings_of(workload);
    for (const auto& [name, value] : stored.entries()) names.insert(name);
  }
  std::string text;
  for (const std::string& name : names) {
    const auto values = values_of(workloads, [&](const db::Workload& workload) {
      const Configuration stored = settings_of(workload);
      return stored.has(name) ? stored[name].to_string() : std::string("none");
    });
    if (values.size() >= min) text += format("{}{}: {}", text.empty() ? "" : "; ", name, some_of(values));
  }
  return text;
}

/// The size and settings of stored results.
Instance instance_of(const db::Workload& workload) {
  return {workload.problem, workload.extents, settings_of(workload).entries()};
}

/// `stencil3d 512x512x512 radius=1 on NVIDIA H200`, with an unusual origin or state of the caches.
std::string title_of(const db::Workload& workload) {
  return format("{} {} on {}{}{}", workload.problem, instance_of(workload).key(), workload.device,
                workload.origin == Origin::measured ? "" : format(" ({})", to_string(workload.origin)),
                workload.cache == CacheState::warm ? " with warm caches" : "");
}

/// The workloads that match, in the order of the database. Where some have exactly these settings, only
/// those; else all that have these among others.
Workloads fitting_workloads(const db::Database& database, const StoredChoice& choice,
                            const Assignments& settings) {
  std::map<std::int64_t, db::Workload> found;
  for (const db::RunSummary& run : db::list_runs(database)) {
    const db::Workload& workload = run.workload;
    if ((!choice.problem || *choice.problem == workload.problem) &&
        (!choice.size || *choice.size == workload.size) &&
        (!choice.device || *choice.device == workload.device || *choice.device == workload.model_key) &&
        has(settings_of(workload), settings))
      found.emplace(workload.id, workload);
  }
  Workloads workloads, exact;
  for (auto& [id, workload] : found) {
    if (settings_of(workload).entries().size() == settings.size()) exact.push_back(workload);
    workloads.push_back(std::move(workload));
  }
  return settings.empty() || exact.empty() ? workloads : exact;
}

/// Of workloads that differ only in versions (driver, compiler, kernel sources), those of this program's
/// kernel sources, where there are some; else all. `notes` gets a line for each that is left out.
Workloads current_workloads(Workloads workloads, std::vector<std::string>& notes) {
  Current current;
  Workloads kept;
  for (const db::Workload& workload : workloads) {
    const bool gives_way =
        !current(workload) && std::ranges::any_of(workloads, [&](const db::Workload& other) {
          return question_of(other) == question_of(workload) && current(other);
        });
    if (!gives_way) kept.push_back(workload);
    if (gives_way)
      notes.push_back(
          format("{}: results of other kernel sources ({}) are left out; a folder with --out takes them too",
                 title_of(workload), workload.toolchain.source_hash.substr(0, 8)));
  }
  return kept;
}

/// Of workloads that differ only in versions one, as `tune best` chooses: this program's kernel sources
/// before others, then the fastest winner. Workloads without a measurement are left out.
Workloads best_workloads(const db::Database& database, const Workloads& workloads) {
  using Rank = std::pair<bool, double>;  // stale, seconds
  Current current;
  std::map<decltype(question_of(workloads.front())), std::pair<Rank, db::Workload>> best;
  for (const db::Workload& workload : workloads) {
    db::ResultFilter fastest;
    fastest.workload = workload.id;
    fastest.limit = 1;
    const auto rows = db::list_results(database, fastest);
    if (rows.empty() || !rows.front().time) continue;
    const Rank rank{!current(workload), *rows.front().time};
    const auto [found, missing] = best.try_emplace(question_of(workload), rank, workload);
    if (!missing && rank < found->second.first) found->second = {rank, workload};
  }
  Workloads chosen;
  for (auto& [question, winner] : best) chosen.push_back(std::move(winner.second));
  std::ranges::sort(chosen, {}, &db::Workload::id);
  return chosen;
}

/// The end of a message: how several workloads differ, and the options that choose among them.
std::string differences(const Workloads& workloads) {
  std::string choose;
  const auto tell = [&](const std::string& option, const std::set<std::string>& values) {
    if (values.size() > 1)
      choose += format("{}{} ({})", choose.empty() ? "" : " and ", option, some_of(values));
  };
  tell("--problem", values_of(workloads, [](const db::Workload& workload) { return workload.problem; }));
  tell("--size", values_of(workloads, [](const db::Workload& workload) { return workload.size; }));
  tell("--device", values_of(workloads, [](const db::Workload& workload) { return workload.device; }));
  const std::string settings = settings_of(workloads, 2);
  if (!settings.empty()) choose += format("{}--set ({})", choose.empty() ? "" : " and ", settings);
  if (!choose.empty()) return "choose with " + choose + ", or name a folder with --out (such as caches/)";
  for (const WorkloadFact& fact : differing) {
    const auto values = values_of(workloads, fact.of);
    if (values.size() > 1)
      choose += format("{}{} ({})", choose.empty() ? "" : ", ", fact.name, some_of(values));
  }
  return format("they differ only in {}: name a folder with --out (such as caches/)", choose);
}

/// `; stored are: radius: 1, 2; type: float`, or nothing.
std::string settings_there(const Workloads& workloads) {
  const std::string text = settings_of(workloads, 1);
  return text.empty() ? text : "; stored are: " + text;
}

/// Names of files without their endings, in the order of the workloads, no two equal: problem, size, settings
/// and device, and other properties where only these differ.
std::vector<std::string> file_names(const Workloads& workloads) {
  const auto plain = [](std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-'; }, '_');
    return text;
  };
  const auto base = [&](const db::Workload& workload) {
    return plain(workload.problem + "_" + workload.size +
                 (workload.settings.empty() ? "" : "_" + workload.settings) + "_" + workload.device);
  };
  std::map<std::string, Workloads> alike;
  for (const db::Workload& workload : workloads) alike[base(workload)].push_back(workload);
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const db::Workload& workload : workloads) {
    std::string name = base(workload);
    const Workloads& others = alike[name];
    for (const WorkloadFact& fact : differing)
      if (values_of(others, fact.of).size() > 1)
        name += plain(format("_{}-{}", fact.name, fact.of(workload)));
    std::string unique = name;
    for (int number = 2; !used.insert(unique).second; ++number) unique = format("{}_{}", name, number);
    names.push_back(std::move(unique));
  }
  return names;
}

struct DbExportRequest {
  std::string out;
  std::optional<const replay::FileFormat*> writer;  ///< null for a database; nothing: by the ending of `out`
  StoredChoice stored;
  Assignments settings;
  bool all = false, best = false, without_samples = false, without_views = false, recording = false;
  std::string database;
  Format form = Format::text;

  void add_to(OptionTable& table);
};

/// Returns the names or endings of the formats of others that are written.
std::string written_formats(std::string_view replay::FileFormat::*member) {
  std::vector<std::string_view> all;
  for (const replay::FileFormat& one : replay::file_formats())
    if (one.write != nullptr) all.push_back(one.*member);
  return joined(all);
}

void DbExportRequest::add_to(OptionTable& table) {
  table.text(
      "out", "FILE",
      "the new file; in formats other than db also a folder (FILE ends in / or exists), which gets a file for each workload",
      out);
  std::vector<std::pair<std::string, const replay::FileFormat*>> formats = {{"db", nullptr}};
  for (const replay::FileFormat& one : replay::file_formats())
    if (one.write != nullptr) formats.emplace_back(one.name, &one);
  table.choice(
      "as", "FORMAT",
      format("db (a database), {}; default: by the ending of FILE ({}, each also with .gz; .db, "
             ".sqlite or none: db)",
             written_formats(&replay::FileFormat::name), written_formats(&replay::FileFormat::ending)),
      formats, writer);
  table
      .add("format", "FORMAT", "text or json for the summary; a format of --as works here too",
           [this, formats](const std::string& text) {
             std::vector<std::string> names = {"text", "json"};
             for (const auto& one : formats) names.push_back(one.first);
             const std::size_t chosen = index_of_name(text, "format", names);
             if (chosen > 1)
               writer = formats[chosen - 2].second;
             else
               form = chosen == 1 ? Format::json : Format::text;
           })
      .words = {"text", "json"};
  stored.add_to(table);
  table.assignments("set", "only results with these settings (radius=1, type=float, ...)", settings);
  table.flag("all", "write every current configuration; the default", all);
  table.flag(
      "best",
      "for each problem, size, settings and device, write only the configuration that 'tune best' returns",
      best);
  table.flag("without-samples", "write medians only: a third of the size", without_samples);
  table.flag("without-views",
             "write no views for sqlite3: lookups start 0.2 ms sooner; tune itself does not need them",
             without_views);
  table.flag("recording", "mark the new database as a recording, which no run, merge or import changes",
             recording);
  add_database_option(table, database);
}

bool is_folder(const std::string& out) {
  std::error_code ignored;
  return out.ends_with('/') || fs::is_directory(out, ignored);
}

/// Null for a database.
const replay::FileFormat* writer_for(const std::string& out) {
  if (is_folder(out))
    throw UsageError(format("{} is a folder: name the format of its files with --as {}", out,
                            written_formats(&replay::FileFormat::name)));
  for (const replay::FileFormat& writer : replay::file_formats())
    if (writer.write != nullptr &&
        (out.ends_with(writer.ending) || out.ends_with(std::string(writer.ending) + ".gz")))
      return &writer;
  const std::string ending = fs::path(out).extension().string();
  const auto databases = {"", ".db", ".db3", ".sqlite", ".sqlite3"};
  if (std::ranges::find(databases, ending) != databases.end()) return nullptr;
  throw UsageError(
      format("--out: the ending of {} names no format (.db, {}): name one with --as ('--as db' for a "
             "database){}",
             out, written_formats(&replay::FileFormat::ending),
             ending == ".csv" ? "; CSV: 'tune report --format csv'" : ""));
}

/// Returns the numbers of the workload's evaluations that are written, in their order.
std::vector<std::int64_t> chosen_evaluations(const DbExportRequest& request, const db::Database& source,
                                             const db::Workload& workload) {
  if (!request.best) return db::recorded_order(source, workload.id);
  std::vector<std::int64_t> chosen;
  db::ResultFilter fastest;
  fastest.workload = workload.id;
  fastest.limit = 1;
  for (const db::ResultRow& row : db::list_results(source, fastest)) chosen.push_back(row.evaluation);
  return chosen;
}

/// Reads the evaluations one by one while they are written: no more than one lies in memory.
replay::WrittenFile write_text(const DbExportRequest& request, const db::Database& source,
                               const db::Workload& workload, const replay::FileFormat& writer,
                               const replay::TextSink& out) {
  const std::vector<std::int64_t> evaluations = chosen_evaluations(request, source, workload);
  replay::WrittenWorkload written;
  written.problem = workload.problem;
  written.workload = instance_of(workload).key();
  written.device = workload.device;
  written.each = [&](const replay::WrittenWorkload::Take& take) {
    db::each_recorded(source, evaluations, [&](const Evaluation& stored, const std::string& recorded) {
      if (!request.without_samples || !stored.outcome) return take(stored, recorded);
      Evaluation median = stored;
      median.outcome->samples = {stored.outcome->time()};
      take(median, recorded);
    });
  };
  return writer.write(written, out);
}

void write_one(const DbExportRequest& request, const db::Database& source, const db::Workload& workload,
               const replay::FileFormat& writer, const fs::path& path) {
  replay::WrittenFile file;
  replay::write_new_text(path, [&](const replay::TextSink& out) {
    source.read([&](SQLite::Database&) { file = write_text(request, source, workload, writer, out); });
  });
  if (request.form == Format::json)
    std::cout << json_text({{"file", path.string()},
                            {"work", title_of(workload)},
                            {"configurations", file.count},
                            {"failures", file.failures},
                            {"losses", file.losses}});
  else
    std::cout << format("{}: {}: {}, {} of them failed\n", path.string(), title_of(workload),
                        counted(file.count, "configuration"), file.failures);
  std::cout.flush();
  for (const std::string& line : file.losses) say(format("{}: {}", path.string(), line));
}

/// Writes a file for each workload. Checks that no file exists before it writes the first.
void write_folder(const DbExportRequest& request, const db::Database& source,
                  const std::vector<db::Workload>& workloads, const replay::FileFormat& writer,
                  const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const std::string& name : file_names(workloads)) {
    paths.push_back(folder / (name + std::string(writer.ending)));
    if (fs::exists(paths.back()))
      throw UsageError(format("{} exists: name a new folder, or remove it first; nothing was written",
                              paths.back().string()));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(format("cannot make the folder {}: {}", folder.string(), error.message()));
  for (std::size_t i = 0; i < workloads.size(); ++i)
    write_one(request, source, workloads[i], writer, paths[i]);
}

int write_third_party(const DbExportRequest& request, const db::Database& source,
                      std::vector<db::Workload> workloads, const replay::FileFormat& writer) {
  std::erase_if(workloads, [](const db::Workload& workload) { return workload.origin == Origin::replayed; });
  const std::string& out = request.out;
  if (workloads.empty())
    throw Error(format("{} has no measurement that matches: replayed results are not exported",
                       source.path().string()),
                Exit::no_answer);
  if (is_folder(out)) {
    write_folder(request, source, workloads, writer, out);
    return 0;
  }
  std::vector<std::string> notes;
  workloads = current_workloads(std::move(workloads), notes);
  if (workloads.size() > 1)
    throw UsageError(format("{} workloads match, but a file of this format holds one: {}", workloads.size(),
                            differences(workloads)));
  write_one(request, source, workloads.front(), writer, out);
  for (const std::string& note : notes) say(note);
  return 0;
}

int write_database(const DbExportRequest& request, const db::Database& source,
                   const std::vector<db::Workload>& workloads) {
  const std::string& out = request.out;
  if (is_folder(out)) throw UsageError(format("{} is a folder: name a file for a database", out));
  db::ExportFilter filter;
  filter.best_only = request.best;
  filter.current_only = true;
  filter.samples = !request.without_samples;
  filter.views = !request.without_views;
  filter.recording = request.recording;
  filter.problem = request.stored.problem;
  filter.size = request.stored.size;
  filter.device = request.stored.device;
  if (filter.best_only || !request.settings.empty())
    for (const db::Workload& workload : workloads) filter.workloads.push_back(workload.id);
  const db::ExportResult result = db::export_database(source, out, filter);
  if (request.form == Format::json)
    std::cout << json_text({{"file", out},
                            {"runs", result.runs},
                            {"evaluations", result.evaluations},
                            {"samples", result.samples}});
  else
    std::cout << format("{}: {}, {}, {}\n", out, counted(result.runs, "run"),
                        counted(result.evaluations, "evaluation"), counted(result.samples, "sample"));
  return 0;
}

/// Throws Error where no result has the chosen settings.
std::vector<db::Workload> chosen_workloads(const DbExportRequest& request, const db::Database& source) {
  const Assignments& settings = request.settings;
  std::vector<db::Workload> workloads = fitting_workloads(source, request.stored, settings);
  if (workloads.empty() && !settings.empty())
    throw Error(format("{} has no result with these settings of --set{}", source.path().string(),
                       settings_there(fitting_workloads(source, request.stored, {}))),
                Exit::no_answer);
  return request.best ? best_workloads(source, workloads) : workloads;
}

int run_db_export(const DbExportRequest& asked) {
  DbExportRequest request = asked;
  const std::string& out = request.out;
  if (out.empty()) throw UsageError("name the new file with --out FILE");
  if (request.best && request.all) throw UsageError("--best and --all: choose one");
  const replay::FileFormat* writer = request.writer ? *request.writer : writer_for(out);
  const db::Database source(run::database_path(request.database), db::OpenMode::read_only);
  const LeftOutRows left_out(source);
  request.stored = settled(request.stored, &source);
  if (writer != nullptr && (request.without_views || request.recording))
    throw UsageError(format("--{} is for databases: leave it out, or name a file that ends in .db",
                            request.recording ? "recording" : "without-views"));
  const std::vector<db::Workload> workloads = chosen_workloads(request, source);
  return writer == nullptr ? write_database(request, source, workloads)
                           : write_third_party(request, source, workloads, *writer);
}

}  // namespace

Command db_export_command() {
  return {.name = "db export",
          .summary = "writes part of a database, or a file in another program's format",
          .usage = "tune db export [P] --out FILE [options]",
          .example =
              "  tune db export stencil3d --without-samples --out stencil3d.db\n"
              "  tune db export stencil3d --size 512x512x512 \\\n"
              "    --set radius=1,shape=star,type=float --out stencil3d.t4.json\n",
          .positional = "problem",
          .bind = bind_request<DbExportRequest, run_db_export>};
}

}  // namespace tune::cli
