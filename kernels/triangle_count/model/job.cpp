// SPDX-License-Identifier: Apache-2.0
#include "kernels/triangle_count/model/job.hpp"

#include <algorithm>

namespace tune::kernels {

std::int64_t all_pairs(std::int64_t vertices) {
  return vertices * (vertices - 1) / 2;
}

TriangleJob triangle_job(const Instance& instance) {
  TriangleJob job;
  job.vertices = instance.extent("vertices");
  job.edges = std::min(instance.extent("edges"), all_pairs(job.vertices));
  const std::string& kind = instance.setting("graph").as_text();
  job.kind = kind == "uniform"   ? TriangleJob::Kind::uniform
             : kind == "lattice" ? TriangleJob::Kind::lattice
             : kind == "cliques" ? TriangleJob::Kind::cliques
             : kind == "star"    ? TriangleJob::Kind::star
                                 : TriangleJob::Kind::rmat;
  job.builds = instance.setting("build").as_text() == "included";
  return job;
}

}  // namespace tune::kernels
