// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "search/ask_tell/options.hpp"
#include "search/models/gaussian_process.hpp"

namespace tune::search {

/// What a model search is made of. The search hardly depends on any of it; docs/search.md says how the values
/// were chosen. Each is an option of the strategy `model` (`model:start=10`): a new one is a member here and
/// a line in visit_options.
struct ModelOptions {
  std::size_t start = 5;           ///< configurations of a first design
  std::size_t design_sample = 64;  ///< random configurations that it is chosen from
  double lean = 1.4;  ///< of the design towards what is believed, a distance for each unit of slowdown
  std::size_t transfers =
      4;  ///< best configurations tried of the first related record; half of each further one
  std::size_t warm_start_evaluations = 12;  ///< evaluations for which related records are followed
  std::size_t pool = 6000;                  ///< candidates where the space has more
  std::size_t local_turn = 3;               ///< every so many choices is a neighbour of the best; 0: none
  std::size_t random_turn = 10;             ///< every so many choices is one at random; 0: none
  bool prior_means = true;                  ///< launch_prior_means are had
  bool derived = true;                      ///< coordinates that follow from others are added
  double softness = 0.5;                    ///< of the scale of slowdowns
  double cost = 0;                          ///< exponent of what an evaluation takes in what it promises
  GaussianProcessPrior prior = {};
};

void visit_options(ModelOptions& options, OptionVisitor& visitor);

}  // namespace tune::search
