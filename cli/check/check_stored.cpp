// SPDX-License-Identifier: Apache-2.0
#include "cli/check/check_stored.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <set>

#include "cli/input/device_choice.hpp"
#include "cli/input/options.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/output_file.hpp"
#include "cli/output/progress.hpp"
#include "db/read/queries.hpp"
#include "kernels/registry.hpp"
#include "library/run/stored_winners.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/base/units.hpp"
#include "tuner/cache/caching_compiler.hpp"
#include "tuner/problem/command_problem.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

/// Adds the stored workloads of the problem for the device, one for each size and settings.
void add_workloads(const std::shared_ptr<const Problem>& problem, const StoredDatabases& databases,
                   db::BestQuery query, std::vector<run::StoredWorkload>& workloads,
                   std::vector<run::StoredCheck>& skipped) {
  query.problem = problem->info().name;
  if (find_command(problem.get()) != nullptr) return;  // 'tune run' measures it again
  std::set<std::string> seen;
  for (db::BestCandidate& candidate : db::best(databases.all(), query)) {
    const db::Workload& workload = candidate.result.workload;
    if (candidate.match != db::Match::exact || !seen.insert(workload.size + " " + workload.settings).second)
      continue;
    const Configuration settings = Configuration::parse(workload.settings);
    try {
      Instance instance = make_instance(problem->info(), workload.size, settings.entries());
      const std::size_t database = candidate.database;
      workloads.push_back({problem, std::move(instance), std::move(candidate), database});
    } catch (const UsageError& error) {  // such as the settings of a stencil from a file
      run::StoredCheck check;
      check.instance = {query.problem, workload.extents, settings.entries()};
      check.skipped = format("the problem does not have its settings: {}", error.what());
      skipped.push_back(std::move(check));
    }
  }
}

/// Adds the workloads of the user's own kernels, by the definitions that their runs named. A problem whose
/// definition is missing is skipped with that reason.
void add_defined_workloads(const StoredDatabases& databases, const db::BestQuery& query,
                           std::vector<run::StoredWorkload>& workloads,
                           std::vector<run::StoredCheck>& skipped) {
  std::map<std::string, std::vector<std::string>> files;  // by problem
  for (const auto& database : databases.opened)
    for (const db::ProblemSummary& stored : db::list_problems(*database)) {
      if (kernels::find_problem(stored.problem) != nullptr) continue;
      std::vector<std::string>& all = files[stored.problem];
      for (std::string& file : named_definitions(*database, stored.problem)) all.push_back(std::move(file));
    }
  for (const auto& [name, definitions] : files) {
    std::string failure_reason;
    if (const auto problem = defined_problem(name, definitions, failure_reason)) {
      add_workloads(problem, databases, query, workloads, skipped);
      continue;
    }
    db::BestQuery of_it = query;
    of_it.problem = name;
    const std::vector<db::BestCandidate> found = db::best(databases.all(), of_it);
    if (found.empty() || found.front().match != db::Match::exact)
      continue;  // results of other devices, or imported
    run::StoredCheck check;
    check.instance = {name, {}, {}};
    check.skipped = failure_reason;
    skipped.push_back(std::move(check));
  }
}

std::string state_of(const run::StoredCheck& check) {
  if (!check.skipped.empty()) return "skipped";
  static constexpr std::array names = {"ok", "slower", "beaten", "failed",
                                       "unknown"};  // as RecheckVerdict::Kind
  return names.at(static_cast<std::size_t>(check.verdict.kind));
}

std::string to_text(const run::StoredCheck& check) {
  return check.skipped.empty() ? check.verdict.text : check.skipped;
}

nlohmann::ordered_json to_json(const run::StoredCheck& check) {
  nlohmann::ordered_json object = {{"problem", check.instance.problem},
                                   {"size", check.instance.size()},
                                   {"settings", json_object(check.instance.settings)},
                                   {"state", state_of(check)},
                                   {"text", to_text(check)}};
  if (!check.compared_with.empty()) object["compared_with"] = check.compared_with;
  if (!check.notice.empty()) object["notice"] = check.notice;
  const RecheckVerdict& verdict = check.verdict;
  if (verdict.seconds.median > 0)
    object["seconds"] = {
        {"median", verdict.seconds.median}, {"low", verdict.seconds.low}, {"high", verdict.seconds.high}};
  if (verdict.gain)
    object["gain"] = {
        {"median", verdict.gain->median}, {"low", verdict.gain->low}, {"high", verdict.gain->high}};
  if (verdict.stored_gain) object["stored_gain"] = *verdict.stored_gain;
  return object;
}

TestCase case_of(const run::StoredCheck& check) {
  TestCase one;
  one.group = check.instance.problem;
  one.name = check.instance.key();
  one.seconds = check.seconds;
  if (!check.compared_with.empty()) one.note = "compared with " + check.compared_with;
  if (check.verdict.bad()) one.failure = state_of(check) + ": " + to_text(check);
  if (!check.skipped.empty() || check.verdict.kind == RecheckVerdict::Kind::unknown)
    one.skipped = to_text(check);
  if (one.failure) one.skipped.reset();
  return one;
}

