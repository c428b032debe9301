// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/winners.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace tune::lookup {
namespace {

constexpr const char* select_workloads = R"(
SELECT w.id, i.size, i.settings_key, w.model_key, w.driver, t.compiler, t.source_hash
FROM instances i JOIN works w ON w.instance = i.id JOIN toolchains t ON t.id = w.toolchain
WHERE i.problem = ?1 AND w.origin = ?2 AND w.cache = ?3 ORDER BY w.id)";

// The model key has all but the rates, which belong to the model too.
constexpr const char* select_device = R"(
SELECT name, json_extract(facts, '$.compute_major'), json_extract(facts, '$.compute_minor'),
       json_extract(facts, '$.multiprocessors'), json_extract(facts, '$.memory_clock'),
       json_extract(facts, '$.memory_bus_bits')
FROM devices WHERE model_key = ?1 ORDER BY id DESC LIMIT 1)";

RecordedDevice recorded_device(Connection& connection, const std::string& model_key) {
  RecordedDevice device;
  device.model_key = model_key;
  Statement row = connection.prepare(select_device);
  if (!row.bind(1, model_key).step()) return device;
  device.name = row.text(0);
  device.compute_major = static_cast<int>(row.integer(1));
  device.compute_minor = static_cast<int>(row.integer(2));
  device.multiprocessors = static_cast<int>(row.integer(3));
  device.bandwidth = 2 * row.real(4) * row.real(5) / 8;
  return device;
}

// By the facts, which every schema has. A power limit that is not known is 0.
constexpr const char* select_boards =
    "SELECT id, uuid, json_extract(facts, '$.power_limit') FROM devices WHERE model_key = ?1 ORDER BY id";

constexpr const char* select_devices_of = "SELECT DISTINCT device FROM runs WHERE work = ?1 ORDER BY device";

/// The fits of a model's boards, by their rows.
using Fits = std::map<std::int64_t, BoardFit>;

Fits fits_of(Connection& connection, const std::string& model_key, const Device& wanted) {
  Fits fits;
  Statement row = connection.prepare(select_boards);
  row.bind(1, model_key);
  while (row.step()) fits[row.integer(0)] = board_fit(wanted, {row.text(1), row.real(2)});
  return fits;
}

/// Adds the workload, or its results of each fit apart.
void add_by_board(Connection& connection, const Fits& fits, RecordedWorkload workload,
                  std::vector<RecordedWorkload>& workloads) {
  const auto differs = [&](const auto& one) { return one.second != fits.begin()->second; };
  if (std::none_of(fits.begin(), fits.end(), differs)) {
    if (!fits.empty()) workload.board = fits.begin()->second;
    workloads.push_back(std::move(workload));
    return;
  }
  std::map<BoardFit, std::vector<std::int64_t>> devices;
  Statement row = connection.prepare(select_devices_of);
  row.bind(1, workload.id);
  while (row.step()) {
    const auto known = fits.find(row.integer(0));
    devices[known == fits.end() ? BoardFit::unknown : known->second].push_back(row.integer(0));
  }
  for (const auto& [fit, rows] : devices) {
    workloads.push_back(workload);
    workloads.back().board = fit;
    if (devices.size() > 1) workloads.back().devices = rows;
  }
  if (devices.empty()) workloads.push_back(std::move(workload));
}

std::vector<std::int64_t> extents_of(const std::string& size) {
  std::vector<std::int64_t> extents;
  for (const char* at = size.c_str(); *at != '\0';) {
    char* end = nullptr;
    extents.push_back(std::strtoll(at, &end, 10));
    if (end == at) return {};
    at = *end == 'x' ? end + 1 : end;
  }
  return extents;
}

}  // namespace

std::vector<RecordedWorkload> recorded_workloads(Connection& connection, std::size_t source,
                                                 const Want& want) {
  const std::string cache = want.query.warm_caches ? "warm" : "cold";
  const Device& wanted = want.query.device;
  const bool any_board = wanted.board.empty() && wanted.power_limit <= 0;
  std::map<std::string, RecordedDevice> devices;
  std::map<std::string, Fits> fits;  // of models that fit the query
  std::vector<RecordedWorkload> workloads;
  Statement row = connection.prepare(select_workloads);
  row.bind(1, want.query.problem).bind(2, want.origin).bind(3, cache);
  while (row.step()) {
    RecordedWorkload workload;
    workload.source = source;
    workload.id = row.integer(0);
    workload.size = row.text(1);
    workload.extents = extents_of(workload.size);
    workload.settings = canonical_settings(want.query.problem, row.text(2));
    const std::string model = row.text(3);
    auto device = devices.find(model);
    if (device == devices.end()) {
      device = devices.emplace(model, recorded_device(connection, model)).first;
      if (!any_board && kinship(wanted, device->second) == Kinship::same)
        fits[model] = fits_of(connection, model, wanted);
    }
    workload.device = device->second;
    workload.driver = row.text(4);
    workload.compiler = row.text(5);
    workload.source_hash = row.text(6);
    const auto by_board = fits.find(model);
    if (by_board == fits.end())
      workloads.push_back(std::move(workload));
    else
      add_by_board(connection, by_board->second, std::move(workload), workloads);
  }
  return workloads;
}

