// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fourier_sample.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "search/random.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

using Complex = std::complex<double>;

constexpr const char* kernels = R"(
extern "C" __global__ void spread(const Real* from, Real* to, int first, int row, int rows_y, int rows,
                                  int from_row, int from_plane, int to_row, int to_plane) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= row * rows) return;
  const int x = i % row, y = i / row % rows_y, z = i / row / rows_y;
  to[z * to_plane + y * to_row + x] = from[z * from_plane + y * from_row + x + first];
}

extern "C" __global__ void turn(Real* spectrum, int nx, int ny, int nz, int row, int plane) {
  const int values = nx / 2 + 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= values * ny * nz) return;
  const int x = i % values, y = i / values % ny, z = i / values / ny;
  const double turns = x * 1 % nx / (double)nx + y * 2 % ny / (double)ny + z * 3 % nz / (double)nz;
  double sine, cosine;
  sincospi(-2 * turns, &sine, &cosine);
  Real* const at = spectrum + z * plane + y * row + 2 * x;
  const double real = at[0], imaginary = at[1], scale = 1.0 / nx / ny / nz;
  at[0] = (Real)(scale * (real * cosine - imaginary * sine));
  at[1] = (Real)(scale * (real * sine + imaginary * cosine));
}
)";

std::array<std::uint64_t, 3> three(const Extents& extents) {
  std::array<std::uint64_t, 3> all{1, 1, 1};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) all[axis] = extents[axis];
  return all;
}

/// exp(-2 pi i j / n) for all j < n.
std::vector<Complex> roots(std::uint64_t n) {
  std::vector<Complex> all;
  for (std::uint64_t j = 0; j < n; ++j)
    all.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n)));
  return all;
}

/// What each cell along a dimension counts in element k.
std::vector<Complex> factors(std::uint64_t n, std::uint64_t k, bool transformed) {
  std::vector<Complex> all(n);
  const std::vector<Complex> of_n = roots(n);
  for (std::uint64_t i = 0; i < n; ++i) all[i] = transformed ? of_n[k * i % n] : Complex(i == k ? 1 : 0);
  return all;
}

Complex element(const HostTensor& real, std::size_t axes, std::uint64_t kx, std::uint64_t ky,
                std::uint64_t kz) {
  const auto [nx, ny, nz] = three(real.extents());
  const auto in_x = factors(nx, kx, true), in_y = factors(ny, ky, axes > 1), in_z = factors(nz, kz, axes > 2);
  Complex sum = 0;
  std::size_t cell = 0;
  for (std::uint64_t z = 0; z < nz; ++z)
    for (std::uint64_t y = 0; y < ny; ++y) {
      Complex row = 0;
      for (std::uint64_t x = 0; x < nx; ++x) row += real.as<double>()[cell++] * in_x[x];
      sum += row * in_y[y] * in_z[z];
    }
  return sum;
}

HostTensor spectrum_of(const HostTensor& real, std::size_t axes, const Extents& complex_extents) {
  HostTensor spectrum(ElementType::f64, complex_extents);
  const auto [row, ny, nz] = three(complex_extents);
  std::size_t at = 0;
  for (std::uint64_t z = 0; z < nz; ++z)
    for (std::uint64_t y = 0; y < ny; ++y)
      for (std::uint64_t x = 0; x < row / 2; ++x) {
        const Complex value = element(real, axes, x, y, z);
        spectrum.as<double>()[at++] = value.real();
        spectrum.as<double>()[at++] = value.imag();
      }
  return spectrum;
}

/// Rows `gap` elements longer than needed, planes a row longer.
Layout layout_of(const Extents& extents, std::uint64_t row, std::uint64_t gap, std::uint64_t offset) {
  Layout layout{extents, {1}, offset, 0};
  std::uint64_t pitch = row + gap;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) {
    layout.strides.push_back(pitch);
    pitch *= extents[axis] + (gap > 0 ? 1 : 0);
  }
  layout.allocation = offset + pitch;
  return layout;
}

Layout real_layout(const FourierCase& of) {
  const std::uint64_t row = of.in_place ? of.complex_extents().front() : of.extents.front();
  return layout_of(of.real_extents(), row, of.padded ? (of.in_place ? 6 : 5) : 0, of.padded ? 4 : 0);
}

