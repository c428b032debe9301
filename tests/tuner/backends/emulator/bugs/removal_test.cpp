// SPDX-License-Identifier: Apache-2.0
// Every barrier and every wait of every kernel of the program, taken away one at a time: the emulator must
// report each. A kernel that is added later is covered without a change here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <ranges>
#include <regex>
#include <set>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "tests/support/sampled.hpp"
#include "tests/tuner/backends/emulator/problem_sample.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

using testing::random_sample;
using testing::Sampled;
using testing::small_sizes;

/// In each round `sample` configurations of a problem are drawn, and `runs_of_a_file` of them are run for
/// each file.
constexpr std::size_t sample = 128, runs_of_a_file = 6;
constexpr std::uint64_t rounds = 20;
/// Each statement is removed in so many of the configurations that execute it.
const std::size_t trials_of_a_statement = tune::testing::runs_all_cases() ? 2 : 1;
constexpr double largest = 6'000;  ///< items of a check

/// A statement that orders threads, at a place of a source file.
struct Occurrence {
  std::string file;
  int line = 0;
  std::size_t begin = 0, end = 0;  ///< in the file's text, without the semicolon
  std::string statement;

  std::string text() const { return format("{}:{} {}", file, line, statement); }
};

/// Occurrences that need not be reported where they are executed, each with its reason.
struct Exception {
  std::string file, statement;
  std::string reason;
};
const std::vector<Exception> exceptions = {
    {"convolution/tap_sums.cuh", "__syncthreads()",
     "taps in shared memory are read by loops that are rolled, which the small radii here leave without a "
     "turn"},
    {"matvec/cooperative.cu", "grid_barrier(counter)",
     "a single tile of rows that a thread has one of at a time: who reads an element of y has written it"},
    {"matvec/fused.cu", "grid_barrier(counter)",
     "a single strip of few columns: barriers of the block that follow order what is read of its sums"}};

/// Lines whose statement hardly any configuration executes at sizes as small as those here: the family's own
/// tests remove it (matvec_plan_test.cpp).
struct Rare {
  std::string file, line;
};
const std::vector<Rare> rare = {{"matvec/cooperative.cu", "grid_barrier(counter);"},
                                {"matvec/sliced.cu", "grid_barrier(counter);"},
                                {"matvec/sums.cuh", "if (first + blocks * 32LL < n) __syncthreads();"}};

bool is_rare(const Occurrence& one, const std::string& text) {
  const std::size_t begin = text.rfind('\n', one.begin) + 1;
  const std::string line = text.substr(begin, text.find('\n', begin) - begin);
  return std::ranges::any_of(rare, [&](const Rare& known) {
    return known.file == one.file && line.find(known.line) != std::string::npos;
  });
}

/// Calls, as statements, of what orders threads or waits for a copy; definitions and comments are none.
std::vector<Occurrence> occurrences_in(const std::string& file, const std::string& text) {
  static const std::regex call(
      R"(\b(__syncthreads|__syncwarp|__barrier_sync|grid_barrier|wait_async(<[^;()]*>)?|wait_products<[^;()]*>|wait_barrier|fence_barriers|__pipeline_wait_prior|(cooperative_groups|cg)::(sync|wait|wait_prior<\d+>)|\w+\.sync)\s*\([^;{}]*\)(?=\s*;))");
  std::vector<Occurrence> found;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), call); match != std::sregex_iterator();
       ++match) {
    const auto begin = static_cast<std::size_t>(match->position());
    const std::size_t line_begin = text.rfind('\n', begin) + 1;
    if (text.substr(line_begin, begin - line_begin).find("//") != std::string::npos) continue;
    const auto line = static_cast<int>(std::count(text.begin(), text.begin() + match->position(), '\n')) + 1;
    found.push_back({file, line, begin, begin + static_cast<std::size_t>(match->length()), match->str()});
  }
  return found;
}

/// Statements with what stands in their places.
using Changes = std::vector<std::pair<Occurrence, std::string>>;

/// The program's sources with changes; those of a file are ordered by place.
class Changed : public KernelSources {
 public:
  explicit Changed(Changes changes) : changes_(std::move(changes)) {}

