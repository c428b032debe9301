// SPDX-License-Identifier: Apache-2.0
// The examples of docs/reference/stencils.md are read as the page says, and checks of them and of transport
// mean something.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/stencil/language/definition.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/reference_data.hpp"

namespace tune::kernels {
namespace {

std::string section() {
  std::ifstream file(TUNE_SOURCE_DIR "/docs/reference/stencils.md");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::size_t start = page.find("## Defining a stencil");
  if (start == std::string::npos) return {};
  return page.substr(start, page.find("\n## ", start) - start);
}

/// What stands between pairs of ``` lines.
std::vector<std::string> examples() {
  std::vector<std::string> result;
  std::istringstream lines(section());
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) result.emplace_back();
    } else if (inside) {
      result.back() += line + "\n";
    }
  }
  return result;
}

TEST(StencilDocs, ExamplesAreDefinitions) {
  int read = 0;
  for (const std::string& example : examples()) {
    if (example.find(": found") != std::string::npos) continue;
    const Parsed<StencilDefinition> definition = parse_definition(example);
    EXPECT_TRUE(definition.has_value()) << definition.error().message;
    ++read;
  }
  EXPECT_EQ(read, 5);
}

/// An example of the page, checked with settings.
struct Checked {
  StencilJob job;
  std::shared_ptr<const ReferenceData> expected;

  bool passes(const HostTensor& output) const {
    const Bounds bounds = expected->tolerance.of("out");
    return is_right(compare(view_of(output), view_of(expected->reference.at("out")), bounds), bounds);
  }
};

/// Returns nothing where the program refuses these settings.
std::optional<Checked> checked(const OwnStencil& own, const char* type, const char* boundary,
                               std::int64_t steps) {
  const std::unique_ptr<Problem> problem = make_stencil_problem(own);
  const std::vector<std::pair<std::string, Value>> settings = {
      {"type", type}, {"boundary", boundary}, {"steps", steps}};
  const Instance instance =
      make_instance(problem->info(), own.stencil.dimensions == 2 ? "61x47" : "24x20x16", settings);
  try {
    return Checked{stencil_job(instance, own), ReferenceCache(*problem).at(instance, 1)};
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return std::nullopt;
  }
}

/// Every step in the job's type, as kernels compute it: nothing but the definition.
template<class Real>
HostTensor computed(const StencilJob& job, const HostTensor& input) {
  const auto first = input.as<Real>();
  std::vector<Real> now(first.begin(), first.end()), next = now;
  const auto [fx, fy, fz] = job.fixed_cells();
  const auto in = [](std::int64_t i, std::int64_t extent) { return i >= 0 && i < extent; };
  for (std::int64_t step = 0; step < job.steps; ++step) {
    for (std::int64_t z = fz; z < job.nz - fz; ++z)
      for (std::int64_t y = fy; y < job.ny - fy; ++y)
        for (std::int64_t x = fx; x < job.nx - fx; ++x) {
          Real sum = 0;
          for (const StencilPoint& point : job.stencil.points) {
            const std::int64_t px = x + point.dx, py = y + point.dy, pz = z + point.dz;
            if (in(px, job.nx) && in(py, job.ny) && in(pz, job.nz))
              sum += static_cast<Real>(point.weight) *
                     now[static_cast<std::size_t>((pz * job.ny + py) * job.nx + px)];
          }
          next[static_cast<std::size_t>((z * job.ny + y) * job.nx + x)] = sum;
        }
    std::swap(now, next);
  }
  HostTensor output(input.type(), input.extents());
  std::ranges::copy(now, output.as<Real>().begin());
  return output;
}

HostTensor computed(const Checked& one) {
  const HostTensor& input = one.expected->inputs.at("in");
  return input.type() == ElementType::f64 ? computed<double>(one.job, input)
                                          : computed<float>(one.job, input);
}

/// The same output with zeros from place `begin` along an axis on, up to `end`.
HostTensor without(const HostTensor& right, std::size_t axis, std::uint64_t begin, std::uint64_t end) {
  HostTensor output = right;
  const Extents& extents = right.extents();
  std::uint64_t stride = 1;
  for (std::size_t faster = 0; faster < axis; ++faster) stride *= extents[faster];
  const auto values = output.as<double>();
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const std::uint64_t place = i / stride % extents[axis];
    if (place >= begin && place < end) values[i] = 0;
  }
  return output;
}

