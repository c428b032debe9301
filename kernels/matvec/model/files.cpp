// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/framework/tensor_files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/reference.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using Path = std::filesystem::path;

constexpr float any_finite = std::numeric_limits<float>::max();

std::vector<FilePart> input_parts(const MatvecJob& job) {
  const auto rows = static_cast<std::uint64_t>(job.rows), columns = static_cast<std::uint64_t>(job.columns);
  if (job.has_n()) return {{"a", ElementType::f32, job.extents()}, {"x", ElementType::f32, {columns}}};
  return {{"a", ElementType::f32, job.extents()}, {"y", ElementType::f32, {rows}}};
}

std::vector<FilePart> output_parts(const MatvecJob& job) {
  std::vector<FilePart> parts;
  if (job.has_n()) parts.push_back({"y", ElementType::f32, {static_cast<std::uint64_t>(job.rows)}});
  if (job.has_t()) parts.push_back({"z", ElementType::f32, {static_cast<std::uint64_t>(job.columns)}});
  return parts;
}

void require_floats(const Instance& instance) {
  if (instance.setting("type").as_text() != "float")
    throw UsageError("--set: files of matvec hold 32-bit floats: leave out type=" +
                     instance.setting("type").as_text());
}

/// The header: rows, columns, 0, 0.
FileHeader header_of(const Path& file) {
  const FileHeader header = read_file_header(file);
  constexpr std::uint32_t max = std::numeric_limits<std::int32_t>::max();
  if (header[2] != 0 || header[3] != 0)
    throw UsageError(format("{}: not a file of matvec: bytes 8 to 15 are not zero", file.string()));
  if (header[0] == 0 || header[1] == 0 || header[0] > max || header[1] > max)
    throw UsageError(
        format("{}: {} x {}: extents are from 1 to 2147483647", file.string(), header[0], header[1]));
  return header;
}

MatvecJob job_of(const FileHeader& header, Instance instance) {
  instance.extents = {{"rows", header[0]}, {"columns", header[1]}};
  return matvec_job(instance);
}

void require_length(const Path& file, const FileHeader& header, const std::vector<FilePart>& parts,
                    const char* what) {
  require_file_length(file, parts, format("{} of {} x {}", what, header[0], header[1]));
}

void write_parts(const Path& file, const Instance& instance, const std::vector<FilePart>& parts,
                 const TensorSet& tensors) {
  require_floats(instance);
  write_file_parts(file,
                   {static_cast<std::uint32_t>(instance.extent("rows")),
                    static_cast<std::uint32_t>(instance.extent("columns")), 0, 0},
                   parts, tensors);
}

HostTensor absolute(const HostTensor& tensor) {
  HostTensor all = tensor;
  for (float& value : all.as<float>()) value = std::abs(value);
  return all;
}

class MatvecFiles : public ProblemFiles {
 public:
  std::vector<std::pair<std::string, std::int64_t>> extents(const Path& file,
                                                            const Instance& instance) const override {
    require_floats(instance);
    const FileHeader header = header_of(file);
    require_length(file, header, input_parts(job_of(header, instance)), "a matrix and vector");
    return {{"rows", header[0]}, {"columns", header[1]}};
  }

  TensorSet read_inputs(const Path& file, const Instance& instance) const override {
    return read(file, instance, input_parts(matvec_job(instance)), "a matrix and vector", any_finite);
  }
  TensorSet read_outputs(const Path& file, const Instance& instance) const override {
    return read(file, instance, output_parts(matvec_job(instance)), "results", 0);
  }
  void write_inputs(const Path& file, const Instance& instance, const TensorSet& inputs) const override {
    write_parts(file, instance, input_parts(matvec_job(instance)), inputs);
  }
  void write_outputs(const Path& file, const Instance& instance, const TensorSet& outputs) const override {
    write_parts(file, instance, output_parts(matvec_job(instance)), outputs);
  }

  // Roundings of a sum of n terms walk randomly: at most a few sqrt(n) units of the sum of |terms|. The
  // errors of y add to z as much as the sum of their |products|.
  Tolerance tolerance(const Instance& instance, const TensorSet& inputs) const override {
    constexpr double unit = 0x1.0p-24, spare = 2;
    const MatvecJob job = matvec_job(instance);
    TensorSet magnitudes;
    for (const auto& [name, tensor] : inputs) magnitudes.emplace(name, absolute(tensor));
    const TensorSet sums = matvec_reference(job, magnitudes);
    const auto bound = [&](const char* name, double terms) {
      double max = std::numeric_limits<float>::denorm_min();
      for (const double sum : sums.at(name).as<double>()) max = std::max(max, sum);
      return Bounds{.absolute = spare * unit * terms * max};
    };
    const double in_row = std::sqrt(static_cast<double>(job.columns)) + 1;
    const double in_column = std::sqrt(static_cast<double>(job.rows)) + 1;
    Tolerance tolerance;
    tolerance.derivation =
        "two units of roundoff of the largest sum of |terms|, times the root of their number";
    if (job.has_n()) tolerance.buffers.emplace("y", bound("y", in_row));
    if (job.has_t()) tolerance.buffers.emplace("z", bound("z", in_column + (job.has_n() ? in_row : 0)));
    for (const auto& [name, bounds] : tolerance.buffers)
      tolerance.absolute = std::max(tolerance.absolute, bounds.absolute);
    return tolerance;
  }

 private:
  static TensorSet read(const Path& file, const Instance& instance, const std::vector<FilePart>& parts,
                        const char* what, float largest) {
    require_floats(instance);
    const FileHeader header = header_of(file);
    if (header[0] != instance.extent("rows") || header[1] != instance.extent("columns"))
      throw UsageError(
          format("{}: of a matrix of {} x {}, not {}", file.string(), header[0], header[1], instance.size()));
    require_length(file, header, parts, what);
    return read_file_parts(file, parts, largest);
  }
};

}  // namespace

const ProblemFiles& matvec_files() {
  static const MatvecFiles files;
  return files;
}

}  // namespace tune::kernels
