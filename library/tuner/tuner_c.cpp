// SPDX-License-Identifier: Apache-2.0
// The C interface: tuner.hpp with handles and status codes, without exceptions.
#include "library/tuner/tuner_c.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "library/run/version.hpp"
#include "library/tuner/option_setters.hpp"
#include "tuner/base/format.hpp"

namespace {

using namespace tune::api;
using namespace tune::api::in_c;

/// Holds the texts and arrays of an evaluation.
struct HeldEvaluation {
  Evaluation value;
  HeldConfiguration configuration;
  std::vector<const char*> names;
  tune_evaluation view{};

  explicit HeldEvaluation(Evaluation given) : value(std::move(given)), configuration(value.configuration) {
    for (const auto& [name, one] : value.configuration.entries()) names.push_back(name.c_str());
    view.configuration = configuration.view.text;
    view.parameters = names.size();
    view.names = names.data();
    view.values = configuration.texts.values();
    view.kinds = configuration.texts.kinds();
    if (value.failure) {
      view.phase = value.failure->phase.c_str();
      view.reason = value.failure->reason.c_str();
      view.detail = value.failure->detail.c_str();
    }
    view.seconds = value.seconds;
    view.joules = value.joules;
    view.error = value.error;
    view.tolerance = value.tolerance;
    view.occupancy = value.occupancy;
    view.registers = value.registers;
    view.reused = value.reused ? 1 : 0;
    view.estimated = value.estimated ? 1 : 0;
    view.sample_count = value.samples.size();
    view.samples = value.samples.data();
    view.compile_seconds = value.compile_seconds;
    view.check_seconds = value.check_seconds;
    view.measure_seconds = value.measure_seconds;
  }
  HeldEvaluation(const HeldEvaluation&) = delete;
  HeldEvaluation& operator=(const HeldEvaluation&) = delete;
};

static_assert(TUNE_EXHAUSTED == static_cast<int>(End::exhausted) &&
              TUNE_BUDGET == static_cast<int>(End::budget) &&
              TUNE_LITTLE_TO_GAIN == static_cast<int>(End::little_to_gain) &&
              TUNE_CANCELLED == static_cast<int>(End::cancelled));

/// A result with all that it points to; `view` comes first, so that its address is that of the whole.
struct HeldResult {
  tune_result view{};
  std::deque<HeldEvaluation> evaluations;
  std::optional<HeldEvaluation> best;
  std::vector<const tune_evaluation*> pointers;
  std::deque<HeldConfiguration> tied;
  std::vector<const char*> ties, phases;
  std::vector<const tune_configuration*> tie_configurations;
  std::vector<std::uint64_t> phase_failures;
  std::map<std::string, std::uint64_t> failures;

