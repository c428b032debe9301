// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tuner/problem/problem.hpp"

namespace tune {

/// Seeds of the inputs. Every configuration is checked with both at small odd sizes and with the first at the
/// size itself, the top candidates with the second there too, because a kernel may be right for one input by
/// luck.
inline constexpr std::uint64_t check_seeds[] = {1, 2};

/// How large the tolerance is beside the results: a large share proves little.
struct AllowedShare {
  /// By which half of the values that are not zero (of a sample), or all at the last place along an axis, may
  /// be wrong.
  double share = 0;
  std::string output = {};  ///< the one in which it is the largest
  std::string cause = {};   ///< of the tolerance
  std::string cure = {};    ///< likewise
};
/// The user is told of a share of this size, and a check with a larger one than the second is refused.
inline constexpr double told_share = 0.1, refused_share = 1;

/// Inputs, right outputs and tolerance of one instance and seed.
struct ReferenceData {
  TensorSet inputs;
  TensorSet reference;
  Tolerance tolerance;        ///< the problem's, for plans that have none of their own
  LimitSet limits = {};       ///< Problem::limits
  std::string size = {};      ///< `67x37x29`
  AllowedShare allowed = {};  ///< by `tolerance`

  std::size_t bytes() const;
};

/// Returns the tolerance of a plan's outputs, its own or else the problem's, with relative tolerances
/// resolved. `computed` has outputs that only a kernel computed.
Tolerance tolerance_of(const LaunchPlan& plan, const ReferenceData& reference_data,
                       const TensorSet& computed = {});

/// Returns the plan's buffers that hold right contents of outputs, in their types. Throws std::logic_error
/// for an output without a reference.
TensorSet reference_inputs(const LaunchPlan& plan, const TensorSet& reference);

/// Returns how large the tolerance of a plan's outputs is beside them; 0 for tolerances without a cure.
AllowedShare allowed_share(const LaunchPlan& plan, const ReferenceData& reference_data);

/// Returns why a check with such a tolerance is refused; empty where it is not.
std::string refusal_of(const AllowedShare& allowed);

/// Returns the largest absolute error that any output may have.
double widest(const Tolerance& tolerance);

/// Computes outputs as f64 by the problem's `reference_plan`.
using RunReference = std::function<TensorSet(const Instance& instance, const TensorSet& inputs)>;

/// Moves tensors to where they are needed (Runner::place).
using PlaceTensors = std::function<void(TensorSet& tensors)>;

/// Computes inputs and references of a problem, and keeps those that were used last: small sizes of checks
/// depend on the configuration, and there may be hundreds. Threads may share one: each is computed once.
class ReferenceCache {
 public:
  static constexpr std::size_t default_bytes = std::size_t{256} << 20;

  /// The problem must outlive this, and so must everything that `run` uses. Without `run`, references lack
  /// the outputs that only the problem's `reference_plan` computes.
  /// It keeps at most `max_bytes`. The caller keeps those that are larger, while they are needed.
  explicit ReferenceCache(const Problem& problem, RunReference run = {},
                          std::size_t max_bytes = default_bytes, PlaceTensors place = {})
      : problem_(problem), run_(std::move(run)), max_bytes_(max_bytes), place_(std::move(place)) {}

  std::shared_ptr<const ReferenceData> at(const Instance& instance, std::uint64_t seed) {
    return at(instance, seed, run_, place_);
  }
  /// The same, with the device of the caller.
  std::shared_ptr<const ReferenceData> at(const Instance& instance, std::uint64_t seed,
                                          const RunReference& run, const PlaceTensors& place);
  /// Remembers how large the tolerance of this plan is beside the results.
  void note(const LaunchPlan& plan, const ReferenceData& reference_data);
  /// Returns one line for the user, about the largest share noted so far: from `told_share` on, else empty.
  std::string notice() const;
  /// Returns the bytes that it keeps.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string instance;  ///< its key
    std::uint64_t seed;
    std::shared_ptr<const ReferenceData> data;
  };
  struct Lent {
    std::string instance;
    std::uint64_t seed;
    std::weak_ptr<const ReferenceData> data;
  };
  std::shared_ptr<const ReferenceData> find(const std::string& instance, std::uint64_t seed);
  std::shared_ptr<const ReferenceData> compute(const Instance& instance, std::uint64_t seed,
                                               const RunReference& run, const PlaceTensors& place) const;

  const Problem& problem_;
  RunReference run_;
  std::size_t max_bytes_;
  PlaceTensors place_;
  mutable std::mutex mutex_;
  std::list<Entry> known_;  ///< the one that was used last comes first
  std::vector<Lent> lent_;  ///< the larger ones
  std::size_t bytes_ = 0;
  double noted_share_ = 0;
  std::string notice_;
};

}  // namespace tune
