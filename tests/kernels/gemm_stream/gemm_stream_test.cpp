// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/gemm_stream/job.hpp"
#include "kernels/gemm_stream/pipeline.hpp"
#include "kernels/gemm_stream/reference.hpp"
#include "kernels/registry.hpp"
#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tests/support/covering.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/step_order.hpp"

namespace tune::kernels {
namespace {

using search::Configuration;
using search::SearchSpace;
using search::Value;
using tune::testing::complaint;

Instance instance_of(const char* type, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count) {
  const auto problem = make_gemm_stream();
  const std::pair<std::string, Value> settings[] = {{"type", type}, {"count", count}};
  return make_instance(problem->info(), format("{}x{}x{}", m, n, k), settings);
}

SearchSpace space_of(const Instance& instance, const std::string& where = "True") {
  return SearchSpace(search::restrict_to(
      make_gemm_stream()->space(instance, architecture_properties("sm_90")), search::Expr::parse(where)));
}

/// The first configuration for which this holds.
Configuration configuration_of(const Instance& instance, const std::string& where) {
  const SearchSpace space = space_of(instance, where);
  EXPECT_GT(space.size(), 0u) << where;
  return space.at(0);
}

LaunchPlan plan_of(const Instance& instance, const Configuration& configuration) {
  const auto plan = make_gemm_stream()->plan(instance, configuration, EmbeddedSources());
  if (!plan) throw std::runtime_error(plan.error().detail);
  return *plan;
}

const std::string odd_stages =
    "streams == 3 and order == 'stages' and chunk == 2 and tile == '64x64' and "
    "vector == 1 and padded and kernel == 'register' and memory == 'pinned'";

TEST(GemmStream, ReferenceIsTheSumOfProducts) {
  for (const char* type : {"float", "double"}) {
    const Instance instance = instance_of(type, 5, 3, 7, 4);
    const auto problem = make_gemm_stream();
    const TensorSet inputs = problem->inputs(instance, 1);
    const auto reference = problem->reference(instance, inputs).at("c");
    EXPECT_EQ(reference.extents(), (Extents{3, 5, 4}));
    const auto at = [&](const char* name, std::size_t i) {
      const HostTensor& tensor = inputs.at(name);
      return tensor.type() == ElementType::f64 ? tensor.as<double>()[i]
                                               : static_cast<double>(tensor.as<float>()[i]);
    };
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          double sum = 0;
          for (std::size_t t = 0; t < 7; ++t)
            sum += at("a", (p * 5 + i) * 7 + t) * at("b", (p * 7 + t) * 3 + j);
          EXPECT_NEAR(reference.as<double>()[(p * 5 + i) * 3 + j], sum, 1e-13) << p << " " << i << " " << j;
        }
  }
}

TEST(GemmStream, MovedMatricesAreAllDifferentAndTheirProductsRight) {
  for (const char* type : {"float", "double"}) {
    const StreamJob job = stream_job(instance_of(type, 5, 6, 7, 9));
    TensorSet inputs = stream_inputs(job, 1, 2);
    for (const char* name : {"a", "b"}) {
      const HostTensor& tensor = inputs.at(name);
      const std::size_t size = tensor.bytes().size() / 9;
      std::set<std::string> distinct;
      for (std::size_t i = 0; i < 9; ++i)
        distinct.insert(std::string(reinterpret_cast<const char*>(tensor.bytes().data()) + i * size, size));
      EXPECT_EQ(distinct.size(), 9u) << name;
    }
    const HostTensor direct = stream_reference(job, inputs, 9), followed = stream_reference(job, inputs, 2);
    for (std::size_t i = 0; i < direct.size(); ++i)
      ASSERT_NEAR(direct.as<double>()[i], followed.as<double>()[i], 1e-14) << type << i;
    // Other inputs than the problem's own: nothing follows from anything.
    if (job.product.type == ElementType::f32)
      inputs.at("a").as<float>()[4 * 35 + 3] += 0.25f;
    else
      inputs.at("a").as<double>()[4 * 35 + 3] += 0.25;
    const HostTensor changed = stream_reference(job, inputs, 2), again = stream_reference(job, inputs, 9);
    EXPECT_NE(changed.as<double>()[4 * 30], direct.as<double>()[4 * 30]);
    for (std::size_t i = 0; i < again.size(); ++i)
      ASSERT_NEAR(again.as<double>()[i], changed.as<double>()[i], 1e-14) << type << i;
  }
}

TEST(GemmStream, LargeSetsHaveFewProductsOfTheirOwn) {
  const auto own = [](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count) {
    return own_products(stream_job(instance_of("float", m, n, k, count)));
  };
  EXPECT_EQ(own(20, 20, 20, 4096), 4096);
  EXPECT_EQ(own(2048, 2048, 2048, 64), 2);
  EXPECT_EQ(own(2048, 2048, 2048, 1), 1);
  EXPECT_EQ(own(512, 512, 512, 512), 111);
  EXPECT_EQ(own(8, 40'000, 40'000, 64), 8) << "after eight moves the rows are as they were";
}

TEST(GemmStream, NoTwoNumbersOfTheInputsAreAlike) {
  const auto problem = make_gemm_stream();
  const Instance instance = instance_of("double", 20, 20, 20, 5);
  std::set<double> all;
  double sum = 0;
  for (const std::uint64_t seed : {1u, 2u})
    for (const auto& [name, tensor] : problem->inputs(instance, seed))
      for (const double value : tensor.as<double>()) {
        EXPECT_LT(std::abs(value), 1.0001);
        all.insert(value);
        sum += value;
      }
  EXPECT_GT(all.size(), 7990u) << "of 8000";
  EXPECT_LT(std::abs(sum), 200);
}

TEST(GemmStream, WorkCountsWhatPassesTheHost) {
  const auto problem = make_gemm_stream();
  const ProblemCost cost = problem->cost(instance_of("float", 2048, 1024, 512, 8));
  EXPECT_EQ(cost.flops, 2.0 * 2048 * 1024 * 512 * 8);
  EXPECT_EQ(cost.bytes_in, 4.0 * 8 * (2048 * 512 + 512 * 1024));
  EXPECT_EQ(cost.bytes_out, 4.0 * 8 * 2048 * 1024);
  EXPECT_EQ(cost.bytes, cost.bytes_in + cost.bytes_out);
}

TEST(GemmStream, SpaceKeepsToWhatIsPossible) {
  const SearchSpace whole = space_of(instance_of("float", 2048, 2048, 2048, 64));
  std::printf("%.0f configurations\n", static_cast<double>(whole.size()));
  const auto none = [](const Instance& instance, const std::string& where) {
    EXPECT_EQ(space_of(instance, where).size(), 0u) << where;
  };
  const Instance lines = instance_of("float", 64, 64, 64, 5), odd = instance_of("float", 64, 62, 64, 5);
  none(lines, "padded");
  none(odd, "not padded and vector == 4");
  EXPECT_GT(space_of(odd, "not padded and vector == 2").size(), 0u);
  EXPECT_GT(space_of(odd, "padded and vector == 4").size(), 0u);
  none(lines, "chunk == 8");
  none(lines, "streams == 4 and chunk == 2");
  EXPECT_GT(space_of(lines, "streams == 3 and chunk == 2").size(), 0u);
  none(lines, "memory == 'pageable' and graph");
  none(lines, "streams == 1 and order == 'stages'");
  auto small = architecture_properties("sm_90");
  small.global_memory = std::int64_t{1} << 30;
  const auto definition = make_gemm_stream()->space(instance_of("double", 4096, 4096, 4096, 64), small);
  const SearchSpace fits(definition);  // 384 MiB a product
  EXPECT_GT(fits.size(), 0u);
  for (std::uint64_t i = 0; i < fits.size(); ++i)
    ASSERT_LE(fits.at(i)["streams"].as_int() * fits.at(i)["chunk"].as_int(), 2);
}

/// All of the small ones: no step is impossible, none gets into another's way.
TEST(GemmStream, PlansAreInOrder) {
  const Instance instance = instance_of("float", 33, 62, 64, 19);
  const SearchSpace space = space_of(instance, "tile == '64x64' and kernel == 'register' and vector == 2");
  std::set<std::string> texts;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    const LaunchPlan plan = plan_of(instance, configuration);
    check_steps(plan);
    EXPECT_TRUE(conflicts(plan).empty()) << configuration.key();
    const auto chunk = configuration["chunk"].as_int();
    EXPECT_EQ(plan.launches.size(), static_cast<std::size_t>(19 + 3 * ((19 + chunk - 1) / chunk)));
    const bool stages = configuration.has("order") && configuration["order"].as_text() == "stages";
    EXPECT_EQ(stream_count(plan), stages ? 3 : configuration["streams"].as_int()) << configuration.key();
    texts.insert(launches_of(plan));
  }
  EXPECT_EQ(texts.size(), space.size()) << "two configurations mean the same";
}

