// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "kernels/framework/kernel_files.hpp"
#include "tests/support/sampled.hpp"

namespace tune::testing {

std::vector<emulator::CheckVerdict> verdicts_of(std::size_t count, const emulator::JobSource& jobs,
                                                const emulator::CheckOptions& options) {
  std::vector<emulator::CheckVerdict> verdicts(count);
  emulator::CheckOptions chosen = options;
  chosen.workers = 1;  // other tests use the other cores, and each worker compiles a batch
  emulator::check(count, jobs, chosen, [&](std::size_t number, emulator::CheckVerdict verdict) {
    verdicts[number] = std::move(verdict);
    return true;
  });
  return verdicts;
}

std::string complaint(const emulator::CheckVerdict& verdict) {
  std::string text = verdict.not_emulated;
  for (const emulator::Finding& finding : verdict.findings) text += finding.text() + "\n";
  if (text.empty() && verdict.tolerance == 0) text = "the output was not compared";
  return text;
}

void EmulatedSample::add(const Configuration& configuration, std::vector<Instance> sizes,
                         std::shared_ptr<const KernelSources> sources) {
  if (sources == nullptr) {
    if (whole_ == nullptr) whole_ = std::make_shared<kernels::EmbeddedSources>();
    sources = whole_;
  }
  members_.push_back({configuration, std::move(sizes), std::move(sources)});
}

void EmulatedSample::thin() {
  members_ = sampled(std::move(members_), [](const Member& member) {
    const search::Value* const variant = member.configuration.find("variant");
    return variant == nullptr ? std::string() : variant->to_string();
  });
}

std::string EmulatedSample::name(std::size_t number) const {
  const Member& member = members_.at(number);
  return (member.sizes.empty() ? std::string() : member.sizes.front().settings_key() + " ") +
         member.configuration.to_string();
}

std::vector<emulator::CheckVerdict> EmulatedSample::verdicts(const emulator::CheckOptions& options) const {
  std::map<const KernelSources*, emulator::ProblemJobs> jobs;
  return verdicts_of(
      members_.size(),
      [&](std::size_t number) {
        const Member& member = members_[number];
        return jobs.try_emplace(member.sources.get(), problem_, *member.sources)
            .first->second.job(member.configuration, member.sizes);
      },
      options);
}

void expect_clean(const EmulatedSample& sample, const emulator::CheckOptions& options) {
  EXPECT_GT(sample.size(), 0U);
  const std::vector<emulator::CheckVerdict> verdicts = sample.verdicts(options);
  for (std::size_t i = 0; i < verdicts.size(); ++i) EXPECT_EQ(complaint(verdicts[i]), "") << sample.name(i);
}

void expect_faults_found(const EmulatedSample& sample) {
  EXPECT_GT(sample.size(), 0U);
  emulator::CheckOptions options;
  options.source_lines = false;
  const std::vector<emulator::CheckVerdict> verdicts = sample.verdicts(options);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_EQ(verdicts[i].not_emulated, "") << sample.name(i);
    EXPECT_FALSE(verdicts[i].findings.empty()) << sample.name(i);
  }
}

}  // namespace tune::testing
