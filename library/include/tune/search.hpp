// SPDX-License-Identifier: Apache-2.0
// Searches whose loop is the program's own: it evaluates configurations itself. See docs/library.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tune/problem.hpp>
#include <tune/values.hpp>

namespace tune::api {

struct SearchOptions {
  std::string strategy = "auto";  ///< as --strategy
  std::uint64_t seed = 1;
  std::string where = {};  ///< restricts the space: an expression
};

/// Chooses what to evaluate next among the valid configurations of a problem, with the limits of an sm_90.
/// Measures and stores nothing. Not thread-safe.
class TUNE_API Search {
 public:
  /// Throws Error for an invalid problem, size, strategy or expression, and where no configuration is valid.
  explicit Search(const Problem& problem, const Sizes& sizes = {}, const SearchOptions& options = {});
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;
  ~Search();

  /// Returns a configuration that was neither returned nor told before; nothing where none is left that could
  /// be the best. May be called again before the result is told.
  std::optional<Configuration> ask();
  /// Takes the result of a valid configuration, also of one that was not asked for: its cost, above 0, which
  /// is to be minimised, or nothing where the evaluation failed. Throws Error for another configuration or
  /// cost.
  void tell(const Configuration& configuration, std::optional<double> cost);
  /// Returns the number of valid configurations; of a space that cannot be counted, of its sample.
  std::uint64_t space_size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tune::api