std::optional<double> RankingObjective::value(Connection& connection, std::int64_t evaluation, double seconds,
                                              std::optional<double> joules) const {
  if (is_time()) return seconds;
  if (value_) return value_(connection, evaluation, seconds, joules);
  if (!joules) return std::nullopt;
  return kind_ == energy ? *joules : *joules * seconds;
}

namespace {

// Selects the finalists of all runs of the workload, in the order in which the runs began: the numbers of
// runs do not tell in merged files.
constexpr const char* select_rerank = R"(
SELECT f.evaluation, f.time, f.energy, f.place, r.id FROM runs r JOIN finals f ON f.run = r.id
WHERE r.work = ?1 AND r.objective = ?2 ORDER BY r.started, r.id)";

constexpr const char* select_rerank_of = R"(
SELECT f.time, f.energy, f.place, r.id, r.device FROM finals f JOIN runs r ON r.id = f.run
WHERE f.evaluation = ?1 AND r.objective = ?2 ORDER BY r.started DESC, r.id DESC)";

constexpr const char* select_evaluation =
    "SELECT time, configuration_key, configuration FROM evaluations WHERE id = ?1 AND work = ?2";

// Selects in the order of the index (work, time).
constexpr const char* select_by_time = R"(
SELECT id, time, configuration_key, configuration, NULL, run FROM evaluations
WHERE work = ?1 AND time IS NOT NULL ORDER BY time, id)";

// Selects without an index: few energies are measured.
constexpr const char* select_with_energy = R"(
SELECT id, time, configuration_key, configuration, energy, run FROM evaluations
WHERE work = ?1 AND time IS NOT NULL AND energy IS NOT NULL)";

constexpr const char* select_all = R"(
SELECT id, time, configuration_key, configuration, energy, run FROM evaluations
WHERE work = ?1 AND time IS NOT NULL)";

constexpr const char* select_newest = R"(
SELECT id, time, energy, configuration, run FROM evaluations WHERE work = ?1 AND configuration_key = ?2
ORDER BY counts DESC, recorded DESC, id DESC)";

// Before schema 5 every failure replaced what was known.
constexpr const char* select_newest_before_5 = R"(
SELECT id, time, energy, configuration, run FROM evaluations WHERE work = ?1 AND configuration_key = ?2
ORDER BY recorded DESC, id DESC)";

Statement prepare_newest(Connection& connection) {
  return connection.prepare(connection.schema() < 5 ? select_newest_before_5 : select_newest);
}

constexpr const char* select_outranked = R"(
SELECT l.run FROM run_evaluations l JOIN runs r ON r.id = l.run
WHERE l.evaluation = ?1 AND r.objective = ?2 AND EXISTS (SELECT 1 FROM finals x WHERE x.run = l.run))";

constexpr const char* select_measured = "SELECT run FROM evaluations WHERE work = ?1 AND time IS NOT NULL";

constexpr const char* select_runs = "SELECT id, device FROM runs WHERE work = ?1";

constexpr const char* select_board = R"(
SELECT d.uuid, json_extract(d.facts, '$.power_limit') FROM devices d WHERE d.id = ?1)";

constexpr const char* select_device_of =
    "SELECT r.device FROM evaluations e JOIN runs r ON r.id = e.run WHERE e.id = ?1";

std::optional<double> joules_in(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.real(column));
}

bool before(const RankedRecord& a, const RankedRecord& b) {
  return std::tie(a.outranked, a.value, a.place, a.evaluation) <
         std::tie(b.outranked, b.value, b.place, b.evaluation);
}

/// The runs of a workload on some devices.
class RunsOn {
 public:
  RunsOn(Connection& connection, std::int64_t workload, const std::vector<std::int64_t>& devices)
      : all_(devices.empty()) {
    if (all_) return;
    Statement row = connection.prepare(select_runs);
    row.bind(1, workload);
    while (row.step())
      if (std::find(devices.begin(), devices.end(), row.integer(1)) != devices.end())
        runs_.insert(row.integer(0));
  }
  bool has(std::int64_t run) const { return all_ || runs_.count(run) > 0; }

