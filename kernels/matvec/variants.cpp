// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/variants.hpp"

#include <stdexcept>

#include "kernels/matvec/variants/cooperative.hpp"
#include "kernels/matvec/variants/fused.hpp"
#include "kernels/matvec/variants/sliced.hpp"
#include "kernels/matvec/variants/two_pass.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr MatvecVariant table[] = {
    {"two_pass", "a kernel for each product", two_pass_applies, plan_two_pass, add_two_pass_rules},
    {"fused", "A is read once: rows stay in a block between both products", fused_applies, plan_fused,
     add_fused_rules},
    {"sliced", "A is read once: blocks that share rows exchange their products, in one cooperative launch",
     sliced_applies, plan_sliced, add_sliced_rules},
    {"cooperative", "both products in one launch, the second one from the L2 cache where A fits",
     cooperative_applies, plan_cooperative, add_cooperative_rules},
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
