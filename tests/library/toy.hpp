// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <tune/tuner.hpp>
#include <utility>

#include "library/tuner/tuner.hpp"
#include "tests/support/fake_backend.hpp"

namespace tune::testing {

/// A text with the parameters, so that they become macros; nothing compiles it.
constexpr const char* toy_source = "__constant__ float weights[3];\nint toy = kind + block * items;\n";

/// The toy problem of tests/support in code, with the kinds that work and one that gives a wrong result.
inline api::Problem toy_in_code() {
  api::Problem problem("toy");
  problem.size("nx", 1000)
      .parameter("kind", {"plain", "wrong"})
      .parameter("block", {32, 64, 128, 256}, 128)
      .parameter("items", {1, 2, 4})
      .input<float>("in", "nx")
      .output<float>("out", "nx")
      .kernel(api::Kernel::from_source(toy_source, "toy.cu"), "toy")
      .grid("ceil_div(nx, block)")
      .block("block")
      .reference([](api::HostData& data) {
        const auto in = data.input<float>("in");
        const auto out = data.result("out");
        for (std::size_t i = 0; i < out.size; ++i) out[i] = 2.0 * static_cast<double>(in[i]);
      })
      .tolerance(1e-6)
      .check_at({{"nx", 37}});
  return problem;
}

/// Its times are those of the fake backend: the best is block=256, items=4.
inline api::Tuner fake_tuner(api::Options options) {
  api::Tuner tuner(std::move(options));
  tuner.state().open_backend = [] { return std::make_unique<FakeBackend>(); };
  return tuner;
}

}  // namespace tune::testing
