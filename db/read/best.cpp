// SPDX-License-Identifier: Apache-2.0
#include "db/read/best.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <tuple>

#include "db/read/ranked.hpp"
#include "db/read/result_rows.hpp"
#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "lookup/src/loss.hpp"
#include "lookup/src/portfolio.hpp"
#include "lookup/src/search.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

// In the order of the function below.
constexpr const char* select_figures = R"(
SELECT configuration, registers, spill_store_bytes, spill_load_bytes, static_shared_memory, dynamic_shared_memory,
       threads, occupancy, metrics FROM evaluations WHERE id = ?1)";

constexpr const char* select_rerank_metrics = R"(
SELECT f.metrics FROM finals f JOIN runs r ON r.id = f.run
WHERE f.evaluation = ?1 AND r.objective = ?2 AND f.metrics IS NOT NULL ORDER BY r.started DESC, r.id DESC LIMIT 1)";

/// Returns the value by a metric.
std::optional<double> metric_value(const Objective& objective, lookup::Connection& connection,
                                   std::int64_t evaluation, double seconds, double joules) {
  lookup::Statement row = connection.prepare(select_figures);
  if (!row.bind(1, evaluation).step()) return std::nullopt;
  const Configuration configuration = configuration_from_json(row.text(0));
  std::optional<KernelResources> resources;
  if (!row.is_null(1)) {
    resources.emplace();
    int column = 1;
    for (int* const figure :
         {&resources->registers, &resources->spill_store_bytes, &resources->spill_load_bytes,
          &resources->static_shared_memory, &resources->dynamic_shared_memory, &resources->threads})
      *figure = static_cast<int>(row.integer(column++));
    resources->occupancy = row.real(column);
  }
  Metrics recorded = row.is_null(8) ? Metrics{} : metrics_from_json(row.text(8));
  lookup::Statement place = connection.prepare(select_rerank_metrics);
  if (place.bind(1, evaluation).bind(2, to_string(objective)).step())
    recorded = metrics_from_json(place.text(0));
  return objective_value({configuration, resources, seconds, joules, &recorded}, objective);
}

lookup::RankingObjective ranking_by(const Objective& objective) {
  switch (objective.kind()) {
    case Objective::time:
      return lookup::RankingObjective::time;
    case Objective::energy:
      return lookup::RankingObjective::energy;
    case Objective::edp:
      return lookup::RankingObjective::edp;
    case Objective::by_metric:
    case Objective::front:
      break;
  }
  return {to_string(objective), [objective](lookup::Connection& connection, std::int64_t evaluation,
                                            double seconds, std::optional<double> joules) {
            return metric_value(objective, connection, evaluation, seconds, joules.value_or(0));
          }};
}

lookup::Want want_of(const BestQuery& query) {
  lookup::Want want;
  want.query.problem = query.problem;
  want.query.device = query.device;
  for (const auto& [name, extent] : query.extents) want.query.size.push_back(extent);
  want.any_settings = !query.settings;
  const Configuration settings = Configuration::parse(query.settings.value_or(""));
  for (const auto& [name, value] : settings.entries())
    want.query.settings.emplace_back(name, value.to_string());
  if (query.toolchain) want.query.compiler = query.toolchain->compiler;
  if (query.toolchain) want.query.source_hash = query.toolchain->source_hash;
  want.query.warm_caches = query.cache == CacheState::warm;
  want.origin = to_string(query.origin);
  want.objective = ranking_by(query.objective);
  return want;
}

/// Calls the function inside a reading transaction of each database.
void read_all(std::span<const Database* const> databases, const std::function<void()>& function) {
  if (databases.empty()) return function();
  databases.front()->read([&](SQLite::Database&) { read_all(databases.subspan(1), function); });
}

/// Calls the function with the records of the databases, which do not change meanwhile. Throws Error.
void with_records(std::span<const Database* const> databases, const BestQuery& query,
                  const std::function<void(lookup::Records&)>& function) {
  try {
    read_all(databases, [&] {
      std::vector<std::unique_ptr<lookup::Connection>> owned;
      std::vector<lookup::Connection*> connections;
      for (const Database* database : databases) {
        owned.push_back(std::make_unique<lookup::Connection>(database->connection().getHandle(),
                                                             database->path().string()));
        connections.push_back(owned.back().get());
      }
      lookup::Records records(connections, want_of(query), [](const std::string& configuration) {
        return is_readable([&] { configuration_from_json(configuration); });
      });
      function(records);
      for (const auto& [source, evaluation] : records.left_out())
        databases[source]->leave_out(format("evaluation {}", evaluation));
    });
  } catch (const lookup::Failed& failed) {
    throw Error(failed.error().message);
  }
}