  void add(const Evaluation& evaluation) { pointers.push_back(&evaluations.emplace_back(evaluation).view); }
  void complete(const Result& result) {
    if (result.best) view.best = &best.emplace(*result.best).view;
    for (const Configuration& tie : result.ties) {
      tie_configurations.push_back(&tied.emplace_back(tie).view);
      ties.push_back(tie_configurations.back()->text);
    }
    failures = result.failures;
    for (const auto& [phase, count] : failures) {
      phases.push_back(phase.c_str());
      phase_failures.push_back(count);
    }
    view.count = pointers.size();
    view.evaluations = pointers.data();
    view.tie_count = ties.size();
    view.ties = ties.data();
    view.tie_configurations = tie_configurations.data();
    view.phase_count = phases.size();
    view.phases = phases.data();
    view.phase_failures = phase_failures.data();
    view.space_size = result.space_size;
    view.counted = result.evaluations;
    view.reused = result.reused;
    view.right = result.right;
    view.end = static_cast<tune_end>(result.end);
    view.seconds = result.seconds;
    view.limit = result.limit;
    view.run = result.run;
  }
};

tune_status make_problem(tune_problem** problem, const char* given, const char* function,
                         Problem (*make)(const std::string&)) {
  return status_of([&] {
    require(problem, function);
    *problem = nullptr;
    require(given, function);
    *problem = new tune_problem{make(given)};
  });
}

tune_status define(const char* json, const char* folder, const tune_assignment* files, std::size_t count,
                   tune_problem** problem, const char* function) {
  return status_of([&] {
    require(problem, function);
    *problem = nullptr;
    require(json, function);
    if (count > 0) require(files, function);
    std::vector<std::pair<std::string, std::string>> texts;
    for (std::size_t i = 0; i < count; ++i) {
      require(files[i].name, function);
      require(files[i].value, function);
      texts.emplace_back(files[i].name, files[i].value);
    }
    *problem = new tune_problem{Problem::from_text(json, folder == nullptr ? "." : folder, texts)};
  });
}

constexpr OptionEntry<Options> option_table[] = {
    {"device", set_member<&Options::device>},
    {"database", set_member<&Options::database>},
    {"strategy", set_member<&Options::strategy>},
    {"evaluations", set_member<&Options::evaluations>},
    {"seconds", set_member<&Options::seconds>},
    {"until_gain", set_member<&Options::until_gain>},
    {"seed", set_member<&Options::seed>},
    {"objective", set_member<&Options::objective>},
    {"finalists", set_member<&Options::finalists>},
    {"where", set_member<&Options::where>},
    {"timeout", set_member<&Options::timeout>},
    {"compilers", set_member<&Options::compilers>},
    {"warm_caches", set_member<&Options::warm_caches>},
    {"fresh", set_member<&Options::fresh>},
    {"energy", set_member<&Options::energy>},
    {"reproducible", set_member<&Options::reproducible>},
    {"transfer", set_member<&Options::transfer>},
    {"in_process", set_member<&Options::in_process>},
    {"installed", set_member<&Options::installed>},
};

/// Gives the tuner other options.
void change(tune_tuner& tuner, Options options) {
  tuner.tuner.set(options);
  tuner.options = std::move(options);
}

}  // namespace

const char* tune_version(void) {
  static const std::string version = tune::run::version();
  return version.c_str();
}

const char* tune_message(void) {
  return last_message().c_str();
}

tune_status tune_problem_read(const char* file, tune_problem** problem) {
  return make_problem(problem, file, "tune_problem_read", Problem::from_definition);
}

tune_status tune_problem_parse(const char* json, const char* folder, tune_problem** problem) {
  return define(json, folder, nullptr, 0, problem, "tune_problem_parse");
}

tune_status tune_problem_define(const char* json, const char* folder, const tune_assignment* files,
                                size_t file_count, tune_problem** problem) {
  return define(json, folder, files, file_count, problem, "tune_problem_define");
}

tune_status tune_problem_built_in(const char* name, tune_problem** problem) {
  return make_problem(problem, name, "tune_problem_built_in", Problem::built_in);
}

const char* tune_built_in(size_t index) {
  static const std::vector<std::string> names = built_in_problems();
  return index < names.size() ? names[index].c_str() : nullptr;
}

const char* tune_problem_name(const tune_problem* problem) {
  return problem == nullptr ? "" : problem->problem.name().c_str();
}

void tune_problem_free(tune_problem* problem) {
  delete problem;
}

tune_status tune_open_in(const char* installed, tune_tuner** tuner) {
  return status_of([&] {
    require(tuner, "tune_open");
    *tuner = nullptr;
    auto made = std::make_unique<tune_tuner>();
    if (installed != nullptr) {
      Options options;
      options.installed = installed;
      change(*made, std::move(options));
    }
    *tuner = made.release();
  });
}

tune_status tune_open(tune_tuner** tuner) {
  return tune_open_in(nullptr, tuner);
}

void tune_close(tune_tuner* tuner) {
  delete tuner;
}

tune_status tune_set(tune_tuner* tuner, const char* option, const char* value) {
  return status_of([&] {
    require(tuner, "tune_set");
    require(option, "tune_set");
    Options options = tuner->options;
    set_option<Options>(option_table, options, option, value, "tune_set");
    change(*tuner, std::move(options));
  });
}

const char* tune_option(size_t index) {
  return index < std::size(option_table) ? option_table[index].name : nullptr;
}

tune_status tune_set_strategy(tune_tuner* tuner, const tune_strategy* strategy) {
  return status_of([&] {
    require(tuner, "tune_set_strategy");
    Options options = tuner->options;
    options.own_strategy =
        strategy == nullptr ? nullptr : std::make_shared<const OwnStrategy>(own_strategy_of(*strategy));
    change(*tuner, std::move(options));
  });
}

