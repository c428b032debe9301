// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/read/queries.hpp"
#include "db/read/ranked.hpp"
#include "db/read/run_details.hpp"
#include "tuner/measurement/rank_agreement.hpp"

namespace tune::reports {

/// The chosen part of a database; an empty member does not restrict it.
struct ReportFilter {
  std::optional<std::string> problem = std::nullopt;
  std::optional<std::string> size = std::nullopt;
  std::optional<std::string> settings = std::nullopt;  ///< settings key
  std::optional<std::string> device = std::nullopt;    ///< model key or name
  std::optional<Origin> origin = std::nullopt;
  std::optional<RunId> run = std::nullopt;  ///< only results of this run, superseded evaluations included
  bool all_versions = false;  ///< also results of drivers, compilers and sources that were tuned again later
  std::size_t top = 10;       ///< how many of the fastest configurations are listed
};

/// What follows from the problem of a workload, where that is known: the database does not have it.
struct ProblemFacts {
  std::optional<Configuration> default_configuration = std::nullopt;
  std::optional<Instance> low_fidelity = std::nullopt;  ///< Problem::low_fidelity
  std::string low_fidelity_text = {};                   ///< in what it differs: `steps=24`
  /// Gives a metric that a run ranked by its formula; without it, only what other programs recorded is known.
  std::function<Objective(const Objective&)> with_formula = {};
};
using FactsOf = std::function<ProblemFacts(const db::Workload&)>;

/// An evaluation that improved the best so far.
struct Improvement : db::ProgressPoint {
  double elapsed = 0;  ///< seconds since the run began; of a reused evaluation, of the new one before it
};

/// One run of a section.
struct RunReport {
  db::RunSummary summary;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> budget_evaluations;
  std::optional<double> budget_seconds;
  std::string program_version;
  std::string host;
  double seconds = 0;  ///< from its start to its end, or to its last evaluation where it has no end
  /// By the section's objective: of its re-ranking by this one, if any.
  std::optional<double> best;
  std::vector<Improvement> improvements;  ///< in order
  std::vector<db::BoardShare> boards;     ///< where several devices shared it
};

/// When the winner was evaluated.
struct Discovery {
  RunId run = 0;
  std::string strategy;
  std::int64_t sequence = 0;  ///< from 0, in the run
  double elapsed = 0;         ///< seconds since the run began
};

/// Failures that ended in one phase.
struct PhaseCount {
  Phase phase = Phase::launch;
  std::int64_t count = 0;
};

/// An evaluation as charts need it.
struct ChartRow {
  std::size_t place = 0;  ///< in the order of `Section::evaluations`
  /// What the section's objective minimises; nothing for a failure and where it has none.
  std::optional<double> value;
  double seconds = 0;     ///< 0 for a failure
  bool tied = false;      ///< with the winner
  FrontValues both = {};  ///< by a front
  const db::EvaluationFigures& figures;
};

/// Evaluations that stay in the database.
struct StoredEvaluations {
  using Take = std::function<void(const db::ResultRow&)>;
  using TakeChartRow = std::function<void(const ChartRow&)>;
  using TakeConfiguration = std::function<void(std::size_t place, const Configuration&)>;

  std::size_t count = 0;
  std::size_t tied = 0;                   ///< how many others tie with the winner
  std::function<void(const Take&)> each;  ///< in the order of `Section::evaluations`
  /// In the order in which they lie in the file, which is much faster.
  std::function<void(const TakeChartRow&)> each_chart_row;
  std::function<void(const TakeConfiguration&)> each_configuration;
};

/// Everything about one problem at one size on one device model, under one set of versions.
struct Section {
  db::Workload workload;
  /// That of the newest run, or of the chosen one: what configurations are ranked by. The time where no
  /// measurement has a value of that one; `unknown_objective` is then its name.
  Objective objective = Objective::time;
  std::string unknown_objective;
  db::WorkloadCost amount;
  DeviceProperties device;            ///< of the newest run
  std::vector<std::string> outdated;  ///< what newer runs in the database differ in, a phrase each
  std::uint64_t space_size = 0;       ///< valid configurations, of the largest space that a run searched
  std::vector<db::ResultRow>
      evaluations;  ///< current ones, the best first, failures last; or the first of them
  /// All, where `evaluations` has the first alone: those that a table lists.
  std::optional<StoredEvaluations> stored;
  std::size_t measured = 0;             ///< how many of them have a value of the objective
  std::size_t without_value = 0;        ///< measurements that have none, which come after them
  std::size_t top = 0;                  ///< how many of them a table lists
  std::optional<db::ResultRow> winner;  ///< nothing where all failed
  std::optional<Discovery> found;       ///< how the winner was
  std::vector<double> winner_samples;   ///< seconds, in the order taken
  std::size_t close = 0;                ///< measurements within 5 % of the winner, itself included
  // What the objective minimises:
  std::optional<double> median_value;   ///< of all measured configurations
  std::optional<double> default_value;  ///< of the default configuration, where it was measured
  /// How far the cheaper instance agrees on the order of what was measured at both, and in what it differs.
  RankAgreement fidelity;
  std::string low_fidelity;
  std::vector<FrontMember> front;  ///< where the objective is one
  std::vector<PhaseCount> failed_phases;
  std::vector<db::FailureCount> failures;
  std::vector<RunReport> runs;  ///< newest first
};

struct ReportData {
  std::string database;           ///< its file
  std::vector<Section> sections;  ///< by problem, extents, settings, device and origin
};

/// Throws Error (Exit::no_answer) where the database has no run that passes the filter. Sees one unchanging
/// state of the file, which is still that of the evaluations read later if the caller is in Database::read.
/// The database must outlive the data. Holds about 50 bytes for each evaluation.
ReportData collect(const db::Database& database, const ReportFilter& filter, const FactsOf& facts_of = {});

/// How many evaluations the section has.
std::size_t evaluated(const Section& section);
/// Calls it for all of them, in order.
void each_evaluation(const Section& section, const StoredEvaluations::Take& take);
/// Call it for all of them, in any order.
void each_chart_row(const Section& section, const StoredEvaluations::TakeChartRow& take);
void each_configuration(const Section& section, const StoredEvaluations::TakeConfiguration& take);

/// What the objective minimises, of a row with a value.
double value_of(const db::ResultRow& row);
/// The value over the winner's; nothing where either is unknown.
std::optional<double> gain(const Section& section, const std::optional<double>& value);
/// True when another evaluation ties with the winner in its re-ranking.
bool ties(const Section& section, const db::ResultRow& row);
/// True when the settings ask for double precision.
bool in_double_precision(const db::Workload& workload);
/// The limit over the time; nothing where the limit is unknown.
std::optional<double> share_of_limit(const db::WorkloadCost& amount, double time);

/// Seconds since 1970 of a time of day as the database has it (UTC, `2026-01-31T12:00:00.000Z`); nothing for
/// other text.
std::optional<double> seconds_of(std::string_view utc);

}  // namespace tune::reports