Layout complex_layout(const FourierCase& of) {
  const Extents extents = of.complex_extents();
  // In place the rows are the same.
  const std::uint64_t gap = of.in_place ? 6 : 4;
  return layout_of(extents, extents.front(), of.padded ? gap : 0,
                   of.in_place ? (of.padded ? 4 : 0) : (of.padded ? 2 : 0));
}

ScalarArgument number(std::uint64_t value) {
  return static_cast<std::int32_t>(value);
}

std::uint64_t stride(const Layout& layout, std::size_t axis) {
  return axis < layout.strides.size() ? layout.strides[axis] : 0;
}

Launch launch_of(std::string entry, std::uint64_t threads, std::vector<KernelArgument> arguments) {
  Launch launch;
  launch.entry = std::move(entry);
  launch.grid.x = static_cast<std::uint32_t>((threads + 63) / 64);
  launch.block.x = 64;
  launch.arguments = std::move(arguments);
  return launch;
}

/// Copies what has these extents from buffer to buffer.
Launch spread(const LaunchPlan& plan, const std::string& from, const std::string& to,
              const Extents& extents) {
  const auto [row, ny, nz] = three(extents);
  const Layout& source = plan.buffer(from).layout;
  const Layout& target = plan.buffer(to).layout;
  return launch_of("spread", row * ny * nz,
                   {BufferArgument{from}, BufferArgument{to}, number(0), number(row), number(ny),
                    number(ny * nz), number(stride(source, 1)), number(stride(source, 2)),
                    number(stride(target, 1)), number(stride(target, 2))});
}

LaunchPlan empty_plan(ElementType type) {
  LaunchPlan plan;
  plan.compile.source = {"fourier.cu", kernels};
  plan.compile.defines = {{"Real", type == ElementType::f32 ? "float" : "double"}};
  plan.compile.entries = {"spread", "turn"};
  return plan;
}

HostTensor converted(const HostTensor& tensor, ElementType type) {
  HostTensor result(type, tensor.extents());
  const auto from = tensor.as<double>();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (type == ElementType::f32)
      result.as<float>()[i] = static_cast<float>(from[i]);
    else
      result.as<double>()[i] = from[i];
  return result;
}

/// Multiples of 1/64 between -1 and 1: every type holds them.
HostTensor cells(const Extents& extents) {
  HostTensor tensor(ElementType::f64, extents);
  search::Random random(7);
  for (double& value : tensor.as<double>()) value = std::floor(random.uniform() * 129) / 64 - 1;
  return tensor;
}

}  // namespace

std::string FourierCase::text() const {
  std::string name =
      format("{} {}", direction == FourierDirection::forward ? "forward" : "inverse", to_string(type));
  for (const std::uint64_t extent : extents) name += format(" {}", extent);
  if (axes < extents.size()) name += format(" along {}", axes);
  return name + (in_place ? " in place" : "") + (padded ? " padded" : "");
}

Extents FourierCase::complex_extents() const {
  Extents complex = extents;
  complex.front() = 2 * (extents.front() / 2 + 1);
  return complex;
}

std::vector<FourierCase> all_fourier_cases() {
  const std::vector<Extents> all = {{1},       {2},       {3},       {7},       {8},       {30},
                                    {97},      {1, 1},    {1, 5},    {5, 1},    {6, 4},    {7, 3},
                                    {11, 13},  {2, 16},   {1, 1, 1}, {1, 3, 2}, {3, 1, 4}, {9, 2, 1},
                                    {4, 6, 5}, {5, 3, 7}, {8, 8, 2}};
  std::vector<FourierCase> cases;
  for (const Extents& extents : all)
    for (const auto direction : {FourierDirection::forward, FourierDirection::inverse})
      for (const auto type : {ElementType::f32, ElementType::f64})
        for (const bool in_place : {false, true})
          for (const bool padded : {false, true})
            for (std::size_t axes = std::max<std::size_t>(extents.size(), 2) - 1; axes <= extents.size();
                 ++axes)
              cases.push_back({direction, type, extents, in_place, padded, axes});
  return cases;
}

