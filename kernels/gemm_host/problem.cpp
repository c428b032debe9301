// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/problem.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/described/readers/definition.hpp"
#include "kernels/gemm/model/reference.hpp"

namespace tune::kernels {

/// Generated: names and texts of the files in `kernels`.
std::span<const std::pair<std::string_view, std::string_view>> embedded_gemm_host();

namespace {

GemmJob job_of(const Instance& instance) {
  return {.m = instance.extents[0].second,
          .n = instance.extents[1].second,
          .k = instance.extents[2].second,
          .type = instance.setting("type").as_text() == "double" ? ElementType::f64 : ElementType::f32};
}

}  // namespace

/// The definition gemm_host.json, with a reference in double precision.
std::unique_ptr<Problem> make_gemm_host() {
  described::KernelDescription description;
  described::FilesInMemory files;
  for (const auto& [name, text] : embedded_gemm_host()) {
    if (name == "gemm_host.json")
      description = described::parse_definition(std::string(name), std::string(text));
    else
      files.emplace(name, text);
  }
  // Results without a rival need not say so.
  for (SettingInfo& setting : description.settings) setting.implied = setting.name == "rival";
  description.kernel.memory = std::move(files);
  description.sources.clear();  // results depend on the kernel's files, not on values that may be searched
  description.reference.function = [](const Instance& instance, const TensorSet& inputs, TensorSet& results) {
    results.insert_or_assign("c", gemm_reference(job_of(instance), inputs));
  };
  return std::make_unique<described::DescribedProblem>(std::move(description));
}

}  // namespace tune::kernels
