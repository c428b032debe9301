// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/database/db_command.hpp"
#include "cli/input/options.hpp"
#include "cli/input/paths.hpp"
#include "cli/output/json_text.hpp"
#include "cli/output/text_layout.hpp"
#include "db/maintain/info.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {
namespace {

using nlohmann::ordered_json;

po::options_description db_info_options() {
  po::options_description all;
  add_database_word(all);
  add_format_option(all);
  return all;
}

std::string row(const std::string& label, const std::string& text) {
  return text.empty() ? std::string() : format("{:<12}{}\n", label, text);
}

std::string plural(std::int64_t count, const std::string& one) {
  return format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string schema_text(const db::DatabaseInfo& info) {
  if (info.schema == info.program_schema) return format("{}, the newest", info.schema);
  return format("{}; this program writes {}, and brings the file up to date when it writes to it",
                info.schema, info.program_schema);
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
    text += row(text.empty() ? label : "", format("{:>9}  {}", count.evaluations, count.name));
  return text;
}

std::string to_text(const db::DatabaseInfo& info, const std::string& path) {
  const auto bytes = [](std::int64_t pages, std::int64_t size) {
    return bytes_text(static_cast<double>(pages) * static_cast<double>(size));
  };
  std::string text = row("file", path);
  text += row("schema", schema_text(info));
  text += row("size", format("{}, of which {} free{}", bytes_text(static_cast<double>(info.bytes)),
                             bytes(info.free_pages, info.page_size),
                             info.free_pages * 4 > info.pages ? ": 'tune db compact' gives it back" : ""));
  text += row("log", log_text(info));
  text += row("holds",
              format("{} at {}, {}, {}", plural(info.problems, "problem"), plural(info.instances, "size"),
                     plural(info.devices, "device model"), plural(info.workloads, "work")));
  text += row("runs", format("{}{}{}", info.runs,
                             info.unended_runs > 0 ? format(", {} killed or running", info.unended_runs) : "",
                             info.rerank > 0 ? format(", {} with finals", info.rerank) : ""));
  text += row("evaluations", format("{}: {} failed, {} replaced by later ones; {}", info.evaluations,
                                    info.failures, info.superseded, plural(info.samples, "sample")));
  if (!info.last.empty())
    text += row("recorded", info.first.empty() || info.first == info.last
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

int run_db_info(const po::variables_map& values) {
  const Format form = chosen_format(values);
  const db::Database database(database_path(option_text(values, "db")), db::OpenMode::inspect);
  const db::DatabaseInfo info = db::database_info(database);
  const std::string path = database.path().string();
  std::cout << (form == Format::json ? to_json(info, path) : to_text(info, path));
  return 0;
}

}  // namespace

Command db_info_command() {
  return {.name = "db info",
          .summary = "shows what a database is and holds",
          .usage = "tune db info [FILE] [options]",
          .example = "  tune db info results.db\n",
          .positional = "db",
          .options = db_info_options,
          .run = run_db_info};
}

}  // namespace tune::cli
