// SPDX-License-Identifier: Apache-2.0
// The default of every variant of every problem, with loads that lose bits.
#include "tests/kernels/precision/ladder.hpp"

#include <gtest/gtest.h>

namespace tune::kernels {
namespace {

class PrecisionLadder : public ::testing::TestWithParam<std::string> {};

TEST_P(PrecisionLadder, LossesOfVariantsAreFound) {
  testing::expect_losses_found(GetParam(), 0);
}

INSTANTIATE_TEST_SUITE_P(Problems, PrecisionLadder,
                         ::testing::Values("stencil2d", "stencil3d", "gemm", "gemm_stream", "matvec",
                                           "conv2d_separable"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace tune::kernels