/// The last piece's products come one by one, the last one in parts of whole tiles.
TEST(GemmStream, TheTailIsShort) {
  const Instance instance = instance_of("float", 150, 34, 64, 7);
  const auto of = [&](const std::string& tail) {
    return plan_of(instance, configuration_of(instance,
                                              "streams == 2 and order == 'stages' and chunk == 4 and tile == "
                                              "'64x64' and vector == 2 and tail == " +
                                                  tail));
  };
  const LaunchPlan plan = of("2");  // pieces of 4 and 3
  EXPECT_TRUE(conflicts(plan).empty());
  EXPECT_EQ(of("1").launches.size(), 7u + 3 * 2);
  EXPECT_EQ(plan.launches.size(), 4u + 3 + 2 * 4 + 4 + 3);
  std::vector<std::uint64_t> back;
  for (const PlanStep& step : plan.launches)
    if (const auto* const copy = std::get_if<Copy>(&step); copy != nullptr && copy->to.buffer == "c")
      back.push_back(copy->width * copy->rows);
  EXPECT_EQ(back, (std::vector<std::uint64_t>{4 * 150 * 34, 150 * 34, 150 * 34, 128 * 34, 22 * 34}));
  EXPECT_TRUE(space_of(instance, "tail == 4 and tile == '64x64'").empty());
}