int finish(const std::string& junit, const std::vector<run::StoredCheck>& checks, Format form) {
  const auto bad =
      std::ranges::count_if(checks, [](const run::StoredCheck& check) { return check.verdict.bad(); });
  if (!junit.empty()) {
    std::vector<TestCase> cases;
    for (const run::StoredCheck& check : checks) cases.push_back(case_of(check));
    write_whole_file(junit, junit_xml("tune check --stored", cases));
  }
  if (form == Format::json) {
    nlohmann::ordered_json object = {{"checked", checks.size()}, {"bad", bad}};
    object["results"] = nlohmann::ordered_json::array();
    for (const run::StoredCheck& check : checks) object["results"].push_back(to_json(check));
    std::cout << json_text(object);
  } else {
    std::cout << format("{}, {} worse than recorded\n", counted(checks.size(), "stored winner"), bad);
  }
  const bool nothing = std::ranges::all_of(checks, [](const run::StoredCheck& check) {
    return !check.skipped.empty() || check.verdict.kind == RecheckVerdict::Kind::unknown;
  });
  if (nothing && !InterruptGuard::interrupted())
    throw Error("nothing was checked: no stored winner could be measured again", Exit::no_answer);
  return bad > 0 ? static_cast<int>(Exit::failure) : 0;
}

}  // namespace

std::vector<run::StoredWorkload> stored_workloads(const ProblemOptions& options,
                                                  const StoredDatabases& databases,
                                                  const DeviceProperties& device,
                                                  std::vector<run::StoredCheck>& skipped) {
  db::BestQuery query;
  query.device = db::lookup_device(device);
  std::vector<run::StoredWorkload> workloads;
  if (!options.problem.empty() || !options.size.empty() || !options.settings.empty()) {
    ProblemSelection workload = selected_problem(options);
    if (!options.size.empty()) query.extents = workload.instance.extents;
    if (!options.settings.empty()) query.settings = workload.instance.settings_key();
    add_workloads(std::move(workload.problem), databases, query, workloads, skipped);
  } else {
    for (const kernels::ProblemEntry& entry : kernels::problems())
      add_workloads(entry.make(), databases, query, workloads, skipped);
    add_defined_workloads(databases, query, workloads, skipped);
  }
  return workloads;
}

void StoredCheckOptions::add_to(OptionTable& table) {
  table.flag("stored",
             "measure the stored winners of this device again, in turns with the default configuration; exit "
             "status 1 if one is worse than recorded",
             stored);
  table
      .share("threshold", "with --stored: allowed loss, as a share of the gain over the default",
             limits.threshold)
      .by_default("3%")
      .tells(names_threshold);
  table.flag("absolute", "with --stored: also fail if the time itself is worse by more than --threshold",
             limits.absolute);
  table.text("junit", "FILE", "with --stored: write the results to FILE as JUnit XML", junit);
}

void StoredCheckOptions::check() const {
  const auto refuse = [](const char* option) {
    throw UsageError(format("--{} needs --stored: add it", option));
  };
  if (stored) return;
  if (names_threshold) refuse("threshold");
  if (limits.absolute) refuse("absolute");
  if (!junit.empty()) refuse("junit");
}

int check_stored(const StoredCheckRequest& request) {
  ProblemInfo of_device;
  if (request.device == "cpu") of_device.target = Target::cpu;
  const DeviceChoice device = chosen_device(request.device, DeviceUse::measuring_again, of_device);
  if (device.kind == DeviceChoice::Kind::replay)
    throw NoDeviceError("there is no GPU here: stored winners can only be measured again on their device");
  const auto cache = chosen_cache(request.cache);
  const std::unique_ptr<Backend> backend = cache::with_cache(open_backend(device, request.process), cache);
  StoredDatabases databases(request.database);
  std::vector<run::StoredCheck> checks;
  const std::vector<run::StoredWorkload> workloads = databases.answer([&] {
    checks.clear();
    return stored_workloads(request.problem, databases, backend->properties(), checks);
  });
  if (workloads.empty() && checks.empty())
    throw Error(format("no stored result of {} can be measured again: tune a problem first",
                       backend->properties().name),
                Exit::no_answer);
  for (const run::StoredWorkload& workload : workloads) {
    if (InterruptGuard::interrupted()) break;
    const auto sources = chosen_sources(*workload.problem, request.kernel_folder);
    checks.push_back(run::check_stored_workload(workload, *databases.opened[workload.database], *backend,
                                                *sources, request.options.limits,
                                                [] { return InterruptGuard::interrupted(); }));
    run::StoredCheck& check = checks.back();
    check.compared_with = compared_with(*workload.problem);
    if (request.format == Format::text)
      std::cout << format("{:9} {} {}: {}\n", state_of(check), check.instance.problem, check.instance.key(),
                          to_text(check))
                << (check.notice.empty() ? "" : "note: " + check.notice + "\n") << std::flush;
  }
  tell_notice(cache.get());
  return finish(request.options.junit, checks, request.format);
}

}  // namespace tune::cli
