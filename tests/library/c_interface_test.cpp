// SPDX-License-Identifier: Apache-2.0
// The C interface of the tuner, on a device that does not exist and on the emulator. That its header is C99
// is seen in docs_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tune/tune.h>

#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "library/tuner/tuner_c.hpp"
#include "tests/library/toy.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The kernel of tests/support/fake_backend.hpp, as a user would describe it.
constexpr const char* toy_definition = R"json({
  "problem": "toy",
  "kernel": "toy.cu",
  "sizes": {"nx": 1000},
  "parameters": {
    "kind": ["plain", "wrong"],
    "block": {"values": [32, 64, 128, 256], "default": 128},
    "items": [1, 2, 4]
  },
  "arguments": {
    "in": {"type": "float", "size": "nx"},
    "out": {"type": "float", "size": "nx", "access": "write"}
  },
  "launches": {"entry": "toy", "grid": "ceil_div(nx, block)", "block": "block"},
  "reference": {"configuration": {"kind": "plain"}},
  "check": [{"nx": 37}],
  "budget": {"evaluations": 5}
})json";

class InC : public ::testing::Test {
 protected:
  InC() {
    std::ofstream(folder_.path() / "toy.cu") << toy_source;
    EXPECT_EQ(tune_open(&tuner_), TUNE_OK);
    set("database", (folder_.path() / "results.db").string());
    set("transfer", "false");
    set("strategy", "grid");
    tuner_->tuner.state().open_backend = [] { return std::make_unique<FakeBackend>(); };
  }
  ~InC() override {
    tune_result_free(result_);
    tune_problem_free(problem_);
    tune_close(tuner_);
  }
  void set(const std::string& option, const std::string& value) {
    EXPECT_EQ(tune_set(tuner_, option.c_str(), value.c_str()), TUNE_OK) << tune_message();
  }
  tune_problem* toy() {
    if (problem_ != nullptr) return problem_;
    EXPECT_EQ(tune_problem_parse(toy_definition, folder_.path().c_str(), &problem_), TUNE_OK)
        << tune_message();
    return problem_;
  }
  tune_status run() {
    tune_result_free(result_);
    return tune_run(tuner_, toy(), nullptr, 0, &result_);
  }

  TemporaryFolder folder_;
  tune_tuner* tuner_ = nullptr;
  tune_problem* problem_ = nullptr;
  const tune_result* result_ = nullptr;
};

TEST_F(InC, ARunHasTheBestAndAllEvaluations) {
  set("evaluations", "24");
  ASSERT_EQ(run(), TUNE_OK) << tune_message();
  EXPECT_STREQ(tune_problem_name(toy()), "toy");
  ASSERT_NE(result_->best, nullptr);
  EXPECT_EQ(std::vector<std::string>(result_->best->names, result_->best->names + result_->best->parameters),
            (std::vector<std::string>{"kind", "block", "items"}));
  EXPECT_STREQ(tune_value(result_->best, "block"), "256");
  EXPECT_STREQ(tune_value(result_->best, "kind"), "plain");
  EXPECT_EQ(tune_value(result_->best, "blok"), nullptr);
  EXPECT_EQ(result_->best->kinds[0], TUNE_TEXT);
  EXPECT_EQ(result_->best->kinds[1], TUNE_INTEGER);
  EXPECT_NEAR(result_->best->seconds, 1e-6, 2e-8);
  EXPECT_EQ(result_->count, 24U);
  EXPECT_EQ(result_->counted, 24U);
  EXPECT_EQ(result_->right, 12U);
  ASSERT_EQ(result_->phase_count, 1U);
  EXPECT_STREQ(result_->phases[0], "verify");
  EXPECT_EQ(result_->phase_failures[0], 12U);
  EXPECT_GT(result_->run, 0);
  std::size_t wrong = 0, samples = 0;
  for (std::size_t i = 0; i < result_->count; ++i) {
    const tune_evaluation& one = *result_->evaluations[i];
    EXPECT_EQ(one.phase == nullptr, std::string(tune_value(&one, "kind")) == "plain") << one.configuration;
    if (one.phase != nullptr) {
      EXPECT_STREQ(one.phase, "verify");
      EXPECT_STRNE(one.detail, "");
      ++wrong;
    }
    samples += one.sample_count;
  }
  EXPECT_EQ(wrong, 12U);
  EXPECT_GE(samples, 12U);

  ASSERT_EQ(run(), TUNE_OK);
  EXPECT_EQ(result_->reused, 24U) << "the second run answers from the database";
  EXPECT_EQ(result_->evaluations[0]->reused, 1);
}

