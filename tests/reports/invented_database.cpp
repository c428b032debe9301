// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/invented_database.hpp"

#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

/// A run is a minute, an evaluation a second of it.
class Story {
 public:
  explicit Story(db::Database& database)
      : store_(database, [this] { return format("2026-01-31T12:{:02}:{:02}.500Z", minute_, second_++); }) {}

  db::SqliteStore& store() { return store_; }
  RunId begin(const RunRecord& run) {
    ++minute_;
    second_ = 0;
    return store_.begin_run(run);
  }

 private:
  int minute_ = 0;
  int second_ = 0;
  db::SqliteStore store_;
};

WorkloadKey stencil_key() {
  WorkloadKey key = example_key();
  key.instance.settings = {{"type", "float"}, {"shape", "star"}, {"radius", 2}};
  return key;
}

RunRecord run_record(const WorkloadKey& key, const std::string& strategy, std::uint64_t seed) {
  RunRecord run = run_of(key);
  run.options.strategy = strategy;
  run.options.seed = seed;
  run.options.where = "";
  run.space_size = 20;
  return run;
}

Configuration direct(int x, int y) {
  return {{"variant", "direct"}, {"block_x", x}, {"block_y", y}, {"vectorise", x >= 64}};
}

Configuration fused(int steps, double share) {
  return {{"variant", "fused"}, {"steps", steps}, {"cache_share", share}};
}

Evaluation with_registers(Evaluation evaluation, int registers, double occupancy) {
  evaluation.resources->registers = registers;
  evaluation.resources->occupancy = occupancy;
  return evaluation;
}

/// Eight rounds of which the second is disturbed and the third a little faster.
RerankResult rank_top_k_of(const std::vector<std::pair<Configuration, double>>& top_k) {
  RerankResult rerank;
  for (const auto& [configuration, seconds] : top_k) {
    RerankPlace place;
    place.configuration = configuration;
    place.rounds.assign(8, {seconds, 0.5});
    place.rounds[1].seconds *= 1.01;
    place.rounds[2].seconds *= 0.99;
    rerank.places.push_back(std::move(place));
  }
  rerank.places = rank_top_k(std::move(rerank.places), rerank.objective);
  return rerank;
}

