// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/step_order.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/stream_sample.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune {
namespace {

using testing::StreamSample;

/// The Error's text; empty where there is none.
std::string order_refusal(const LaunchPlan& plan) {
  try {
    check_steps(plan);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Copy& copy_of(LaunchPlan& plan, std::size_t step) {
  return std::get<Copy>(plan.launches.at(step));
}
Launch& launch_of(LaunchPlan& plan, std::size_t step) {
  return std::get<Launch>(plan.launches.at(step));
}

TEST(StepOrder, PlansWithoutStreamsKeepTheirTexts) {
  LaunchPlan plan;
  plan.buffers = {
      {"in", ElementType::f32, Layout::dense({8}), BufferRole::input},
      {"out", ElementType::f64, {{4}, {2}, 1, 9}, BufferRole::output, false, BufferFill::contents}};
  plan.launches = {Launch{.entry = "k",
                          .grid = {1, 2, 3},
                          .block = {32, 1, 1},
                          .arguments = {BufferArgument{"in"}, ScalarArgument{std::int32_t{7}}}},
                   FourierTransform{FourierDirection::forward, "in", "out", {8}}};
  EXPECT_EQ(launches_of(plan),
            "in 0 float [8,] [1,] 0 8\n"
            "out 1 double [4,] [2,] 1 9 contents\n"
            "k grid 1 2 3 block 32 1 1 shared 0 &in 0:7\n"
            "forward Fourier transform of 'in' to 'out' of [8,]\n");
}

TEST(StepOrder, PlansThatDoOtherThingsHaveOtherTexts) {
  const LaunchPlan plan = StreamSample().plan;
  const std::vector<std::function<void(LaunchPlan&)>> changes = {
      [](LaunchPlan& p) { p.graph = GraphUse::always; },
      [](LaunchPlan& p) { p.graph = GraphUse::never; },
      [](LaunchPlan& p) { p.buffers[2].device = 1; },
      [](LaunchPlan& p) {
        p.buffers[2].part = {"in", 1, 0, 2};
      },
      [](LaunchPlan& p) { copy_of(p, 0).order.device = 1; },
      [](LaunchPlan& p) { std::get<BufferArgument>(launch_of(p, 1).arguments[0]).read_only = true; },
      [](LaunchPlan& p) { p.buffers[0].place = MemoryPlace::pageable; },
      [](LaunchPlan& p) { p.buffers[0].place = MemoryPlace::device; },
      [](LaunchPlan& p) { copy_of(p, 0).width -= 1; },
      [](LaunchPlan& p) { copy_of(p, 0).rows -= 1; },
      [](LaunchPlan& p) { copy_of(p, 0).from.offset += 1; },
      [](LaunchPlan& p) { copy_of(p, 0).from.pitch += 1; },
      [](LaunchPlan& p) { copy_of(p, 0).to.offset += 1; },
      [](LaunchPlan& p) { copy_of(p, 0).to.pitch += 1; },
      [](LaunchPlan& p) { copy_of(p, 0).to.buffer = "made"; },
      [](LaunchPlan& p) { copy_of(p, 0).order.stream = 2; },
      [](LaunchPlan& p) { copy_of(p, 2).order.after = {0}; },
      [](LaunchPlan& p) { launch_of(p, 1).order.after.clear(); },
      [](LaunchPlan& p) { std::get<BufferArgument>(launch_of(p, 1).arguments[0]).offset = 5; },
      [](LaunchPlan& p) { std::get<BufferArgument>(launch_of(p, 1).arguments[0]).count = 5; },
  };
  std::vector<std::string> texts = {launches_of(plan)};
  for (const auto& change : changes) {
    LaunchPlan other = plan;
    change(other);
    texts.push_back(launches_of(other));
  }
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end()) << *std::ranges::adjacent_find(texts);
}

TEST(StepOrder, HostMemoryIsCountedByItself) {
  const LaunchPlan plan = StreamSample(3).plan;
  EXPECT_EQ(plan.memory(), 2u * 2 * 37 * 5 * 4);
  EXPECT_EQ(plan.host_memory(), 2u * (40 * 5 * 3 + 2) * 4);
  EXPECT_EQ(stream_count(plan), 3u);
  EXPECT_EQ(step_name(plan.launches[0]), "copy of 'in' to 'sent'");
}

TEST(StepOrder, WhatIsImpossibleIsRefused) {
  EXPECT_EQ(order_refusal(StreamSample().plan), "");
  EXPECT_EQ(order_refusal(StreamSample(4, MemoryPlace::pageable).plan), "");
  const std::uint64_t room = 40 * 5 * 5;  // of `in`, from its first element on
  struct Case {
    std::string says;
    std::function<void(LaunchPlan&)> change;
  };
  const std::vector<Case> cases = {
      {"waits for step 4, which is not an earlier one",
       [](LaunchPlan& p) { launch_of(p, 4).order.after = {4}; }},
      {"runs on stream 64", [](LaunchPlan& p) { copy_of(p, 0).order.stream = 64; }},
      {"the setup runs in order", [](LaunchPlan& p) { p.setup = {p.launches[1]}; }},
      {"which has 1000 from its first one on", [](LaunchPlan& p) { copy_of(p, 0).from.offset = 804; }},
      {"which has 370 from", [](LaunchPlan& p) { copy_of(p, 0).to.pitch = 84; }},
      {"which has 1000 from", [](LaunchPlan& p) { copy_of(p, 0).from.offset = ~std::uint64_t{0}; }},
      {"which has 1000 from", [](LaunchPlan& p) { copy_of(p, 0).rows = (~std::uint64_t{0} / 40) + 2; }},
      {"lie 36 apart", [](LaunchPlan& p) { copy_of(p, 0).to.pitch = 36; }},
      {"it moves nothing", [](LaunchPlan& p) { copy_of(p, 0).width = 0; }},
      {"it moves nothing", [](LaunchPlan& p) { copy_of(p, 0).rows = 0; }},
      {"both sides lie on the host",
       [](LaunchPlan& p) {
         copy_of(p, 0).to = {"out", 0, 40};
       }},
      {"is an input of the plan",
       [](LaunchPlan& p) {
         copy_of(p, 2).to = {"in", 0, 40};
       }},
      {"has elements of float, 'sent' of double",
       [](LaunchPlan& p) { p.buffers[2].type = ElementType::f64; }},
      {"has no buffer `nothing`", [](LaunchPlan& p) { copy_of(p, 0).to.buffer = "nothing"; }},
      {"its two sides overlap",
       [](LaunchPlan& p) {
         copy_of(p, 0).from = {"sent", 0, 37};
         copy_of(p, 0).to = {"sent", 184, 37};
       }},
      {"cannot reach 'in', which is pageable",
       [](LaunchPlan& p) {
         p.buffers[0].place = MemoryPlace::pageable;
         launch_of(p, 1).arguments[0] = BufferArgument{"in"};
       }},
      {"elements 1 to 371 of 'sent', which has 370",
       [](LaunchPlan& p) {
         launch_of(p, 1).arguments[0] = BufferArgument{"sent", 1, 370};
       }},
      {"runs on device 1, but its stream 1 is of device 0",
       [](LaunchPlan& p) { launch_of(p, 4).order.device = 1; }},
      {"its stream 0 is of device 0", [](LaunchPlan& p) { copy_of(p, 0).order.device = 1; }},
      {"a plan has at most 16 devices, not 17", [](LaunchPlan& p) { p.buffers[2].device = 16; }},
      {"a plan of 2 devices has the variable `v`",
       [](LaunchPlan& p) {
         p.buffers[2].symbol = "v";
         p.buffers[3].device = 1;
       }},
      {"a plan of 2 devices has Fourier transforms",
       [](LaunchPlan& p) {
         p.launches.push_back(FourierTransform{FourierDirection::forward, "sent", "made", {8}});
         p.buffers[3].device = 1;
       }},
      {"lies on the host and cannot be copied to variable", [](LaunchPlan& p) { p.buffers[0].symbol = "v"; }},
      {"Fourier transforms without an order between them",
       [](LaunchPlan& p) {
         p.launches.push_back(FourierTransform{FourierDirection::forward, "sent", "made", {8}, 1, {0, {}}});
         p.launches.push_back(FourierTransform{FourierDirection::forward, "sent", "made", {8}, 1, {1, {}}});
       }},
  };
  for (const Case& one : cases) {
    LaunchPlan plan = StreamSample().plan;
    one.change(plan);
    EXPECT_NE(order_refusal(plan).find(one.says), std::string::npos) << one.says << "\n"
                                                                     << order_refusal(plan);
  }
  LaunchPlan last = StreamSample().plan;
  copy_of(last, 0).from.offset = room - (4 * 40 + 37);  // the last element that there is
  EXPECT_EQ(order_refusal(last), "");
  launch_of(last, 1).arguments[0] = BufferArgument{"in", 3};  // pinned
  EXPECT_EQ(order_refusal(last), "");
}

TEST(StepOrder, EveryDependencyOfThePipelineIsNeeded) {
  const StreamSample sample;
  EXPECT_TRUE(conflicts(sample.plan).empty());
  std::size_t removed = 0;
  for (std::size_t later = 0; later < sample.plan.launches.size(); ++later)
    for (const std::size_t earlier : order_of(sample.plan.launches[later]).after) {
      StreamSample racing = sample;
      racing.forget(later, earlier);
      ++removed;
      const auto found = conflicts(racing.plan);
      ASSERT_FALSE(found.empty()) << later << " after " << earlier;
      EXPECT_TRUE(std::ranges::any_of(found,
                                      [&](const StepConflict& conflict) {
                                        return conflict.first == earlier && conflict.second == later;
                                      }))
          << later << " after " << earlier;
    }
  EXPECT_EQ(removed, 5u * 2 + 3 * 2);
}

TEST(StepOrder, ConflictsNameStepsAndElement) {
  StreamSample sample;
  sample.forget(StreamSample::kernel(1), StreamSample::copy_in(1));
  const auto found = conflicts(sample.plan);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].buffer, "sent");
  EXPECT_EQ(found[0].element, 37u * 5);
  EXPECT_NE(found[0]
                .text(sample.plan)
                .find("step 3 (copy of 'in' to 'sent') and step 4 (twice) both touch element 185 of the "
                      "allocation of 'sent'"),
            std::string::npos)
      << found[0].text(sample.plan);
}

