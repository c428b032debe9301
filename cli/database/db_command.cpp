// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <ctime>
#include <filesystem>
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/text_layout.hpp"
#include "db/maintain/check.hpp"
#include "db/maintain/compact.hpp"
#include "db/maintain/info.hpp"
#include "db/maintain/merge.hpp"
#include "db/maintain/salvage.hpp"
#include "library/run/paths.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

using nlohmann::ordered_json;

namespace fs = std::filesystem;

/// --db, whose name may be left out where the database is the only word of a command.
void add_database_word(OptionTable& table, std::string& path) {
  table.text(
      "db", "FILE",
      "the database ('--db' may be left out); default: $TUNE_DB, else $XDG_DATA_HOME/tune/results.db, else "
      "~/.local/share/tune/results.db",
      path);
}

struct DbInfoRequest {
  std::string database;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    add_database_word(table, database);
    add_format_option(table, format);
  }
};

std::string schema_text(const db::DatabaseInfo& info) {
  if (info.schema == info.program_schema) return format("{}, the newest", info.schema);
  return format("{}; this program writes {} and updates the file when it writes to it", info.schema,
                info.program_schema);
}

std::string log_text(const db::DatabaseInfo& info) {
  if (info.journal != "wal") return "none: each commit waits for the disk";
  if (info.log_bytes == 0) return "empty";
  return format("{} of commits beside the file: copy both, or neither while it is in use",
                bytes_text(static_cast<double>(info.log_bytes)));
}

std::string counts_text(const char* label, const std::vector<db::DatabaseInfo::Count>& counts) {
  std::string text;
  for (const db::DatabaseInfo::Count& count : counts)
    text += labelled(text.empty() ? label : "", format("{:>9}  {}", count.evaluations, count.name));
  return text;
}

/// A run that goes on stores something within an hour.
std::string_view unended_text(const db::DatabaseInfo& info) {
  constexpr std::time_t silence = 3600;
  const std::time_t then = std::time(nullptr) - silence;
  std::tm utc = {};
  gmtime_r(&then, &utc);
  const std::string limit = format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", utc.tm_year + 1900, utc.tm_mon + 1,
                                   utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
  return info.last < limit ? "killed; their results are kept" : "killed or running";
}

std::string to_text(const db::DatabaseInfo& info, const std::string& path) {
  const auto bytes = [](std::int64_t pages, std::int64_t size) {
    return bytes_text(static_cast<double>(pages) * static_cast<double>(size));
  };
  std::string text = labelled("file", path);
  text += labelled("schema", schema_text(info));
  text += labelled("size", format("{}, of which {} free{}", bytes_text(static_cast<double>(info.bytes)),
                                  bytes(info.free_pages, info.page_size),
                                  info.free_pages * 4 > info.pages ? ": 'tune db compact' frees it" : ""));
  text += labelled("log", log_text(info));
  text += labelled("holds",
                   format("{} at {}, {}, {}", counted(static_cast<std::uint64_t>(info.problems), "problem"),
                          counted(static_cast<std::uint64_t>(info.instances), "size"),
                          counted(static_cast<std::uint64_t>(info.devices), "device model"),
                          counted(static_cast<std::uint64_t>(info.workloads), "workload")));
  text += labelled(
      "runs", format("{}{}{}", info.runs,
                     info.unended_runs > 0 ? format(", {} {}", info.unended_runs, unended_text(info)) : "",
                     info.rerank > 0 ? format(", {} with re-ranking", info.rerank) : ""));
  text += labelled("evaluations",
                   format("{}: {} failed, {} replaced by later ones; {}", info.evaluations, info.failures,
                          info.superseded, counted(static_cast<std::uint64_t>(info.samples), "sample")));
  if (!info.last.empty())
    text += labelled("recorded", info.first.empty() || info.first == info.last
                                     ? time_of_day(info.last)
                                     : format("{} to {}", time_of_day(info.first), time_of_day(info.last)));
  text += counts_text("problems", info.by_problem);
  text += counts_text("devices", info.by_device);
  text += counts_text("origins", info.by_origin);
  text += counts_text("toolchains", info.by_toolchain);
  text += counts_text("taken from", info.by_source);
  return text;
}

ordered_json counts_json(const std::vector<db::DatabaseInfo::Count>& counts) {
  ordered_json list = ordered_json::array();
  for (const db::DatabaseInfo::Count& count : counts)
    list.push_back({{"name", count.name}, {"evaluations", count.evaluations}});
  return list;
}

