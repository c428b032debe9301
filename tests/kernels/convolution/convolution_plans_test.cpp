// SPDX-License-Identifier: Apache-2.0
// Configurations of conv2d_separable through the emulator: right ones are clean, planted faults are found.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/convolution/model/variant.hpp"
#include "kernels/registry.hpp"
#include "tests/kernels/convolution/convolution_cases.hpp"
#include "tests/support/changed_sources.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/sampled.hpp"

namespace tune::kernels {
namespace {

using testing::ConvolutionCase;
using tune::testing::ChangedSources;
using tune::testing::EmulatedSample;

/// At all of its check sizes.
void add(EmulatedSample& to, const Problem& problem, const ConvolutionCase& what,
         const Configuration& configuration, std::shared_ptr<const KernelSources> sources = nullptr) {
  const Instance instance = testing::convolution_instance(what, what.nx, what.ny);
  to.add(configuration, problem.check_instances(instance, configuration), std::move(sources));
}

class ConvolutionPlans : public ::testing::TestWithParam<const char*> {};

TEST_P(ConvolutionPlans, AreCleanAtOddSizes) {
  const auto problem = make_conv2d_separable();
  EmulatedSample sample(*problem);
  const std::string where = "variant == '" + std::string(GetParam()) + "'";
  for (const ConvolutionCase& what :
       {ConvolutionCase{1, "float"}, {3, "double"}, {9, "float"}, {24, "float"}, {70, "double"}}) {
    // Rows of long pieces and blocks of many take the emulator long, and are like the others.
    const std::string small =
        where == "variant == 'fft_tile'"
            ? " and row_length * row_pairs <= 2048 and column_length * column_pairs <= 2048"
            : "";
    for (const Configuration& one :
         testing::covering_sample(what, "sm_90", where + small, what.radius > 20 ? 3 : 6, 11))
      add(sample, *problem, what, one);
  }
  sample.thin();
  expect_clean(sample);
}

INSTANTIATE_TEST_SUITE_P(Variants, ConvolutionPlans,
                         ::testing::Values("two_pass", "fused", "tensor", "fft_tile", "fft", "direct2d",
                                           "single_block"));

struct Fault {
  const char* variant;
  const char* file;
  const char* text;
  const char* by;
  const char* where = "True";  ///< the fault shows there
};

TEST(ConvolutionFaults, AreFound) {
  const std::vector<Fault> faults = {
      {"two_pass", "convolution/two_pass.cu", "wait_async<0>();", ""},
      {"two_pass", "convolution/two_pass.cu", "wait_async<0>();\n  __syncthreads();", "wait_async<0>();",
       "taps != 'shared'"},
      {"two_pass", "convolution/two_pass.cu", "if constexpr (staged) __syncthreads();", ""},
      {"two_pass", "convolution/two_pass.cu", "__syncwarp();", ""},
      {"two_pass", "convolution/tap_sums.cuh", "__syncthreads();", "",
       "taps == 'shared' and column_pixels == 4 and turn == 1"},
      {"two_pass", "convolution/tap_sums.cuh", "k <= 2 * radius", "k < 2 * radius"},
      {"two_pass", "convolution/row_segment.cuh", "if (x < 0) return 0;", ""},
      {"fused", "convolution/fused.cu", "__syncwarp();", ""},
      {"fused", "convolution/fused.cu", "wait_async<stages - 2>();", "wait_async<stages - 1>();"},
      {"fused", "convolution/fused.cu", "row >= begin && ", ""},
      {"fused", "convolution/fused.cu", "column_taps[2 * radius] * row[p]", "column_taps[0] * row[p]"},
      {"tensor", "convolution/tensor.cu", "__syncthreads();", ""},
      {"tensor", "convolution/tensor.cu", "wait_async<stages - 2>();", "wait_async<stages - 1>();"},
      {"tensor", "convolution/tap_matrices.cuh", "k <= 2 * radius ? row_taps", "k < 2 * radius ? row_taps"},
      {"tensor", "convolution/tap_matrices.cuh", "k >= 0 && k <= 2 * radius ? column_taps",
       "k <= 2 * radius ? column_taps"},
      {"tensor", "convolution/tensor.cu", "term == 1 ? x.low[i] : x.high[i]);\n}\ntemplate",
       "x.high[i]);\n}\ntemplate"},
      {"tensor", "convolution/tensor.cu", "term == 0 ? taps.low[0] : taps.high[0], term",
       "taps.high[0], term"},
      {"tensor", "convolution/tensor.cu", "if (y + q >= end) continue;", ""},
      {"tensor", "convolution/tensor.cu", "if (y >= begin) columns", "columns"},
      {"tensor", "convolution/tensor.cu", "? ny : end + radius", "? ny : end"},
      {"fft_tile", "convolution/fourier.cuh", "__syncthreads();", ""},
      {"fft_tile", "convolution/fft_tile.cu", "to = from + row_kept", "to = from + row_kept + 1"},
      {"fft_tile", "convolution/fft_tile.cu", "whole = (nx + 1) / 2 * 2", "whole = nx"},
      {"fft_tile", "convolution/fft_tile.cu", "begin + length < to ? begin + length : to", "to"},
      {"direct2d", "convolution/direct2d.cu", "__syncthreads();", ""},
      {"direct2d", "convolution/direct2d.cu", "y >= 0 && y < ny", "y < ny"},
      {"single_block", "convolution/single_block.cu", "__syncthreads();", ""},
      {"fft", "convolution/fft.cu", "if (k >= values) continue;", ""},
      {"fft", "convolution/fft.cu", "frequency) * radius % n", "frequency) * (radius + 1) % n"},
  };
  const ConvolutionCase what{7, "float"};
  const auto problem = make_conv2d_separable();
  EmulatedSample planted(*problem);
  for (const Fault& fault : tune::testing::sampled_faults(faults)) {
    const std::string where = std::string("variant == '") + fault.variant + "'" +
                              (fault.variant == std::string("fft_tile")
                                   ? " and row_length <= 512 and column_length <= 512 and row_pairs <= 2"
                               : fault.variant == std::string("two_pass") ? " and staged and row_block_x > 32"
                                                                          : "") +
                              " and " + fault.where;
    const std::vector<Configuration> sample = testing::covering_sample(what, "sm_90", where, 1, 5);
    ASSERT_EQ(sample.size(), 1u);
    add(planted, *problem, what, sample[0],
        std::make_shared<ChangedSources>(fault.file, fault.text, fault.by));
  }
  expect_faults_found(planted);
}

}  // namespace
}  // namespace tune::kernels
