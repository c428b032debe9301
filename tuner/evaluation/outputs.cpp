// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/outputs.hpp"

#include <algorithm>

namespace tune {

Result<TensorSet> run_outputs(const LaunchPlan& plan, const ReferenceData& reference_data, Backend& backend) {
  const Result<Binary> binary = backend.compiler().compile(plan.compile);
  if (!binary) return tl::unexpected(binary.error());
  const auto prepared = backend.runner().prepare(plan, *binary);
  if (!prepared) return tl::unexpected(prepared.error());
  const Result<double> checked = check(**prepared, plan, reference_data);
  if (!checked) return tl::unexpected(checked.error());
  TensorSet outputs;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role != BufferRole::output) continue;
    const Result<TensorView> output = (*prepared)->fetch(buffer.name);
    if (!output) return tl::unexpected(output.error());
    HostTensor tensor(output->type, output->extents);
    std::ranges::copy(output->bytes, tensor.bytes().begin());
    outputs.emplace(buffer.name, std::move(tensor));
  }
  return outputs;
}

}  // namespace tune