std::string to_json(const db::DatabaseInfo& info, const std::string& path) {
  return json_text({{"file", path},
                    {"schema", info.schema},
                    {"program_schema", info.program_schema},
                    {"bytes", info.bytes},
                    {"log_bytes", info.log_bytes},
                    {"journal", info.journal},
                    {"page_size", info.page_size},
                    {"pages", info.pages},
                    {"free_pages", info.free_pages},
                    {"problems", info.problems},
                    {"sizes", info.instances},
                    {"device_models", info.devices},
                    {"works", info.workloads},
                    {"runs", info.runs},
                    {"unended_runs", info.unended_runs},
                    {"runs_with_finals", info.rerank},
                    {"evaluations", info.evaluations},
                    {"failures", info.failures},
                    {"superseded", info.superseded},
                    {"samples", info.samples},
                    {"first", info.first},
                    {"last", info.last},
                    {"by_problem", counts_json(info.by_problem)},
                    {"by_device", counts_json(info.by_device)},
                    {"by_origin", counts_json(info.by_origin)},
                    {"by_toolchain", counts_json(info.by_toolchain)},
                    {"by_source", counts_json(info.by_source)}});
}

int run_db_info(const DbInfoRequest& request) {
  const db::Database database(run::database_path(request.database), db::OpenMode::inspect);
  const db::DatabaseInfo info = db::database_info(database);
  const std::string path = database.path().string();
  std::cout << (request.format == Format::json ? to_json(info, path) : to_text(info, path));
  return 0;
}

Command db_info_command() {
  return {.name = "db info",
          .summary = "shows the schema, size and contents of a database",
          .usage = "tune db info [FILE] [options]",
          .example = "  tune db info results.db\n",
          .positional = "db",
          .bind = bind_request<DbInfoRequest, run_db_info>};
}

struct DbCheckRequest {
  std::string database;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    add_database_word(table, database);
    add_format_option(table, format);
  }
};

int run_db_check(const DbCheckRequest& request) {
  const db::Database database(run::database_path(request.database), db::OpenMode::read_only);
  const db::Findings findings = db::check_database(database);
  const std::string path = database.path().string();
  const bool json = request.format == Format::json;
  if (json)
    std::cout << json_text(
        {{"file", path}, {"findings", findings.lines}, {"more_findings", findings.left_out}});
  if (findings.count() == 0) {
    if (!json) std::cout << format("{}: nothing is wrong\n", path);
    return 0;
  }
  if (!json)
    for (const std::string& line : findings.lines) std::cout << line << "\n";
  if (!json && findings.left_out > 0)
    std::cout << format("... and {} more of these kinds\n", findings.left_out);
  throw Error(format(
      "{}: {} finding{}; 'tune db salvage {} --out NEW' copies the sound results; or restore a copy, with {}-wal and"
      " {}-shm removed first",
      path, findings.count(), findings.count() == 1 ? "" : "s", path, path, path));
}

Command db_check_command() {
  return {.name = "db check",
          .summary = "looks for damage and contradictions; exit status 1 if it finds any",
          .usage = "tune db check [FILE] [options]",
          .example = "  tune db check results.db\n",
          .positional = "db",
          .bind = bind_request<DbCheckRequest, run_db_check>};
}

struct DbSalvageRequest {
  std::string database, out;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    add_database_word(table, database);
    table.text("out", "FILE", "the new database", out);
    add_format_option(table, format);
  }
};

int run_db_salvage(const DbSalvageRequest& request) {
  if (request.out.empty()) throw UsageError("name the new database with --out FILE");
  const fs::path path = run::database_path(request.database);
  const db::SalvageResult result = db::salvage_database(path, request.out);
  if (request.format == Format::json) {
    std::cout << json_text({{"file", request.out},
                            {"runs", result.runs},
                            {"evaluations", result.evaluations},
                            {"samples", result.samples},
                            {"left_out", result.left_out},
                            {"more_left_out", result.more}});
    return 0;
  }
  for (const std::string& line : result.left_out) std::cout << format("left out: {}\n", line);
  if (result.more > 0) std::cout << format("... and {} more\n", result.more);
  const auto count = [](std::int64_t number, std::string_view what) {
    return counted(static_cast<std::uint64_t>(number), what);
  };
  std::cout << format("{}: {}, {}, {}{}\n", request.out, count(result.runs, "run"),
                      count(result.evaluations, "evaluation"), count(result.samples, "sample"),
                      result.left_out.empty() ? "; nothing was left out" : "");
  return 0;
}

Command db_salvage_command() {
  return {.name = "db salvage",
          .summary = "copies the sound results of a damaged database into a new one",
          .usage = "tune db salvage [FILE] --out NEW [options]",
          .example = "  tune db salvage results.db --out saved.db\n",
          .positional = "db",
          .bind = bind_request<DbSalvageRequest, run_db_salvage>};
}

struct DbCompactRequest {
  std::string database;
  bool without_samples = false, drop_superseded = false;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    add_database_word(table, database);
    table.flag("without-samples", "drop the individual samples; medians, re-rankings and their rounds stay",
               without_samples);
    table.flag("drop-superseded", "drop evaluations that a later one of the same configuration replaced",
               drop_superseded);
    add_format_option(table, format);
  }
};

