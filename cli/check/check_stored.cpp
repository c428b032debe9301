// SPDX-License-Identifier: Apache-2.0
#include "cli/check/check_stored.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "cli/input/best_databases.hpp"
#include "cli/input/cache_choice.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/measure_choice.hpp"
#include "cli/input/open_backend.hpp"
#include "cli/input/options.hpp"
#include "cli/input/stored_definition.hpp"
#include "cli/input/work_choice.hpp"
#include "cli/output/interrupt.hpp"
#include "cli/output/json_text.hpp"
#include "cli/output/junit.hpp"
#include "cli/output/output_file.hpp"
#include "cli/output/text_layout.hpp"
#include "db/read/queries.hpp"
#include "kernels/registry.hpp"
#include "search/space/search_space.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/cache/cached_backend.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

namespace tune::cli {
namespace {

constexpr const char* default_threshold = "3%";

/// Of what is stored for the device: one for each size and settings of a problem.
void add_works(const std::shared_ptr<const Problem>& problem, const StoredDatabases& databases,
               db::BestQuery query, std::vector<StoredWork>& works, std::vector<StoredCheck>& skipped) {
  query.problem = problem->info().name;
  std::set<std::string> seen;
  for (db::Candidate& candidate : db::best(databases.all(), query)) {
    const db::WorkInfo& work = candidate.result.work;
    if (candidate.match != db::Match::exact || !seen.insert(work.size + " " + work.settings).second) continue;
    const Configuration settings = Configuration::parse(work.settings);
    try {
      Instance instance = make_instance(problem->info(), work.size, settings.entries());
      const std::size_t database = candidate.database;
      works.push_back({problem, std::move(instance), std::move(candidate), database});
    } catch (const UsageError& error) {  // of a stencil that was read from a file, for one
      StoredCheck check;
      check.instance = {query.problem, work.extents, settings.entries()};
      check.skipped = format("its settings are not known here: {}", error.what());
      skipped.push_back(std::move(check));
    }
  }
}

/// Works of kernels of a person's own: by the definitions that their runs named. What cannot be checked for
/// want of one is told.
void add_defined_works(const StoredDatabases& databases, const db::BestQuery& query,
                       std::vector<StoredWork>& works, std::vector<StoredCheck>& skipped) {
  std::map<std::string, std::vector<std::string>> files;  // by problem
  for (const auto& database : databases.opened)
    for (const db::ProblemSummary& stored : db::list_problems(*database)) {
      if (std::ranges::find(kernels::problems(), stored.problem, &kernels::ProblemEntry::name) !=
          kernels::problems().end())
        continue;
      std::vector<std::string>& all = files[stored.problem];
      for (std::string& file : named_definitions(*database, stored.problem)) all.push_back(std::move(file));
    }
  for (const auto& [name, definitions] : files) {
    std::string why_not;
    if (const auto problem = defined_problem(name, definitions, why_not)) {
      add_works(problem, databases, query, works, skipped);
      continue;
    }
    db::BestQuery of_it = query;
    of_it.problem = name;
    const std::vector<db::Candidate> found = db::best(databases.all(), of_it);
    if (found.empty() || found.front().match != db::Match::exact) continue;  // of other devices, or imported
    StoredCheck check;
    check.instance = {name, {}, {}};
    check.skipped = why_not;
    skipped.push_back(std::move(check));
  }
}

std::vector<StoredWork> chosen_works(const po::variables_map& values, const StoredDatabases& databases,
                                     const DeviceFacts& device, std::vector<StoredCheck>& skipped) {
  db::BestQuery query;
  query.device = db::lookup_device(device);
  std::vector<StoredWork> works;
  if (values.count("problem") > 0 || values.count("size") > 0 || values.count("set") > 0) {
    WorkChoice work = chosen_work(values);
    if (values.count("size") > 0) query.extents = work.instance.extents;
    if (values.count("set") > 0) query.settings = work.instance.settings_key();
    add_works(std::move(work.problem), databases, query, works, skipped);
  } else {
    for (const kernels::ProblemEntry& entry : kernels::problems())
      add_works(entry.make(), databases, query, works, skipped);
    add_defined_works(databases, query, works, skipped);
  }
  return works;
}

std::string state_of(const StoredCheck& check) {
  if (!check.skipped.empty()) return "skipped";
  switch (check.verdict.kind) {
    case Verdict::Kind::ok:
      return "ok";
    case Verdict::Kind::lost:
      return "slower";
    case Verdict::Kind::beaten:
      return "beaten";
    case Verdict::Kind::failed:
      return "failed";
    case Verdict::Kind::unknown:
      break;
  }
  return "unknown";
}

std::string text_of(const StoredCheck& check) {
  return check.skipped.empty() ? check.verdict.text : check.skipped;
}

nlohmann::ordered_json json_of(const StoredCheck& check) {
  nlohmann::ordered_json object = {{"problem", check.instance.problem},
                                   {"size", check.instance.size()},
                                   {"settings", json_object(check.instance.settings)},
                                   {"state", state_of(check)},
                                   {"text", text_of(check)}};
  const Verdict& verdict = check.verdict;
  if (verdict.seconds.median > 0)
    object["seconds"] = {
        {"median", verdict.seconds.median}, {"low", verdict.seconds.low}, {"high", verdict.seconds.high}};
  if (verdict.gain)
    object["gain"] = {
        {"median", verdict.gain->median}, {"low", verdict.gain->low}, {"high", verdict.gain->high}};
  if (verdict.stored_gain) object["stored_gain"] = *verdict.stored_gain;
  return object;
}

TestCase case_of(const StoredCheck& check) {
  TestCase one;
  one.group = check.instance.problem;
  one.name = check.instance.key();
  one.seconds = check.seconds;
  if (check.verdict.bad()) one.failure = state_of(check) + ": " + text_of(check);
  if (!check.skipped.empty() || check.verdict.kind == Verdict::Kind::unknown) one.skipped = text_of(check);
  if (one.failure) one.skipped.reset();
  return one;
}

int finish(const po::variables_map& values, const std::vector<StoredCheck>& checks, Format form) {
  const auto bad =
      std::ranges::count_if(checks, [](const StoredCheck& check) { return check.verdict.bad(); });
  if (values.count("junit") > 0) {
    std::vector<TestCase> cases;
    for (const StoredCheck& check : checks) cases.push_back(case_of(check));
    write_whole_file(values["junit"].as<std::string>(), junit_xml("tune check --stored", cases));
  }
  if (form == Format::json) {
    nlohmann::ordered_json object = {{"checked", checks.size()}, {"bad", bad}};
    object["results"] = nlohmann::ordered_json::array();
    for (const StoredCheck& check : checks) object["results"].push_back(json_of(check));
    std::cout << json_text(object);
  } else {
    std::cout << format("{}, {} worse than recorded\n", counted(checks.size(), "stored winner"), bad);
  }
  return bad > 0 ? static_cast<int>(Exit::failure) : 0;
}

}  // namespace

void add_stored_check_options(po::options_description& options) {
  options.add_options()  //
      ("stored", po::bool_switch(),
       "measures the stored winners of this device again, in turns with the default configuration; fails "
       "where one "
       "is worse than recorded")  //
      ("threshold", po::value<std::string>()->default_value(default_threshold)->value_name("S"),
       "stored: how much of the gain over the default may be lost")                                //
      ("absolute", po::bool_switch(), "stored: the time itself must not be worse by more either")  //
      ("junit", po::value<std::string>()->value_name("FILE"), "stored: writes the results as JUnit's XML");
}

bool wants_stored_check(const po::variables_map& values) {
  const bool stored = values["stored"].as<bool>();
  for (const char* option : {"threshold", "absolute", "junit"})
    if (!stored && values.count(option) > 0 && !values[option].defaulted())
      throw UsageError(format("--{} belongs to --stored: add that", option));
  return stored;
}

Result<StoredWinner> stored_winner(const StoredWork& work, const db::Database& database,
                                   const DeviceFacts& device) {
  const db::ResultRow& result = work.candidate.result;
  const search::SearchSpace space(work.problem->space(work.instance, device));
  if (!space.find(result.configuration))
    return fail(Phase::constraint, "not valid any more", space.explain(result.configuration));
  StoredWinner stored;
  stored.configuration = result.configuration;
  stored.seconds = *result.time;
  const auto plain = space.default_configuration();
  if (!plain || space.at(*plain) == result.configuration) return stored;
  stored.plain = space.at(*plain);
  db::ResultFilter filter;
  filter.work = result.work.id;
  for (const db::ResultRow& row : db::list_results(database, filter))
    if (row.configuration == *stored.plain) stored.plain_seconds = row.time;
  return stored;
}

StoredCheck check_stored_work(const StoredWork& work, const db::Database& database, Backend& backend,
                              const KernelSources& sources, const RecheckLimits& limits,
                              const std::function<bool()>& stop) {
  const Stopwatch watch;
  StoredCheck check;
  check.instance = work.instance;
  const Result<StoredWinner> stored = stored_winner(work, database, backend.facts());
  if (!stored) {
    Recheck invalid;
    invalid.failure = stored.error();
    check.verdict = judge({}, invalid, limits);
    return check;
  }
  DeviceEvaluator evaluator(*work.problem, work.instance, backend, sources);
  check.verdict = judge(*stored, measure_again(*stored, evaluator, stop), limits);
  check.seconds = watch.seconds();
  return check;
}

int check_stored(const po::variables_map& values) {
  const Format form = chosen_format(values);
  const RecheckLimits limits = {chosen_share(text_of(values, "threshold"), "threshold"),
                                values["absolute"].as<bool>()};
  const DeviceChoice device = chosen_device(values, DeviceUse::measuring_again);
  if (device.kind != DeviceChoice::Kind::cuda)
    throw Error("no GPU runs the kernels here: stored winners can only be measured again on their device");
  const auto cache = chosen_cache(values);
  const std::unique_ptr<Backend> backend = cache::with_cache(open_backend(device.number, values), cache);
  StoredDatabases databases(values);
  std::vector<StoredCheck> checks;
  const std::vector<StoredWork> works = databases.answer([&] {
    checks.clear();
    return chosen_works(values, databases, backend->facts(), checks);
  });
  if (works.empty() && checks.empty())
    throw Error(format("nothing is stored of {} that could be measured again", backend->facts().name),
                Exit::no_answer);
  for (const StoredWork& work : works) {
    if (InterruptGuard::interrupted()) break;
    const auto sources = chosen_sources(values, *work.problem);
    checks.push_back(check_stored_work(work, *databases.opened[work.database], *backend, *sources, limits,
                                       [] { return InterruptGuard::interrupted(); }));
    const StoredCheck& check = checks.back();
    if (form == Format::text)
      std::cout << format("{:9} {} {}: {}\n", state_of(check), check.instance.problem, check.instance.key(),
                          text_of(check))
                << std::flush;
  }
  tell_notice(cache.get());
  return finish(values, checks, form);
}

}  // namespace tune::cli
