// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/session/store.hpp"

/// Invented records whose every field has a value of its own, so that one that is lost or swapped shows.
namespace tune::testing {

DeviceProperties example_device();
Instance example_instance();
WorkloadKey example_key();
RunRecord example_run();
/// One run under another key.
RunRecord run_of(const WorkloadKey& key);

Configuration example_configuration(int block_x = 32);
Evaluation measured(const Configuration& configuration, std::vector<double> samples);
Evaluation failed(const Configuration& configuration, Phase phase, const std::string& reason,
                  const std::string& detail = "detail");
KernelResources example_resources();

/// Makes a database of four runs in which some evaluations fail, some replace earlier ones (where there are
/// more than 20 in a run), and one run has a re-ranking.
void record_example_runs(const std::filesystem::path& path, int evaluations = 30);

/// Field by field.
void expect_equal(const DeviceProperties& a, const DeviceProperties& b);
void expect_equal(const KernelResources& a, const KernelResources& b);
/// All but `reused`.
void expect_equal(const Evaluation& a, const Evaluation& b);
void expect_equal(const RunRecord& a, const RunRecord& b);

}  // namespace tune::testing
