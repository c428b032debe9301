// SPDX-License-Identifier: Apache-2.0
#include "kernels/grid_knn/model/files.hpp"

#include <cstdint>
#include <limits>

#include "kernels/framework/tensor_files.hpp"
#include "kernels/grid_knn/model/job.hpp"
#include "kernels/grid_knn/model/reference.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using Path = std::filesystem::path;

/// Squared distances of such coordinates are finite.
constexpr float largest_coordinate = 1e18F;

std::vector<FilePart> point_parts(const KnnJob& job) {
  std::vector<FilePart> parts = {{"points", ElementType::f32, job.coordinates(job.points)}};
  if (job.own_queries()) parts.push_back({"queries", ElementType::f32, job.coordinates(job.queries)});
  return parts;
}

std::vector<FilePart> result_parts(const KnnJob& job) {
  return {{"indices", ElementType::i32, job.results()}, {"distances", ElementType::f32, job.results()}};
}

FileHeader header_of_job(const KnnJob& job) {
  return {static_cast<std::uint32_t>(job.points),
          job.own_queries() ? static_cast<std::uint32_t>(job.queries) : 0U,
          static_cast<std::uint32_t>(job.dimensions), 0};
}

/// Reads a header that fits the instance's settings.
FileHeader knn_header(const Path& file, const Instance& instance) {
  const FileHeader header = read_file_header(file);
  const std::int64_t dimensions = instance.setting("dimensions").as_int();
  const std::string& self = instance.setting("self").as_text();
  constexpr std::uint32_t max = std::numeric_limits<std::int32_t>::max();
  if ((header[2] != 2 && header[2] != 3) || header[3] != 0)
    throw UsageError(
        format("{}: not a file of grid_knn: bytes 8 to 15 are not 2 or 3 and zeros", file.string()));
  if (header[2] != dimensions)
    throw UsageError(
        format("{}: has {} dimensions: take --set dimensions={}", file.string(), header[2], header[2]));
  if (header[0] == 0 || header[0] > max || header[1] > max)
    throw UsageError(format("{}: {} points and {} queries: extents are from 1 to 2147483647", file.string(),
                            header[0], header[1]));
  if (self == "none" && header[1] == 0)
    throw UsageError(format("{}: has no queries: take --set self=skip or self=count", file.string()));
  if (self != "none" && header[1] != 0)
    throw UsageError(format("{}: has queries of its own: leave out self={}", file.string(), self));
  return header;
}

class KnnFiles : public ProblemFiles {
 public:
  std::vector<std::pair<std::string, std::int64_t>> extents(const Path& file,
                                                            const Instance& instance) const override {
    const FileHeader header = knn_header(file, instance);
    Instance own = instance;
    own.extents = {{"points", header[0]}, {"queries", header[1] == 0 ? header[0] : header[1]}};
    require_length(file, header, point_parts(knn_job(own)));
    return own.extents;
  }

  TensorSet read_inputs(const Path& file, const Instance& instance) const override {
    return read(file, instance, point_parts(knn_job(instance)), largest_coordinate);
  }
  TensorSet read_outputs(const Path& file, const Instance& instance) const override {
    return read(file, instance, result_parts(knn_job(instance)), 0);
  }
  void write_inputs(const Path& file, const Instance& instance, const TensorSet& inputs) const override {
    const KnnJob job = knn_job(instance);
    write_file_parts(file, header_of_job(job), point_parts(job), inputs);
  }
  void write_outputs(const Path& file, const Instance& instance, const TensorSet& outputs) const override {
    const KnnJob job = knn_job(instance);
    write_file_parts(file, header_of_job(job), result_parts(job), outputs);
  }

  Tolerance tolerance(const Instance& instance, const TensorSet&) const override {
    return knn_tolerance(knn_job(instance));
  }

 private:
  static void require_length(const Path& file, const FileHeader& header, const std::vector<FilePart>& parts) {
    require_file_length(file, parts, format("{} points and {} queries", header[0], header[1]));
  }

  static TensorSet read(const Path& file, const Instance& instance, const std::vector<FilePart>& parts,
                        float largest) {
    const FileHeader header = knn_header(file, instance);
    if (header != header_of_job(knn_job(instance)))
      throw UsageError(format("{}: of {} points and {} queries, not {}", file.string(), header[0], header[1],
                              instance.size()));
    require_length(file, header, parts);
    return read_file_parts(file, parts, largest);
  }
};

}  // namespace

const ProblemFiles& knn_files() {
  static const KnnFiles files;
  return files;
}

}  // namespace tune::kernels
