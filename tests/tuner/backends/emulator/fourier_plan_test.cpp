// SPDX-License-Identifier: Apache-2.0
// Plans of kernels and Fourier transforms through the whole of the emulator, right and with planted faults.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/fourier_sample.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/base/error.hpp"

namespace tune::emulator {
namespace {

using tune::testing::fourier_sample;
using tune::testing::FourierCase;
using tune::testing::FourierSample;
using tune::testing::moving_sample;
using tune::testing::SpreadArgument;

const Extents extents{6, 5, 4};

CheckVerdict verdict(const FourierSample& sample, Flavour flavour = Flavour::sanitize) {
  CheckOptions options;
  options.flavour = flavour;
  return check(sample.plan, {sample.inputs, sample.reference, sample.tolerance}, options);
}

std::string report(const CheckVerdict& found) {
  std::string text = found.not_emulated;
  for (const Finding& finding : found.findings) text += finding.text() + "\n";
  return text;
}

/// Of all of them, compiled together.
std::vector<CheckVerdict> verdicts(const std::vector<FourierSample>& samples, Flavour flavour) {
  CheckOptions options;
  options.flavour = flavour;
  std::vector<CheckVerdict> all(samples.size());
  const auto job = [&](std::size_t number) {
    const FourierSample& sample = samples[number];
    const ReferenceData expected{sample.inputs, sample.reference, sample.tolerance};
    return CheckJob{{{"", sample.plan, std::make_shared<ReferenceData>(expected)}}};
  };
  check(samples.size(), job, options, [&](std::size_t number, CheckVerdict found) {
    all[number] = std::move(found);
    return true;
  });
  return all;
}

BufferSpec& buffer(FourierSample& sample, const std::string& name) {
  return *std::ranges::find(sample.plan.buffers, name, &BufferSpec::name);
}

/// An int of the step that is a launch of `spread`.
std::int32_t& argument(FourierSample& sample, std::size_t step, SpreadArgument which) {
  auto& launch = std::get<Launch>(sample.plan.launches[step]);
  return std::get<std::int32_t>(std::get<ScalarArgument>(launch.arguments[static_cast<std::size_t>(which)]));
}

void expect_first(const CheckVerdict& found, FindingKind kind, const std::string& array,
                  const std::string& kernel) {
  ASSERT_FALSE(found.findings.empty()) << found.not_emulated;
  const Finding& first = found.findings.front();
  EXPECT_EQ(first.kind, kind) << first.text();
  EXPECT_EQ(first.array, array) << first.text();
  EXPECT_EQ(first.kernel, kernel) << first.text();
}

const std::string forward_name = "forward Fourier transform of 'work' to 'spectrum'";
const std::string inverse_name = "inverse Fourier transform of 'spectrum' to 'work'";

TEST(FourierPlans, AreCleanAndRight) {
  std::vector<FourierSample> samples;
  for (const Extents& size : {extents, Extents{7}, Extents{8, 3}, Extents{1, 5, 1}})
    for (const ElementType type : {ElementType::f32, ElementType::f64})
      for (const bool in_place : {false, true}) samples.push_back(moving_sample(type, size, in_place));
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain})
    for (const CheckVerdict& found : verdicts(samples, flavour)) {
      EXPECT_EQ(report(found), "");
      EXPECT_GT(found.tolerance, 0) << "the output was not compared";
    }
}

TEST(FourierPlans, TransformsWriteOutputs) {
  std::vector<FourierSample> right, wrong;
  for (const auto direction : {FourierDirection::forward, FourierDirection::inverse})
    for (const bool in_place : {false, true}) {
      right.push_back(fourier_sample({direction, ElementType::f32, {5, 4, 3}, in_place, true}));
      wrong.push_back(right.back());
      wrong.back().reference.at("out").as<double>()[7] += 100 * wrong.back().tolerance.absolute;
    }
  for (const CheckVerdict& found : verdicts(right, Flavour::sanitize)) EXPECT_EQ(report(found), "");
  const std::vector<CheckVerdict> all = verdicts(wrong, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect_first(all[i], FindingKind::wrong_result, "out", step_name(wrong[i].plan.launches.back()));
    EXPECT_EQ(all[i].findings.size(), 1u);
  }
}

TEST(FourierPlans, ATransformOfUnwrittenCellsIsFound) {
  FourierSample sample = moving_sample(ElementType::f32, extents, false);
  --argument(sample, 0, SpreadArgument::rows);  // the last row of `work` is not written
  const CheckVerdict found = verdict(sample);
  expect_first(found, FindingKind::uninitialised_read, "work", forward_name);
  const Layout& layout = buffer(sample, "work").layout;
  const std::uint64_t last_row = layout.offset + 4 * layout.strides[1] + 3 * layout.strides[2];
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].offset, static_cast<std::int64_t>(last_row * 4)) << found.findings[0].text();
  EXPECT_FALSE(found.findings[0].has_thread);
  EXPECT_EQ(found.findings.size(), 1u) << "once, not for every cell:\n" << report(found);
  EXPECT_NE(found.findings[0].text().find("which was never written; kernel forward Fourier transform"),
            std::string::npos)
      << found.findings[0].text();
  expect_first(verdict(sample, Flavour::plain), FindingKind::wrong_result, "out", "spread");
}