  std::string text(std::string_view name) const override {
    std::string text = whole_.text(name);
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change)
      if (const Occurrence& at = change->first; at.file == name)
        text.replace(at.begin, at.end - at.begin, change->second);
    return text;
  }

 private:
  kernels::EmbeddedSources whole_;
  Changes changes_;
};

/// A configuration with some of its statements changed.
struct Trial {
  ProblemJobs* jobs;
  const Sampled* sampled;
};

std::vector<CheckVerdict> check_all(const Problem& problem, const std::vector<Trial>& trials) {
  std::vector<CheckVerdict> verdicts(trials.size());
  CheckOptions options;
  options.seconds = 30;
  options.source_lines = false;
  options.batch = 48;
  options.workers = 1;  // other tests use the other cores
  check(
      trials.size(),
      [&](std::size_t number) {
        const auto& [jobs, sampled] = trials[number];
        // A single item executes hardly anything, and a check ends at the first size with findings.
        std::vector<Instance> sizes = small_sizes(problem, *sampled, largest);
        std::erase_if(sizes, [&](const Instance& size) { return problem.cost(size).items <= 1; });
        return jobs->job(sampled->configuration, sizes);
      },
      options,
      [&](std::size_t number, CheckVerdict verdict) {
        EXPECT_EQ(verdict.not_emulated, "");
        verdicts[number] = std::move(verdict);
        return true;
      });
  return verdicts;
}

std::string probe_name(std::size_t number) {
  return format("tune_probe_{}", number);
}

/// Adds to each statement the configurations that execute it: in front of each, a shared variable of its own
/// is read that nobody has written, which is reported and goes on.
void add_executing(const Problem& problem, const std::vector<const Sampled*>& sampled,
                   const std::vector<Occurrence>& occurrences,
                   std::vector<std::vector<const Sampled*>>& executing) {
  Changes changes;
  for (std::size_t i = 0; i < occurrences.size(); ++i)
    changes.emplace_back(occurrences[i], format("({{ __shared__ int {0}; if ({0} == 1) __trap(); {1}; }})",
                                                probe_name(i), occurrences[i].statement));
  const Changed sources(std::move(changes));
  ProblemJobs jobs(problem, sources);
  std::vector<Trial> trials;
  for (const Sampled* one : sampled) trials.push_back({&jobs, one});
  const std::vector<CheckVerdict> verdicts = check_all(problem, trials);
  for (std::size_t c = 0; c < sampled.size(); ++c)
    for (const Finding& finding : verdicts[c].findings)
      for (std::size_t i = 0; i < occurrences.size(); ++i)
        if (finding.array == probe_name(i)) executing[i].push_back(sampled[c]);
}

/// As what a statement's absence must show, whatever else follows from it.
bool by_copy_engine(const Occurrence& occurrence) {
  return occurrence.file == "stencil/streaming_boxes.cuh";
}

bool is_cause(FindingKind kind, const Occurrence& absent) {
  // Of products in registers, which are no memory that is watched.
  if (absent.statement.starts_with("wait_products")) return kind == FindingKind::wrong_result;
  if (absent.statement.find("wait") != std::string::npos) return kind == FindingKind::unfinished_copy;
  if (absent.statement.starts_with("fence_barriers")) return kind == FindingKind::misused_barrier;
  // Threads that the copying one overtakes wait for a phase that is over.
  if (by_copy_engine(absent) && (kind == FindingKind::deadlock || kind == FindingKind::unfinished_copy))
    return true;
  if (absent.statement.starts_with("__syncwarp")) return kind == FindingKind::race_in_warp;
  // A block may reach for the memory of one that has not begun.
  if (absent.statement.starts_with("cluster.sync") && kind == FindingKind::out_of_bounds) return true;
  // The grid may be one block, and what a barrier orders may be the cells of one warp.
  const bool grid = absent.statement.starts_with("grid_barrier");
  return kind == FindingKind::race_in_block || kind == FindingKind::race_in_warp ||
         kind == FindingKind::uninitialised_read ||  // by a thread that is ahead of the one that writes
         (grid && kind == FindingKind::race_between_blocks);
}

bool excepted(const Occurrence& occurrence) {
  return std::ranges::any_of(exceptions, [&](const Exception& one) {
    return one.file == occurrence.file && one.statement == occurrence.statement;
  });
}