FourierPair fourier_pair(const FourierCase& of) {
  HostTensor real = cells(of.extents);
  HostTensor spectrum = spectrum_of(real, of.axes, of.complex_extents());
  if (of.direction == FourierDirection::forward) return {std::move(real), std::move(spectrum)};
  const auto cells = std::span(of.extents).first(std::min(of.axes, of.extents.size()));
  for (double& value : real.as<double>())
    for (const std::uint64_t extent : cells) value *= static_cast<double>(extent);
  return {std::move(spectrum), std::move(real)};
}

double fourier_tolerance(const FourierCase& of, const FourierPair& pair) {
  const double epsilon = of.type == ElementType::f32 ? 0x1p-24 : 0x1p-53;
  const double steps = std::log2(static_cast<double>(element_count(of.extents))) + 4;
  double sum = 0;
  for (const double value : pair.from.as<double>()) sum += std::abs(value);
  // What is not stored of a spectrum is summed as well.
  return epsilon * steps * sum * (of.direction == FourierDirection::forward ? 1 : 2);
}

FourierSample fourier_sample(const FourierCase& of) {
  const bool forward = of.direction == FourierDirection::forward;
  const FourierPair pair = fourier_pair(of);
  FourierSample sample;
  sample.plan = empty_plan(of.type);
  sample.plan.buffers = {
      {"in", of.type, Layout::dense(pair.from.extents()), BufferRole::input},
      {"out", of.type, forward ? complex_layout(of) : real_layout(of), BufferRole::output}};
  const std::string work = of.in_place ? "out" : "work";
  if (!of.in_place)
    sample.plan.buffers.push_back(
        {work, of.type, forward ? real_layout(of) : complex_layout(of), BufferRole::scratch});
  sample.plan.launches = {spread(sample.plan, "in", work, pair.from.extents()),
                          FourierTransform{of.direction, work, "out", of.extents, of.axes}};
  sample.inputs.emplace("in", converted(pair.from, of.type));
  sample.tolerance = {fourier_tolerance(of, pair), "rounding of every step of a fast transform"};
  sample.reference.emplace("out", pair.to);
  return sample;
}

FourierSample moving_sample(ElementType type, const Extents& extents, bool in_place) {
  const FourierCase of{FourierDirection::forward, type, extents, in_place, true};
  FourierSample sample;
  sample.plan = empty_plan(type);
  LaunchPlan& plan = sample.plan;
  plan.buffers = {{"in", type, Layout::dense(extents), BufferRole::input},
                  {"out", type, Layout::dense(extents), BufferRole::output},
                  {"work", type, real_layout(of), BufferRole::scratch}};
  if (!in_place) plan.buffers.push_back({"spectrum", type, complex_layout(of), BufferRole::scratch});
  const std::string spectrum = in_place ? "work" : "spectrum";
  const Layout& complex = plan.buffer(spectrum).layout;
  const auto [nx, ny, nz] = three(extents);
  plan.launches = {spread(plan, "in", "work", extents),
                   FourierTransform{FourierDirection::forward, "work", spectrum, extents},
                   launch_of("turn", (nx / 2 + 1) * ny * nz,
                             {BufferArgument{spectrum}, number(nx), number(ny), number(nz),
                              number(stride(complex, 1)), number(stride(complex, 2))}),
                   FourierTransform{FourierDirection::inverse, spectrum, "work", extents},
                   spread(plan, "work", "out", extents)};

  const HostTensor in = cells(extents);
  HostTensor out(ElementType::f64, extents);
  std::size_t cell = 0;
  for (std::uint64_t z = 0; z < nz; ++z)
    for (std::uint64_t y = 0; y < ny; ++y)
      for (std::uint64_t x = 0; x < nx; ++x)
        out.as<double>()[(x + 1) % nx + nx * ((y + 2) % ny + ny * ((z + 3) % nz))] = in.as<double>()[cell++];
  sample.inputs.emplace("in", converted(in, type));
  sample.reference.emplace("out", std::move(out));
  // Both transforms and the factors between them.
  const double steps = 2 * std::log2(static_cast<double>(nx * ny * nz)) + 12;
  sample.tolerance = {(type == ElementType::f32 ? 0x1p-24 : 0x1p-53) * steps * 8,
                      "rounding of every step of two fast transforms, cells in [-1, 1]"};
  return sample;
}

}  // namespace tune::testing
