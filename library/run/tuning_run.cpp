// SPDX-License-Identifier: Apache-2.0
#include "library/run/tuning_run.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <stdexcept>

#include "db/read/related.hpp"
#include "db/store/sqlite_store.hpp"
#include "library/run/paths.hpp"
#include "library/run/version.hpp"
#include "search/strategies/front.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/perf_counters.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/base/units.hpp"
#include "tuner/evaluation/command_evaluator.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/evaluation/device_team.hpp"
#include "tuner/evaluation/multi_fidelity.hpp"

namespace tune::run {
namespace {

constexpr std::size_t max_records = 2;
/// Beyond it the differences outweigh what is alike.
constexpr double max_distance = 3;
/// Fewer results say too little, except of the same workload: a run with --where may have three.
constexpr std::size_t min_valid = 10, min_of_same = 1;
/// More results of one record do not help a search, and cost memory and time.
constexpr std::size_t max_results = 5000;

bool answers_itself(const WorkloadKey& key, const db::RelatedWorkload& related) {
  return key.origin == Origin::replayed && related.workload.size == key.instance.size() &&
         related.workload.settings == key.instance.settings_key() &&
         (related.workload.model_key == key.device.model_key() ||
          (related.workload.origin == Origin::imported && related.workload.device == key.device.name));
}

search::RelatedRecord to_record(const std::vector<db::RelatedResult>& results,
                                const search::SearchSpace& space) {
  search::RelatedRecord record;
  for (const auto& [configuration, time] : results)
    if (const auto id = space.find(configuration)) record.observations.push_back({*id, time});
  return record;
}

/// A workload, and the database that has it.
struct Found {
  db::RelatedWorkload related;
  const db::Database* database;
};

/// Returns the related workloads of all databases, the most alike first.
std::vector<Found> find_workloads(const std::vector<const db::Database*>& databases, const WorkloadKey& key) {
  std::vector<Found> found;
  for (const db::Database* database : databases) try {
      for (db::RelatedWorkload& related : db::related_workloads(*database, key))
        if (related.distance <= max_distance && !answers_itself(key, related))
          found.push_back({std::move(related), database});
    } catch (const Error&) {
      if (database == databases.front()) throw;  // the user's own; a search can do without a recording
    }
  std::ranges::stable_sort(found, {}, [](const Found& one) { return one.related.distance; });
  return found;
}

std::string label(const db::Workload& workload, std::size_t evaluations) {
  return format("{}{}{} on {} ({}{} evaluations)", workload.size, workload.settings.empty() ? "" : " ",
                workload.settings, workload.device, workload.origin == Origin::imported ? "imported: " : "",
                evaluations);
}

/// Returns nothing where a recording cannot be read.
std::vector<db::RelatedResult> results_of(const Found& found, const db::Database& own) try {
  return db::related_results(*found.database, found.related, max_results);
} catch (const Error&) {
  if (found.database == &own) throw;
  return {};
}

/// Energy is measured for half a second a turn.
constexpr std::size_t top_k_by_energy = 5;

/// Throws UsageError where the objective needs counters that the system refuses.
void check_counters(const Objective& objective) {
  if (!objective.needs_counters()) return;
  if (const std::string refused = refused_counters(); !refused.empty())
    throw UsageError(format("objective {}: {}", to_string(objective), refused));
}

std::string compiler_of(const Problem& problem, const Instance& instance, const search::SearchSpace& space,
                        const Compiler& compiler, const KernelSources& sources) {
  const Result<LaunchPlan> plan = problem.plan(instance, space.at(*space.default_configuration()), sources);
  if (!plan) return compiler.version();
  if (const auto known = compiler.version_for(plan->compile)) return *known;
  const Result<Binary> binary = compiler.compile(plan->compile);
  return binary ? binary->compiler : compiler.version();
}

void check_memory(const Problem& problem, const Instance& instance, const search::SearchSpace& space,
                  const DeviceProperties& device, const KernelSources& sources) {
  const Result<LaunchPlan> plan = problem.plan(instance, space.at(*space.default_configuration()), sources);
  if (!plan) return;  // an ordinary failure, reported as one
  const auto needed = static_cast<double>(plan->memory());
  const auto memory = static_cast<double>(device.global_memory);
  if (needed > memory)
    throw UsageError(format("{} {} needs {} of device memory, {} has {}; choose a smaller size",
                            instance.problem, instance.key(), bytes_text(needed), device.name,
                            bytes_text(memory)));
}

RerankOptions rerank_options(const TuningRequest& request) {
  RerankOptions rerank;
  if (request.objective.value_or(Objective::time).needs_energy()) rerank.top_k = top_k_by_energy;
  rerank.top_k = request.top_k.value_or(rerank.top_k);
  return rerank;
}

/// Where the plans are made of launches of the same kind, the ratio of their numbers is that of the times;
/// else that of the work is.
double nominal_ratio(const Problem& problem, const Instance& instance, const Instance& cheaper,
                     const Configuration& configuration, const KernelSources& sources) {
  const Result<LaunchPlan> full = problem.plan(instance, configuration, sources);
  const Result<LaunchPlan> low = problem.plan(cheaper, configuration, sources);
  if (full && low && low->launches.size() > 1 && full->launches.size() > low->launches.size())
    return static_cast<double>(full->launches.size()) / static_cast<double>(low->launches.size());
  return problem.cost(instance).items / problem.cost(cheaper).items;
}

std::shared_ptr<DeviceTeam> team_of(const std::vector<OpenDevice>& devices) {
  std::vector<Backend*> backends;
  std::vector<int> numbers;
  for (const OpenDevice& device : devices) {
    backends.push_back(&device.backend);
    numbers.push_back(device.number);
  }
  return std::make_shared<DeviceTeam>(std::move(backends), std::move(numbers));
}

/// Stores evaluations of a cheaper instance as a run of their own, which begins with the first of them.
class LowFidelityRun {
 public:
  LowFidelityRun(Store& store, const RunRecord& record) : stored_(store, record) {}
  LowFidelityRun(const LowFidelityRun&) = delete;
  LowFidelityRun& operator=(const LowFidelityRun&) = delete;
  /// Without `end`, an error ended the run, which the user is told.
  ~LowFidelityRun() {
    try {
      stored_.end(end_);
    } catch (const Error&) {
      return;
    }
  }
  void add(const Evaluation& evaluation) { stored_.record(evaluation); }
  void end(RunEnd end) { end_ = end; }

