// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <set>

#include "cli/best/best_formats.hpp"
#include "cli/best/best_tables.hpp"
#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/dumped_sources.hpp"
#include "cli/input/options.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/text_layout.hpp"
#include "db/read/best.hpp"
#include "db/read/queries.hpp"
#include "db/read/ranked.hpp"
#include "kernels/registry.hpp"
#include "library/run/gpu.hpp"
#include "library/run/tuning_run.hpp"
#include "reports/data/result.hpp"
#include "reports/data/wording.hpp"
#include "reports/header.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/command_problem.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The record that was chosen for a question, and where it lies.
struct BestAnswer {
  const ProblemSelection& selection;
  const db::BestCandidate& candidate;
  std::filesystem::path database;
  bool shipped;  ///< from a recording that came with the program
  Objective objective;
  std::vector<FrontMember> front;  ///< of the workload, where a front is asked for
  const KernelSources& sources;    ///< of the problem
};

LaunchPlan plan_of(const BestAnswer& answer) {
  if (find_command(answer.selection.problem.get()) != nullptr)
    throw UsageError(
        format("--format: {} is a command and has no macros: text, json, env, cmake, python and "
               "rust print its parameters",
               answer.selection.instance.problem));
  Result<LaunchPlan> plan = answer.selection.problem->plan(
      answer.selection.instance, answer.candidate.result.configuration, answer.sources);
  if (!plan)
    throw Error(format("the stored configuration cannot be used at {}: {}", answer.selection.instance.size(),
                       plan.error().detail));
  return std::move(*plan);
}

/// The commands of the configuration, by what they do; empty for a problem with a kernel.
std::vector<std::pair<std::string, CommandPlan::Words>> commands_of(const BestAnswer& answer) {
  const HasCommand* const problem = find_command(answer.selection.problem.get());
  if (problem == nullptr) return {};
  const CommandPlan plan = problem->command(answer.selection.instance, answer.candidate.result.configuration);
  std::vector<std::pair<std::string, CommandPlan::Words>> all;
  if (!plan.build.empty()) all.emplace_back("build", plan.build);
  all.emplace_back("run", plan.run);
  return all;
}

Metrics metrics_of(const BestAnswer& answer) {
  return reports::metrics_of(*answer.selection.problem, answer.selection.instance,
                             reports::shown(answer.candidate.result));
}

std::string objective_text(const Objective& objective, double value) {
  if (objective.of_front() != nullptr)
    return format("{}: of this front, the one with the smallest product", to_string(objective));
  if (const MetricObjective* metric = objective.of_metric())
    return format("{} {}: the {} stored value", metric->name, objective.value_text(value),
                  metric->maximised ? "largest" : "smallest");
  return format("{} per execution: the smallest {} stored", objective.value_text(value),
                to_string(objective));
}

/// For people: configuration, time, and why this record was chosen.
std::string best_text(const BestAnswer& answer) {
  const auto& [selection, candidate, database, shipped, objective, front, sources] = answer;
  const db::ResultRow& result = candidate.result;
  const std::string& recorded_size = result.workload.size;
  std::string text =
      format("{} {} on {}{}\n", selection.instance.problem, selection.instance.key(), result.workload.device,
             result.workload.origin == Origin::imported ? " (imported)" : "");
  std::vector<std::string> lines = reports::result_texts(reports::shown(result));
  if (recorded_size != selection.instance.size()) lines.front() += format("  (at {})", recorded_size);
  if (objective != Objective::time) lines.push_back(objective_text(objective, candidate.value));
  for (const auto& [name, value] : metrics_of(answer)) lines.push_back(format("{}: {:.6g}", name, value));
  text += labelled("best", lines);
  for (const auto& [name, command] : commands_of(answer))
    text += labelled(name, joined(command, shell_quoted, " "));
  std::vector<std::string> members;
  for (const FrontMember& member : front)
    members.push_back(format("{}: {}", values_text(member.values, objective), member.configuration.key()));
  if (!members.empty()) text += labelled("front", members);
  std::vector<reports::Tie> ties;
  if (front.empty())
    for (const db::ResultRow& tie : candidate.ties) ties.push_back({tie.rerank->ratio, tie.configuration});
  if (!ties.empty()) text += labelled("ties", reports::ties_lines(ties, ties.size()));
  text += labelled("chosen", wrapped(candidate.reason, label_column));
  text += labelled("measured",
                   wrapped(format("with {}, driver {}; {} measured", result.workload.toolchain.compiler,
                                  result.workload.driver,
                                  counted(static_cast<std::uint64_t>(candidate.measured), "configuration")),
                           label_column));
  text += labelled("from", database.string());
  text += labelled("", format("run {}, {}", result.run, time_of_day(result.recorded)));
  if (shipped)
    text += labelled(
        "", wrapped("a recording that ships with tune: your database has no better match", label_column));
  return text;
}