constexpr const char* select_newest_rerank = R"(
SELECT f.* FROM finals f JOIN runs r ON r.id = f.run
WHERE f.evaluation = ? AND r.objective = ? ORDER BY r.started DESC, r.id DESC LIMIT 1)";

/// Gives the row its newest re-ranking by the objective, and the time of it.
void set_rerank(SQLite::Database& connection, ResultRow& row, const Objective& objective) {
  SQLite::Statement place =
      bound(connection, select_newest_rerank, row.evaluation, std::string(to_string(objective)));
  row.time = row.measured_time;
  row.rerank.reset();
  if (!place.executeStep()) return;
  row.rerank = place_standing(place);
  row.time = row.rerank->time.median;
}

std::vector<ResultRow> ties_of(const Database& database, SQLite::Database& connection,
                               const ResultRow& winner, const Objective& objective) {
  std::vector<ResultRow> ties;
  if (!winner.rerank || !winner.rerank->tied) return ties;
  SQLite::Statement row = bound(connection,
                                "SELECT * FROM results WHERE current AND evaluation <> ?"
                                " AND evaluation IN (SELECT evaluation FROM finals WHERE run = ? AND tied)",
                                winner.evaluation, winner.rerank->run);
  each_readable(database, row, "evaluation", "evaluation", [&] { ties.push_back(result_row(row)); });
  for (ResultRow& tie : ties) set_rerank(connection, tie, objective);
  std::erase_if(ties, [&](const ResultRow& tie) { return tie.rerank->run != winner.rerank->run; });
  std::ranges::sort(ties, {}, [](const ResultRow& tie) { return tie.rerank->place; });
  return ties;
}

/// Reads the rows of a candidate of the lookup.
BestCandidate with_rows(const Database& database, const lookup::Candidate& found,
                        const Objective& objective) {
  BestCandidate candidate;
  candidate.match = found.match;
  candidate.distance = found.distance;
  candidate.loss = found.loss;
  candidate.same_driver = !found.other_driver;
  candidate.same_compiler = !found.other_compiler;
  candidate.same_sources = !found.other_sources;
  candidate.reason = found.why;
  candidate.board_difference = found.board_difference;
  candidate.value = found.recorded_value;
  database.read([&](SQLite::Database& connection) {
    SQLite::Statement row =
        bound(connection,
              "SELECT *, (SELECT COUNT(*) FROM current_evaluations c WHERE c.work = b.work"
              " AND c.time IS NOT NULL) AS measured FROM results b WHERE evaluation = ?",
              found.evaluation);
    if (!row.executeStep()) throw Error(database.path().string() + " lost a result while it was read");
    candidate.result = result_row(row);
    set_rerank(connection, candidate.result, objective);
    candidate.result.board.uuid = found.board;  // of its re-ranking, if any
    candidate.result.board.power_limit = found.power_limit;
    candidate.measured = integer(row, "measured");
    candidate.ties = ties_of(database, connection, candidate.result, objective);
  });
  return candidate;
}

std::vector<BestCandidate> candidates(lookup::Records& records, std::span<const Database* const> databases,
                                      const BestQuery& query,
                                      const std::function<bool(BestCandidate&)>& is_answer) {
  const std::vector<lookup::Ranked> ranked = lookup::ranked_workloads(records);
  std::vector<BestCandidate> result;
  bool answered = false;
  const auto add = [&](const lookup::Candidate& found, std::size_t source) {
    BestCandidate candidate;
    if (!is_readable([&] { candidate = with_rows(*databases[source], found, query.objective); })) {
      databases[source]->leave_out(format("evaluation {}", found.evaluation));
      return;
    }
    candidate.database = source;
    result.push_back(std::move(candidate));
    answered = is_answer && is_answer(result.back());
  };
  bool fits = query.device.compute_major == 0 && !query.guess;
  for (const lookup::Ranked& one : ranked) {
    if (answered) break;
    const lookup::RankedRecord* winner = records.winner(*one.workload);
    if (winner == nullptr) continue;
    if (one.match == Match::none && !fits) {
      fits = true;
      std::size_t source = 0;
      if (const auto found = lookup::portfolio_candidate(records, ranked, &source)) add(*found, source);
    }
    fits = fits || one.match != Match::none;
    if (!answered) add(lookup::candidate_of(records, one, *winner), one.workload->source);
  }
  return result;
}