 private:
  bool all_;
  std::set<std::int64_t> runs_;
};

/// The ranking of one workload, as far as it is asked for.
class Ranking {
 public:
  Ranking(Connection& connection, std::int64_t workload, const RankingObjective& objective, Order order,
          const std::vector<std::int64_t>& devices)
      : connection_(connection),
        workload_(workload),
        objective_(objective),
        order_(order),
        runs_(connection, workload, devices) {}

  std::vector<RankedRecord> first(std::size_t max_count) {
    add_reranked(max_count);
    if (objective_.is_time())
      walk(max_count);
    else
      scan();
    std::sort(entries_.begin(), entries_.end(), before);
    std::sort(outranked_.begin(), outranked_.end(), before);
    entries_.insert(entries_.end(), outranked_.begin(), outranked_.end());
    if (entries_.size() > max_count) entries_.resize(max_count);
    return std::move(entries_);
  }

 private:
  bool is_current(std::int64_t evaluation, const std::string& key) {
    Statement row = prepare_newest(connection_);
    row.bind(1, workload_).bind(2, key);
    while (row.step())
      if (runs_.has(row.integer(4)) || is_reranked(row.integer(0))) return row.integer(0) == evaluation;
    return false;
  }

  /// True where a re-ranked configuration counts: all that were not re-ranked are behind it.
  bool confirmed() const { return order_ == Order::ranking && reranked_entries_ > 0; }

  bool is_outranked(std::int64_t evaluation) {
    Statement row = connection_.prepare(select_outranked);
    row.bind(1, evaluation).bind(2, objective_.name());
    while (row.step())
      if (runs_.has(row.integer(0))) return true;
    return false;
  }

  bool is_reranked(std::int64_t evaluation) const {
    return std::binary_search(reranked_.begin(), reranked_.end(), evaluation);
  }

  /// Returns those that can be among the first: each costs two look-ups.
  void add_reranked(std::size_t max_count) {
    std::vector<RankedRecord> all;
    {
      Statement row = connection_.prepare(select_rerank);
      row.bind(1, workload_).bind(2, objective_.name());
      while (row.step()) {
        if (!runs_.has(row.integer(4))) continue;
        RankedRecord entry;
        entry.evaluation = row.integer(0);
        entry.seconds = row.real(1);
        entry.value =
            objective_.value(connection_, entry.evaluation, entry.seconds, joules_in(row, 2)).value_or(0);
        entry.place = row.integer(3);
        all.push_back(std::move(entry));
      }
    }
    std::vector<RankedRecord> newest;
    for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {  // the newest re-ranking counts
      const auto at = std::lower_bound(reranked_.begin(), reranked_.end(), entry->evaluation);
      if (at != reranked_.end() && *at == entry->evaluation) continue;
      reranked_.insert(at, entry->evaluation);
      newest.push_back(std::move(*entry));
    }
    std::sort(newest.begin(), newest.end(), before);
    for (RankedRecord& entry : newest) {
      if (entries_.size() >= max_count) break;
      if (complete(entry)) entries_.push_back(std::move(entry));
    }
    reranked_entries_ = static_cast<std::ptrdiff_t>(entries_.size());
  }

  /// Returns false where it does not count any more.
  bool complete(RankedRecord& entry) {
    if (!(entry.value > 0)) return false;
    Statement row = connection_.prepare(select_evaluation);
    if (!row.bind(1, entry.evaluation).bind(2, workload_).step() || row.is_null(0)) return false;
    entry.key = row.text(1);
    entry.configuration = row.text(2);
    return is_current(entry.evaluation, entry.key);
  }

  void add(const Statement& row, double value) {
    RankedRecord entry;
    entry.evaluation = row.integer(0);
    if (is_reranked(entry.evaluation)) return;
    entry.seconds = row.real(1);
    entry.value = value;
    entry.key = row.text(2);
    if (order_ == Order::ranking) {
      if (!is_current(entry.evaluation, entry.key)) return;
      entry.outranked = confirmed() || is_outranked(entry.evaluation);
      entry.configuration = row.text(3);
    }
    (entry.outranked ? outranked_ : entries_).push_back(std::move(entry));
  }

  /// True when so many rows are faster that none as slow as `value` can be among the first.
  bool is_decided(double value, std::size_t max_count) const {
    const auto faster = [value](const auto& begin, const auto& end) {
      return std::partition_point(begin, end, [value](const RankedRecord& e) { return e.value < value; }) -
             begin;
    };
    const auto walked = entries_.begin() + reranked_entries_;
    const std::size_t chosen =
        static_cast<std::size_t>(faster(entries_.begin(), walked) + faster(walked, entries_.end()));
    return chosen >= max_count || (confirmed() && entries_.size() + outranked_.size() >= max_count);
  }