Json winner_json(const db::BestCandidate& candidate) {
  if (!candidate.result.rerank) return nullptr;
  Json object = reports::result_json(reports::shown(candidate.result),
                                     {"run", "rounds", "low_seconds", "high_seconds", "confidence"});
  object["ties"] = Json::array();
  for (const db::ResultRow& tie : candidate.ties)
    object["ties"].push_back(reports::result_json(
        reports::shown(tie), {"configuration", "seconds", "ratio", "low_ratio", "high_ratio"}));
  return object;
}

/// One object; times in seconds.
std::string best_json(const BestAnswer& answer) {
  const db::ResultRow& result = answer.candidate.result;
  Json object = reports::instance_json(answer.selection.instance);
  object.update(reports::result_json(reports::shown(result), {"configuration", "seconds"}));
  if (!answer.front.empty()) object["front"] = reports::front_json(answer.front, answer.objective);
  object.update(
      {{"objective", to_string(answer.objective)},
       {"value", answer.objective.shown(answer.candidate.value)},
       {"share_of_limit", result.amount.limit / *result.time},
       {"finals", winner_json(answer.candidate)},
       {"match", lookup::to_string(answer.candidate.match)},
       {"loss", loss_json(answer.candidate)},
       {"why", answer.candidate.reason},
       {"recorded_size", result.workload.size},
       {"device", result.workload.device},
       {"origin", to_string(result.workload.origin)},
       {"model_key", result.workload.model_key},
       {"driver", result.workload.driver},
       {"compiler", result.workload.toolchain.compiler},
       {"source_hash", result.workload.toolchain.source_hash},
       {"recorded", result.recorded},
       {"power_limit_watts", result.board.power_limit > 0 ? Json(result.board.power_limit) : Json()},
       {"board_difference", answer.candidate.board_difference},
       {"run", result.run},
       {"database", answer.database.string()},
       {"shipped", answer.shipped}});
  if (result.timing)
    for (const auto& [name, value] : result.timing->metrics) object["metrics"][name] = value;
  for (const auto& [name, value] : metrics_of(answer)) object["metrics"][name] = value;
  for (const auto& [name, command] : commands_of(answer)) object["commands"][name] = command;
  return json_text(object);
}

/// One line of `-DNAME=VALUE`, quoted for a shell: the macros that the problem's kernel file is compiled
/// with.
std::string best_flags(const BestAnswer& answer) {
  std::vector<std::string> options;
  for (const auto& [name, value] : plan_of(answer).compile.defines)
    options.push_back(shell_quoted(format("-D{}={}", name, value)));
  return joined(options, {}, " ") + "\n";
}

std::string best_header(const BestAnswer& answer) {
  return reports::best_header(answer.selection.instance, answer.candidate, plan_of(answer));
}

enum class BestForm { text, json, flags, header, env, cmake, python, rust, nvcc };

using BestRenderer = std::string (*)(const BestFacts&);

/// Null for a form that needs more than the facts.
BestRenderer renderer_of(BestForm form) {
  switch (form) {
    case BestForm::env:
      return best_env;
    case BestForm::cmake:
      return best_cmake;
    case BestForm::python:
      return best_python;
    case BestForm::rust:
      return best_rust;
    case BestForm::nvcc:
      return best_nvcc;
    default:
      return nullptr;
  }
}

/// The options; empty members were not given.
struct BestRequest {
  ProblemOptions problem;
  std::string device;
  CacheState cache = CacheState::cold;
  std::optional<Objective> objective = std::nullopt;
  bool imported = false, portfolio = false;
  double loss = 0;
  bool names_loss = false;
  std::string sources_folder, database;
  BestForm form = BestForm::text;
  std::uint64_t top = 1;
  std::vector<std::string> columns;
  bool explain = false;

