// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "kernels/triangle_count/model/files.hpp"
#include "kernels/triangle_count/model/graph.hpp"
#include "kernels/triangle_count/model/job.hpp"
#include "kernels/triangle_count/model/reference.hpp"
#include "kernels/triangle_count/model/variant.hpp"

namespace tune::kernels {
namespace {

/// Returns small graphs at which a configuration is checked: rows of all lengths, hubs, no triangles, all
/// edges, parts without edges to each other, a single edge, none.
std::vector<CheckedSize> triangle_checked_sizes(const TriangleJob&, const Configuration&) {
  std::vector<CheckedSize> sizes;
  const auto add = [&](std::int64_t vertices, std::int64_t edges, const char* graph) {
    sizes.push_back({{{"vertices", vertices}, {"edges", edges}}, {{"graph", std::string(graph)}}});
  };
  add(72, 72 * 71 / 2, "uniform");  // few edges, and rows of all lengths
  add(331, 2611, "rmat");
  add(487, 5903, "uniform");
  add(127, 2700, "cliques");
  add(1302, 3900, "star");  // three hubs
  add(520, 2600, "lattice");
  add(5, 1, "uniform");
  add(1, 1, "uniform");
  return sizes;
}

ProblemInfo triangle_info() {
  ProblemInfo info;
  info.name = "triangle_count";
  info.summary = "the triangles of an undirected graph, counted exactly";
  info.extents = {{"vertices", "number of vertices", 1 << 20},
                  {"edges", "number of edges, each once; at most all pairs of vertices", 1 << 24}};
  info.settings = {
      {"graph",
       "rmat: R-MAT with probabilities 0.57, 0.19, 0.19 and 0.05; uniform: pairs at random; lattice: a ring, "
       "each vertex with the next ones; cliques: groups in which all have edges; star: one vertex with all "
       "others, then the next one",
       {"rmat", "uniform", "lattice", "cliques", "star"},
       "rmat"},
      {"build",
       "whether the time includes orientation, new numbers and sorting",
       {"apart", "included"},
       "apart"},
  };
  info.item = "edge";
  info.sources = triangle_kernels().names();
  return info;
}

ProblemCost triangle_cost(const TriangleJob& job) {
  ProblemCost cost;
  cost.items = static_cast<double>(std::max<std::int64_t>(1, job.edges));
  // The oriented rows, or those that are given, read once.
  cost.bytes = 4 * static_cast<double>(job.vertices + 1 + (job.builds ? job.entries() : job.edges)) + 8;
  return cost;
}

Result<LaunchPlan> plan_triangles(const TriangleJob& job, const Configuration& configuration,
                                  const KernelSources& sources) {
  return triangle_variants().of(configuration).plan(job, configuration, sources);
}

class TriangleProblem : public FamilyProblem<TriangleJob>, public HasFiles {
 public:
  using FamilyProblem::FamilyProblem;
  const ProblemFiles& files() const override { return triangle_files(); }
};

}  // namespace

/// The triangles of an undirected graph. Buffers `offsets` (input, uint32: where the rows of vertices begin,
/// and the end), `neighbours` (input, int32: each edge in the rows of both ends, sorted) and `count` (output,
/// uint64).
std::unique_ptr<Problem> make_triangle_count() {
  return std::make_unique<TriangleProblem>(
      triangle_info(), FamilyFunctions<TriangleJob>{triangle_job, triangle_space, triangle_cost,
                                                    plan_triangles, triangle_inputs, triangle_reference,
                                                    triangle_tolerance, triangle_checked_sizes});
}

}  // namespace tune::kernels