TEST(StepOrder, AKernelWithoutARangeTouchesAllOfItsBuffer) {
  StreamSample sample;
  for (const std::size_t piece : {0u, 1u})
    std::get<BufferArgument>(launch_of(sample.plan, StreamSample::kernel(piece)).arguments[0]).count = 0;
  const auto found = conflicts(sample.plan);
  ASSERT_FALSE(found.empty());  // with the copy to the other slot
  EXPECT_EQ(found[0].first, StreamSample::kernel(0));
  EXPECT_EQ(found[0].second, StreamSample::copy_in(1));
}

// The second kernel runs on another device, besides the copy of what the first one made.
TEST(StepOrder, KernelsThatOnlyReadDoNotConflict) {
  StreamSample sample(2);
  auto& second = launch_of(sample.plan, StreamSample::kernel(1));
  second.order = {3, {StreamSample::kernel(0)}, 1};
  second.arguments = {BufferArgument{"made", 0, 185, true}, BufferArgument{"sent", 185, 185}};
  sample.plan.launches.pop_back();
  check_steps(sample.plan);
  EXPECT_EQ(sample.plan.devices(), 2u);
  std::get<Copy>(sample.plan.launches[StreamSample::copy_in(1)]).order.stream = 3;
  std::get<Copy>(sample.plan.launches[StreamSample::copy_in(1)]).order.device = 1;
  EXPECT_TRUE(conflicts(sample.plan).empty()) << conflicts(sample.plan)[0].text(sample.plan);
  std::get<BufferArgument>(second.arguments[0]).read_only = false;
  EXPECT_FALSE(conflicts(sample.plan).empty());
}

