// SPDX-License-Identifier: Apache-2.0
// Inputs and references of every problem, at the small sizes at which configurations are checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/registry.hpp"
#include "tests/kernels/conformance/drawn.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/plan/tensor_part.hpp"

namespace tune::kernels {
namespace {

using testing::Draw;
using testing::Drawn;

class EveryReference : public ::testing::TestWithParam<std::string> {
 protected:
  const Problem& problem() const { return *Draw::of(GetParam()).problem; }

  /// Plans at the smallest and the largest of the sizes at which some configurations are checked.
  std::vector<Drawn> small() const {
    std::vector<Drawn> plans;
    const EmbeddedSources sources;
    for (std::size_t i = 0; i < Draw::of(GetParam()).all.size(); i += 12) {
      const Drawn& drawn = Draw::of(GetParam()).all[i];
      std::vector<Instance> sizes = problem().check_instances(drawn.instance, drawn.configuration);
      std::ranges::sort(sizes, {}, [&](const Instance& size) { return problem().cost(size).items; });
      if (sizes.empty()) continue;
      for (const Instance& size : {sizes.front(), sizes.back()})
        if (const auto plan = problem().plan(size, drawn.configuration, sources))
          plans.push_back({size, drawn.configuration, *plan});
    }
    return plans;
  }
};

bool equal(const TensorSet& one, const TensorSet& other) {
  return one.size() == other.size() && std::ranges::all_of(one, [&](const auto& entry) {
           const auto found = other.find(entry.first);
           return found != other.end() && found->second.extents() == entry.second.extents() &&
                  std::ranges::equal(entry.second.bytes(), found->second.bytes());
         });
}

/// Whether the problem leaves no output to a reference plan.
bool on_host(const Drawn& drawn, const TensorSet& reference) {
  return std::ranges::all_of(drawn.plan.buffers, [&](const BufferSpec& buffer) {
    return buffer.role != BufferRole::output || reference.contains(buffer.name);
  });
}

/// Whether outputs are counts: those of a few inputs can be equal by chance, and they have no rounding.
bool counts(const Drawn& drawn) {
  return std::ranges::any_of(drawn.plan.buffers, [](const BufferSpec& buffer) {
    return buffer.role == BufferRole::output && !is_floating_point(buffer.type);
  });
}

TEST_P(EveryReference, FollowsFromTheSeedAndEndsWithTheRun) {
  for (const Drawn& drawn : small()) {
    SCOPED_TRACE(drawn.text());
    const TensorSet inputs = problem().inputs(drawn.instance, 3);
    EXPECT_TRUE(equal(inputs, problem().inputs(drawn.instance, 3)));
    const TensorSet other = problem().inputs(drawn.instance, 4);
    // Of a single item there may be one input alone.
    if (problem().cost(drawn.instance).items > 1) {
      EXPECT_FALSE(equal(inputs, other)) << "the seed changes nothing";
    }
    const TensorSet reference = problem().reference(drawn.instance, inputs);
    EXPECT_TRUE(equal(reference, problem().reference(drawn.instance, inputs)));
    if (!counts(drawn)) {
      EXPECT_FALSE(equal(reference, problem().reference(drawn.instance, other)));
    }
    const StopScope scope([] { return true; });  // the run does not wait for a reference on the host
    if (!reference.empty()) {
      EXPECT_THROW(problem().reference(drawn.instance, inputs), Stopped);
    }
  }
}

TEST_P(EveryReference, HasATensorForEveryBuffer) {
  for (const Drawn& drawn : small()) {
    SCOPED_TRACE(drawn.text());
    const TensorSet inputs = problem().inputs(drawn.instance, 1);
    const TensorSet reference = problem().reference(drawn.instance, inputs);
    for (const BufferSpec& buffer : drawn.plan.buffers) {
      if (buffer.role == BufferRole::scratch) continue;
      const TensorSet& set = buffer.role == BufferRole::input ? inputs : reference;
      const auto found = set.find(tensor_name(buffer));
      if (found == set.end() && buffer.role == BufferRole::output) {
        EXPECT_TRUE(problem().reference_plan(drawn.instance, EmbeddedSources())) << buffer.name;
        continue;
      }
      ASSERT_NE(found, set.end()) << buffer.name;
      if (buffer.role == BufferRole::input) {
        EXPECT_EQ(filling(buffer, view_of(found->second)).extents, buffer.layout.extents) << buffer.name;
      } else {
        EXPECT_EQ(reference_part(buffer, view_of(found->second)).extents, results_layout(buffer).extents);
        EXPECT_EQ(found->second.extents(), tensor_extents(drawn.plan, buffer)) << buffer.name;
      }
    }
  }
}

/// The share of elements that use the last two bits of a double.
double share_of_last_bits(const HostTensor& tensor) {
  std::uint64_t odd = 0;
  for (const double value : tensor.as<double>()) {
    int exponent = 0;
    odd += std::fmod(std::ldexp(std::frexp(value, &exponent), 53), 4) != 0 ? 1 : 0;
  }
  return static_cast<double>(odd) / static_cast<double>(tensor.size());
}

// Numbers that are exact in float would let a kernel pass that reads its doubles through float.
TEST_P(EveryReference, DoublesHaveAllBits) {
  for (const Drawn& drawn : small())
    for (const auto& [name, tensor] : problem().inputs(drawn.instance, 1)) {
      if (tensor.type() != ElementType::f64 || tensor.size() < 100) continue;
      EXPECT_GT(share_of_last_bits(tensor), 0.2) << drawn.text() << " " << name;
    }
}

/// The same numbers, cut to so many significant bits.
HostTensor cut(const HostTensor& tensor, int bits) {
  HostTensor result = tensor;
  const auto cut_one = [bits](double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return std::ldexp(std::trunc(std::ldexp(fraction, bits)), exponent - bits);
  };
  if (tensor.type() == ElementType::f64)
    for (double& value : result.as<double>()) value = cut_one(value);
  else if (tensor.type() == ElementType::f32)
    for (float& value : result.as<float>()) value = static_cast<float>(cut_one(static_cast<double>(value)));
  return result;
}

/// The bits of the next narrower type: float below double, TF32 and half below float, bfloat16 below TF32.
/// In sums over thousands of floats the bits that TF32 loses cancel below the rounding of the sums.
int narrower_bits(const Instance& instance) {
  if (instance.setting_or("type", "float").as_text() == "double") return 24;
  const bool long_sums =
      instance.setting_or("shape", "").as_text() == "box" && instance.setting("radius").as_int() > 4;
  return long_sums || instance.setting_or("arithmetic", "strict").as_text() == "tf32" ? 8 : 11;
}

// A kernel that reads its operands through a narrower type computes the results of operands that are cut:
// these are wrong under the tolerance of every variant.
TEST_P(EveryReference, ShowsOperandsOfANarrowerType) {
  int compared = 0;
  for (const Drawn& drawn : small()) {
    SCOPED_TRACE(drawn.text());
    const TensorSet inputs = problem().inputs(drawn.instance, 1);
    const TensorSet reference = problem().reference(drawn.instance, inputs);
    if (counts(drawn)) GTEST_SKIP() << "the problem counts";
    if (!on_host(drawn, reference)) continue;
    TensorSet narrow;
    for (const auto& [name, tensor] : inputs)
      narrow.emplace(name, cut(tensor, narrower_bits(drawn.instance)));
    const TensorSet wrong = problem().reference(drawn.instance, narrow);
    const Tolerance tolerance =
        drawn.plan.tolerance ? *drawn.plan.tolerance : problem().tolerance(drawn.instance);
    for (const auto& [name, tensor] : reference) {
      if (tensor.size() < 64) continue;  // a few sums may have lost little
      ++compared;
      const Bounds bounds = tolerance.of(name);
      EXPECT_FALSE(is_right(compare(view_of(wrong.at(name)), view_of(tensor), bounds), bounds))
          << name << ": " << bounds.absolute;
    }
  }
  EXPECT_GT(compared, 0);
}

/// `infinite`: some elements may be, as the distance of a neighbour that does not exist.
double largest(const HostTensor& tensor, bool infinite) {
  const HostTensor values = in_double(view_of(tensor));
  double max = 0;
  for (const double value : values.as<double>()) {
    EXPECT_FALSE(std::isnan(value));
    EXPECT_TRUE(infinite || std::isfinite(value));
    max = std::max(max, std::abs(value));
  }
  return max;
}

// A tolerance that lets a quarter of the largest element pass would let anything pass. Held against the
// largest of the sizes: a row of three cells may give next to nothing.
TEST_P(EveryReference, IsFarAboveTheTolerance) {
  std::vector<Drawn> plans = small();
  std::ranges::sort(plans, {}, [&](const Drawn& drawn) { return problem().cost(drawn.instance).items; });
  plans.erase(plans.begin(), plans.begin() + static_cast<std::ptrdiff_t>(plans.size() / 2));
  for (const Drawn& drawn : plans) {
    SCOPED_TRACE(drawn.text());
    const TensorSet reference = problem().reference(drawn.instance, problem().inputs(drawn.instance, 1));
    if (!on_host(drawn, reference)) continue;
    const Tolerance tolerance =
        drawn.plan.tolerance ? *drawn.plan.tolerance : problem().tolerance(drawn.instance);
    EXPECT_GT(tolerance.derivation.size(), 10u);
    for (const auto& [name, tensor] : reference) {
      const double max = largest(tensor, counts(drawn));
      const Bounds bounds = tolerance.of(name);
      EXPECT_GE(bounds.absolute, 0) << name;
      EXPECT_LE(bounds.relative + bounds.each, 0.25) << name;
      if (tensor.size() < 8) continue;  // a few elements may happen to be small
      EXPECT_LT(bounds.absolute, max / 4) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryReference, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const ProblemEntry& entry : problems()) names.emplace_back(entry.name);
                           return names;
                         }()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace tune::kernels