TEST(FourierPlans, AnInverseTransformOfUnwrittenCellsIsFound) {
  FourierSample sample = moving_sample(ElementType::f64, extents, false);
  auto& steps = sample.plan.launches;
  steps.erase(steps.begin() + 1, steps.begin() + 3);  // nothing writes the spectrum
  expect_first(verdict(sample), FindingKind::uninitialised_read, "spectrum", inverse_name);
}

TEST(FourierPlans, ATransformBeyondABufferIsFound) {
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain})
    for (const char* name : {"work", "spectrum"}) {
      FourierSample sample = moving_sample(ElementType::f32, extents, false);
      if (std::string(name) == "work") sample.plan.launches.erase(sample.plan.launches.begin());
      const FourierShape shape =
          fourier_shape(sample.plan, {FourierDirection::forward, "work", "spectrum", extents});
      const std::uint64_t end = (std::string(name) == "work" ? shape.real : shape.complex).end;
      buffer(sample, name).layout.allocation = end - 1;
      const CheckVerdict found = verdict(sample, flavour);
      expect_first(found, FindingKind::out_of_bounds, name, forward_name);
      ASSERT_FALSE(found.findings.empty());
      EXPECT_EQ(found.findings[0].offset, static_cast<std::int64_t>((end - 1) * 4));
    }
}

TEST(FourierPlans, WhatAnInverseTransformOverwritesIsLost) {
  FourierSample sample = moving_sample(ElementType::f32, extents, false);
  std::get<Launch>(sample.plan.launches.back()).arguments[0] = BufferArgument{"spectrum"};
  expect_first(verdict(sample), FindingKind::uninitialised_read, "spectrum", "spread");

  // In place, the end of every row belongs to complex numbers alone.
  sample = moving_sample(ElementType::f32, extents, true);
  argument(sample, 4, SpreadArgument::first) = 1;
  const CheckVerdict found = verdict(sample);
  expect_first(found, FindingKind::uninitialised_read, "work", "spread");
  const Layout& layout = buffer(sample, "work").layout;
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ((found.findings[0].offset / 4 - static_cast<std::int64_t>(layout.offset)) %
                static_cast<std::int64_t>(layout.strides[1]),
            6);
}

TEST(FourierPlans, AForwardTransformKeepsItsInput) {
  FourierSample sample = moving_sample(ElementType::f32, extents, false);
  auto& steps = sample.plan.launches;
  steps.erase(steps.begin() + 2, steps.begin() + 4);  // `out` is what `work` was
  const auto in = sample.inputs.at("in").as<float>();
  std::ranges::copy(in, sample.reference.at("out").as<double>().begin());
  sample.tolerance.absolute = 1e-12;
  EXPECT_EQ(report(verdict(sample)), "");
}

// The first two steps of five, which write `work` and its spectrum, are done before the others.
TEST(FourierPlans, SetupRunsBeforeTheLaunches) {
  FourierSample sample = moving_sample(ElementType::f32, extents, false);
  auto& setup = sample.plan.setup;
  auto& launches = sample.plan.launches;
  setup.assign(launches.begin(), launches.begin() + 2);
  launches.erase(launches.begin(), launches.begin() + 2);
  EXPECT_EQ(report(verdict(sample)), "");
  setup.pop_back();
  EXPECT_NE(report(verdict(sample)), "") << "nothing writes the spectrum";
}

TEST(FourierPlans, TheToleranceOfThePlanComesFirst) {
  FourierSample sample = moving_sample(ElementType::f32, extents, false);
  sample.plan.tolerance = Tolerance{sample.tolerance.absolute * 2, "twice"};
  EXPECT_EQ(verdict(sample).tolerance, sample.tolerance.absolute * 2);
  sample.plan.tolerance->absolute = 0;
  expect_first(verdict(sample, Flavour::plain), FindingKind::wrong_result, "out", "spread");
}

TEST(FourierPlans, AForgottenStepGivesWrongResults) {
  for (const std::size_t step : {1u, 2u, 3u}) {
    FourierSample sample = moving_sample(ElementType::f32, extents, true);
    sample.plan.launches.erase(sample.plan.launches.begin() + static_cast<std::ptrdiff_t>(step));
    expect_first(verdict(sample, Flavour::plain), FindingKind::wrong_result, "out", "spread");
  }
}

TEST(FourierPlans, AnImpossibleTransformIsAnErrorInOneLine) {
  FourierSample sample = moving_sample(ElementType::f32, extents, false);
  buffer(sample, "spectrum").type = ElementType::f64;
  try {
    verdict(sample);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(forward_name + " is not possible"), std::string::npos)
        << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace tune::emulator