/// A block of one warp needs no barrier.
bool one_warp(const Configuration& configuration) {
  const search::Value* threads = configuration.find("threads");
  return threads != nullptr && threads->as_int() == 32;
}

/// A march of no more planes than it has places for uses none of them twice.
bool short_march(const Occurrence& occurrence) {
  return by_copy_engine(occurrence) && occurrence.statement.starts_with("__syncthreads");
}

/// Of a random sample, a few configurations for each of the files.
std::vector<Sampled> drawn_for(const Problem& problem, const std::set<std::string>& files,
                               std::uint64_t seed) {
  const kernels::EmbeddedSources sources;
  std::map<std::string, std::size_t> runs;
  std::vector<Sampled> drawn;
  for (Sampled& one : random_sample(problem, sample, seed, "True", 8)) {
    // Slabs run the same kernels, more often.
    if (one.instance.setting_or("gpus", 1) != search::Value(1)) continue;
    const Result<LaunchPlan> plan = problem.plan(one.instance, one.configuration, sources);
    if (!plan) continue;
    bool wanted = false;
    for (const std::string& file : files) {
      const std::string text = sources.text(file);
      const bool used =
          plan->compile.source.text == text ||
          std::ranges::find(plan->compile.headers, text, &SourceFile::text) != plan->compile.headers.end();
      wanted = wanted || (used && runs[file] < runs_of_a_file);
      if (used) ++runs[file];
    }
    if (wanted) drawn.push_back(std::move(one));
  }
  return drawn;
}

/// Gives how many configurations that execute it were checked without each statement.
std::vector<std::size_t> expect_removals_reported(const Problem& problem,
                                                  const std::vector<Occurrence>& occurrences,
                                                  const std::set<std::string>& hardly_executed) {
  std::vector<bool> is_hardly_executed;  // and not worth more rounds
  for (const Occurrence& one : occurrences)
    is_hardly_executed.push_back(hardly_executed.contains(one.text()));
  std::deque<Sampled> sampled;
  std::vector<std::vector<const Sampled*>> executing(occurrences.size());
  const auto few = [&](std::size_t i) {
    return executing[i].size() < trials_of_a_statement && !is_hardly_executed[i];
  };
  const auto all = std::views::iota(std::size_t{0}, occurrences.size());
  for (std::uint64_t round = 0; round < rounds && std::ranges::any_of(all, few); ++round) {
    std::set<std::string> files;
    for (const std::size_t i : all)
      if (few(i)) files.insert(occurrences[i].file);
    std::vector<const Sampled*> drawn;
    for (Sampled& one : drawn_for(problem, files, 7 + round))
      drawn.push_back(&sampled.emplace_back(std::move(one)));
    add_executing(problem, drawn, occurrences, executing);
  }
  const kernels::EmbeddedSources sources;
  ProblemJobs whole(problem, sources);
  std::vector<std::unique_ptr<Changed>> changed;
  std::vector<std::unique_ptr<ProblemJobs>> jobs;
  std::vector<Trial> trials;
  std::vector<const Occurrence*> removed;  // of a trial; null: nothing
  std::set<const Sampled*> used;
  for (std::size_t i = 0; i < occurrences.size(); ++i) {
    changed.push_back(std::make_unique<Changed>(Changes{{occurrences[i], ""}}));
    jobs.push_back(std::make_unique<ProblemJobs>(problem, *changed.back()));
    for (const Sampled* one :
         std::span(executing[i]).first(std::min(trials_of_a_statement, executing[i].size()))) {
      trials.push_back({jobs.back().get(), one});
      removed.push_back(&occurrences[i]);
      used.insert(one);
    }
  }
  for (const Sampled* one : used) {
    trials.push_back({&whole, one});
    removed.push_back(nullptr);
  }
  std::printf("%s: %zu statements, looked for in %zu configurations, %zu trials\n",
              problem.info().name.c_str(), occurrences.size(), sampled.size(), trials.size());
  const std::vector<CheckVerdict> verdicts = check_all(problem, trials);
  std::map<const Occurrence*, std::map<FindingKind, int>> kinds;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const std::vector<Finding>& findings = verdicts[t].findings;
    const std::string configuration =
        trials[t].sampled->instance.key() + " " + trials[t].sampled->configuration.to_string();
    if (removed[t] == nullptr) {
      EXPECT_TRUE(findings.empty()) << "a false alarm: " << configuration << "\n  " << findings[0].text();
    } else if (findings.empty()) {
      EXPECT_TRUE(excepted(*removed[t]) || one_warp(trials[t].sampled->configuration) ||
                  short_march(*removed[t]))
          << removed[t]->text() << " is removed unseen: " << configuration;
    } else {
      EXPECT_TRUE(std::ranges::any_of(
          findings, [&](const Finding& finding) { return is_cause(finding.kind, *removed[t]); }))
          << removed[t]->text() << " is taken for something else: " << configuration << "\n  "
          << findings[0].text();
      ++kinds[removed[t]][findings[0].kind];
    }
  }
  for (const auto& [occurrence, counts] : kinds)
    for (const auto& [kind, count] : counts)
      std::printf("%-70s -> %d x %s\n", occurrence->text().c_str(), count,
                  std::string(to_string(kind)).c_str());
  for (std::size_t i = 0; i < occurrences.size(); ++i) {
    if (short_march(occurrences[i]) && !executing[i].empty()) {
      EXPECT_TRUE(kinds.contains(&occurrences[i])) << occurrences[i].text() << " is never missed";
    }
  }
  std::vector<std::size_t> checked;
  for (const auto& one : executing) checked.push_back(one.size());
  return checked;
}