/// Returns the workloads to serve, one for each device and size: a stale one only where there is no fresh
/// one. `stale` is set to those of other sources.
std::vector<const lookup::RecordedWorkload*> workloads_of(lookup::Records& records, bool any_device,
                                                          std::set<const lookup::RecordedWorkload*>& stale) {
  std::vector<lookup::Ranked> ranked;
  for (const lookup::Ranked& one : lookup::ranked_workloads(records))
    if ((any_device || one.kin == lookup::Kinship::same) && records.winner(*one.workload) != nullptr)
      ranked.push_back(one);
  std::ranges::stable_sort(ranked, {}, [](const lookup::Ranked& one) {
    return std::tuple(one.other_sources, one.other_compiler, one.other_driver);
  });
  std::set<std::tuple<std::string, std::string>> seen;
  std::vector<const lookup::RecordedWorkload*> workloads;
  for (const lookup::Ranked& one : ranked) {
    if (!seen.emplace(one.workload->device.model_key, one.workload->size).second) continue;
    workloads.push_back(one.workload);
    if (one.other_sources) stale.insert(one.workload);
  }
  std::ranges::sort(workloads, {}, [](const lookup::RecordedWorkload* workload) {
    return std::tie(workload->device.model_key, workload->extents);
  });
  return workloads;
}

lookup::Board lookup_board(const Board& board) {
  return {board.uuid, board.power_limit};
}

}  // namespace

void BestCandidate::replace_by(ResultRow row, const BestQuery& query) {
  value = *row.value;
  const bool same_model = match == Match::exact || match == Match::nearest_size;
  board_difference =
      same_model ? lookup::board_difference(query.device, lookup_board(row.board)) : std::string();
  result = std::move(row);
  ties.clear();
}

std::vector<ResultRow> ranked_results(const Database& database, std::int64_t workload,
                                      const BestQuery& query) {
  std::vector<RankedEvaluation> ranked = ranked_of_workload(database, workload, query.objective);
  std::erase_if(ranked, [](const RankedEvaluation& one) { return one.value == 0; });
  ResultReader reader(database, ranked.size());
  std::vector<ResultRow> rows;
  for (const RankedEvaluation& one : ranked)
    if (auto row = reader.row(one)) rows.push_back(*std::move(row));
  std::ranges::stable_sort(
      rows, {}, [&](const ResultRow& row) { return board_fit(query.device, lookup_board(row.board)); });
  return rows;
}

bool make_valid(BestCandidate& candidate, const Database& database, const BestQuery& query,
                const std::function<bool(const search::Configuration&)>& allows) {
  if (allows(candidate.result.configuration)) return true;
  for (ResultRow& row : ranked_results(database, candidate.result.workload.id, query)) {
    if (!allows(row.configuration)) continue;
    candidate.replace_by(std::move(row), query);
    candidate.reason += "; faster ones of this record are not valid at this size";
    return true;
  }
  return false;
}

lookup::Device lookup_device(const DeviceProperties& properties) {
  lookup::Device device;
  device.name = properties.name;
  device.compute_major = properties.compute_major;
  device.compute_minor = properties.compute_minor;
  device.multiprocessors = properties.multiprocessors;
  device.global_memory = properties.global_memory;
  device.bandwidth = properties.peak_bandwidth();
  device.driver = properties.driver;
  device.board = properties.uuid;
  device.power_limit = properties.power_limit;
  return device;
}

std::vector<BestCandidate> best(std::span<const Database* const> databases, const BestQuery& query,
                                const std::function<bool(BestCandidate&)>& is_answer) {
  std::vector<BestCandidate> result;
  with_records(databases, query,
               [&](lookup::Records& records) { result = candidates(records, databases, query, is_answer); });
  return result;
}

std::vector<BestCandidate> best(const Database& database, const BestQuery& query) {
  const Database* only = &database;
  return best(std::span(&only, 1), query);
}

std::size_t Portfolio::stale() const {
  return static_cast<std::size_t>(std::ranges::count_if(workloads, &ServedWorkload::stale));
}

Portfolio portfolio(std::span<const Database* const> databases, const BestQuery& query, double bound) {
  Portfolio result;
  const bool any_device = query.device.name.empty();
  BestQuery any_size = query;
  any_size.extents.clear();
  with_records(databases, any_size, [&](lookup::Records& records) {
    std::set<const lookup::RecordedWorkload*> stale;
    const lookup::Cover cover = lookup::cover(records, workloads_of(records, any_device, stale), bound);
    result.exact = cover.exact;
    for (const lookup::RankedRecord& entry : cover.configurations)
      result.configurations.push_back(configuration_from_json(entry.configuration));
    for (const lookup::Cover::Served& one : cover.workloads) {
      const lookup::RecordedDevice& device = one.workload->device;
      result.workloads.push_back({device.name, device.compute_major, device.compute_minor,
                                  device.multiprocessors, one.workload->extents, one.workload->size,
                                  one.configuration, one.loss, stale.contains(one.workload)});
    }
  });
  return result;
}

}  // namespace tune::db
