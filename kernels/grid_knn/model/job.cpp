// SPDX-License-Identifier: Apache-2.0
#include "kernels/grid_knn/model/job.hpp"

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {

KnnJob knn_job(const Instance& instance) {
  const auto text = [&](const char* name) -> const std::string& { return instance.setting(name).as_text(); };
  KnnJob job;
  job.points = instance.extent("points");
  job.queries = instance.extent("queries");
  job.k = instance.setting("k").as_int();
  job.dimensions = static_cast<int>(instance.setting("dimensions").as_int());
  const std::string& data = text("data");
  job.data = data == "clustered" ? KnnJob::Data::clustered
             : data == "line"    ? KnnJob::Data::line
             : data == "lattice" ? KnnJob::Data::lattice
             : data == "equal"   ? KnnJob::Data::equal
                                 : KnnJob::Data::uniform;
  const std::string& self = text("self");
  job.self = self == "skip" ? KnnJob::Self::skip : self == "count" ? KnnJob::Self::count : KnnJob::Self::none;
  job.sorted = text("order") == "sorted";
  job.builds = text("build") == "included";
  if (!job.own_queries() && job.queries != job.points)
    throw UsageError(
        format("--set self={}: the queries are the points: take --size {}x{}", self, job.points, job.points));
  return job;
}

}  // namespace tune::kernels