TEST_F(InC, TheDefinitionHasTheBudgetUnlessTheCallerDoes) {
  ASSERT_EQ(run(), TUNE_OK) << tune_message();
  EXPECT_EQ(result_->counted, 5U);
  EXPECT_EQ(result_->end, TUNE_BUDGET);
  set("evaluations", "7");
  ASSERT_EQ(run(), TUNE_OK);
  EXPECT_EQ(result_->counted, 7U);
  EXPECT_EQ(tune_set(tuner_, "evaluations", nullptr), TUNE_OK);
  ASSERT_EQ(run(), TUNE_OK);
  EXPECT_EQ(result_->counted, 5U);
}

TEST_F(InC, ProgressMayEndTheRun) {
  struct Seen {
    std::vector<std::uint64_t> evaluations;
    bool had_best = false;
  } seen;
  const auto progress = [](const tune_progress* now, void* context) {
    auto& all = *static_cast<Seen*>(context);
    all.evaluations.push_back(now->evaluations);
    all.had_best = now->best != nullptr && now->best->seconds > 0;
    return all.evaluations.size() == 3 ? 1 : 0;
  };
  ASSERT_EQ(tune_on_progress(tuner_, progress, &seen), TUNE_OK);
  ASSERT_EQ(run(), TUNE_OK);
  EXPECT_EQ(result_->end, TUNE_CANCELLED);
  EXPECT_THAT(seen.evaluations, ElementsAre(1, 2, 3));
  EXPECT_TRUE(seen.had_best);
  EXPECT_EQ(result_->count, 3U);
  tune_cancel(tuner_);
  ASSERT_EQ(run(), TUNE_OK);
  EXPECT_EQ(result_->end, TUNE_CANCELLED) << "a cancel before the run counts";
  ASSERT_EQ(tune_on_progress(tuner_, nullptr, nullptr), TUNE_OK);
  ASSERT_EQ(run(), TUNE_OK);
  EXPECT_EQ(result_->end, TUNE_BUDGET);
}

TEST_F(InC, OneEvaluation) {
  const tune_assignment parameters[] = {{"block", "256"}, {"items", "4"}};
  const tune_assignment sizes[] = {{"nx", "2000"}};
  ASSERT_EQ(tune_evaluate(tuner_, toy(), parameters, 2, sizes, 1, &result_), TUNE_OK) << tune_message();
  ASSERT_EQ(result_->count, 1U);
  EXPECT_STREQ(result_->evaluations[0]->configuration, "kind=plain, block=256, items=4");
  EXPECT_NEAR(result_->best->seconds, 2e-6, 4e-8);
  tune_result_free(result_);
  const tune_assignment invalid[] = {{"block", "48"}};
  ASSERT_EQ(tune_evaluate(tuner_, toy(), invalid, 1, nullptr, 0, &result_), TUNE_OK);
  EXPECT_STREQ(result_->evaluations[0]->phase, "constraint");
  EXPECT_EQ(result_->best, nullptr);
  std::uint64_t count = 0;
  set("where", "kind == plain");
  ASSERT_EQ(tune_space_size(tuner_, toy(), nullptr, 0, &count), TUNE_OK);
  EXPECT_EQ(count, 12U);
}

TEST_F(InC, TheBestIsWhatIsStored) {
  const tune_stored* stored = nullptr;
  ASSERT_EQ(tune_best(tuner_, toy(), nullptr, 0, &stored), TUNE_OK) << tune_message();
  EXPECT_EQ(stored, nullptr) << "there is no database yet";
  set("evaluations", "24");
  ASSERT_EQ(run(), TUNE_OK) << tune_message();
  ASSERT_EQ(tune_best(tuner_, toy(), nullptr, 0, &stored), TUNE_OK) << tune_message();
  ASSERT_NE(stored, nullptr);
  EXPECT_STREQ(stored->match, "exact");
  EXPECT_STREQ(stored->configuration->text, result_->best->configuration);
  EXPECT_STREQ(stored->size, "1000");
  tune_stored_free(stored);
  const tune_assignment sizes[] = {{"nx", "2000"}};
  ASSERT_EQ(tune_best(tuner_, toy(), sizes, 1, &stored), TUNE_OK);
  ASSERT_NE(stored, nullptr);
  EXPECT_STREQ(stored->match, "nearest size");
  tune_stored_free(stored);
}