TEST(BarrierRemoval, IsReportedForEveryBarrierOfEveryKernel) {
  // Problems share files, and not every problem executes all of theirs: a statement that one problem has
  // shown is not looked for in the next.
  std::map<std::string, std::size_t> shown;  // by Occurrence::text()
  std::set<std::string> hardly_executed;
  for (const kernels::ProblemEntry& entry : kernels::gpu_problems()) {
    const auto problem = entry.make();
    const kernels::EmbeddedSources sources;
    std::vector<Occurrence> occurrences;
    for (const std::string& file : problem->info().sources) {
      if (file == kernels::grid_barrier_file) continue;  // the emulator has a barrier of its own
      const std::string text = sources.text(file);
      for (Occurrence& one : tune::testing::sampled(occurrences_in(file, text))) {
        if (is_rare(one, text)) hardly_executed.insert(one.text());
        if (shown[one.text()] < trials_of_a_statement) occurrences.push_back(std::move(one));
      }
    }
    // A launch ends after sixteen findings: the probes of more statements would not all be seen.
    for (std::size_t first = 0; first < occurrences.size(); first += 12) {
      const std::vector<Occurrence> some(
          occurrences.begin() + static_cast<std::ptrdiff_t>(first),
          occurrences.begin() + static_cast<std::ptrdiff_t>(std::min(first + 12, occurrences.size())));
      const std::vector<std::size_t> checked = expect_removals_reported(*problem, some, hardly_executed);
      for (std::size_t i = 0; i < some.size(); ++i) shown[some[i].text()] += checked[i];
    }
  }
  for (const auto& [occurrence, count] : shown)
    EXPECT_TRUE(count >= trials_of_a_statement || hardly_executed.contains(occurrence))
        << occurrence << ": too few configurations execute it";
  EXPECT_GE(shown.size(), 7U) << "the barriers were not found";
}

TEST(BarrierRemoval, FindsStatements) {
  const std::string text =
      "// __syncthreads();\nif constexpr (one) __syncthreads();\nvoid wait_async() {\n"
      "  wait_async<a ? b - 2 : 0>();\n  __syncwarp(0xffu);  // __syncwarp();\n  block.sync();\n"
      "  grid_barrier(counter);\n";
  std::vector<std::string> found;
  for (const Occurrence& one : occurrences_in("f", text))
    found.push_back(format("{} {}", one.line, one.statement));
  EXPECT_EQ(found,
            (std::vector<std::string>{"2 __syncthreads()", "4 wait_async<a ? b - 2 : 0>()",
                                      "5 __syncwarp(0xffu)", "6 block.sync()", "7 grid_barrier(counter)"}));
}

}  // namespace
}  // namespace tune::emulator
