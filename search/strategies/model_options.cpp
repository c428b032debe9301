// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/model_options.hpp"

namespace tune::search {

void visit_options(ModelOptions& options, OptionVisitor& visitor) {
  visitor.count("start", options.start, 1, 1000, "configurations of the first design");
  visitor.count("sample", options.design_sample, 1, 10'000, "random configurations it is chosen from");
  visitor.number("lean", options.lean, 0, 100, "of the first design towards what is believed");
  visitor.toggle("beliefs", options.prior_means, "what holds for the launch of most kernels is believed");
  visitor.toggle("derived", options.derived, "threads of a block and powers of two are coordinates");
  visitor.number("softness", options.softness, 0.001, 1000, "slowdowns beyond it count less and less");
  visitor.number("length", options.prior.length, 0.01, 100, "of correlations, expected before a fit");
  visitor.number("length-spread", options.prior.length_spread, 0.001, 100, "how far a fit may go from it");
  visitor.number("noise", options.prior.noise, 1e-6, 1, "variance, a share, expected before a fit");
  visitor.number("noise-spread", options.prior.noise_spread, 0.001, 100, "how far a fit may go from it");
  visitor.count("neighbours", options.local_turn, 1, 1000, "every so many choices is beside the best",
                "never");
  visitor.count("random", options.random_turn, 1, 100'000, "every so many choices is one at random", "never");
  visitor.count("pool", options.pool, 100, 100'000, "candidates where the space has more");
  visitor.number("cost", options.cost, 0, 10, "exponent of expected seconds that promises are divided by");
  visitor.count("transfers", options.transfers, 0, 100, "best of a related record that are tried");
  visitor.count("trust", options.warm_start_evaluations, 0, 100'000,
                "evaluations for which related records are followed");
}

}  // namespace tune::search