TEST(GemmStream, NoDependencyOfTheStagesIsForNothing) {
  const Instance instance = instance_of("float", 33, 62, 64, 19);
  const LaunchPlan plan = plan_of(instance, configuration_of(instance, odd_stages));
  std::size_t needed = 0;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const auto& after = order_of(plan.launches[i]).after;
    for (std::size_t k = 0; k < after.size(); ++k) {
      LaunchPlan racing = plan;
      auto& order = std::visit([](auto& step) -> StepOrder& { return step.order; }, racing.launches[i]);
      order.after.erase(order.after.begin() + static_cast<std::ptrdiff_t>(k));
      // That a copy of B waits is known from the copy of A before it.
      const auto* const copy = std::get_if<Copy>(&plan.launches[i]);
      if (copy != nullptr && copy->to.buffer == "b_here") continue;
      if (copy != nullptr && copy->to.buffer == "a_here")
        std::get<Copy>(racing.launches[i + 1]).order.after.clear();
      EXPECT_FALSE(conflicts(racing).empty()) << i << " " << step_name(plan.launches[i]);
      ++needed;
    }
  }
  EXPECT_GT(needed, 20u);
}

emulator::CheckVerdict emulated(const Instance& instance, const LaunchPlan& plan) {
  const auto problem = make_gemm_stream();
  ReferenceData expected;
  expected.inputs = problem->inputs(instance, 1);
  expected.reference = problem->reference(instance, expected.inputs);
  expected.tolerance = problem->tolerance(instance);
  return emulator::check(plan, expected);
}