int run_db_compact(const DbCompactRequest& request) {
  const fs::path path = run::database_path(request.database);
  if (std::error_code ignored; !fs::exists(path, ignored))
    throw Error(format("there is no database {}: name another file", path.string()), Exit::no_answer);
  db::Database database(path);
  const db::CompactResult result = db::compact_database(
      database, {.without_samples = request.without_samples, .drop_superseded = request.drop_superseded});
  if (request.format == Format::json)
    std::cout << json_text({{"file", path.string()},
                            {"bytes_before", result.bytes_before},
                            {"bytes", result.bytes_after},
                            {"dropped_evaluations", result.evaluations},
                            {"dropped_samples", result.samples}});
  else
    std::cout << format("{}: {}, before {}; {} and {} dropped\n", path.string(),
                        bytes_text(static_cast<double>(result.bytes_after)),
                        bytes_text(static_cast<double>(result.bytes_before)),
                        counted(static_cast<std::uint64_t>(result.evaluations), "evaluation"),
                        counted(static_cast<std::uint64_t>(result.samples), "sample"));
  if (!result.notice.empty()) say(result.notice);
  return 0;
}

Command db_compact_command() {
  return {.name = "db compact",
          .summary = "makes a database smaller and removes the data that its options name",
          .usage = "tune db compact [FILE] [options]",
          .example = "  tune db compact results.db --drop-superseded\n",
          .positional = "db",
          .bind = bind_request<DbCompactRequest, run_db_compact>};
}

struct DbMergeRequest {
  std::vector<std::string> sources;
  std::string database;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    table.texts("source", "FILE...",
                "databases to copy everything from ('--source' may be left out); they are not changed",
                sources);
    add_database_option(table, database);
    add_format_option(table, format);
  }
};

/// Tells the result, or returns it for JSON.
ordered_json merge_one(db::Database& target, const std::string& source, Format form) {
  std::error_code ignored;
  if (fs::equivalent(source, target.path(), ignored)) {
    if (form == Format::text)
      std::cout << format("{} is the target database itself: nothing to merge\n", source);
    return {{"file", source}, {"is_target", true}};
  }
  const UnfinishedFile scratch(target.path());  // for a copy of an older database; never completed
  if (scratch.error())
    throw Error(format("cannot write beside {}: {}", target.path().string(), scratch.error().message()));
  const db::Database opened = db::open_source(source, scratch.path());
  const db::MergeResult result =
      db::merge_database(target, opened, {.file = fs::absolute(source).lexically_normal().string()});
  const auto all = [](auto count, std::string_view what) {
    return counted(static_cast<std::uint64_t>(count), what);
  };
  if (form == Format::text)
    std::cout << format("{}: added {}, {}, {} and {}; {} and {} were there already\n", source,
                        all(result.runs, "run"), all(result.evaluations, "evaluation"),
                        all(result.samples, "sample"), all(result.rerank, "re-ranked place"),
                        all(result.known_runs, "run"), all(result.known_evaluations, "evaluation"));
  std::cout.flush();
  for (const std::string& conflict : result.conflicts) say(format("{}: {}", source, conflict));
  return {{"file", source},
          {"added_runs", result.runs},
          {"added_evaluations", result.evaluations},
          {"added_samples", result.samples},
          {"added_finals", result.rerank},
          {"known_runs", result.known_runs},
          {"known_evaluations", result.known_evaluations},
          {"conflicts", result.conflicts}};
}

int run_db_merge(const DbMergeRequest& request) {
  if (request.sources.empty()) throw UsageError("name databases to merge: tune db merge FILE...");
  for (const std::string& source : request.sources) {  // a file that cannot be read is told before the work
    if (std::error_code ignored; !fs::exists(source, ignored))
      throw Error(format("{} does not exist: name a database; nothing was merged", source), Exit::no_answer);
    db::Database(source, db::OpenMode::inspect);
  }
  db::Database target(run::database_path(request.database));
  ordered_json merged = ordered_json::array();
  for (const std::string& source : request.sources)
    merged.push_back(merge_one(target, source, request.format));
  if (request.format == Format::json)
    std::cout << json_text({{"database", target.path().string()}, {"merged", merged}});
  else
    std::cout << format("into {}\n", target.path().string());
  return 0;
}

Command db_merge_command() {
  return {.name = "db merge",
          .summary = "copies everything from other databases, each result once",
          .usage = "tune db merge FILE... [--db TARGET] [options]",
          .example = "  tune db merge node1.db node2.db --db all.db\n",
          .positional = "source",
          .bind = bind_request<DbMergeRequest, run_db_merge>,
          .words = -1};
}

std::span<const Command> db_parts() {
  static const std::array<Command, 7> table = {db_info_command(),    db_check_command(), db_salvage_command(),
                                               db_compact_command(), db_merge_command(), db_export_command(),
                                               db_import_command()};
  return table;
}

}  // namespace

Command db_command() {
  return {.name = "db",
          .summary = "maintains databases: info, check, salvage, compact, merge and more",
          .usage = "tune db COMMAND [options]",
          .example =
              "  tune db info\n"
              "  tune db merge other.db\n"
              "  tune db export stencil3d --out stencil3d.db\n",
          .positional = "",
          .bind = nullptr,
          .words = 1,
          .parts = db_parts};
}

}  // namespace tune::cli
