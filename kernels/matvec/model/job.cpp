// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/job.hpp"

namespace tune::kernels {

MatvecJob matvec_job(const Instance& instance) {
  MatvecJob job;
  job.rows = instance.extent("rows");
  job.columns = instance.extent("columns");
  job.type = instance.setting("type").as_text() == "double" ? ElementType::f64 : ElementType::f32;
  const std::string& op = instance.setting("op").as_text();
  job.op = op == "n" ? MatvecJob::Op::n : op == "t" ? MatvecJob::Op::t : MatvecJob::Op::ata;
  return job;
}

}  // namespace tune::kernels
