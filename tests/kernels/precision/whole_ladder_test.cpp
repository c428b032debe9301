// SPDX-License-Identifier: Apache-2.0
// Configurations that have every value of the parameters that are no amounts, with loads that lose bits.
#include <gtest/gtest.h>

#include "tests/kernels/precision/ladder.hpp"

namespace tune::kernels {
namespace {

class WholePrecisionLadder : public ::testing::TestWithParam<std::string> {};

TEST_P(WholePrecisionLadder, LossesOfEveryPathAreFound) {
  testing::expect_losses_found(GetParam(), 200);
}

INSTANTIATE_TEST_SUITE_P(Problems, WholePrecisionLadder,
                         ::testing::Values("stencil2d", "stencil3d", "gemm", "gemm_stream", "matvec",
                                           "conv2d_separable"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace tune::kernels
