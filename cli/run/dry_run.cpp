// SPDX-License-Identifier: Apache-2.0
#include "cli/run/dry_run.hpp"

#include "cli/input/command.hpp"
#include "cli/output/text_layout.hpp"
#include "db/read/queries.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

std::string budget_text(const Budget& budget) {
  std::vector<std::string> parts;
  if (budget.evaluations) parts.push_back(counted(*budget.evaluations, "evaluation"));
  if (budget.seconds) parts.push_back(duration_text(*budget.seconds));
  if (budget.gain) parts.push_back(format("until less than {} can be gained", percent_text(*budget.gain)));
  return parts.empty() ? std::string("the whole space") : joined(parts, {}, ", or ");
}

/// Seconds that the evaluations take which are not known yet; nothing without a budget or experience.
std::optional<double> seconds_of(const PlannedWork& work) {
  if (work.evaluations == 0) return std::nullopt;
  if (!work.budget.evaluations) return work.budget.seconds;
  const auto fresh = static_cast<double>(*work.budget.evaluations);
  const double seconds =
      fresh * std::max(work.compile / work.compilers, work.measure / static_cast<double>(work.devices));
  return work.budget.seconds ? std::min(seconds, *work.budget.seconds) : seconds;
}

}  // namespace

PlannedWork planned_work(const std::filesystem::path& path, const search::SearchSpace& space,
                         const RunRecord& record, const run::TuningRequest& tuning) {
  PlannedWork work;
  const WorkloadKey& key = record.key;
  work.work = format("{} {} on {}", key.instance.problem, key.instance.key(), key.device.name);
  work.space = space.counted() ? std::to_string(space.size()) : space.large_count();
  work.strategy = run::run_options(tuning).strategy;
  work.budget = run::budget_in(space, tuning);
  work.compilers = std::max(tuning.compilers, 1U);
  if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return work;
  const db::Database database(path, db::OpenMode::read_only);
  db::ResultFilter filter;
  filter.problem = key.instance.problem;
  filter.failures = true;
  const std::string size = key.instance.size(), settings = key.instance.settings_key();
  for (const db::ResultRow& row : db::list_results(database, filter)) {
    const db::Workload& there = row.workload;
    if (there.origin != key.origin) continue;
    work.compile += row.phases.compile;
    work.measure += row.phases.load + row.phases.verify + row.phases.measure;
    ++work.evaluations;
    if (there.size == size && there.settings == settings && there.model_key == key.device.model_key() &&
        there.cache == key.cache && there.driver == key.device.driver &&
        there.toolchain.compiler == key.toolchain.compiler &&
        there.toolchain.source_hash == key.toolchain.source_hash)
      ++work.known;
  }
  if (work.evaluations > 0) {
    work.compile /= static_cast<double>(work.evaluations);
    work.measure /= static_cast<double>(work.evaluations);
  }
  return work;
}

std::string to_text(const std::vector<PlannedWork>& works) {
  std::string text;
  for (const PlannedWork& work : works) {
    text += work.work + "\n";
    text += labelled("space", work.space.empty() ? std::string("not counted")
                                                 : format("{} valid configurations", work.space));
    if (work.devices > 1) text += labelled("devices", format("{} share the search", work.devices));
    text += labelled("strategy", work.strategy);
    text += labelled("budget", budget_text(work.budget));
    text += labelled("known", format("{} of this workload are stored", counted(work.known, "configuration")));
    const std::optional<double> seconds = seconds_of(work);
    text += labelled(
        "time", wrapped(work.evaluations == 0
                            ? std::string("unknown: the database has no evaluation of this problem")
                            : format("{}by {} of this problem: {} to compile one with {}, {} to check and "
                                     "measure it",
                                     seconds ? format("about {}, ", duration_text(*seconds)) : std::string(),
                                     counted(work.evaluations, "evaluation"), duration_text(work.compile),
                                     counted(work.compilers, "compiler"), duration_text(work.measure)),
                        label_column));
  }
  if (works.size() > 1) {
    double all = 0;
    std::size_t unknown = 0;
    for (const PlannedWork& work : works) {
      const std::optional<double> seconds = seconds_of(work);
      all += seconds.value_or(0);
      unknown += seconds ? 0 : 1;
    }
    text += format("{} works: {}{}\n", works.size(),
                   unknown == works.size() ? std::string("time unknown") : "about " + duration_text(all),
                   unknown == 0 || unknown == works.size()
                       ? std::string()
                       : format(", and the time of {}", counted(unknown, "work")));
  }
  if (const ProjectUse& project = project_use(); !project.words.empty())
    text += labelled("options", wrapped(format("from {}: {}", project.path.string(),
                                               joined(project.words, shell_quoted, " ")),
                                        label_column));
  return text + "nothing was measured or stored: leave out --dry-run to begin\n";
}

std::string to_json(const std::vector<PlannedWork>& works) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json all = Json::array();
  for (const PlannedWork& work : works)
    all.push_back({{"work", work.work},
                   {"space", work.space.empty() ? Json() : Json(work.space)},
                   {"devices", work.devices},
                   {"strategy", work.strategy},
                   {"budget_evaluations", or_null(work.budget.evaluations)},
                   {"budget_seconds", or_null(work.budget.seconds)},
                   {"known_configurations", work.known},
                   {"stored_evaluations", work.evaluations},
                   {"compile_seconds", work.compile},
                   {"measure_seconds", work.measure},
                   {"expected_seconds", or_null(seconds_of(work))}});
  const ProjectUse& project = project_use();
  return json_text({{"dry_run", true},
                    {"project_file", project.path.empty() ? Json() : Json(project.path.string())},
                    {"project_options", project.words},
                    {"works", all}});
}

}  // namespace tune::cli
