// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tuner/session/store.hpp"

/// Invented results of the real stencil3d space: whole runs of the program without a GPU.
namespace tune::testing {

/// A device whose limits are those of sm_90 and whose rates are invented.
DeviceProperties device_named(const std::string& name = "Invented H2");
/// stencil3d, star, radius 1, float, n^3 cells.
Instance invented_instance(std::int64_t n);

struct InventedRecording {
  DeviceProperties device = device_named();
  Origin origin = Origin::measured;
  std::int64_t n = 64;
  std::size_t count = 600;   ///< configurations
  double slower_by = 1;      ///< every time is this much longer
  std::uint64_t sample = 7;  ///< which configurations
  int samples_each = 3;      ///< times of each measurement
  std::string sources = {};  ///< hash of the kernel sources; empty: those of the program
  bool energies = false;     ///< the slower, the fewer joules: 1e-9 J s over the time
};

/// Adds a run to the database, made where it is missing. Times follow a formula over the configuration; about
/// a tenth fails, in every phase.
void add_recording(const std::filesystem::path& database, const InventedRecording& recording = {});

/// A database with 600 evaluations at 64^3 and 60 at 512^3, made once a process. Nobody may change it.
const std::filesystem::path& shipped_recording();

}  // namespace tune::testing