  void add_to(OptionTable& table);
};

void BestRequest::add_to(OptionTable& table) {
  problem.add_to(table);
  table.text(
      "device", "D",
      "number of a GPU, or a part of a device's name as 'tune list devices' shows it; default: the first GPU, or any device if there is no GPU",
      device);
  add_cache_state_option(table, "state of the caches when an execution starts: cold or warm", cache);
  add_objective_option(
      table,
      "the figure to minimise: time, energy, edp (energy times time), or a metric: min:METRIC, max:METRIC; energies "
      "must be stored; default: that of the definition, else time",
      objective);
  table.flag("imported", "answer with imported results of other programs ('tune db import')", imported);
  table.flag(
      "portfolio",
      "with --format header: write the fewest configurations that serve all recorded devices and sizes and "
      "lose at most --loss",
      portfolio);
  table
      .add("loss", "S", "with --portfolio: largest loss of speed against the best of each recorded workload",
           [this](const std::string& text) {  // 0: each workload is served by its best
             loss = text == "0" || text == "0%" ? 0 : parse_share(text, "loss");
           })
      .by_default("5%")
      .tells(names_loss);
  table.count("top", "N", "list the N best configurations of the record; default: 1", top, 1);
  add_columns_option(table, {"time", "against_the_best", "configuration"}, columns);
  table.flag("explain", "list the records considered, the nearest first, each with its reason", explain)
      .also("near");
  add_keep_sources_option(table, "this configuration", sources_folder);
  add_database_option(table, database);
  table
      .choice<BestForm>(
          "format", "FORMAT",
          "text, json, flags (-D options), nvcc (its arguments, with --keep-sources), header (C++), "
          "or cmake, env (for a shell), python, rust: parameters, source, grid and block",
          {{"text", BestForm::text},
           {"json", BestForm::json},
           {"flags", BestForm::flags},
           {"header", BestForm::header},
           {"nvcc", BestForm::nvcc},
           {"cmake", BestForm::cmake},
           {"env", BestForm::env},
           {"python", BestForm::python},
           {"rust", BestForm::rust}},
          form)
      .by_default("text");
}

/// A query with the device that the option names, or the first GPU.
db::BestQuery device_query(const std::string& text, const StoredDatabases& databases) {
  db::BestQuery query;
  const DeviceName named = parse_device(text);
  if (named.kind == DeviceName::Kind::none || named.kind == DeviceName::Kind::cuda) {
    if (!text.empty()) run::check_device(named.number, "name a device that 'tune list devices' shows");
    const std::vector<DeviceProperties> devices = cuda::list_devices(nullptr);
    if (!devices.empty()) query.device = db::lookup_device(devices[static_cast<std::size_t>(named.number)]);
    return query;
  }
  std::vector<std::string> names;
  for (const db::Database* database : databases.all())
    for (const db::DeviceSummary& device : db::list_devices(*database)) names.push_back(device.name);
  query.device.name = stored_device(text, names, {}).value_or(text);
  return query;
}

/// Makes the candidate valid at the requested size (an unpadded array may not allow the vectors of another
/// size): keeps the recorded configuration if it is, else takes the fastest valid one of the same record.
/// False where there is none.
bool make_valid(const ProblemSelection& selection, const db::BestQuery& query, const db::Database& database,
                db::BestCandidate& candidate) {
  if (candidate.match == db::Match::exact && query.origin != Origin::imported) return true;
  std::string architecture = query.device.compute_major > 0
                                 ? format("sm_{}{}", query.device.compute_major, query.device.compute_minor)
                                 : candidate.result.workload.architecture;
  const std::span known = known_architectures();
  if (std::ranges::find(known, architecture) == known.end()) {
    if (query.origin != Origin::imported) return true;  // its plan still refuses what is impossible
    architecture = "sm_90";                             // the widest limits refuse nothing that ran there
  }
  const search::SearchSpace space(
      selection.problem->space(selection.instance, architecture_properties(architecture)));
  return db::make_valid(candidate, database, query,
                        [&](const Configuration& configuration) { return space.allows(configuration); });
}

/// The question that the options ask.
struct Question {
  const BestRequest& request;
  StoredDatabases& databases;
  ProblemSelection selection = {};
  bool stored = false;  ///< a database has the problem, the program does not
  db::BestQuery query = {};
};

