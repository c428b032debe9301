// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/fourier_shape.hpp"

#include <gtest/gtest.h>

#include "tests/support/fourier_sample.hpp"
#include "tuner/base/error.hpp"

namespace tune {
namespace {

constexpr auto forward = FourierDirection::forward;
constexpr auto inverse = FourierDirection::inverse;

/// 5 x 4 x 3 cells: real rows of 5 elements in rows of 7, complex ones of 6 elements.
LaunchPlan plan() {
  LaunchPlan made;
  made.buffers = {{"real", ElementType::f64, {{5, 4, 3}, {1, 7, 35}, 2, 107}, BufferRole::scratch},
                  {"complex", ElementType::f64, Layout::dense({6, 4, 3}), BufferRole::scratch}};
  return made;
}

BufferSpec& real_of(LaunchPlan& made) {
  return made.buffers[0];
}
BufferSpec& complex_of(LaunchPlan& made) {
  return made.buffers[1];
}

/// The Error's text; empty where there is none.
std::string refusal(const LaunchPlan& made, const FourierTransform& transform) {
  try {
    fourier_shape(made, transform);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const FourierTransform there{forward, "real", "complex", {5, 4, 3}};
const FourierTransform back{inverse, "complex", "real", {5, 4, 3}};

TEST(FourierShape, TellsWhichDimensionsAreTransformed) {
  FourierTransform planes = there;
  EXPECT_EQ(fourier_shape(plan(), planes).axes, 3u);
  EXPECT_EQ(fourier_shape(plan(), planes).batch(), 1u);
  planes.axes = 2;
  const FourierShape shape = fourier_shape(plan(), planes);
  EXPECT_EQ(shape.axes, 2u);
  EXPECT_EQ(shape.batch(), 3u);
  EXPECT_EQ(shape.rows(), 12u) << "of all transforms";
  EXPECT_EQ(shape.real.end, 2u + 2 * 35 + 3 * 7 + 5);
  planes.axes = 1;
  EXPECT_NE(refusal(plan(), planes).find("along 1 of 3 dimensions"), std::string::npos)
      << refusal(plan(), planes);
  planes.extents = {5, 1, 3};
  EXPECT_EQ(fourier_shape(plan(), planes).axes, 1u);
  EXPECT_EQ(fourier_shape(plan(), planes).batch(), 3u) << "what is one cell counts nothing";
  planes.axes = 0;
  EXPECT_NE(refusal(plan(), planes), "");
}

TEST(FourierShape, TellsWhereRowsLie) {
  for (const FourierTransform& transform : {there, back}) {
    const FourierShape shape = fourier_shape(plan(), transform);
    EXPECT_EQ(shape.type, ElementType::f64);
    EXPECT_EQ(shape.extents, (Extents{5, 4, 3}));
    EXPECT_EQ(shape.values(), 3u);
    EXPECT_EQ(shape.rows(), 12u);
    EXPECT_FALSE(shape.in_place());
    EXPECT_EQ(shape.real.buffer, "real");
    EXPECT_EQ(shape.real.row, 5u);
    EXPECT_EQ(shape.real.pitches, (Extents{7, 35}));
    EXPECT_EQ(shape.real.end, 2u + 2 * 35 + 3 * 7 + 5);
    EXPECT_TRUE(shape.real.fits());
    EXPECT_EQ(shape.complex.row, 6u);
    EXPECT_EQ(shape.complex.end, 72u);
    EXPECT_TRUE(shape.complex.fits());
    EXPECT_EQ(shape.row_begin(shape.real, 0), 0u);
    EXPECT_EQ(shape.row_begin(shape.real, 11), 2u * 35 + 3 * 7);
    EXPECT_EQ(&shape.input(), transform.direction == forward ? &shape.real : &shape.complex);
    EXPECT_EQ(&shape.output(), transform.direction == forward ? &shape.complex : &shape.real);
  }
}

TEST(FourierShape, LeavesOutSlowDimensionsOfOneCell) {
  LaunchPlan made = plan();
  const FourierShape middle = fourier_shape(made, {forward, "real", "complex", {5, 1, 3}});
  EXPECT_EQ(middle.extents, (Extents{5, 3}));
  EXPECT_EQ(middle.real.pitches, (Extents{35}));
  EXPECT_EQ(middle.complex.pitches, (Extents{24}));
  EXPECT_EQ(middle.row_begin(middle.real, 2), 70u);
  const FourierShape row = fourier_shape(made, {forward, "real", "complex", {5, 1, 1}});
  EXPECT_EQ(row.extents, (Extents{5}));
  EXPECT_EQ(row.real.end, 7u);
  const FourierShape column = fourier_shape(made, {forward, "real", "complex", {1, 4, 1}});
  EXPECT_EQ(column.extents, (Extents{1, 4})) << "rows of one cell are rows";
  EXPECT_EQ(column.complex.row, 2u);
}

TEST(FourierShape, FitsUpToTheLastElement) {
  LaunchPlan made = plan();
  const std::uint64_t end = fourier_shape(made, there).real.end;
  real_of(made).layout.allocation = end;
  EXPECT_TRUE(fourier_shape(made, there).real.fits());
  real_of(made).layout.allocation = end - 1;
  EXPECT_FALSE(fourier_shape(made, there).real.fits());
  complex_of(made).layout.allocation = 71;
  EXPECT_FALSE(fourier_shape(made, there).complex.fits());
}

TEST(FourierShape, InPlaceNeedsRoomForComplexRows) {
  LaunchPlan made = plan();
  const FourierTransform transform{forward, "real", "real", {5, 4, 3}};
  EXPECT_NE(refusal(made, transform).find("a multiple of two elements apart"), std::string::npos);
  real_of(made).layout = {{5, 4, 3}, {1, 6, 24}, 0, 72};
  EXPECT_EQ(refusal(made, transform), "");
  EXPECT_TRUE(fourier_shape(made, transform).in_place());
  EXPECT_TRUE(fourier_shape(made, transform).complex.fits());
  real_of(made).layout.strides = {1, 5, 20};
  EXPECT_NE(refusal(made, transform).find("'real' has a stride of 5 elements where 6 or more are needed"),
            std::string::npos)
      << refusal(made, transform);
}

TEST(FourierShape, RefusesWhatCufftDoesNotTake) {
  const auto refused = [](auto change, FourierTransform transform = there) {
    LaunchPlan made = plan();
    change(made, transform);
    return refusal(made, transform);
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos ? "" : "`" + text + "` lacks `" + part + "`";
  };
  using Plan = LaunchPlan;
  using Transform = FourierTransform;
  EXPECT_EQ(refused([](Plan&, Transform&) {}), "");
  EXPECT_EQ(has(refused([](Plan&, Transform& t) { t.extents = {}; }), "0 dimensions"), "");
  EXPECT_EQ(has(refused([](Plan&, Transform& t) { t.extents = {2, 2, 2, 2}; }), "4 dimensions"), "");
  EXPECT_EQ(has(refused([](Plan&, Transform& t) { t.extents = {5, 0, 3}; }), "no cells"), "");
  EXPECT_EQ(has(refused([](Plan&, Transform& t) {
                  t.extents = {5, 4};
                }),
                "'real' has 3 dimensions, not 2"),
            "");
  EXPECT_EQ(has(refused([](Plan&, Transform& t) { t.output = "other"; }), "no buffer `other`"), "");
  EXPECT_EQ(has(refused([](Plan& p, Transform&) { complex_of(p).type = ElementType::f32; }),
                "'real' has elements of double, 'complex' of float"),
            "");
  EXPECT_EQ(has(refused([](Plan& p, Transform&) { real_of(p).type = ElementType::i32; }),
                "'real' has elements of int32"),
            "");
  EXPECT_EQ(has(refused([](Plan& p, Transform&) { real_of(p).layout.strides[0] = 2; }), "lie apart"), "");
  EXPECT_EQ(has(refused([](Plan& p, Transform&) { real_of(p).layout.offset = 3; }),
                "begins 3 elements into its allocation"),
            "");
  EXPECT_EQ(has(refused([](Plan& p, Transform&) { real_of(p).layout.strides[1] = 4; }), "5 or more"), "");
  EXPECT_EQ(has(refused([](Plan& p, Transform&) { real_of(p).layout.strides[2] = 21; }), "28 or more"), "");
  EXPECT_EQ(has(refused([](Plan& p, Transform&) { real_of(p).layout.strides[2] = 36; }), "not a multiple of 7"),
            "");
  EXPECT_EQ(has(refused([](Plan& p, Transform&) {
                  complex_of(p).layout.strides = {1, 7, 28};
                }),
                "a multiple of two elements apart"),
            "");
}

TEST(FourierShape, KeepsInputsOfThePlan) {
  LaunchPlan made = plan();
  real_of(made).role = BufferRole::input;
  EXPECT_EQ(refusal(made, there), "") << "a forward transform leaves its input as it was";
  EXPECT_NE(refusal(made, back).find("'real' is an input of the plan"), std::string::npos);
  made = plan();
  complex_of(made).role = BufferRole::input;
  EXPECT_NE(refusal(made, back).find("it overwrites 'complex', an input of the plan"), std::string::npos);
}

TEST(PlanSteps, AreToldApart) {
  LaunchPlan made = plan();
  Launch launch;
  launch.entry = "k";
  made.launches = {launch, there};
  made.launches.push_back(back);
  ASSERT_EQ(kernel_launches(made).size(), 1u);
  EXPECT_EQ(kernel_launches(made)[0], &std::get<Launch>(made.launches[0]));
  EXPECT_EQ(step_name(made.launches[0]), "k");
  EXPECT_EQ(step_name(made.launches[1]), "forward Fourier transform of 'real' to 'complex'");
  EXPECT_EQ(step_name(made.launches[2]), "inverse Fourier transform of 'complex' to 'real'");
  EXPECT_EQ(made.memory(), (107u + 72) * 8);
  EXPECT_TRUE(made.textures().empty());
}

TEST(PlanSteps, PlansThatDoOtherThingsHaveOtherTexts) {
  LaunchPlan made = plan();
  made.launches = {there, back};
  const std::string text = launches_of(made);
  EXPECT_EQ(launches_of(made), text);
  EXPECT_NE(text.find("forward Fourier transform of 'real' to 'complex' of [5,4,3,]"), std::string::npos)
      << text;
  const auto changed = [&](auto change) {
    LaunchPlan other = made;
    change(std::get<FourierTransform>(other.launches[0]));
    return launches_of(other) != text;
  };
  EXPECT_TRUE(changed([](FourierTransform& t) { t.direction = inverse; }));
  EXPECT_TRUE(changed([](FourierTransform& t) { t.input = "complex"; }));
  EXPECT_TRUE(changed([](FourierTransform& t) { t.output = "real"; }));
  EXPECT_TRUE(changed([](FourierTransform& t) { t.extents = {5, 4}; }));
  std::swap(made.launches[0], made.launches[1]);
  EXPECT_NE(launches_of(made), text) << "order matters";
}

TEST(PlanSteps, SetupComesFirst) {
  LaunchPlan made = plan();
  Launch fill, work;
  fill.entry = "fill";
  work.entry = "work";
  made.setup = {fill, there};
  made.launches = {work, back};
  std::vector<std::string> names;
  for (const PlanStep* step : all_steps(made)) names.push_back(step_name(*step));
  EXPECT_EQ(names, (std::vector<std::string>{"fill", step_name(there), "work", step_name(back)}));
  ASSERT_EQ(kernel_launches(made).size(), 2u);
  EXPECT_EQ(kernel_launches(made)[0]->entry, "fill");
  EXPECT_EQ(kernel_launches(made)[1]->entry, "work");
}

TEST(PlanSteps, SetupIsPartOfWhatPlansDo) {
  LaunchPlan made = plan();
  made.launches = {there, back};
  LaunchPlan prepared = made;
  prepared.setup = {there};
  prepared.launches = {back};
  EXPECT_NE(launches_of(made), launches_of(prepared)) << "the same steps, of which one is not repeated";
  made.tolerance = Tolerance{1, "any"};
  LaunchPlan strict = made;
  strict.tolerance->absolute = 0.5;
  EXPECT_EQ(launches_of(made), launches_of(strict)) << "what is compared is not what is done";
}

TEST(FourierShape, OfAllSamples) {
  for (const auto& of : testing::all_fourier_cases()) {
    const auto sample = testing::fourier_sample(of);
    const FourierShape shape =
        fourier_shape(sample.plan, std::get<FourierTransform>(sample.plan.launches[1]));
    EXPECT_TRUE(shape.real.fits() && shape.complex.fits()) << of.text();
    EXPECT_EQ(shape.in_place(), of.in_place);
  }
}

}  // namespace
}  // namespace tune
