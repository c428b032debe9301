// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram/model/job.hpp"

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {

HistogramJob histogram_job(const Instance& instance) {
  HistogramJob job;
  job.samples = instance.extent("samples");
  job.bins = instance.setting("bins").as_int();
  const std::string& type = instance.setting("type").as_text();
  job.type = type == "uint8"    ? ElementType::u8
             : type == "uint16" ? ElementType::u16
             : type == "uint32" ? ElementType::u32
                                : ElementType::f32;
  const std::string& data = instance.setting("data").as_text();
  job.data = data == "skewed"    ? HistogramJob::Data::skewed
             : data == "one"     ? HistogramJob::Data::one
             : data == "outside" ? HistogramJob::Data::outside
                                 : HistogramJob::Data::uniform;
  if (job.data == HistogramJob::Data::outside && job.type != ElementType::f32)
    throw UsageError("--set data=outside is for type=float: whole numbers lie in the range of their type");
  if (job.sample_bytes() < 4 && job.bins > std::int64_t{1} << 8 * job.sample_bytes())
    throw UsageError(format("--set bins={}: type={} has {} values; take fewer bins or a wider type", job.bins,
                            type, std::int64_t{1} << 8 * job.sample_bytes()));
  return job;
}

}  // namespace tune::kernels
