// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "kernels/histogram/model/job.hpp"
#include "kernels/histogram/model/reference.hpp"
#include "kernels/histogram/model/variant.hpp"

namespace tune::kernels {
namespace {

/// Returns small sizes at which a configuration is checked: all samples in one bin, enough of them that
/// counters of 8 and 16 bits overflow; two blocks with a part of a tile; floats without a bin; a single
/// sample. Of many bins only some thousands: the emulator needs a microsecond for each access.
std::vector<CheckedSize> histogram_checked_sizes(const HistogramJob& job, const Configuration&) {
  constexpr std::int64_t few = 4999;
  const auto size = [&](std::int64_t samples, const char* data) {
    CheckedSize checked{{{"samples", samples}}, {{"data", std::string(data)}}};
    if (job.bins > few) checked.settings.emplace_back("bins", few);
    return checked;
  };
  const char* const any = job.type == ElementType::f32 ? "outside" : "uniform";
  return {size(66001, "one"), size(131077, any), size(1003, "skewed"), size(1, "uniform")};
}

ProblemInfo histogram_info() {
  ProblemInfo info;
  info.name = "histogram";
  info.summary = "counts of samples in equal bins";
  info.extents = {{"samples", "number of samples", 1 << 28}};
  info.settings = {
      {"type", "type of a sample", {"uint8", "uint16", "uint32", "float"}, "uint8"},
      {.name = "bins",
       .documentation =
           "bins: equal parts of the range of the type; floats: of [0, 1), others are not counted",
       .values = {},
       .default_value = 256,
       .range = std::pair<std::int64_t, std::int64_t>{2, 1 << 20}},
      {"data",
       "how samples are distributed: evenly, most in few bins, all in one bin; outside: evenly, but a tenth of the "
       "floats has no bin",
       {"uniform", "skewed", "one", "outside"},
       "uniform"},
  };
  info.item = "sample";
  info.sources = histogram_kernels().names();
  return info;
}

ProblemCost histogram_cost(const HistogramJob& job) {
  ProblemCost cost;
  cost.items = static_cast<double>(job.samples);
  cost.bytes = cost.items * static_cast<double>(job.sample_bytes()) + 4 * static_cast<double>(job.bins);
  return cost;
}

Result<LaunchPlan> plan_histogram(const HistogramJob& job, const Configuration& configuration,
                                  const KernelSources& sources) {
  return histogram_variants().of(configuration).plan(job, configuration, sources);
}

Tolerance histogram_tolerance(const HistogramJob&) {
  Tolerance tolerance;
  tolerance.derivation = "counts are exact";
  return tolerance;
}

}  // namespace

/// Counts of `samples` numbers in `bins` equal bins. Buffers `samples` (input) and `counts` (output, uint32).
std::unique_ptr<Problem> make_histogram() {
  return std::make_unique<FamilyProblem<HistogramJob>>(
      histogram_info(), FamilyFunctions<HistogramJob>{histogram_job, histogram_space, histogram_cost,
                                                      plan_histogram, histogram_inputs, histogram_reference,
                                                      histogram_tolerance, histogram_checked_sizes});
}

}  // namespace tune::kernels