TEST_F(InC, ADescriptionHasTheLimitsOfTheDevice) {
  const auto size_of = [&](tune_tuner* tuner) {
    const tune_description* all = nullptr;
    EXPECT_EQ(tune_describe(tuner, toy(), nullptr, 0, &all), TUNE_OK) << tune_message();
    const std::uint64_t size = all->space_size;
    tune_description_free(all);
    return size;
  };
  EXPECT_EQ(size_of(nullptr), 24U);
  set("where", "kind == plain");
  EXPECT_EQ(size_of(tuner_), 12U);
  tune_problem* stencil = nullptr;
  ASSERT_EQ(tune_problem_built_in("stencil3d", &stencil), TUNE_OK);
  const tune_description* all = nullptr;
  ASSERT_EQ(tune_describe(nullptr, stencil, nullptr, 0, &all), TUNE_OK) << tune_message();
  EXPECT_EQ(all->size_count, 3U);
  EXPECT_GT(all->parameter_count, 3U);
  EXPECT_EQ(all->argument_count, 0U);
  EXPECT_STRNE(all->parameters[1]->condition, "");
  tune_description_free(all);
  tune_problem_free(stencil);
}

TEST_F(InC, WrongUseIsAStatusWithALine) {
  const auto expect = [&](tune_status got, tune_status wanted, const std::string& part) {
    EXPECT_EQ(got, wanted);
    EXPECT_THAT(tune_message(), HasSubstr(part));
  };
  tune_problem* none = problem_;
  expect(tune_problem_read("nowhere.json", &none), TUNE_WRONG_USE, "cannot read nowhere.json");
  expect(tune_problem_parse("{", nullptr, &none), TUNE_WRONG_USE, "definition.json:1:");
  const tune_assignment no_text = {"k.cu", ""};
  expect(tune_problem_define(toy_definition, nullptr, &no_text, 1, &none), TUNE_WRONG_USE,
         "the file 'k.cu' has no text");
  expect(tune_problem_define(toy_definition, nullptr, nullptr, 1, &none), TUNE_WRONG_USE,
         "tune_problem_define: a null pointer");
  expect(tune_describe(nullptr, nullptr, nullptr, 0, nullptr), TUNE_WRONG_USE, "tune_describe: a null");
  expect(tune_problem_built_in("gem", &none), TUNE_WRONG_USE, "did you mean 'gemm'?");
  EXPECT_EQ(none, nullptr);
  expect(tune_problem_read(nullptr, &none), TUNE_WRONG_USE, "tune_problem_read: a null pointer was given");
  expect(tune_run(tuner_, nullptr, nullptr, 0, &result_), TUNE_WRONG_USE, "tune_run: a null pointer");
  expect(tune_run(tuner_, toy(), nullptr, 1, &result_), TUNE_WRONG_USE, "tune_run: a null pointer");
  expect(tune_set(tuner_, "sede", "1"), TUNE_WRONG_USE, "there is no option 'sede' (did you mean 'seed'?)");
  expect(tune_set(tuner_, "seed", "-1"), TUNE_WRONG_USE, "seed: '-1' is not a whole number");
  expect(tune_set(tuner_, "fresh", "yes"), TUNE_WRONG_USE, "fresh: 'yes' is neither true nor false");
  expect(tune_set(tuner_, "strategy", "best"), TUNE_WRONG_USE, "best");
  expect(tune_set(tuner_, "until_gain", "2"), TUNE_WRONG_USE, "until_gain: not between 0 and 1");
  const tune_assignment sizes[] = {{"ny", "1"}};
  expect(tune_run(tuner_, toy(), sizes, 1, &result_), TUNE_WRONG_USE, "'ny' is not a size or setting");
  set("database", (folder_.path() / "toy.cu").string());
  expect(run(), TUNE_FAILED, "toy.cu");
  EXPECT_EQ(result_, nullptr);
  std::thread([] { EXPECT_STREQ(tune_message(), "") << "messages belong to threads"; }).join();
  tune_close(nullptr);
  tune_problem_free(nullptr);
  tune_result_free(nullptr);
}

TEST_F(InC, BuiltInProblemsRunOnTheEmulator) {
  set("device", "emulator");
  tune_problem* matvec = nullptr;
  ASSERT_EQ(tune_problem_built_in("matvec", &matvec), TUNE_OK);
  ASSERT_EQ(tune_evaluate(tuner_, matvec, nullptr, 0, nullptr, 0, &result_), TUNE_OK) << tune_message();
  EXPECT_EQ(result_->evaluations[0]->phase, nullptr) << result_->evaluations[0]->detail;
  EXPECT_EQ(result_->best, nullptr) << "nothing was measured";
  tune_problem_free(matvec);
}

