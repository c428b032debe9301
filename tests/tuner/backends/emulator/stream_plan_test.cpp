// SPDX-License-Identifier: Apache-2.0
// Plans on several streams, with copies between host and device, through the whole of the emulator.
#include <gtest/gtest.h>

#include "tests/support/stream_sample.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"

namespace tune::emulator {
namespace {

using tune::testing::StreamSample;

CheckVerdict stream_verdict(const StreamSample& sample, Flavour flavour = Flavour::sanitize) {
  CheckOptions options;
  options.flavour = flavour;
  return check(sample.plan, {sample.inputs, sample.reference, {1e-6, "doubling is exact"}}, options);
}

std::string stream_report(const CheckVerdict& found) {
  std::string text = found.not_emulated;
  for (const Finding& finding : found.findings) text += finding.text() + "\n";
  return text;
}

TEST(StreamPlans, AreCleanAndRight) {
  for (const MemoryPlace place : {MemoryPlace::pinned, MemoryPlace::pageable, MemoryPlace::device})
    for (const Flavour flavour : {Flavour::sanitize, Flavour::plain})
      for (const std::uint64_t pieces : {1u, 2u, 5u}) {
        const CheckVerdict found = stream_verdict(StreamSample(pieces, place), flavour);
        EXPECT_EQ(stream_report(found), "") << pieces;
        EXPECT_GT(found.tolerance, 0) << "the output was not compared";
      }
}

TEST(StreamPlans, ARemovedDependencyIsARace) {
  StreamSample sample;
  sample.forget(StreamSample::copy_in(3), StreamSample::kernel(1));
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain}) {
    const CheckVerdict found = stream_verdict(sample, flavour);
    ASSERT_EQ(found.findings.size(), 1u) << stream_report(found);
    EXPECT_EQ(found.findings[0].kind, FindingKind::race_between_steps);
    EXPECT_EQ(found.findings[0].array, "sent");
    EXPECT_EQ(found.findings[0].offset, 4 * 37 * 5);
    EXPECT_NE(found.findings[0].text().find("step 4 (twice) and step 9 (copy of 'in' to 'sent')"),
              std::string::npos)
        << stream_report(found);
  }
}

TEST(StreamPlans, AKernelBeyondTheRangeThatItWasGivenIsFound) {
  // The second slot is written by nobody else at that time, so that no race shows it.
  StreamSample sample(1);
  auto& launch = std::get<Launch>(sample.plan.launches[1]);
  launch.arguments[1] = BufferArgument{"made", 0, 37 * 5 - 1};
  const CheckVerdict found = stream_verdict(sample);
  ASSERT_FALSE(found.findings.empty()) << found.not_emulated;
  EXPECT_EQ(found.findings[0].kind, FindingKind::out_of_bounds) << stream_report(found);
  EXPECT_EQ(found.findings[0].array, "made");
  EXPECT_EQ(found.findings[0].offset, 4 * (37 * 5 - 1));
  EXPECT_NE(stream_report(found).find("beyond the elements that the launch says it touches"),
            std::string::npos);
}

TEST(StreamPlans, AWriteThroughAnArgumentThatIsReadOnlyIsFound) {
  StreamSample sample(1);
  auto& launch = std::get<Launch>(sample.plan.launches[1]);
  std::get<BufferArgument>(launch.arguments[0]).read_only = true;
  EXPECT_EQ(stream_report(stream_verdict(sample)), "");
  std::get<BufferArgument>(launch.arguments[1]).read_only = true;
  const CheckVerdict found = stream_verdict(sample);
  ASSERT_FALSE(found.findings.empty()) << found.not_emulated;
  EXPECT_EQ(found.findings[0].kind, FindingKind::write_to_input) << stream_report(found);
  EXPECT_NE(stream_report(found).find("which the launch says it only reads"), std::string::npos);
}

TEST(StreamPlans, ReadingBeyondTheRangeOfAnInputIsFound) {
  StreamSample sample(1);
  sample.plan.buffers[0].layout = Layout::dense({37 * 5});
  sample.inputs.clear();
  HostTensor in(ElementType::f32, {37 * 5});
  for (float& value : in.as<float>()) value = 1;
  sample.inputs.emplace("in", std::move(in));
  sample.reference.clear();
  auto& launch = std::get<Launch>(sample.plan.launches[1]);
  std::get<Copy>(sample.plan.launches[0]).from.pitch = 37;
  launch.arguments[0] = BufferArgument{"in", 0, 37 * 5};  // from pinned memory itself
  EXPECT_EQ(stream_report(stream_verdict(sample)), "");
  launch.arguments[0] = BufferArgument{"in", 0, 37 * 5 - 3};
  const CheckVerdict found = stream_verdict(sample);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].kind, FindingKind::out_of_bounds) << stream_report(found);
  EXPECT_EQ(found.findings[0].array, "in");
}

TEST(StreamPlans, ACopyOfWhatNobodyWroteIsFound) {
  StreamSample sample;
  std::erase_if(sample.plan.launches, [](const PlanStep& step) { return step_name(step) == "twice"; });
  for (PlanStep& step : sample.plan.launches) std::get<Copy>(step).order = {};
  const CheckVerdict found = stream_verdict(sample);
  ASSERT_FALSE(found.findings.empty()) << found.not_emulated;
  EXPECT_EQ(found.findings[0].kind, FindingKind::uninitialised_read) << stream_report(found);
  EXPECT_EQ(found.findings[0].kernel, "copy of 'made' to 'out'");
  EXPECT_FALSE(found.findings[0].has_thread);
}

TEST(StreamPlans, AMissingCopyIsAWrongResult) {
  StreamSample sample;
  sample.plan.launches.pop_back();
  const CheckVerdict found = stream_verdict(sample);
  ASSERT_EQ(found.findings.size(), 1u) << stream_report(found);
  EXPECT_EQ(found.findings[0].kind, FindingKind::wrong_result);
  EXPECT_EQ(found.findings[0].array, "out");
}

TEST(StreamPlans, OffsetsReachTheKernel) {
  StreamSample sample;
  for (std::size_t piece : {0u, 2u}) {  // to the slot of others
    auto& launch = std::get<Launch>(sample.plan.launches[StreamSample::kernel(piece)]);
    EXPECT_EQ(std::get<BufferArgument>(launch.arguments[0]).offset, 0u);
  }
  auto& second = std::get<Launch>(sample.plan.launches[StreamSample::kernel(1)]);
  ASSERT_EQ(std::get<BufferArgument>(second.arguments[0]).offset, 37u * 5);
  std::get<BufferArgument>(second.arguments[0]).offset = 0;
  for (PlanStep& step : sample.plan.launches)
    std::visit([](auto& known) { known.order = {}; }, step);  // no races: the first piece comes twice
  const CheckVerdict found = stream_verdict(sample);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].kind, FindingKind::wrong_result) << stream_report(found);
}

}  // namespace
}  // namespace tune::emulator