/// The file of the definition of a problem that only a database has. Throws Error with the reason where it
/// cannot be measured here.
std::string named_file(const Question& question, const std::string& text) {
  const std::string& name = question.selection.instance.problem;
  std::set<std::string> sizes;
  bool imported = true;
  for (const db::Database* database : question.databases.all()) {
    if (const auto files = named_definitions(*database, name); !files.empty()) return files.front();
    for (const db::RunSummary& run : db::list_runs(*database, {.problem = name})) {
      imported = imported && run.workload.origin == Origin::imported;
      sizes.insert(run.workload.size);
    }
  }
  if (!imported) throw Error(format("{}; the program that defines it can measure it", text), Exit::no_answer);
  sizes.erase("");
  if (sizes.empty())
    throw Error(format("{} measured by tune, but imported ones: --imported answers with them", text),
                Exit::no_answer);
  throw Error(format("{} measured by tune, but imported ones of size {}: --imported answers with them", text,
                     joined(sizes)),
              Exit::no_answer);
}

/// The command that measures what the user asked for.
std::string measuring_command(const Question& question, const std::string& text) {
  const Instance& instance = question.selection.instance;
  ProblemOptions asked = question.request.problem;
  if (question.stored && asked.stencil.empty()) asked.problem = named_file(question, text);
  asked.size = instance.size();
  asked.settings.clear();
  const std::vector<std::string>& fixed = question.selection.settings_of_file;
  for (const auto& one : instance.settings)
    if (std::ranges::find(fixed, one.first) == fixed.end()) asked.settings.push_back(one);
  return "tune " + work_options(asked, question.query.cache, question.query.objective);
}

/// True where this question would be answered if replayed results counted.
bool has_replayed(const Question& question) {
  return std::ranges::any_of(question.databases.all(), [&](const db::Database* database) {
    const auto runs = db::list_runs(*database, {.problem = question.selection.instance.problem});
    return std::ranges::any_of(runs, [&](const db::RunSummary& run) {
      return run.workload.origin == Origin::replayed && run.workload.cache == question.query.cache &&
             run.workload.settings == question.selection.instance.settings_key() &&
             (question.query.device.name.empty() || run.workload.device == question.query.device.name);
    });
  });
}

/// Empty where there are none, or they are asked for.
std::string hint_of_imported(const Question& question) {
  const std::string& problem = question.selection.instance.problem;
  const bool any = std::ranges::any_of(question.databases.all(), [&](const db::Database* database) {
    return db::has_imported(*database, problem);
  });
  if (!any || question.request.imported) return {};
  return format("; there are imported results of {}: --imported answers with them", problem);
}

[[noreturn]] void no_answer(const Question& question, const std::vector<db::BestCandidate>& others) {
  const auto& [request, databases, selection, stored, query] = question;
  std::string text =
      format("no {}result of {}", request.imported ? "imported " : "", selection.instance.problem);
  if (!selection.instance.settings.empty()) text += " " + selection.instance.settings_key();
  if (query.objective.needs_energy())
    text += " with energies";
  else if (query.objective != Objective::time)
    text += format(" with {}", name_of(query.objective));
  if (query.cache == CacheState::warm) text += " with warm caches";
  const std::string& device = query.device.name;
  if (!device.empty()) text += format(" on {}", device);
  if (has_replayed(question)) text += " that was measured (replayed results are never returned)";
  std::vector<std::string> devices;
  for (const db::BestCandidate& other : others) devices.push_back(other.result.workload.device);
  const auto nearest = device.empty() ? std::nullopt : search::nearest_name(device, devices);
  if (nearest && *nearest != device)
    throw Error(format("{}; did you mean '{}'?", text, *nearest), Exit::no_answer);
  if (!others.empty()) {
    const db::ResultRow& other = others.front().result;
    text += format(" that fits (there is one of {} on {})", other.workload.size, other.workload.device);
  }
  if (request.imported) throw Error(format("{}; 'tune db import FILE' imports some", text), Exit::no_answer);
  throw Error(
      format("{}; to get one: {}{}", text, measuring_command(question, text), hint_of_imported(question)),
      Exit::no_answer);
}