TEST(CompleteProblem, TakesNoFurtherParts) {
  api::Problem problem = api::Problem::built_in("gemm");
  const auto message = [](const auto& change) -> std::string {
    try {
      change();
    } catch (const api::Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string refused = "gemm: the problem is complete as it was read: change its definition instead";
  EXPECT_EQ(message([&] { problem.parameter("X", {1}); }), refused);
  EXPECT_EQ(message([&] { problem.grid(1); }), refused);
  EXPECT_EQ(message([&] { problem.launch("again"); }), refused);
}

/// Evaluates all that a search asks for; returns the texts of the configurations.
std::vector<std::string> ask_all(tune_search* search, std::size_t most) {
  std::vector<std::string> asked;
  const tune_configuration* next = nullptr;
  while (asked.size() < most && tune_search_ask(search, &next) == TUNE_OK && next != nullptr) {
    asked.emplace_back(next->text);
    const double cost = asked.back().find("plain") == std::string::npos
                            ? std::nan("")
                            : 1.0 + static_cast<double>(asked.size());
    EXPECT_EQ(tune_search_tell(search, next->values, next->count, cost), TUNE_OK) << tune_message();
  }
  return asked;
}

TEST_F(InC, ASearchWhoseLoopIsTheProgramsOwn) {
  for (const char* strategy : {"grid", "random", "model", ""}) {
    tune_search* search = nullptr;
    ASSERT_EQ(tune_search_open(toy(), nullptr, 0, strategy, 7, nullptr, &search), TUNE_OK) << tune_message();
    EXPECT_EQ(tune_search_space_size(search), 24U);
    const std::vector<std::string> asked = ask_all(search, 100);
    EXPECT_EQ(std::set<std::string>(asked.begin(), asked.end()).size(), 24U) << strategy;
    EXPECT_EQ(asked.size(), 24U);
    tune_search_free(search);
  }
}

TEST_F(InC, ASearchRefusesWhatCannotBe) {
  tune_search* search = nullptr;
  EXPECT_EQ(tune_search_open(toy(), nullptr, 0, "nothing", 1, nullptr, &search), TUNE_WRONG_USE);
  EXPECT_THAT(tune_message(), HasSubstr("there is no strategy 'nothing'"));
  EXPECT_EQ(search, nullptr);
  EXPECT_EQ(tune_search_open(toy(), nullptr, 0, nullptr, 1, "items == 7", &search), TUNE_WRONG_USE);
  EXPECT_EQ(tune_search_open(nullptr, nullptr, 0, nullptr, 1, nullptr, &search), TUNE_WRONG_USE);
  ASSERT_EQ(tune_search_open(toy(), nullptr, 0, nullptr, 1, "items == 2", &search), TUNE_OK);
  EXPECT_EQ(tune_search_space_size(search), 8U);
  const tune_assignment valid[] = {{"kind", "plain"}, {"block", "64"}, {"items", "2"}};
  const tune_assignment outside[] = {{"kind", "plain"}, {"block", "64"}, {"items", "4"}};
  EXPECT_EQ(tune_search_tell(search, valid, 3, 1.5), TUNE_OK) << "it was not asked for";
  EXPECT_EQ(tune_search_tell(search, valid, 3, 0), TUNE_WRONG_USE);
  EXPECT_THAT(tune_message(), HasSubstr("not above 0"));
  EXPECT_EQ(tune_search_tell(search, outside, 3, 1), TUNE_WRONG_USE);
  EXPECT_THAT(tune_message(), HasSubstr("items=4"));
  EXPECT_EQ(ask_all(search, 100).size(), 7U) << "what was told is not asked for";
  tune_search_free(search);
  tune_search_free(nullptr);
}

/// Visits the space from its end, and remembers what it is told.
struct Backwards {
  std::uint64_t left = 0;
  std::vector<std::uint64_t> told = {};
  std::size_t failed = 0;
  bool fails = false;

  tune_strategy functions() {
    return {"backwards", 1, this, open, ask, tell, [](void*) {}};
  }
  static Backwards& of(void* state) { return *static_cast<Backwards*>(state); }
  static void* open(void* context, const tune_space* space, uint64_t) {
    of(context).left = tune_space_count(space);
    return context;
  }
  static int ask(void* state, uint64_t* number) {
    if (of(state).fails) return -1;
    if (of(state).left == 0) return 0;
    *number = --of(state).left;
    return 1;
  }
  static int tell(void* state, uint64_t number, double cost) {
    of(state).told.push_back(number);
    of(state).failed += std::isnan(cost) ? 1 : 0;
    return 0;
  }
};

TEST_F(InC, AStrategyOfTheProgramChooses) {
  Backwards own;
  const tune_strategy functions = own.functions();
  ASSERT_EQ(tune_set_strategy(tuner_, &functions), TUNE_OK) << tune_message();
  ASSERT_EQ(tune_run(tuner_, toy(), nullptr, 0, &result_), TUNE_OK) << tune_message();
  EXPECT_EQ(result_->counted, 5U);
  ASSERT_EQ(own.told.size(), result_->count);
  EXPECT_THAT(std::vector(own.told.begin() + 1, own.told.begin() + 4), ElementsAre(23, 22, 21))
      << "after the default";
  EXPECT_GT(own.failed, 0U) << "the last ones are wrong";
  tune_result_free(std::exchange(result_, nullptr));
  own.fails = true;
  EXPECT_EQ(tune_run(tuner_, toy(), nullptr, 0, &result_), TUNE_WRONG_USE);
  EXPECT_STREQ(tune_message(), "the strategy backwards failed");
  ASSERT_EQ(tune_set_strategy(tuner_, nullptr), TUNE_OK);
  EXPECT_EQ(tune_run(tuner_, toy(), nullptr, 0, &result_), TUNE_OK) << tune_message();
  tune_strategy without = functions;
  without.tell = nullptr;
  EXPECT_EQ(tune_set_strategy(tuner_, &without), TUNE_WRONG_USE);
  EXPECT_THAT(tune_message(), HasSubstr("'backwards' lacks one of its functions"));
}

struct MeteredBackend : FakeBackend {
  MeteredBackend() { runner().joules_per_thread = 1e-3; }
  MachineState machine_state() override {
    MachineState state;
    state.power = 100;
    return state;
  }
};

TEST_F(InC, TheEnergyIsMeasuredBesideTheTime) {
  const auto reused = [this] {
    tune_result_free(std::exchange(result_, nullptr));
    EXPECT_EQ(tune_run(tuner_, toy(), nullptr, 0, &result_), TUNE_OK) << tune_message();
    return result_->reused;
  };
  EXPECT_EQ(reused(), 0U);
  tuner_->tuner.state().open_backend = [] { return std::make_unique<MeteredBackend>(); };
  set("timeout", "9");  // another device process
  EXPECT_GT(reused(), 0U);
  EXPECT_EQ(result_->best->joules, 0);
  set("energy", "true");
  EXPECT_EQ(reused(), 0U) << "what was measured without the energy does not answer";
  EXPECT_GT(result_->best->joules, 0);
  EXPECT_GT(reused(), 0U);
}

TEST_F(InC, ASpaceByNumbers) {
  tune_search* search = nullptr;
  ASSERT_EQ(tune_search_open(toy(), nullptr, 0, nullptr, 1, "items == 2", &search), TUNE_OK);
  const tune_space* const space = tune_search_space(search);
  size_t count = 0;
  const tune_parameter* const* parameters = tune_space_parameters(space, &count);
  ASSERT_EQ(count, 3U);
  EXPECT_STREQ(parameters[1]->name, "block");
  EXPECT_STREQ(parameters[1]->values[3], "256");
  std::vector<uint32_t> rows(2 * count);
  ASSERT_EQ(tune_space_rows(space, 6, 2, rows.data()), TUNE_OK) << tune_message();
  EXPECT_THAT(rows, ElementsAre(1, 2, 1, 1, 3, 1));
  EXPECT_EQ(tune_space_rows(space, 7, 2, rows.data()), TUNE_WRONG_USE);
  uint64_t number = 0;
  EXPECT_EQ(tune_space_find(space, rows.data() + count, &number), TUNE_OK);
  EXPECT_EQ(number, 7U);
  rows[count + 2] = 2;
  EXPECT_EQ(tune_space_find(space, rows.data() + count, &number), TUNE_OK);
  EXPECT_EQ(number, UINT64_MAX) << "items is not 2";
  tune_search_free(search);
}

}  // namespace
}  // namespace tune::testing
