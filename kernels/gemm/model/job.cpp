// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/model/job.hpp"

#include <utility>

#include "tuner/base/error.hpp"

namespace tune::kernels {

GemmJob gemm_job(const Instance& instance) {
  GemmJob job;
  job.m = instance.extent("m");
  job.n = instance.extent("n");
  job.k = instance.extent("k");
  job.type = instance.setting("type").as_text() == "double" ? ElementType::f64 : ElementType::f32;
  job.alpha = instance.setting_or("alpha", 1).as_real();
  job.beta = instance.setting_or("beta", 0).as_real();
  const std::string arithmetic = instance.setting_or("arithmetic", "strict").as_text();
  if (arithmetic != "strict" && job.type == ElementType::f64)
    throw UsageError("--set: arithmetic=" + arithmetic + " is for type=float; doubles are strict");
  job.arithmetic = arithmetic == "tf32"     ? Arithmetic::tf32
                   : arithmetic == "tf32x3" ? Arithmetic::tf32x3
                                            : Arithmetic::strict;
  if (instance.setting_or("layout", "row").as_text() == "column") {
    std::swap(job.m, job.n);
    std::swap(job.left, job.right);
  }
  return job;
}

}  // namespace tune::kernels
