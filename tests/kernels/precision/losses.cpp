// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/precision/losses.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/framework/kernel_files.hpp"
#include "search/expressions/expr.hpp"
#include "search/space/search_space.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels::testing {
namespace {

/// The program's kernel files with the loads of vectors changed, wherever they are written.
class NarrowedLoads : public KernelSources {
 public:
  explicit NarrowedLoads(const std::string& type)
      : loaded_("to[w + i] = pack.lane[i]"), lost_("to[w + i] = " + narrowed(type, "pack.lane[i]")) {
    if (whole_.text("common/vectors.cuh").find(loaded_) == std::string::npos)
      throw std::logic_error("common/vectors.cuh has no '" + loaded_ + "'");
  }

  std::string text(std::string_view name) const override {
    std::string text = whole_.text(name);
    for (std::size_t at = 0; (at = text.find(loaded_, at)) != std::string::npos; at += lost_.size())
      text.replace(at, loaded_.size(), lost_);
    return text;
  }

 private:
  EmbeddedSources whole_;
  std::string loaded_, lost_;
};

}  // namespace

std::string narrowed(const std::string& type, const std::string& number) {
  return type == "double" ? "double(float(" + number + "))"
                          : "__uint_as_float(__float_as_uint(" + number + ") & 0xffffe000u)";
}

std::shared_ptr<const KernelSources> narrowed_loads(const std::string& type) {
  return std::make_shared<NarrowedLoads>(type);
}

std::optional<Configuration> configuration_where(const Problem& problem, const Instance& instance,
                                                 const std::string& where) {
  const search::SearchSpace space(search::restrict_to(
      problem.space(instance, architecture_properties("sm_90")), search::Expr::parse(where)));
  if (space.empty()) return std::nullopt;
  const auto preferred = space.default_configuration();
  return space.at(preferred ? *preferred : 0);
}

std::vector<Instance> small_sizes(const Problem& problem, const Instance& instance,
                                  const Configuration& configuration) {
  constexpr double many = 20'000;
  std::vector<Instance> sizes = problem.check_instances(instance, configuration);
  std::ranges::sort(sizes, {}, [&](const Instance& size) { return problem.cost(size).items; });
  while (sizes.size() > 1 && problem.cost(sizes.back()).items > many) sizes.pop_back();
  return sizes;
}

void expect_wrong_results(const tune::testing::EmulatedSample& sample) {
  EXPECT_GT(sample.size(), 0U);
  emulator::CheckOptions options;
  options.source_lines = false;
  const std::vector<emulator::CheckVerdict> verdicts = sample.verdicts(options);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_EQ(verdicts[i].not_emulated, "") << sample.name(i);
    EXPECT_TRUE(std::ranges::any_of(
        verdicts[i].findings,
        [](const emulator::Finding& finding) { return finding.kind == emulator::FindingKind::wrong_result; }))
        << sample.name(i) << tune::testing::complaint(verdicts[i]);
  }
}

}  // namespace tune::kernels::testing