  void walk(std::size_t max_count) {
    Statement row = connection_.prepare(select_by_time);
    row.bind(1, workload_);
    while (row.step()) {
      if (is_decided(row.real(1), max_count)) return;
      if (runs_.has(row.integer(5))) add(row, row.real(1));
    }
  }

  void scan() {
    Statement row = connection_.prepare(objective_.needs_energy() ? select_with_energy : select_all);
    row.bind(1, workload_);
    while (row.step()) {
      if (!runs_.has(row.integer(5))) continue;
      if (const auto value = objective_.value(connection_, row.integer(0), row.real(1), joules_in(row, 4)))
        add(row, *value);
    }
  }

  Connection& connection_;
  std::int64_t workload_;
  const RankingObjective& objective_;
  Order order_;
  RunsOn runs_;
  std::vector<std::int64_t> reranked_;  ///< sorted
  std::vector<RankedRecord> entries_;   ///< finalists that count, then the others as they came
  std::ptrdiff_t reranked_entries_ = 0;
  std::vector<RankedRecord> outranked_;
};

}  // namespace

std::vector<RankedRecord> fastest(Connection& connection, std::int64_t workload,
                                  const RankingObjective& objective, std::size_t max_count, Order order,
                                  const std::vector<std::int64_t>& devices) {
  return Ranking(connection, workload, objective, order, devices).first(max_count);
}

std::size_t count_measured(Connection& connection, std::int64_t workload, std::size_t max_count,
                           const std::vector<std::int64_t>& devices) {
  const RunsOn runs(connection, workload, devices);
  std::size_t count = 0;
  Statement row = connection.prepare(select_measured);
  row.bind(1, workload);
  while (count < max_count && row.step()) count += runs.has(row.integer(0)) ? 1 : 0;
  return count;
}

Board board_of(Connection& connection, const RankedRecord& entry, const RankingObjective& objective,
               const std::vector<std::int64_t>& devices) {
  const auto seen = [&](std::int64_t device) {
    return devices.empty() || std::find(devices.begin(), devices.end(), device) != devices.end();
  };
  std::optional<std::int64_t> device;
  {
    Statement row = connection.prepare(select_rerank_of);
    row.bind(1, entry.evaluation).bind(2, objective.name());
    while (!device && row.step())
      if (seen(row.integer(4))) device = row.integer(4);
  }
  if (!device) {
    Statement row = connection.prepare(select_device_of);
    if (!row.bind(1, entry.evaluation).step()) return {};
    device = row.integer(0);
  }
  Statement row = connection.prepare(select_board);
  if (!row.bind(1, *device).step()) return {};
  return {row.text(0), row.real(1)};
}

std::optional<RecordedOutcome> outcome(Connection& connection, std::int64_t workload,
                                       const RankingObjective& objective,
                                       const std::string& configuration_key,
                                       const std::vector<std::int64_t>& devices) {
  const RunsOn runs(connection, workload, devices);
  Statement newest = prepare_newest(connection);
  newest.bind(1, workload).bind(2, configuration_key);
  while (newest.step()) {
    const bool here = runs.has(newest.integer(4));
    RecordedOutcome outcome;
    outcome.entry.evaluation = newest.integer(0);
    outcome.entry.key = configuration_key;
    outcome.failed = newest.is_null(1);
    if (outcome.failed && here) return outcome;
    Statement rerank_row = connection.prepare(select_rerank_of);
    rerank_row.bind(1, outcome.entry.evaluation).bind(2, objective.name());
    bool reranked = false;
    while (!reranked && rerank_row.step()) reranked = runs.has(rerank_row.integer(3));
    if (!reranked && !here) continue;
    outcome.entry.configuration = newest.text(3);
    outcome.entry.seconds = newest.real(1);
    outcome.entry.value =
        objective.value(connection, outcome.entry.evaluation, newest.real(1), joules_in(newest, 2))
            .value_or(0);
    if (reranked) {
      outcome.entry.seconds = rerank_row.real(0);
      outcome.entry.value =
          objective.value(connection, outcome.entry.evaluation, rerank_row.real(0), joules_in(rerank_row, 1))
              .value_or(outcome.entry.value);
      outcome.entry.place = rerank_row.integer(2);
    }
    if (!(outcome.entry.value > 0)) return std::nullopt;
    return outcome;
  }
  return std::nullopt;
}

}  // namespace tune::lookup
