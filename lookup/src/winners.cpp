// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/winners.hpp"

#include <algorithm>
#include <tuple>

namespace tune::lookup {
namespace {

// Of every finalist of the work's runs; a later run's comes later, whatever its number: files are merged.
constexpr const char* select_finals = R"(
SELECT f.evaluation, f.time, f.energy, f.place FROM runs r JOIN finals f ON f.run = r.id
WHERE r.work = ?1 AND r.objective = ?2 ORDER BY r.started, r.id)";

constexpr const char* select_final_of = R"(
SELECT f.time, f.energy, f.place FROM finals f JOIN runs r ON r.id = f.run
WHERE f.evaluation = ?1 AND r.objective = ?2 ORDER BY r.started DESC, r.id DESC LIMIT 1)";

constexpr const char* select_evaluation =
    "SELECT time, configuration_key, configuration FROM evaluations WHERE id = ?1 AND work = ?2";

// In the order of the index (work, time).
constexpr const char* select_by_time = R"(
SELECT id, time, configuration_key, configuration, NULL FROM evaluations
WHERE work = ?1 AND time IS NOT NULL ORDER BY time, id)";

// Energies have no index: few are measured.
constexpr const char* select_with_energy = R"(
SELECT id, time, configuration_key, configuration, energy FROM evaluations
WHERE work = ?1 AND time IS NOT NULL AND energy IS NOT NULL)";

constexpr const char* select_newest = R"(
SELECT id, time, energy, configuration FROM evaluations WHERE work = ?1 AND configuration_key = ?2
ORDER BY recorded DESC, id DESC LIMIT 1)";

constexpr const char* select_outranked = R"(
SELECT 1 FROM run_evaluations l JOIN runs r ON r.id = l.run
WHERE l.evaluation = ?1 AND r.objective = ?2 AND EXISTS (SELECT 1 FROM finals x WHERE x.run = l.run) LIMIT 1)";

constexpr const char* select_count =
    "SELECT COUNT(*) FROM (SELECT 1 FROM evaluations WHERE work = ?1 AND time IS NOT NULL LIMIT ?2)";

const std::string& name_of(Objective objective) {
  static const std::string names[] = {"time", "energy", "edp"};
  return names[static_cast<std::size_t>(objective)];
}

/// Nothing where the objective takes the energy and it is not known.
std::optional<double> value_of(Objective objective, double seconds, const Statement& row, int energy) {
  if (objective == Objective::time) return seconds;
  if (row.is_null(energy)) return std::nullopt;
  return objective == Objective::energy ? row.real(energy) : row.real(energy) * seconds;
}

bool before(const Entry& a, const Entry& b) {
  return std::tie(a.outranked, a.value, a.place, a.evaluation) <
         std::tie(b.outranked, b.value, b.place, b.evaluation);
}

/// The ranking of one work, as far as somebody wants to see it.
class Ranking {
 public:
  Ranking(Connection& connection, std::int64_t work, Objective objective, Order order)
      : connection_(connection), work_(work), objective_(objective), order_(order) {}

  std::vector<Entry> first(std::size_t most) {
    add_finalists(most);
    if (objective_ == Objective::time)
      walk(most);
    else
      scan();
    std::sort(entries_.begin(), entries_.end(), before);
    std::sort(outranked_.begin(), outranked_.end(), before);
    entries_.insert(entries_.end(), outranked_.begin(), outranked_.end());
    if (entries_.size() > most) entries_.resize(most);
    return std::move(entries_);
  }

 private:
  bool is_current(std::int64_t evaluation, const std::string& key) {
    Statement row = connection_.prepare(select_newest);
    return row.bind(1, work_).bind(2, key).step() && row.integer(0) == evaluation;
  }

  bool is_outranked(std::int64_t evaluation) {
    Statement row = connection_.prepare(select_outranked);
    return row.bind(1, evaluation).bind(2, name_of(objective_)).step();
  }

  bool is_finalist(std::int64_t evaluation) const {
    return std::binary_search(finalists_.begin(), finalists_.end(), evaluation);
  }

