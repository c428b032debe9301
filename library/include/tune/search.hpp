// SPDX-License-Identifier: Apache-2.0
// Searches whose loop is the program's own: it evaluates configurations itself. See
// docs/reference/library.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tune/problem.hpp>
#include <tune/values.hpp>

namespace tune::api {

/// The configurations of a search, by their numbers from 0 on.
class TUNE_API Space {
 public:
  explicit Space(const void* inside) : inside_(inside) {}  // inside the library
  /// Returns the number of valid configurations; of a space that cannot be counted, of its sample.
  std::uint64_t size() const;
  /// Throws Error for a number that is not below `size()`.
  Configuration at(std::uint64_t number) const;
  const void* inside() const { return inside_; }

 private:
  const void* inside_;
};

/// One search by a strategy of the program. It may throw any exception, which ends the run.
class OwnSearch {
 public:
  virtual ~OwnSearch() = default;
  /// Returns the number of the configuration to be evaluated next; nothing when the search is done. For one
  /// that was evaluated before, its result is told again at once; after a thousand of these in a row the
  /// search is done.
  virtual std::optional<std::uint64_t> ask() = 0;
  /// Takes the result of a configuration, also of one that was not asked for (the default, those of the
  /// database): its cost, which is to be minimised; nothing if the evaluation failed.
  virtual void tell(std::uint64_t number, std::optional<double> cost) = 0;
};

/// A strategy of the program, for Options::own_strategy.
struct OwnStrategy {
  std::string name;           ///< stored with runs
  std::size_t in_flight = 1;  ///< configurations that it chooses before it is told the result of the first
  /// Begins a search; the space lives as long as it. Called from one thread at a time, each time another.
  std::function<std::unique_ptr<OwnSearch>(const Space& space, std::uint64_t seed)> open;
};

struct SearchOptions {
  std::string strategy = "auto";  ///< as --strategy
  std::uint64_t seed = 1;
  std::string where = {};  ///< restricts the space: an expression
};

/// Chooses what to evaluate next among the valid configurations of a problem, with the limits of an sm_90.
/// Measures and stores nothing. Not thread-safe.
class TUNE_API Search {
 public:
  /// Throws Error for an invalid problem, size, strategy or expression, and if no configuration is valid.
  explicit Search(const Problem& problem, const Sizes& sizes = {}, const SearchOptions& options = {});
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;
  ~Search();

  /// Returns a configuration that was neither returned nor told before; nothing if none is left that could
  /// be the best. May be called again before the result is told.
  std::optional<Configuration> ask();
  /// Takes the result of a valid configuration, also of one that was not asked for: its cost, above 0, which
  /// is to be minimised, or nothing if the evaluation failed. Throws Error for another configuration or
  /// cost.
  void tell(const Configuration& configuration, std::optional<double> cost);
  /// Returns the number of valid configurations; of a space that cannot be counted, of its sample.
  std::uint64_t space_size() const;
  /// Returns its configurations, which live as long as the search.
  Space space() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tune::api