/// Prints the header for all devices and sizes, or for those of --device.
void print_portfolio(Question& question) {
  const double bound = question.request.loss;
  if (question.request.device.empty()) question.query.device = {};
  const db::Portfolio portfolio = db::portfolio(question.databases.all(), question.query, bound);
  if (portfolio.workloads.empty()) no_answer(question, {});
  const ProblemSelection& selection = question.selection;
  std::cout << reports::portfolio_header(selection.problem->info(), selection.instance, portfolio, bound);
}

/// The problem of the question. A name that the program does not have may be one that a database has
/// (`stored`): a problem that was defined in another program.
ProblemSelection asked_problem(const ProblemOptions& options, const StoredDatabases& databases,
                               bool& stored) {
  const std::string& name = options.problem;
  stored = false;
  if (kernels::find_problem(name) != nullptr || name.empty() || !options.stencil.empty())
    return selected_problem(options);
  ProblemSelection selection;
  selection.problem = stored_problem(databases.all(), name);
  if (!selection.problem) return selected_problem(options);
  stored = true;
  selection.instance = make_instance(selection.problem->info(), options.size, options.settings);
  return selection;
}

/// The best configurations of the answer's record that are valid at the size.
std::vector<db::ResultRow> top_of(const Question& question, const db::BestCandidate& chosen) {
  const db::Database& database = *question.databases.opened[chosen.database];
  std::vector<db::ResultRow> top;
  for (db::ResultRow& row : db::ranked_results(database, chosen.result.workload.id, question.query)) {
    if (top.size() == question.request.top) break;
    db::BestCandidate other = chosen;
    const Configuration configuration = row.configuration;
    other.replace_by(row, question.query);
    if (!question.stored && (!make_valid(question.selection, question.query, database, other) ||
                             other.result.configuration != configuration))
      continue;
    top.push_back(std::move(row));
  }
  return top;
}

/// Where nothing is recorded for a device of that name, the configuration that loses least everywhere.
std::vector<db::BestCandidate> guess(const Question& question) {
  const db::BestQuery& asked = question.query;
  if (asked.device.name.empty() || asked.device.compute_major > 0 || question.request.imported) return {};
  std::vector<std::string> names;
  for (const db::Database* database : question.databases.all())
    for (const db::DeviceSummary& device : db::list_devices(*database)) names.push_back(device.name);
  if (std::ranges::find(names, asked.device.name) != names.end() ||
      search::nearest_name(asked.device.name, names))
    return {};
  db::BestQuery query = asked;
  query.guess = true;
  std::vector<db::BestCandidate> all =
      db::best(question.databases.all(), query, [&](db::BestCandidate& candidate) {
        return candidate.match == db::Match::portfolio &&
               (question.stored || make_valid(question.selection, query,
                                              *question.databases.opened[candidate.database], candidate));
      });
  if (all.empty() || all.back().match != db::Match::portfolio) return {};
  std::string loss;
  if (all.back().loss)
    loss = format(", expected to lose {}, at worst {}", percent_text(all.back().loss->expected),
                  percent_text(all.back().loss->worst));
  say(format("no results of a device '{}': this is a guess{}", asked.device.name, loss));
  return all;
}