void stencil_on_h1(Story& story) {
  const RunId first = story.begin(run_record(stencil_key(), "random", 1));
  db::SqliteStore& store = story.store();
  store.record(first, with_registers(measured(direct(16, 4), {4e-3, 4.1e-3, 4.05e-3}), 32, 1));
  store.record(first, failed(direct(1024, 4), Phase::constraint, "too many threads", "1024 * 4 > 1024"));
  store.record(first, failed(fused(4, 0.5), Phase::compile, "syntax",
                             "fused.cu(12): error: a \"quoted\" word,\nand a second line"));
  store.record(first, with_registers(measured(direct(32, 4), {2e-3, 2.02e-3, 1.99e-3}), 40, 0.75));
  store.record(first, measured(fused(2, 0.25), {2.5e-3, 2.6e-3, 2.4e-3}));
  store.record(first, failed(fused(8, 0.5), Phase::verify, "wrong | off by one", "at (0, 0, 1)"));
  store.record(first, failed(fused(16, 0.5), Phase::verify, "wrong | off by one", "at (0, 0, 2)"));
  store.record(first, with_registers(measured(direct(64, 4), {1.9e-3, 1.95e-3, 1.92e-3}), 48, 0.625));
  store.record_rerank(first, rank_top_k_of({{direct(64, 4), 1.92e-3}, {fused(2, 0.25), 1.925e-3}}));
  store.end_run(first, RunEnd::budget);

  const RunId second = story.begin(run_record(stencil_key(), "grid", 0xffff'ffff'ffff'ffff));
  for (const Evaluation& known : store.known(stencil_key()))
    if (known.outcome) store.record(second, known);
  store.record(second, measured(direct(32, 4), {2.1e-3, 2.2e-3, 2.3e-3}));  // again: this one counts
  store.record(second, failed(fused(32, 1.0), Phase::timeout, "10 s", "no answer within 10 s"));
}

void stencil_elsewhere(Story& story) {
  WorkloadKey old = stencil_key();
  old.toolchain.source_hash = "older";
  const RunId of_old = story.begin(run_record(old, "random", 2));
  story.store().record(of_old, measured(direct(8, 8), {1e-3}));
  story.store().end_run(of_old, RunEnd::exhausted);
  stencil_on_h1(story);

  WorkloadKey replayed = stencil_key();
  replayed.origin = Origin::replayed;
  const RunId replay = story.begin(run_record(replayed, "random", 3));
  story.store().record(replay, measured(direct(32, 4), {1.5e-3}));
  story.store().end_run(replay, RunEnd::exhausted);

  WorkloadKey small = stencil_key();
  small.instance.extents = {{"nx", 64}, {"ny", 64}, {"nz", 64}};
  small.device.name = "Invented Z9 \"mobile\", 2nd";
  const RunId failing = story.begin(run_record(small, "random", 4));
  story.store().record(failing, failed(direct(16, 4), Phase::crash, "illegal address", "block (0, 0, 0)"));
  story.store().end_run(failing, RunEnd::interrupted);
}

}  // namespace

void invent(db::Database& database) {
  Story story(database);
  stencil_elsewhere(story);
  WorkloadKey transpose = example_key();
  transpose.instance = {"transpose", {{"nx", 4096}, {"ny", 4096}}, {}};
  RunRecord run = run_record(transpose, "grid", 5);
  run.limit = 0;
  run.flops = 0;
  run.item = "element";
  const RunId id = story.begin(run);
  Evaluation bare = measured({{"tile", 32}}, {3.3e-5, 3.5e-5});
  bare.resources.reset();
  story.store().record(id, bare);
  story.store().end_run(id, RunEnd::exhausted);
}

namespace {

void invent_by(db::Database& database, const char* objective) {
  Story story(database);
  db::SqliteStore& store = story.store();
  RunRecord run = run_record(stencil_key(), "random", 1);
  run.options.objective = objective_from_string(objective);
  const RunId id = story.begin(run);
  const auto record = [&](const Configuration& configuration, double seconds, std::optional<double> metric) {
    Evaluation one = measured(configuration, {seconds});
    one.outcome->metrics.clear();
    if (metric) one.outcome->metrics = {{"GFLOP/s", *metric}};
    store.record(id, one);
    return one;
  };
  record(direct(16, 4), 1e-3, 500);
  record(direct(32, 4), 2e-3, 790);
  record(direct(64, 4), 4e-3, 800);
  record(fused(2, 0.25), 0.5e-3, std::nullopt);
  for (int steps = 3; steps < 9; ++steps) record(fused(steps, 0.25), 1e-3 * steps, 100.0 * steps - 50);
  store.record(id, failed(direct(1024, 4), Phase::constraint, "too many threads", "1024 * 4 > 1024"));
  RerankResult rerank;
  rerank.objective = run.options.objective;
  const auto place = [&](const Configuration& configuration, double seconds, double ratio, bool tied) {
    RerankPlace one;
    one.configuration = configuration;
    one.rounds.assign(8, {seconds, 0});
    one.time = {seconds, seconds, seconds, 0.95};
    one.ratio = {ratio, ratio, ratio, 0.95};
    one.tied = tied;
    rerank.places.push_back(std::move(one));
  };
  place(direct(64, 4), 4e-3, 1, true);
  place(direct(32, 4), 2e-3, 1.001, true);
  store.record_rerank(id, rerank);
  store.end_run(id, RunEnd::budget);
}

}  // namespace

void invent_metric(db::Database& database) {
  invent_by(database, "max:GFLOP/s");
}

void invent_front(db::Database& database) {
  invent_by(database, "pareto:time,max:GFLOP/s");
}

reports::ReportData in_memory(reports::ReportData data) {
  for (reports::Section& section : data.sections) {
    std::vector<db::ResultRow> rows;
    reports::each_evaluation(section, [&](const db::ResultRow& row) { rows.push_back(row); });
    section.evaluations = std::move(rows);
    section.stored.reset();
  }
  return data;
}

reports::ReportData smallest_part(reports::ReportData data) {
  data.sections = {data.sections.at(1)};
  reports::Section& section = data.sections.front();
  section.evaluations = {section.evaluations.front(), section.evaluations.back()};
  section.measured = section.close = 1;
  section.failed_phases.resize(1);
  section.failures.resize(1);
  section.runs.resize(1);
  return data;
}

}  // namespace tune::testing