// What is left of a check after many steps: a right kernel passes, one that writes zeros or leaves out the
// last column, row or plane does not. Otherwise the program refuses to check.
TEST(StencilDocs, ChecksOfExamplesMeanSomethingAtEveryNumberOfSteps) {
  int examples_read = 0;
  for (const std::string& example : examples()) {
    const Parsed<StencilDefinition> definition = parse_definition(example);
    if (!definition) continue;
    ++examples_read;
    const OwnStencil own{definition->name, definition->stencil};
    for (const char* type : {"float", "double"})
      for (const char* boundary : {"held", "zero"})
        for (const std::int64_t steps : {1, 2, 5, 12, 40, 100, 1000}) {
          if (type == std::string("double") && steps != 5 && steps != 100) continue;
          SCOPED_TRACE(format("{} {} {} {}", own.shape, type, boundary, steps));
          const std::optional<Checked> one = checked(own, type, boundary, steps);
          EXPECT_TRUE(one || steps > (boundary == std::string("held") ? 100 : 40)) << "refused";
          if (!one) continue;
          const HostTensor& right = one->expected->reference.at("out");
          EXPECT_FALSE(one->passes(HostTensor(ElementType::f64, right.extents()))) << "zeros pass";
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::uint64_t extent = right.extents()[axis], last = extent - 1;
            if (extent == 1) continue;
            const std::uint64_t held = static_cast<std::uint64_t>(one->job.fixed_cells()[axis]);
            EXPECT_FALSE(one->passes(without(right, axis, last, extent))) << "zeros at the end of " << axis;
            EXPECT_FALSE(one->passes(without(right, axis, last - held, extent))) << axis;
          }
          if (steps != 5 && steps != 40) continue;
          EXPECT_TRUE(one->passes(computed(*one)));
        }
  }
  EXPECT_EQ(examples_read, 5);
}

/// Moves values along an axis, away from its first place or towards it.
struct Transport {
  int dimensions;
  int axis;
  double moved;
  int from;
  std::string type;

  OwnStencil stencil() const {
    StencilPoint neighbour{0, 0, 0, moved};
    (axis == 0 ? neighbour.dx : axis == 1 ? neighbour.dy : neighbour.dz) = from;
    return {"transport", normalized({dimensions, {{0, 0, 0, 1 - moved}, neighbour}})};
  }
  /// Returns false where the program refuses these steps, and nothing is checked.
  bool is_checked(std::int64_t steps) const {
    SCOPED_TRACE(
        format("{}-D axis {} moved {} from {} {} {} steps", dimensions, axis, moved, from, type, steps));
    const std::optional<Checked> one = checked(stencil(), type.c_str(), "zero", steps);
    if (!one) return false;
    const HostTensor& right = one->expected->reference.at("out");
    const std::size_t along = axis == dimensions - 1 ? 2 : static_cast<std::size_t>(axis);
    const std::uint64_t extent = right.extents()[along];
    EXPECT_TRUE(one->passes(computed(*one)));
    EXPECT_FALSE(one->passes(HostTensor(ElementType::f64, right.extents()))) << "zeros pass";
    EXPECT_FALSE(one->passes(without(right, along, extent - 1, extent))) << "zeros at the last place";
    EXPECT_FALSE(one->passes(without(right, along, 0, 1))) << "zeros at the first place";
    return true;
  }
};

// With zeros around the array the places at which they come in empty, by a factor in each step. Their errors
// do, too, and the answer means something until it falls below the range of the type.
TEST(StencilChecks, OneSidedTransportIsCheckedAsLongAsItsAnswerMeansSomething) {
  std::vector<Transport> all;
  for (const int dimensions : {2, 3})
    for (int axis = 0; axis < dimensions; ++axis)
      for (const double moved : {0.5, 0.1, 0.9})
        for (const int from : {-1, 1})
          for (const char* type : {"float", "double"})
            if (type == std::string("float") || (dimensions == 3 && axis != 1))
              all.push_back({dimensions, axis, moved, from, type});
  const auto kind_of = [](const Transport& one) { return std::tuple(one.dimensions, one.axis, one.type); };
  for (const Transport& transport : tune::testing::sampled(std::move(all), kind_of)) {
    const bool is_float = transport.type == "float";
    // 1e-30 is left in float, 1e-300 in double; a check of half as many steps as that takes means something.
    const double digits = is_float ? 30 : 250;
    const double needed = std::min(1000.0, 0.5 * digits / -std::log10(1 - transport.moved));
    bool is_checked = false;
    for (const std::int64_t steps : {12, 25, 40, 100, 200, 400, 1000})
      // 0.9^1000 is beyond the range of float.
      if (!is_checked && static_cast<double>(steps) >= needed && (steps <= 400 || !is_float))
        is_checked = transport.is_checked(steps);
    EXPECT_TRUE(is_checked) << transport.dimensions << " " << transport.axis << " " << transport.moved << " "
                            << transport.from << " " << transport.type;
  }
}

TEST(StencilDocs, ErrorIsTheOneThatIsShown) {
  const std::vector<std::string> all = examples();
  ASSERT_GE(all.size(), 2U);
  std::string wrong = all.front();
  const std::string right = "D[x+i,y,z]";
  ASSERT_NE(wrong.find(right), std::string::npos);
  wrong.replace(wrong.find(right), right.size(), "D[x+q,y,z]");
  const Parsed<StencilDefinition> definition = parse_definition(wrong, "heat8.stencil");
  ASSERT_FALSE(definition.has_value());
  const std::string& message = definition.error().message;  // the program prints its first line
  EXPECT_EQ("tune: " + message.substr(0, message.find('\n')) + "\n", all.back());
}

TEST(StencilDocs, TableHasEveryShape) {
  const std::string text = section();
  for (const StencilShape& shape : stencil_shapes())
    EXPECT_NE(
        text.find(format("\n| `{}` | {} |", shape.name, shape.in_2d ? shape.in_3d ? "2, 3" : "2" : "3")),
        std::string::npos)
        << shape.name;
}

}  // namespace
}  // namespace tune::kernels
