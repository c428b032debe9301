// SPDX-License-Identifier: Apache-2.0
// Every barrier and every wait of every kernel of the program, taken away one at a time: the emulator must
// report each. A kernel that is added later is covered without a change here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <sstream>

#include "kernels/registry.hpp"
#include "kernels/sources.hpp"
#include "tests/emulator/problem_sample.hpp"
#include "tuner/core/format.hpp"
#include "tuner/emulator/problem_jobs.hpp"

namespace tune::emulator {
namespace {

using testing::random_sample;
using testing::Sampled;
using testing::small_sizes;

/// Configurations of a problem that are tried, and how many of them must need a barrier at least.
constexpr std::size_t sample = 28;
constexpr std::size_t least = 3;
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
const std::vector<Exception> exceptions = {};

/// Calls, as statements, of what orders threads or waits for a copy; definitions and comments are none.
std::vector<Occurrence> occurrences_in(const std::string& file, const std::string& text) {
  static const std::regex call(
      R"(\b(__syncthreads|__syncwarp|__barrier_sync|wait_async(<[^;()]*>)?|__pipeline_wait_prior|(cooperative_groups|cg)::(sync|wait|wait_prior<\d+>)|\w+\.sync)\s*\([^;{}]*\)(?=\s*;))");
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

/// The program's sources with a statement replaced by another one.
class Changed : public KernelSources {
 public:
  Changed(const Occurrence& occurrence, std::string replacement)
      : occurrence_(occurrence), replacement_(std::move(replacement)) {}

  std::string text(std::string_view name) const override {
    std::string text = whole_.text(name);
    if (name == occurrence_.file)
      text.replace(occurrence_.begin, occurrence_.end - occurrence_.begin, replacement_);
    return text;
  }

 private:
  kernels::EmbeddedSources whole_;
  const Occurrence& occurrence_;
  std::string replacement_;
};

bool uses(const LaunchPlan& plan, const std::string& file) {
  const auto names = [&](const SourceFile& source) {
    return source.name == file || file.ends_with("/" + source.name);
  };
  return names(plan.compile.source) || std::ranges::any_of(plan.compile.headers, names);
}

/// A configuration with some sources: what is checked in one go.
struct Trial {
  const Occurrence* occurrence;  ///< null: the kernel as it is
  const Sampled* sampled;
};

class Removal {
 public:
  explicit Removal(const Problem& problem) : problem_(problem) {
    for (const std::string& file : problem.info().sources)
      for (Occurrence& found : occurrences_in(file, sources_.text(file)))
        occurrences_.push_back(std::move(found));
    if (occurrences_.empty()) return;
    for (Sampled& drawn : random_sample(problem, sample * 4, 7))
      if (sampled_.size() < sample && any_used(drawn)) sampled_.push_back(std::move(drawn));
  }

  const std::vector<Occurrence>& occurrences() const { return occurrences_; }

  void run() {
    const std::vector<Trial> whole = trials(nullptr);
    for (const auto& [trial, verdict] : check_all(whole, ""))
      for (const Finding& finding : verdict.findings)
        ADD_FAILURE() << trial.sampled->configuration.to_string() << "\n  " << finding.text();
    for (const Occurrence& occurrence : occurrences_) removed(occurrence);
  }

 private:
  using Verdicts = std::vector<std::pair<Trial, Verdict>>;

  bool any_used(const Sampled& drawn) const {
    const auto plan = problem_.plan(drawn.instance, drawn.configuration, sources_);
    return plan &&
           std::ranges::any_of(occurrences_, [&](const Occurrence& one) { return uses(*plan, one.file); });
  }

  std::vector<Trial> trials(const Occurrence* occurrence) const {
    std::vector<Trial> all;
    for (const Sampled& one : sampled_) {
      const auto plan = problem_.plan(one.instance, one.configuration, sources_);
      if (occurrence == nullptr || uses(*plan, occurrence->file)) all.push_back({occurrence, &one});
    }
    return all;
  }

  Verdicts check_all(const std::vector<Trial>& trials, const std::string& replacement) const {
    Verdicts verdicts(trials.size());
    const Occurrence nothing;
    const Occurrence* const occurrence = trials.empty() ? nullptr : trials[0].occurrence;
    const Changed changed(occurrence == nullptr ? nothing : *occurrence, replacement);
    ProblemJobs jobs(problem_, changed);
    CheckOptions options;
    options.seconds = 30;
    check(
        trials.size(),
        [&](std::size_t number) {
          const Sampled& one = *trials[number].sampled;
          return jobs.job(one.configuration, small_sizes(problem_, one, largest));
        },
        options,
        [&](std::size_t number, Verdict verdict) {
          EXPECT_EQ(verdict.not_emulated, "");
          verdicts[number] = {trials[number], std::move(verdict)};
          return true;
        });
    return verdicts;
  }

  /// Who does not report it must not have executed it: with a trap in its place, nothing happens.
  void removed(const Occurrence& occurrence) const {
    std::map<Kind, int> kinds;
    std::vector<Trial> silent;
    for (auto& [trial, verdict] : check_all(trials(&occurrence), "")) {
      if (verdict.findings.empty())
        silent.push_back(trial);
      else
        ++kinds[verdict.findings[0].kind];
    }
    std::size_t reported = 0;
    std::string text;
    for (const auto& [kind, count] : kinds) {
      reported += static_cast<std::size_t>(count);
      text += format(" {} x {},", count, to_string(kind));
    }
    const bool excepted = std::ranges::any_of(exceptions, [&](const Exception& one) {
      return one.file == occurrence.file && one.statement == occurrence.statement;
    });
    int executed = 0;
    for (const auto& [trial, verdict] : check_all(silent, "__trap()")) {
      if (verdict.findings.empty()) continue;
      ++executed;
      EXPECT_TRUE(excepted) << occurrence.text() << " is removed unseen: " << trial.sampled->instance.key()
                            << " " << trial.sampled->configuration.to_string();
    }
    EXPECT_FALSE(kinds.contains(Kind::compile)) << occurrence.text();
    EXPECT_GE(reported, least) << occurrence.text() << ": too few configurations of the sample execute it";
    std::printf("%-64s reported:%s executed and not reported: %d, not executed: %zu\n",
                occurrence.text().c_str(), text.c_str(), executed,
                silent.size() - static_cast<std::size_t>(executed));
  }

  const Problem& problem_;
  kernels::EmbeddedSources sources_;
  std::vector<Occurrence> occurrences_;
  std::vector<Sampled> sampled_;
};

TEST(BarrierRemoval, IsReportedForEveryBarrierOfEveryKernel) {
  std::size_t found = 0;
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    const auto problem = entry.make();
    Removal removal(*problem);
    found += removal.occurrences().size();
    if (!removal.occurrences().empty()) removal.run();
  }
  EXPECT_GE(found, 7U) << "the barriers were not found";
}

TEST(BarrierRemoval, FindsStatements) {
  const std::string text =
      "// __syncthreads();\nif constexpr (one) __syncthreads();\nvoid wait_async() {\n"
      "  wait_async<a ? b - 2 : 0>();\n  __syncwarp(0xffu);  // __syncwarp();\n  block.sync();\n";
  std::vector<std::string> found;
  for (const Occurrence& one : occurrences_in("f", text))
    found.push_back(format("{} {}", one.line, one.statement));
  EXPECT_EQ(found, (std::vector<std::string>{"2 __syncthreads()", "4 wait_async<a ? b - 2 : 0>()",
                                             "5 __syncwarp(0xffu)", "6 block.sync()"}));
}

}  // namespace
}  // namespace tune::emulator
