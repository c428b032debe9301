// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/store/database.hpp"
#include "tuner/session/store.hpp"

/// The read side: the contents of a database as plain data. Every function sees one unchanging state of the
/// file and throws Error. Times are in seconds, times of day the stored texts (UTC, ISO 8601).
namespace tune::db {

/// A problem with results.
struct ProblemSummary {
  std::string problem;
  std::int64_t instances = 0;
  std::int64_t devices = 0;  ///< models
  std::int64_t runs = 0;
  std::int64_t evaluations = 0;
  std::int64_t failures = 0;  ///< among the evaluations
  std::int64_t replayed = 0;  ///< among the evaluations: repeated from recordings, not measured
  std::string last_run;       ///< when the newest began
};
/// Returns all of them, sorted by name.
std::vector<ProblemSummary> list_problems(const Database& database);

/// True where the database has results of the problem that another program measured.
bool has_imported(const Database& database, const std::string& problem);

/// A device model with results, which boards of one model share.
struct DeviceSummary {
  std::string model_key;
  std::string name;
  std::string architecture;
  std::vector<std::string> drivers;  ///< under which there are results, sorted
  std::int64_t runs = 0;
  std::int64_t evaluations = 0;
  std::int64_t replayed = 0;  ///< among the evaluations: repeated from recordings, not measured
  std::string last_run;
  DeviceProperties properties;  ///< of the newest run
};
/// Returns all of them, sorted by model key.
std::vector<DeviceSummary> list_devices(const Database& database);

/// A workload by its texts: a WorkloadKey without the device's properties.
struct Workload {
  std::int64_t id = 0;  ///< equal for results that can be compared
  std::string problem;
  std::string size;
  std::string settings;  ///< `radius=1,type=float`
  std::vector<std::pair<std::string, std::int64_t>> extents;
  std::string device;     ///< name
  std::string model_key;  ///< of the device
  std::string architecture;
  std::string driver;
  Toolchain toolchain;
  Origin origin = Origin::measured;
  CacheState cache = CacheState::cold;
};

/// The cost of one solution of the problem, for rates and the share of the limit.
struct WorkloadCost {
  double limit = 0;  ///< seconds; 0 where unknown
  double items = 0;
  double flops = 0;
  double bytes = 0;
  std::string item;  ///< `cell update`
};

struct RunFilter {
  std::optional<std::string> problem = std::nullopt;
  std::optional<std::string> device = std::nullopt;  ///< model key or name
  std::optional<std::size_t> limit = std::nullopt;
  std::optional<std::int64_t> workload = std::nullopt;  ///< Workload::id
  std::optional<std::string> command_line = std::nullopt;
};

/// One run in a list.
struct RunSummary {
  RunId run = 0;
  Workload workload;
  std::string strategy;
  Objective objective = Objective::time;
  std::string started;
  std::string ended;             ///< empty where it was killed, or still goes on
  std::string end_reason;        ///< as `ended`
  std::int64_t evaluations = 0;  ///< that it saw, reused ones included
  std::int64_t reused = 0;       ///< among them
  std::int64_t failures = 0;     ///< among them
  /// Seconds, of the re-ranking if any; nothing where all failed.
  std::optional<double> best;
  std::optional<std::string> best_configuration;  ///< key
  std::int64_t tied = 0;  ///< with the winner of its re-ranking, itself included; 0: none
};
/// Returns runs, the newest first.
std::vector<RunSummary> list_runs(const Database& database, const RunFilter& filter = {});

/// The place of an evaluation in a re-ranking.
struct RerankStanding {
  RunId run = 0;  ///< whose re-ranking it was
  std::int64_t place = 0;
  MedianInterval time;   ///< seconds: median of the rounds, 95 %
  MedianInterval ratio;  ///< of its value to the winner's, round by round, 95 %
  bool tied = false;     ///< with the winner
  std::int64_t rounds = 0;
};

/// What tells boards of one model apart. Times of two boards, or of one with another power limit, differ by
/// more than noise.
struct Board {
  std::string uuid;             ///< empty where unknown
  double power_limit = 0;       ///< watts, as enforced when the run began; 0 where unknown, as the next ones
  double max_core_clock = 0;    ///< Hz
  double max_memory_clock = 0;  ///< Hz
  friend bool operator==(const Board&, const Board&) = default;
};

/// One evaluation in a list: a measurement (with `time` and what follows it) or a failure.
struct ResultRow {
  std::int64_t evaluation = 0;
  RunId run = 0;  ///< that made it
  Workload workload;
  Board board;
  WorkloadCost amount;
  Configuration configuration;
  /// That it is ranked by: of its newest re-ranking, else of the samples.
  std::optional<double> time;
  /// What the objective minimises, where it was ranked by another one than the time (ResultReader).
  std::optional<double> value;
  std::optional<double> measured_time;   ///< median of the samples
  std::optional<RerankStanding> rerank;  ///< the newest by that
  double minimum = 0;
  double error = 0;
  double tolerance = 0;
  std::int64_t samples = 0;
  std::optional<Timing> timing;  ///< without samples; nothing where it is not known
  bool same_code = false;        ///< the outcome of another configuration with equal machine code
  bool from_cache = false;       ///< the binary was not compiled
  std::optional<Failure> failure;
  std::optional<KernelResources> resources;
  std::string binary_hash;
  PhaseTimes phases;
  std::string recorded;
  bool current = true;  ///< false: the configuration was evaluated again later in the same workload
};

struct ResultFilter {
  std::optional<std::string> problem = std::nullopt;
  std::optional<std::string> size = std::nullopt;
  std::optional<std::string> settings = std::nullopt;  ///< settings key
  std::optional<std::string> device = std::nullopt;    ///< model key or name
  /// Evaluations that this run saw, reused ones included.
  std::optional<RunId> run = std::nullopt;
  std::optional<std::int64_t> workload = std::nullopt;  ///< Workload::id
  std::optional<Origin> origin = std::nullopt;
  std::optional<CacheState> cache = std::nullopt;
  std::optional<std::size_t> limit = std::nullopt;
  bool failures = false;    ///< include them, after the measurements
  bool superseded = false;  ///< include evaluations that are not current
};
/// Returns evaluations, the fastest first. Those that a re-ranking did not choose come after all other
/// measurements, whatever their times; failures come last, in order of arrival.
std::vector<ResultRow> list_results(const Database& database, const ResultFilter& filter = {});

}  // namespace tune::db