 private:
  StoredRun stored_;
  RunEnd end_ = RunEnd::failed;
};

/// Returns what no configuration with each value of the first parameter can beat, by the value's index.
std::vector<double> variant_bounds(const Problem& problem, const Instance& instance,
                                   const search::SearchSpace& space, const DeviceProperties& device) {
  std::vector<double> bounds;
  if (space.parameters().empty()) return bounds;
  for (const Value& value : space.parameters().front().values)
    bounds.push_back(problem.least_seconds(instance, value, device));
  return bounds;
}

/// Returns the name of the first parameter where it chooses among texts, such as the variant; else nothing.
std::string first_choice(const search::SearchSpace& space) {
  if (space.parameters().empty()) return {};
  const search::Parameter& first = space.parameters().front();
  return !first.exists_if && std::ranges::all_of(first.values, &Value::is_text) ? first.name : std::string();
}

}  // namespace

RelatedRecords related_records(const db::Database& database, const WorkloadKey& key,
                               const search::SearchSpace& space, const std::filesystem::path& installed) {
  std::vector<db::Database> shipped;
  for (const std::filesystem::path& path : shipped_recordings(installed)) try {
      shipped.emplace_back(path, db::OpenMode::immutable);
    } catch (const Error&) {
      continue;  // a search can do without a recording
    }
  std::vector<const db::Database*> databases = {&database};
  for (const db::Database& recording : shipped) databases.push_back(&recording);
  RelatedRecords result;
  // The most alike may have no result in this space, and must not hide the next ones.
  for (const Found& found : find_workloads(databases, key)) {
    if (result.records.size() == max_records) break;
    search::RelatedRecord record = to_record(results_of(found, database), space);
    if (record.observations.size() < (found.related.same_but_versions ? min_of_same : min_valid)) continue;
    result.notice += format("{} {}", result.records.empty() ? "starting from results of" : " and",
                            label(found.related.workload, record.observations.size()));
    result.records.push_back(std::move(record));
  }
  return result;
}

search::StrategyChoice strategy_named(std::string_view text) try {
  return search::choose_strategy(text);
} catch (const std::invalid_argument& error) {
  throw UsageError(error.what());
}

Objective default_objective(const Problem* problem) {
  const HasDescription* const described = find_description(problem);
  const std::string named = described == nullptr ? std::string() : described->run_defaults().objective;
  return named.empty() ? Objective::time : objective_from_string(named);
}

void settle(TuningRequest& request, const Problem* problem) {
  const HasDescription* const described = find_description(problem);
  const RunDefaults defaults = described == nullptr ? RunDefaults{} : described->run_defaults();
  if (!request.strategy)
    request.strategy = strategy_named(defaults.strategy.empty() ? "auto" : defaults.strategy);
  if (!request.seed) request.seed = defaults.seed.value_or(1);
  if (!request.objective) request.objective = default_objective(problem);
  const search::StrategyEntry& strategy = *request.strategy->entry;
  Budget& budget = request.budget;
  if (budget.gain && !strategy.estimates_gain)
    throw UsageError(
        format("--until-gain: the strategy {} does not estimate the remaining gain; choose the strategy auto",
               strategy.name));
  if (budget.gain && request.objective->of_front() != nullptr)
    throw UsageError("--until-gain: a Pareto front has no single best: give --budget-evals or --budget-time");
  if (budget.evaluations || budget.seconds || budget.gain) return;
  budget.evaluations = defaults.evaluations;
  budget.seconds = defaults.seconds;
  request.share = defaults.share;
  if (!request.share && !budget.evaluations && !budget.seconds && !strategy.exhaustive)
    budget.evaluations = default_budget;
}

Budget budget_in(const search::SearchSpace& space, const TuningRequest& request) {
  Budget budget = request.budget;
  if (!request.share) return budget;
  const double share = std::ceil(*request.share * static_cast<double>(space.size()));
  const auto count = static_cast<std::uint64_t>(std::max(1.0, share));
  budget.evaluations = std::min(count, budget.evaluations.value_or(count));
  return budget;
}

RunOptions run_options(const TuningRequest& request) {
  RunOptions options;
  if (request.strategy) options.strategy = request.strategy->name();
  options.objective = request.objective.value_or(Objective::time);
  options.seed = request.seed.value_or(1);
  options.budget_evaluations = request.budget.evaluations;
  options.budget_seconds = request.budget.seconds;
  options.until_gain = request.budget.gain;
  options.where = request.where;
  options.pinned = request.pinned;
  options.command_line = request.command_line;
  options.timeout = request.timeout;
  return options;
}

void describe_workload(RunRecord& record, const Problem& problem, const Instance& instance,
                       const DeviceProperties& device, CacheState cache) {
  const ProblemCost cost = problem.cost(instance);
  record.key.instance = instance;
  record.key.device = device;
  record.key.cache = cache;
  record.items = cost.items;
  record.flops = cost.flops;
  record.bytes = cost.bytes;
  record.item = problem.info().item;
  record.limit = roofline_limit(cost, device);
  record.limit_by = host_bound(cost, device);
  record.program_version = version();
}

void describe_workload(RunRecord& record, const Problem& problem, const Instance& instance,
                       const search::SearchSpace& space, const Backend& backend, const KernelSources& sources,
                       CacheState cache) {
  describe_workload(record, problem, instance, backend.properties(), cache);
  record.key.toolchain = {compiler_of(problem, instance, space, backend.compiler(), sources),
                          source_hash(problem, sources)};
}

std::unique_ptr<Evaluator> open_run(RunRecord& record, const Problem& problem, const Instance& instance,
                                    const search::SearchSpace& space, const std::vector<OpenDevice>& devices,
                                    const KernelSources& sources, const TuningRequest& request) {
  Backend& backend = devices.front().backend;
  const bool shared = devices.size() > 1;
  if (shared && request.reproducible)
    throw UsageError(
        "--reproducible needs one device: which of several evaluates a configuration depends on times");
  check_memory(problem, instance, space, backend.properties(), sources);
  describe_workload(record, problem, instance, space, backend, sources, request.cache);
  record.machine = backend.machine_state();
  for (const OpenDevice& other : devices | std::views::drop(1))
    record.other_devices.push_back({other.backend.properties(), other.backend.machine_state()});
  record.space_size = space.size();
  const Objective objective = request.objective.value_or(Objective::time);
  const bool energy = objective.needs_energy() || (request.energy && record.machine.power > 0);
  const bool by_time = objective == Objective::time && !energy;
  if (objective.needs_energy() && !(record.machine.power > 0))
    throw UsageError(format(
        "the energy of {} cannot be measured (no NVML, no permission, or the device is part of a GPU); "
        "choose the objective time",
        record.key.device.name));
  check_counters(objective);
  DeviceEvaluatorOptions options{.measure = request.measure};
  options.measure.flush_cache = request.cache == CacheState::cold;
  options.measure.energy = energy;
  options.rerank_energy = objective.needs_energy();  // half a second in each turn
  options.compile_threads = request.compilers;
  if (by_time) record.variant_bounds = variant_bounds(problem, instance, space, backend.properties());
  options.race = by_time && request.race;  // the slower one may take less energy
  options.reproducible = request.reproducible;
  const auto team = team_of(devices);
  auto full = std::make_unique<DeviceEvaluator>(problem, instance, team, sources, options);
  const std::optional<Instance> cheaper =
      by_time && request.low_fidelity ? problem.low_fidelity(instance) : std::nullopt;
  if (!cheaper) return full;
  search::SearchSpace low_space =
      search::SearchSpace::counted_or_sampled(problem.space(*cheaper, backend.properties()));
  record.low_fidelity = std::make_shared<RunRecord>(record);
  describe_workload(*record.low_fidelity, problem, *cheaper, backend.properties(), request.cache);
  record.low_fidelity->space_size = low_space.size();
  options.compare_devices = false;  // the instance itself does
  return std::make_unique<MultiFidelityEvaluator>(
      std::make_unique<DeviceEvaluator>(problem, *cheaper, team, sources, options), std::move(full),
      MultiFidelityEvaluator::Options{
          .low_space = std::move(low_space),
          .ratio =
              [&problem, &sources, instance, cheaper = *cheaper](const Configuration& one) {
                return nominal_ratio(problem, instance, cheaper, one, sources);
              },
          .group = first_choice(space),
          .reproducible = request.reproducible});
}

std::unique_ptr<Evaluator> open_command_run(RunRecord& record, const Problem& problem,
                                            const Instance& instance, const search::SearchSpace& space,
                                            const KernelSources& sources, const TuningRequest& request,
                                            double build_timeout) {
  const Objective objective = request.objective.value_or(Objective::time);
  if (objective.needs_energy())
    throw UsageError("the energy of a command is not measured: choose the objective time, or a metric");
  check_counters(objective);
  describe_workload(record, problem, instance, host::device_properties(), request.cache);
  record.key.toolchain = {"commands", source_hash(problem, sources)};
  record.machine = host::machine_state();
  record.space_size = space.size();
  return std::make_unique<CommandEvaluator>(*find_command(&problem), instance,
                                            CommandEvaluatorOptions{.measure = request.measure,
                                                                    .objective = objective,
                                                                    .race = request.race,
                                                                    .timeout = request.timeout,
                                                                    .build_timeout = build_timeout,
                                                                    .jobs = request.compilers});
}

SessionResult tune(db::Database& database, const search::SearchSpace& space, Evaluator& evaluator,
                   RunRecord& record, const TuningRequest& request, SessionObserver& observer,
                   const std::function<void(const std::string&)>& tell) {
  const auto say = [&](const std::string& line) {
    if (tell && !line.empty()) tell(line);
  };
  say(database.notice());
  db::SqliteStore store(database);
  const Budget budget = budget_in(space, request);
  record.space_size = space.size();
  record.options = run_options(request);
  record.options.budget_evaluations = budget.evaluations;
  record.options.energy = request.energy && record.machine.power > 0;
  search::SearchTask task{space, record.options.seed};
  const bool by_front = record.options.objective.of_front() != nullptr;
  if (request.strategy->entry->uses_records && request.transfer && !by_front) {
    RelatedRecords related = related_records(database, record.key, space, request.installed);
    say(related.notice);
    task.related = std::move(related.records);
  }
  task.variant_bounds = record.variant_bounds;
  const auto make = [&request](const search::SearchTask& of) { return request.strategy->make(of); };
  const auto strategy =
      by_front && !request.strategy->entry->exhaustive ? search::front_search(make, task) : make(task);
  Session session(space, *strategy, evaluator, store, seconds_now);
  if (request.default_first) session.begin_with(space.default_configuration());
  if (!record.low_fidelity)
    return session.run(record, budget, request.fresh, observer, rerank_options(request));

  RunRecord& low_record = *record.low_fidelity;
  low_record.options = record.options;
  if (!request.fresh)
    evaluator.know_low_fidelity(
        known_answers(store, low_record.key, low_record.options.objective, low_record.options.timeout));
  LowFidelityRun low_run(store, low_record);
  session.store_low_fidelity([&low_run](const Evaluation& evaluation) { low_run.add(evaluation); });
  SessionResult result = session.run(record, budget, request.fresh, observer, rerank_options(request));
  low_run.end(result.end);
  return result;
}

}  // namespace tune::run