  /// Those that can be among the first `most`: each costs two look-ups.
  void add_finalists(std::size_t most) {
    std::vector<Entry> all;
    {
      Statement row = connection_.prepare(select_finals);
      row.bind(1, work_).bind(2, name_of(objective_));
      while (row.step()) {
        Entry entry;
        entry.evaluation = row.integer(0);
        entry.seconds = row.real(1);
        entry.value = value_of(objective_, entry.seconds, row, 2).value_or(0);
        entry.place = row.integer(3);
        all.push_back(std::move(entry));
      }
    }
    std::vector<Entry> newest;
    for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {  // its newest finals count
      const auto at = std::lower_bound(finalists_.begin(), finalists_.end(), entry->evaluation);
      if (at != finalists_.end() && *at == entry->evaluation) continue;
      finalists_.insert(at, entry->evaluation);
      newest.push_back(std::move(*entry));
    }
    std::sort(newest.begin(), newest.end(), before);
    for (Entry& entry : newest) {
      if (entries_.size() >= most) break;
      if (complete(entry)) entries_.push_back(std::move(entry));
    }
    final_entries_ = static_cast<std::ptrdiff_t>(entries_.size());
  }

  /// False where it does not count any more.
  bool complete(Entry& entry) {
    if (!(entry.value > 0)) return false;
    Statement row = connection_.prepare(select_evaluation);
    if (!row.bind(1, entry.evaluation).bind(2, work_).step() || row.is_null(0)) return false;
    entry.key = row.text(1);
    entry.configuration = row.text(2);
    return is_current(entry.evaluation, entry.key);
  }

  void add(const Statement& row, double value) {
    Entry entry;
    entry.evaluation = row.integer(0);
    if (is_finalist(entry.evaluation)) return;
    entry.seconds = row.real(1);
    entry.value = value;
    entry.key = row.text(2);
    if (order_ == Order::ranking) {
      if (!is_current(entry.evaluation, entry.key)) return;
      entry.outranked = is_outranked(entry.evaluation);
      entry.configuration = row.text(3);
    }
    (entry.outranked ? outranked_ : entries_).push_back(std::move(entry));
  }

  /// True where no row as slow as `value` can be among the first `most`: so many are faster.
  bool is_decided(double value, std::size_t most) const {
    const auto faster = [value](const auto& begin, const auto& end) {
      return std::partition_point(begin, end, [value](const Entry& e) { return e.value < value; }) - begin;
    };
    const auto walked = entries_.begin() + final_entries_;
    return static_cast<std::size_t>(faster(entries_.begin(), walked) + faster(walked, entries_.end())) >=
           most;
  }

  void walk(std::size_t most) {
    Statement row = connection_.prepare(select_by_time);
    row.bind(1, work_);
    while (row.step()) {
      if (is_decided(row.real(1), most)) return;
      add(row, row.real(1));
    }
  }

  void scan() {
    Statement row = connection_.prepare(select_with_energy);
    row.bind(1, work_);
    while (row.step())
      if (const auto value = value_of(objective_, row.real(1), row, 4)) add(row, *value);
  }

  Connection& connection_;
  std::int64_t work_;
  Objective objective_;
  Order order_;
  std::vector<std::int64_t> finalists_;  ///< sorted
  std::vector<Entry> entries_;           ///< finalists that count, then the others as they came
  std::ptrdiff_t final_entries_ = 0;
  std::vector<Entry> outranked_;
};

}  // namespace

std::vector<Entry> fastest(Connection& connection, std::int64_t work, Objective objective, std::size_t most,
                           Order order) {
  return Ranking(connection, work, objective, order).first(most);
}

std::size_t count_measured(Connection& connection, std::int64_t work, std::size_t most) {
  Statement row = connection.prepare(select_count);
  row.bind(1, work).bind(2, static_cast<std::int64_t>(most));
  return row.step() ? static_cast<std::size_t>(row.integer(0)) : 0;
}

std::optional<Outcome> outcome(Connection& connection, std::int64_t work, Objective objective,
                               const std::string& configuration_key) {
  Outcome outcome;
  {
    Statement newest = connection.prepare(select_newest);
    if (!newest.bind(1, work).bind(2, configuration_key).step()) return std::nullopt;
    outcome.entry.evaluation = newest.integer(0);
    outcome.entry.key = configuration_key;
    outcome.failed = newest.is_null(1);
    if (outcome.failed) return outcome;
    outcome.entry.configuration = newest.text(3);
    outcome.entry.seconds = newest.real(1);
    outcome.entry.value = value_of(objective, newest.real(1), newest, 2).value_or(0);
  }
  Statement final = connection.prepare(select_final_of);
  if (final.bind(1, outcome.entry.evaluation).bind(2, name_of(objective)).step()) {
    outcome.entry.seconds = final.real(0);
    outcome.entry.value = value_of(objective, final.real(0), final, 1).value_or(outcome.entry.value);
    outcome.entry.place = final.integer(2);
  }
  if (!(outcome.entry.value > 0)) return std::nullopt;
  return outcome;
}

}  // namespace tune::lookup