void print_best(const Question& question, const KernelSources& sources) {
  const auto& [request, databases, selection, stored, query] = question;
  bool answered = false;
  std::vector<db::BestCandidate> all = db::best(databases.all(), query, [&](db::BestCandidate& candidate) {
    return answered =
               candidate.match != db::Match::none &&
               (question.stored || make_valid(question.selection, question.query,
                                              *question.databases.opened[candidate.database], candidate));
  });
  if (!answered) {
    std::vector<db::BestCandidate> guessed = guess(question);
    if (guessed.empty()) no_answer(question, all);
    all = std::move(guessed);
  }
  const db::BestCandidate& chosen = all.back();
  const db::Database& database = *databases.opened[chosen.database];
  std::vector<FrontMember> front;
  if (query.objective.of_front() != nullptr)
    front = db::front_among(database,
                            db::ranked_of_workload(database, chosen.result.workload.id, query.objective));
  const BestAnswer answer{
      selection,       chosen,           database.path(), chosen.database >= databases.own,
      query.objective, std::move(front), sources};
  std::filesystem::path kept;
  if (const auto dumped =
          chosen_dumped_sources(request.sources_folder, *selection.problem, selection.instance, sources))
    kept = dumped->keep(chosen.result.configuration);
  if (const BestRenderer render = renderer_of(request.form)) {
    const bool has_none = request.form != BestForm::nvcc && find_command(selection.problem.get()) != nullptr;
    const LaunchPlan plan = has_none ? LaunchPlan{} : plan_of(answer);
    const db::Workload& workload = chosen.result.workload;
    std::cout << render({selection.instance, workload.device, workload.architecture,
                         chosen.result.configuration, plan, kept});
    return;
  }
  std::string (*const render)(const BestAnswer&) = request.form == BestForm::json     ? best_json
                                                   : request.form == BestForm::flags  ? best_flags
                                                   : request.form == BestForm::header ? best_header
                                                                                      : best_text;
  BestTables tables{.columns = request.columns};
  if (request.top > 1) tables.top = top_of(question, chosen);
  if (request.explain) tables.considered = db::best(databases.all(), query);
  const std::string text = render(answer);
  std::cout << (request.form == BestForm::json ? with_tables(text, tables) : text);
  if (request.form == BestForm::text) std::cout << to_text(tables);
  if (const std::string hint = hint_of_imported(question); !hint.empty()) say(hint.substr(2));
}

/// The metrics of a problem that only a database has, and of imported results, are those that are stored.
Objective asked_objective(const Question& question) {
  const Problem& problem = *question.selection.problem;
  const Objective objective = question.request.objective.value_or(run::default_objective(&problem));
  if (!question.stored && !question.request.imported)
    return objective_of(objective, problem, question.selection.instance);
  const std::vector<MetricInfo> known = known_metrics(problem);
  return objective.with([&](const MetricObjective& metric) {
    const Objective one(metric);
    const bool defined = std::ranges::count(known, metric.name, &MetricInfo::name) > 0;
    return *(defined ? objective_of(one, problem, question.selection.instance) : recorded_objective(one))
                .of_metric();
  });
}

void answer(Question question) {
  const BestRequest& request = question.request;
  question.selection = asked_problem(request.problem, question.databases, question.stored);
  const ProblemSelection& selection = question.selection;
  if (question.stored && !request.sources_folder.empty())
    throw UsageError(
        "--keep-sources: only the program that defined this problem has its sources; leave the option out");
  const auto sources = chosen_sources(*selection.problem);
  db::BestQuery& query = question.query;
  query = device_query(request.device, question.databases);
  query.cache = request.cache;
  query.objective = asked_objective(question);
  if (request.imported) query.origin = Origin::imported;
  query.problem = selection.instance.problem;
  query.extents = selection.instance.extents;
  query.settings = selection.instance.settings_key();
  if (!question.stored && !request.imported)
    query.toolchain = Toolchain{"", source_hash(*selection.problem, *sources)};
  if (request.portfolio)
    print_portfolio(question);
  else
    print_best(question, *sources);
}

int run_best(const BestRequest& request) {
  if (request.portfolio && request.form != BestForm::header)
    throw UsageError("--portfolio writes a header: add --format header");
  if ((request.top > 1 || request.explain) && request.form != BestForm::text &&
      request.form != BestForm::json)
    throw UsageError("--top and --explain need --format text or json: leave them out, or change --format");
  if (!request.columns.empty() && request.form != BestForm::text)
    throw UsageError(
        "--columns: for text only, other formats have all columns: leave out --columns or --format");
  if (!request.columns.empty() && request.top == 1) throw UsageError("--columns: add --top N");
  if (!request.portfolio && request.names_loss) throw UsageError("--loss needs --portfolio: add it");
  StoredDatabases databases(request.database);
  databases.answer([&] { answer({request, databases}); });
  return 0;
}

}  // namespace

Command best_command() {
  return {"best",
          "shows the best stored configuration and why it was chosen",
          "tune best P [--size S] [--device D] [options]",
          "  tune best stencil3d --size 512x512x512\n"
          "  nvcc $(tune best stencil3d --format nvcc --keep-sources kept) -cubin\n"
          "  tune best stencil3d --format cmake\n"
          "  tune best stencil3d --format header --portfolio --loss 3%\n",
          "problem",
          bind_request<BestRequest, run_best>};
}

}  // namespace tune::cli
