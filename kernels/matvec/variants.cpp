// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/variants.hpp"

#include <stdexcept>

#include "kernels/matvec/fused.hpp"
#include "kernels/matvec/two_pass.hpp"
#include "tuner/core/format.hpp"

namespace tune::kernels {
namespace {

constexpr MatvecVariant table[] = {
    {"two_pass", "a kernel for each product", two_pass_applies, plan_two_pass, add_two_pass_rules},
    {"fused", "A is read once: rows stay in a block between both products", fused_applies, plan_fused,
     add_fused_rules},
};

}  // namespace

std::span<const MatvecVariant> matvec_variants() {
  return table;
}

const MatvecVariant& matvec_variant_of(const Configuration& configuration) {
  const std::string& name = configuration["variant"].as_text();
  for (const MatvecVariant& variant : table)
    if (variant.name == name) return variant;
  throw std::out_of_range(format("no matvec variant '{}'", name));
}

}  // namespace tune::kernels