TEST(StepOrder, SharedElementsAreFoundAsByLookingAtAll) {
  const auto elements = [](const StepAccess& access) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t r = 0; r < access.rows; ++r)
      for (std::uint64_t i = 0; i < access.width; ++i) all.push_back(access.begin + r * access.pitch + i);
    return all;
  };
  std::size_t meeting = 0, tried = 0;
  for (const std::uint64_t begin : {0u, 1u, 3u, 9u, 20u})
    for (const std::uint64_t width : {1u, 2u, 4u})
      for (const std::uint64_t pitch : {4u, 5u, 7u})
        for (const std::uint64_t rows : {1u, 2u, 4u})
          for (const std::uint64_t other : {2u, 3u, 6u}) {
            const StepAccess a{"x", begin, width, pitch, rows, true};
            const StepAccess b{"x", 5, 1 + other / 3, other, 3, true};
            const auto all = elements(a), theirs = elements(b);
            const auto both = [&](std::uint64_t e) {
              return std::ranges::count(all, e) > 0 && std::ranges::count(theirs, e) > 0;
            };
            const bool meet = std::ranges::any_of(all, both);
            for (const auto& found : {shared_element(a, b), shared_element(b, a)}) {
              EXPECT_EQ(found.has_value(), meet) << begin << " " << width << " " << pitch << " " << rows;
              EXPECT_TRUE(!found || both(*found));
            }
            ++tried;
            meeting += meet ? 1 : 0;
          }
  EXPECT_GT(meeting, tried / 10);
  EXPECT_LT(meeting, tried - tried / 10);
  EXPECT_FALSE(shared_element({"x", 0, 9, 0, 1, true}, {"y", 0, 9, 0, 1, true}));
}

