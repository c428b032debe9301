// SPDX-License-Identifier: Apache-2.0
// The heat equation on a grid of three dimensions, with the kernel that tune knows to be the fastest for this
// size on this GPU.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <tune/lookup.hpp>

#include "compile.hpp"
#include "gpu.hpp"
#include "heat.hpp"

namespace {

using namespace heat3d;

struct Options {
  Grid grid;
  int steps = 200;
  std::string picture = "heat3d.ppm";
};

constexpr const char* usage = "usage: heat3d [NXxNYxNZ] [--steps N] [--picture FILE]\n";

bool read(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    long long nx = 0, ny = 0, nz = 0;
    char rest = 0;
    if (std::strcmp(arguments[i], "--steps") == 0 && i + 1 < count) {
      options.steps = std::atoi(arguments[++i]);
    } else if (std::strcmp(arguments[i], "--picture") == 0 && i + 1 < count) {
      options.picture = arguments[++i];
    } else if (std::sscanf(arguments[i], "%lldx%lldx%lld%c", &nx, &ny, &nz, &rest) == 3) {
      options.grid.nx = nx;
      options.grid.ny = ny;
      options.grid.nz = nz;
    } else {
      return false;
    }
  }
  const Grid& grid = options.grid;
  return grid.nx >= 3 && grid.ny >= 3 && grid.nz >= 3 && grid.nx < 100000 && grid.ny < 100000 &&
         grid.nz < 100000 && options.steps >= 1;
}

/// The first candidate that this program can use at this size; the default kernel where there is none.
Kernel choose(const Options& options, const tune::lookup::Device& device, const std::string& architecture) {
  tune::lookup::Query query;
  query.problem = "stencil3d";  // type=float, shape=star, radius=1: the defaults
  query.size = {options.grid.nx, options.grid.ny, options.grid.nz};
  query.device = device;
  query.compiler = compiler_name(architecture);
  const auto lookup = tune::lookup::Lookup::open();
  const auto candidates = lookup ? lookup->candidates(query, 500) : lookup.error();
  if (!candidates) {
    std::printf("lookup    %s\n", candidates.error().message.c_str());
    return default_kernel();
  }
  for (const tune::lookup::Candidate& candidate : *candidates) {
    const auto kernel = kernel_of(candidate, options.grid);
    if (!kernel) continue;
    std::printf("lookup    %s: %s\n", tune::lookup::to_string(candidate.match), candidate.why.c_str());
    std::printf("kernel    %s", kernel->file.c_str());
    for (const std::string& one : kernel->defines) std::printf(" %s", one.c_str());
    std::printf("\nexpected  %.1f us a step\n", 1e6 * candidate.seconds);
    return *kernel;
  }
  std::printf("lookup    nothing fits: the default kernel is used\n");
  return default_kernel();
}

double largest_difference(const std::vector<float>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  return largest;
}

int work(const Options& options) {
  std::string why_none;
  const auto gpu = first_gpu(&why_none);
  tune::lookup::Device device;
  if (gpu) device = *gpu;
  if (!gpu) device.compute_major = 9;  // something to compile for
  const std::string architecture =
      "sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor);
  std::printf("device    %s, %s\n", gpu ? device.name.c_str() : "none", architecture.c_str());
  const Kernel tuned = choose(options, device, architecture), plain = default_kernel();
  const std::vector<char> tuned_cubin = compile(tuned, architecture),
                          plain_cubin = compile(plain, architecture);
  std::printf("compiled  %zu bytes for the tuned kernel, %zu for the default one\n", tuned_cubin.size(),
              plain_cubin.size());
  if (!gpu) {
    std::printf("SKIPPED   no GPU runs here (%s): nothing was computed\n", why_none.c_str());
    return 0;
  }

  const std::vector<float> start = first_temperatures(options.grid);
  const Run fast = run(tuned_cubin, tuned, options.grid, start, options.steps);
  const Run slow = run(plain_cubin, plain, options.grid, start, options.steps);
  const std::vector<double> expected = host_step(options.grid, start);
  const double error =
      std::fmax(largest_difference(fast.first, expected), largest_difference(slow.first, expected));
  std::printf("checked   the first step against the host: off by %.2g degrees at most\n", error);
  if (!(error < 1e-3)) {
    std::printf("WRONG     that is more than rounding\n");
    return 1;
  }
  std::printf("tuned     %8.1f us a step\ndefault   %8.1f us a step\ngained    %.1f %%\n",
              1e6 * fast.seconds_a_step, 1e6 * slow.seconds_a_step,
              100 * (slow.seconds_a_step / fast.seconds_a_step - 1));
  if (!write_picture(options.grid, fast.last, options.picture))
    throw std::runtime_error("cannot write " + options.picture);
  std::printf("picture   %s: the middle slice after %d steps\n", options.picture.c_str(), options.steps);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!read(count, arguments, options)) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    return work(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heat3d: %s\n", error.what());
    return 1;
  }
}