tune_status tune_on_progress(tune_tuner* tuner, tune_progress_function function, void* context) {
  return status_of([&] {
    require(tuner, "tune_on_progress");
    tuner->on_progress = function;
    tuner->progress_context = context;
  });
}

tune_status tune_on_notice(tune_tuner* tuner, tune_notice_function function, void* context) {
  return status_of([&] {
    require(tuner, "tune_on_notice");
    Options options = tuner->options;
    options.on_notice = {};
    if (function != nullptr)
      options.on_notice = [function, context](const std::string& line) { function(line.c_str(), context); };
    change(*tuner, std::move(options));
  });
}

namespace {

/// Keeps an evaluation of the tuner's run and reports it.
void take(tune_tuner& tuner, HeldResult& held, const Evaluation& evaluation, const Progress& progress) {
  held.add(evaluation);
  if (tuner.on_progress == nullptr) return;
  std::optional<HeldEvaluation> best;
  if (progress.best) best.emplace(*progress.best);
  const tune_progress report{held.pointers.back(), best ? &best->view : nullptr,
                             progress.evaluations, progress.planned,
                             progress.measured,    progress.seconds};
  if (tuner.on_progress(&report, tuner.progress_context) != 0) tuner.tuner.cancel();
}

}  // namespace

tune_status tune_run(tune_tuner* tuner, const tune_problem* problem, const tune_assignment* sizes,
                     size_t size_count, const tune_result** result) {
  return status_of([&] {
    require(result, "tune_run");
    *result = nullptr;
    require(tuner, "tune_run");
    require(problem, "tune_run");
    auto held = std::make_unique<HeldResult>();
    Options options = tuner->options;
    options.on_evaluation = [&](const Evaluation& evaluation, const Progress& progress) {
      take(*tuner, *held, evaluation, progress);
    };
    tuner->tuner.set(std::move(options));
    held->complete(tuner->tuner.run(problem->problem, values_of(sizes, size_count, "tune_run")));
    *result = &held.release()->view;
  });
}

tune_status tune_evaluate(tune_tuner* tuner, const tune_problem* problem, const tune_assignment* parameters,
                          size_t parameter_count, const tune_assignment* sizes, size_t size_count,
                          const tune_result** result) {
  return status_of([&] {
    constexpr const char* here = "tune_evaluate";
    require(result, here);
    *result = nullptr;
    require(tuner, here);
    require(problem, here);
    const Evaluation evaluation = tuner->tuner.evaluate(
        problem->problem, values_of(parameters, parameter_count, here), values_of(sizes, size_count, here));
    auto held = std::make_unique<HeldResult>();
    held->add(evaluation);
    Result one;
    if (evaluation.measured()) one.best = evaluation;
    one.evaluations = 1;
    one.reused = evaluation.reused ? 1 : 0;
    one.right = evaluation.right() ? 1 : 0;
    if (evaluation.failure) one.failures[evaluation.failure->phase] = 1;
    one.seconds = evaluation.seconds;
    held->complete(one);
    *result = &held.release()->view;
  });
}

tune_status tune_space_size(tune_tuner* tuner, const tune_problem* problem, const tune_assignment* sizes,
                            size_t size_count, uint64_t* count) {
  return status_of([&] {
    require(count, "tune_space_size");
    require(tuner, "tune_space_size");
    require(problem, "tune_space_size");
    *count = tuner->tuner.space_size(problem->problem, values_of(sizes, size_count, "tune_space_size"));
  });
}

void tune_cancel(tune_tuner* tuner) {
  if (tuner != nullptr) tuner->tuner.cancel();
}

void tune_result_free(const tune_result* result) {
  delete reinterpret_cast<const HeldResult*>(result);
}

const char* tune_value(const tune_evaluation* evaluation, const char* parameter) {
  if (evaluation == nullptr || parameter == nullptr) return nullptr;
  const std::string_view name = parameter;
  for (std::size_t i = 0; i < evaluation->parameters; ++i)
    if (evaluation->names[i] == name) return evaluation->values[i];
  return nullptr;
}
