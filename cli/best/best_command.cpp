// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <set>

#include "cli/best/best_portfolio.hpp"
#include "cli/best/best_text.hpp"
#include "cli/input/best_databases.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/dumped_sources.hpp"
#include "cli/input/measure_choice.hpp"
#include "cli/input/options.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/input/stored_definition.hpp"
#include "cli/input/stored_problem.hpp"
#include "cli/output/text_layout.hpp"
#include "db/read/best.hpp"
#include "db/read/queries.hpp"
#include "kernels/registry.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/architectures.hpp"

namespace tune::cli {
namespace {

po::options_description best_options() {
  po::options_description all;
  add_problem_options(all);
  all.add_options()(
      "device", po::value<std::string>()->value_name("D"),
      "number of a GPU, or a device's name as 'tune list devices' shows it; default: the first GPU, "
      "else any device");
  all.add_options()("cache", po::value<std::string>()->default_value("cold")->value_name("C"),
                    "of the caches when an execution starts: cold or warm");
  all.add_options()  //
      ("objective", po::value<std::string>()->default_value("time")->value_name("O"),
       "what is to be smallest: time, energy or edp (their product), where the database has energies")  //
      ("portfolio", po::bool_switch(),
       "header: for all recorded devices and sizes, with as few configurations as lose no more than "
       "--loss")  //
      ("loss", po::value<std::string>()->default_value("5%")->value_name("S"),
       "of the portfolio, against the best of each recorded work");
  add_keep_sources_option(all, "this configuration");
  add_database_option(all);
  add_format_option(all, "text, json, flags (-D options for a compiler) or header (C++)");
  return all;
}

/// What is known of the device for which an answer is wanted.
db::BestQuery device_query(const po::variables_map& values) {
  db::BestQuery query;
  const std::string text = option_text(values, "device");
  const std::optional<int> number = device_number(text);
  if (!text.empty() && !number) {
    query.device.name = text;
    return query;
  }
  std::string failure_reason;
  const std::vector<DeviceProperties> devices = cuda::list_devices(&failure_reason);
  if (number && static_cast<std::size_t>(*number) >= devices.size())
    throw UsageError(format("there is no device {}: {}", *number,
                            devices.empty() ? failure_reason : std::string("'tune devices' lists them")));
  if (devices.empty()) return query;
  query.device = db::lookup_device(devices[static_cast<std::size_t>(number.value_or(0))]);
  return query;
}

/// What the objective says of a measurement; nothing where it takes an energy that was not measured.
std::optional<double> value_in(const db::ResultRow& row, Objective objective) {
  return objective_value(*row.time, row.timing ? row.timing->energy : 0, objective);
}

/// The measurements of a work, the best first.
std::vector<db::ResultRow> ranked_results(const db::Database& database, std::int64_t workload,
                                          Objective objective) {
  db::ResultFilter filter;
  filter.workload = workload;
  std::vector<db::ResultRow> rows = db::list_results(database, filter);
  std::erase_if(rows, [&](const db::ResultRow& row) { return !value_in(row, objective); });
  if (objective != Objective::time)
    std::ranges::stable_sort(rows, {}, [&](const db::ResultRow& row) { return *value_in(row, objective); });
  return rows;
}

/// The record's configuration if it is valid at the size that is asked for (an unpadded array may not take
/// the vectors of another size), else the fastest of the same record that is.
bool make_valid(const ProblemSelection& selection, const db::BestQuery& query, const db::Database& database,
                db::BestCandidate& candidate) {
  if (candidate.match == db::Match::exact) return true;
  const std::string architecture =
      query.device.compute_major > 0
          ? format("sm_{}{}", query.device.compute_major, query.device.compute_minor)
          : candidate.result.workload.architecture;
  const std::span known = known_architectures();
  if (std::ranges::find(known, architecture) == known.end())
    return true;  // its plan still says what cannot be
  const search::SearchSpace space(
      selection.problem->space(selection.instance, architecture_properties(architecture)));
  if (space.find(candidate.result.configuration)) return true;
  for (db::ResultRow& row : ranked_results(database, candidate.result.workload.id, query.objective)) {
    if (!space.find(row.configuration)) continue;
    candidate.value = *value_in(row, query.objective);
    candidate.result = std::move(row);
    candidate.ties.clear();
    candidate.reason += "; faster ones there are not valid at this size";
    return true;
  }
  return false;
}

/// The question: what `run` has made of the command line.
struct Question {
  const po::variables_map& values;
  StoredDatabases& databases;
  ProblemSelection selection = {};
  bool stored = false;  ///< a database knows the problem, the program does not
  db::BestQuery query = {};
};

/// Of a problem that a database alone knows: the file of its definition, or why nobody can measure it here.
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
  std::string all;
  for (const std::string& size : sizes) all += (all.empty() ? "" : ", ") + size;
  throw Error(
      format("{} that was measured: all there is was imported, which never answers (of size {}; 'tune "
             "list results --problem {}' shows it)",
             text, all, name),
      Exit::no_answer);
}

/// The command that would measure what was asked for, in the person's words.
std::string measuring_command(const Question& question, const std::string& text) {
  const Instance& instance = question.selection.instance;
  const std::string stencil = option_text(question.values, "stencil");
  std::string command = "tune --stencil " + shell_quoted(stencil);
  if (stencil.empty())
    command = "tune --problem " + shell_quoted(question.stored ? named_file(question, text)
                                                               : option_text(question.values, "problem"));
  command += " --size " + instance.size();
  std::string settings;
  for (const auto& [name, value] : instance.settings) {
    if (!stencil.empty() && (name == "shape" || name == "radius")) continue;  // the file's
    settings += (settings.empty() ? " --set " : ",") + name + "=" + value.to_string();
  }
  command += settings;
  if (question.query.cache == CacheState::warm) command += " --cache warm";
  if (question.query.objective != Objective::time)
    command += format(" --objective {}", to_string(question.query.objective));
  return command;
}

[[noreturn]] void no_answer(const Question& question, const std::vector<db::BestCandidate>& others) {
  const auto& [values, databases, selection, stored, query] = question;
  std::string text = format("no result of {}", selection.instance.problem);
  if (!selection.instance.settings.empty()) text += " " + selection.instance.settings_key();
  if (query.objective != Objective::time) text += " with energies";
  if (query.cache == CacheState::warm) text += " with warm caches";
  const std::string& device = query.device.name;
  if (!device.empty()) text += format(" on {}", device);
  std::vector<std::string> devices;
  for (const db::BestCandidate& other : others) devices.push_back(other.result.workload.device);
  const auto nearest = device.empty() ? std::nullopt : search::nearest_name(device, devices);
  if (nearest && *nearest != device)
    throw Error(format("{}; did you mean '{}'?", text, *nearest), Exit::no_answer);
  if (!others.empty()) {
    const db::ResultRow& other = others.front().result;
    text += format(" that fits (there is one of {} on {})", other.workload.size, other.workload.device);
  }
  throw Error(format("{}; to get one: {}", text, measuring_command(question, text)), Exit::no_answer);
}

/// 0: each work is served by its best.
double chosen_loss(const std::string& text) {
  return text == "0" || text == "0%" ? 0 : chosen_share(text, "loss");
}

/// The header of all devices and sizes; --device leaves others out.
void print_portfolio(Question& question, double bound) {
  if (!question.values.count("device")) question.query.device = {};
  const db::Portfolio portfolio = db::portfolio(question.databases.all(), question.query, bound);
  if (portfolio.workloads.empty()) no_answer(question, {});
  const ProblemSelection& selection = question.selection;
  std::cout << portfolio_header(selection.problem->info(), selection.instance, portfolio, bound);
}

/// The work that is asked about; a name that the program does not know may be one that a database knows
/// (`stored`): a problem that was defined in another program.
ProblemSelection asked_problem(const po::variables_map& values, const StoredDatabases& databases,
                               bool& stored) {
  const std::string name = option_text(values, "problem");
  const bool known = std::ranges::count(kernels::problems(), name, &kernels::ProblemEntry::name) > 0;
  stored = false;
  if (known || name.empty() || values.count("stencil") > 0) return selected_problem(values);
  ProblemSelection selection;
  selection.problem = stored_problem(databases.all(), name);
  if (!selection.problem) return selected_problem(values);
  stored = true;
  selection.instance =
      make_instance(selection.problem->info(), option_text(values, "size"), assignments(values, "set"));
  return selection;
}

void print_best(const Question& question, const KernelSources& sources, const std::string& form) {
  const auto& [values, databases, selection, stored, query] = question;
  std::vector<db::BestCandidate> all = db::best(databases.all(), query);
  const auto chosen = std::ranges::find_if(all, [&](db::BestCandidate& candidate) {
    return candidate.match != db::Match::none &&
           (question.stored || make_valid(question.selection, question.query,
                                          *question.databases.opened[candidate.database], candidate));
  });
  if (chosen == all.end()) no_answer(question, all);
  const BestAnswer answer{
      selection,       *chosen, databases.opened[chosen->database]->path(), chosen->database >= databases.own,
      query.objective, sources};
  if (const auto dumped = chosen_dumped_sources(values, *selection.problem, selection.instance, sources))
    dumped->keep(chosen->result.configuration);
  if (form == "json") std::cout << best_json(answer);
  if (form == "flags") std::cout << best_flags(answer);
  if (form == "header") std::cout << best_header(answer);
  if (form == "text") std::cout << best_text(answer);
}

void answer(Question question, const std::string& form) {
  const po::variables_map& values = question.values;
  question.selection = asked_problem(values, question.databases, question.stored);
  const ProblemSelection& selection = question.selection;
  if (question.stored && values.count("keep-sources"))
    throw UsageError("--keep-sources: the program that defined this problem has its sources");
  const auto sources = chosen_sources(values, *selection.problem);
  db::BestQuery& query = question.query;
  query = device_query(values);
  query.cache = cache_state_from_string(chosen_name(values, "cache", {"cold", "warm"}));
  query.objective = objective_from_string(chosen_name(values, "objective", {"time", "energy", "edp"}));
  query.problem = selection.instance.problem;
  query.extents = selection.instance.extents;
  query.settings = selection.instance.settings_key();
  if (!question.stored) query.toolchain = Toolchain{"", source_hash(*selection.problem, *sources)};
  if (values["portfolio"].as<bool>())
    print_portfolio(question, chosen_loss(option_text(values, "loss")));
  else
    print_best(question, *sources, form);
}

int run_best(const po::variables_map& values) {
  const std::string form = chosen_name(values, "format", {"text", "json", "flags", "header"});
  const bool portfolio = values["portfolio"].as<bool>();
  if (portfolio && form != "header") throw UsageError("--portfolio is a header: add --format header");
  if (!portfolio && !values["loss"].defaulted()) throw UsageError("--loss belongs to --portfolio: add that");
  StoredDatabases databases(values);
  databases.answer([&] { answer({values, databases}, form); });
  return 0;
}

}  // namespace

const Command& best_command() {
  static const Command command = {"best",
                                  "gives the best stored configuration, and says why that one",
                                  "tune best --problem P [--size S] [--device D] [options]",
                                  "  tune best --problem stencil3d --size 512x512x512\n"
                                  "  nvcc $(tune best --problem stencil3d --format flags) ...\n"
                                  "  tune best --problem stencil3d --format header --portfolio --loss 3%\n",
                                  "problem",
                                  best_options,
                                  run_best};
  return command;
}

}  // namespace tune::cli
