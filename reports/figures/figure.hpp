// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/figures/plot.hpp"
#include "reports/page/crossover.hpp"
#include "reports/page/effects.hpp"
#include "reports/page/why.hpp"

/// The charts of papers as plots.
namespace tune::reports {

/// A figure of a paper: no title inside, a caption for below.
struct Figure {
  std::string name;     ///< of its files, without an ending: `gemm-4096-distribution`
  std::string caption;  ///< sentences
  Plot plot;
};

/// A work with what its figures follow from.
struct WorkData {
  const Section& section;
  const std::string& id;  ///< section_ids
  const ValueTable& table;
  const std::vector<ParameterEffect>& effects;
  const std::vector<std::string>& variants;  ///< those of the problem, in the order of their numbers
};

/// How the configurations are distributed, how searches went, which parameters matter, the best by the most
/// important one, and the error, or else what kernels need, against the time. Charts without data are left
/// out.
std::vector<Figure> figures_of_work(const WorkData& work);

/// The share of the limit, or the speed-up over the default, of all works of each problem and device.
std::vector<Figure> best_figures(const ReportData& data);
/// One for each device and kind of units.
std::vector<Figure> roofline_figures(const ReportData& data);
/// `variants`: of each section.
std::vector<Figure> crossover_figures(const ReportData& data, const std::vector<Crossover>& crossovers,
                                      const std::vector<std::vector<std::string>>& variants);

/// `NVIDIA H200, driver 580, NVRTC 13.0 sm_90`: under what the numbers of the sections hold.
std::string conditions_text(const std::vector<const Section*>& sections);
}  // namespace tune::reports