/// Configurations that have every value of every parameter, at the sizes of checks.
TEST(GemmStream, IsCleanUnderTheEmulator) {
  const auto problem = make_gemm_stream();
  tune::testing::EmulatedSample sample(*problem);
  std::set<std::string> seen, wanted;
  search::Random random(3);
  for (const char* type : {"float", "double"}) {
    const Instance instance = instance_of(type, 200, 130, 70, 40);
    const auto definition = problem->space(instance, architecture_properties("sm_90"));
    for (const auto& parameter : definition.parameters)
      for (const Value& value : parameter.values)
        wanted.insert(format("{} {} {}", type, parameter.name, value.to_string()));
    const SearchSpace space = space_of(instance, "streams * chunk <= 12");
    std::vector<Configuration> drawn;
    for (int i = 0; i < 400; ++i) drawn.push_back(space.at(random.below(space.size())));
    for (const Configuration& configuration : tune::testing::covering(drawn)) {
      sample.add(configuration, problem->check_instances(instance, configuration));
      for (const auto& [name, value] : configuration.entries())
        seen.insert(format("{} {} {}", type, name, value.to_string()));
    }
  }
  for (const std::string& value : wanted)
    EXPECT_TRUE(seen.contains(value) || value.find("chunk 16") != std::string::npos) << value;
  expect_clean(sample);
}

TEST(GemmStream, PlantedFaultsAreFound) {
  const Instance instance = instance_of("float", 20, 13, 9, 9);
  const LaunchPlan right = plan_of(instance, configuration_of(instance, odd_stages));
  EXPECT_EQ(complaint(emulated(instance, right)), "");

  LaunchPlan racing = right;  // the copy to a slot does not wait for the product that reads it
  for (PlanStep& step : racing.launches)
    if (auto* copy = std::get_if<Copy>(&step); copy != nullptr && copy->to.buffer == "b_here")
      copy->order.after.clear();
  for (PlanStep& step : racing.launches)
    if (auto* copy = std::get_if<Copy>(&step); copy != nullptr && copy->to.buffer == "a_here")
      copy->order.after.clear();
  auto found = emulated(instance, racing);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].kind, emulator::FindingKind::race_between_steps) << complaint(found);

  LaunchPlan crossed = right;  // the second product of a piece reads the first one's B
  std::get<BufferArgument>(std::get<Launch>(crossed.launches[3]).arguments[1]).offset = 0;
  found = emulated(instance, crossed);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].kind, emulator::FindingKind::wrong_result) << complaint(found);

  LaunchPlan short_copy = right;  // the last row of a matrix stays behind
  std::get<Copy>(short_copy.launches[0]).rows -= 1;
  found = emulated(instance, short_copy);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].kind, emulator::FindingKind::uninitialised_read) << complaint(found);

  LaunchPlan misplaced = right;  // a result returns to its neighbour's place
  for (PlanStep& step : misplaced.launches)
    if (auto* copy = std::get_if<Copy>(&step); copy != nullptr && copy->to.buffer == "c") {
      copy->to.offset += 1;
      break;
    }
  found = emulated(instance, misplaced);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].kind, emulator::FindingKind::wrong_result) << complaint(found);
}

TEST(GemmStream, CompilesWithHardlyASpill) {
  for (const char* architecture : {"sm_80", "sm_90", "sm_120"}) {
    std::string failure_reason;
    const auto compiler = cuda::make_nvrtc_compiler(architecture, &failure_reason);
    if (compiler == nullptr) GTEST_SKIP() << failure_reason;
    std::vector<std::pair<Instance, Configuration>> sample;
    for (const char* type : {"float", "double"})
      for (const StreamTile& tile : stream_tiles())
        for (const char* kernel : {"register", "async"}) {
          const Instance instance = instance_of(type, 256, 256, 256, 4);
          if (std::string(architecture) != "sm_90" && tile.name != "128x64") continue;
          if (std::string(type) == "double" && tile.name == "128x256") continue;
          sample.emplace_back(
              instance,
              configuration_of(instance, format("tile == '{}' and kernel == '{}' and streams == 1 and "
                                                "chunk == 1",
                                                tile.name, kernel)));
        }
    for (const auto& [instance, configuration] : tune::testing::sampled(std::move(sample))) {
      const auto binary = compiler->compile(plan_of(instance, configuration).compile);
      ASSERT_TRUE(binary) << binary.error().detail;
      EXPECT_LE(binary->resources.at("gemm").spill_store_bytes, 64)
          << architecture << " " << instance.key() << " " << configuration.to_string();
    }
  }
}

}  // namespace
}  // namespace tune::kernels