TEST(StepOrder, PlansOfVeryManyStepsOnOneStreamCostNothing) {
  LaunchPlan plan = StreamSample().plan;
  const FourierTransform transform{FourierDirection::forward, "sent", "made", {8}};
  plan.launches.assign(400'000, transform);  // pairs of them would be 10^11
  check_steps(plan);
  EXPECT_TRUE(conflicts(plan).empty());
  EXPECT_EQ(sequence_of(plan, Sequence::latest_first).size(), 400'000u);
}

// A table of all pairs took gigabytes.
TEST(StepOrder, PrecedenceOnFewStreamsTakesMemoryByTheStep) {
  LaunchPlan plan = StreamSample().plan;
  const FourierTransform transform{FourierDirection::forward, "sent", "made", {8}};
  constexpr std::size_t steps = 120'000;
  plan.launches.assign(steps, transform);
  for (std::size_t i = 1; i < steps; i += 2) std::get<FourierTransform>(plan.launches[i]).order.stream = 1;
  std::get<FourierTransform>(plan.launches[steps - 1]).order.after = {1000};
  const Stopwatch time;
  const StepPrecedence precedence(plan);
  EXPECT_TRUE(precedence.before(1000, steps - 1));
  EXPECT_TRUE(precedence.before(998, steps - 1));
  EXPECT_FALSE(precedence.before(1002, steps - 1));
  EXPECT_TRUE(precedence.before(steps - 3, steps - 1));
  EXPECT_LT(time.seconds(), 5);
}

TEST(StepOrder, OtherSequencesRespectWhatStepsWaitFor) {
  const LaunchPlan plan = StreamSample(6).plan;
  const StepPrecedence precedence(plan);
  const auto planned = sequence_of(plan, Sequence::planned);
  const auto latest = sequence_of(plan, Sequence::latest_first);
  EXPECT_TRUE(std::ranges::is_sorted(planned));
  EXPECT_NE(planned, latest);
  for (const auto& sequence : {planned, latest}) {
    ASSERT_EQ(sequence.size(), plan.launches.size());
    for (std::size_t i = 0; i < sequence.size(); ++i)
      for (std::size_t k = i + 1; k < sequence.size(); ++k)
        EXPECT_FALSE(precedence.before(sequence[k], sequence[i])) << sequence[k] << " " << sequence[i];
  }
}

}  // namespace
}  // namespace tune
