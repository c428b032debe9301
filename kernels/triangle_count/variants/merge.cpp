// SPDX-License-Identifier: Apache-2.0
// The variant `merge`: a thread walks along two rows together.
#include "kernels/framework/request.hpp"
#include "kernels/triangle_count/model/variant.hpp"

namespace tune::kernels {
namespace {

void add_merge(FamilySpace& space, const TriangleJob&) {
  space.add("share", "what a thread takes: an edge after the other, or all edges of a vertex",
            {"edge", "row"}, "edge");
}

Result<LaunchPlan> plan_merge(const TriangleJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  LaunchPlan plan = triangle_plan(job, "merge.cu", configuration, sources, MoreOfEdges::sources);
  const bool rows = configuration["share"].as_text() == "row";
  add_count(plan, "triangle_merge",
            ceil_div(rows ? job.vertices : job.edges, configuration["block"].as_int()), configuration,
            {BufferArgument{"starts"}, BufferArgument{"targets"}, BufferArgument{"sources"},
             static_cast<std::uint32_t>(job.edges), int32(job.vertices)});
  return plan;
}

}  // namespace

TriangleVariant merge_triangles() {
  return {"merge",    "a thread walks along the rows of both ends of an edge",
          always,     add_merge,
          plan_merge, check_triangles};
}

}  // namespace tune::kernels
