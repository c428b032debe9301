// SPDX-License-Identifier: Apache-2.0
#include "search/models/encoding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace tune::search {
namespace {

constexpr double no_position = std::numeric_limits<double>::quiet_NaN();
constexpr int max_alignment = 6;       // of threads: 64 are two warps, or one wavefront
constexpr std::size_t few_values = 4;  // fewer values are not grouped by divisors

int twos(double number) {
  const auto whole = static_cast<std::uint64_t>(std::llround(number));
  return whole == 0 ? 0 : std::countr_zero(whole);
}

/// Scales numbers to 0 .. 1; equal steps stay equal.
void stretch(std::vector<double>& numbers) {
  const auto [min, max] = std::ranges::minmax(numbers);
  for (double& number : numbers) number = max > min ? (number - min) / (max - min) : 0.5;
}

std::vector<double> stretched_logarithms(std::vector<double> numbers) {
  for (double& number : numbers) number = std::log2(number);
  stretch(numbers);
  return numbers;
}

/// Returns the places of an ordered parameter's values. Ranks separate values that were chosen densely; with
/// logarithms 16 to 32 is a step like 128 to 256.
std::vector<double> places(const std::vector<double>& numbers) {
  std::vector<double> sorted = numbers;
  std::ranges::sort(sorted);
  std::vector<double> ranks;
  for (const double number : numbers)
    ranks.push_back(static_cast<double>(std::ranges::lower_bound(sorted, number) - sorted.begin()));
  stretch(ranks);
  if (sorted.front() <= 0) return ranks;
  std::vector<double> both = stretched_logarithms(numbers);
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = (both[i] + ranks[i]) / 2;
  return both;
}

/// Returns the values as numbers, or none where they are switches.
std::vector<double> amounts(const Parameter& parameter) {
  std::vector<double> numbers;
  if (!are_amounts(parameter)) return numbers;
  for (const Value& value : parameter.values) numbers.push_back(value.as_real());
  return numbers;
}

/// Returns the level of a place on the grid.
Level grid_level(double place) {
  return static_cast<Level>(std::lround(place * (grid_steps - 1)));
}

void make_grid(Dimension& dimension) {
  dimension.grid = true;
  dimension.at.clear();
  for (std::size_t step = 0; step < grid_steps; ++step)
    dimension.at.push_back(static_cast<double>(step) / (grid_steps - 1));
}

bool all_whole_and_positive(const Parameter& parameter) {
  return std::ranges::all_of(parameter.values, [](const Value& v) { return v.is_int() && v.as_int() > 0; });
}

}  // namespace

bool are_amounts(const Parameter& parameter) {
  const auto is_number = [](const Value& value) { return value.is_int() || value.is_real(); };
  if (!std::ranges::all_of(parameter.values, is_number)) return false;
  const auto is_positive = [](const Value& value) { return value.as_real() > 0; };
  return parameter.values.size() > few_values || std::ranges::all_of(parameter.values, is_positive);
}

Encoding::Encoding(const SearchSpace& space, bool derived) : space_(space) {
  const std::size_t count = space.parameters().size();
  for (std::size_t p = 0; p < count; ++p) add_parameter(p);
  for (std::size_t p = 0; derived && p < count; ++p) add_alignment(p);
  add_threads(derived);
}

void Encoding::add_parameter(std::size_t p) {
  const Parameter& parameter = space_.parameters()[p];
  const bool conditional = parameter.exists_if.has_value();
  if (parameter.values.size() + (conditional ? 1 : 0) < 2) return;
  Dimension dimension{parameter.name, true, false, {}};
  const std::vector<double> numbers = amounts(parameter);
  dimension.ordered = !numbers.empty();
  if (dimension.ordered)
    dimension.at = places(numbers);
  else
    dimension.at.assign(parameter.values.size(), no_position);
  Image image{p, std::vector<Level>(parameter.values.size())};
  std::iota(image.levels.begin(), image.levels.end(), Level{0});
  if (dimension.ordered && dimension.levels() > max_tabulated_levels) {
    std::ranges::transform(dimension.at, image.levels.begin(), grid_level);
    make_grid(dimension);
  }
  image.levels.push_back(static_cast<Level>(dimension.levels()));
  if (conditional) dimension.at.push_back(no_position);
  dimensions_.push_back(std::move(dimension));
  images_.push_back(std::move(image));
}

void Encoding::add_alignment(std::size_t p) {
  const Parameter& parameter = space_.parameters()[p];
  if (parameter.values.size() < few_values || !all_whole_and_positive(parameter)) return;
  const auto power_of_two = [](const Value& v) {
    return std::has_single_bit(static_cast<std::uint64_t>(v.as_int()));
  };
  if (std::ranges::all_of(parameter.values, power_of_two)) return;  // the same as the logarithm
  Image image{p, {}};
  for (const Value& value : parameter.values)
    image.levels.push_back(static_cast<Level>(twos(value.as_real())));
  const auto max = std::ranges::max(image.levels);
  if (max == std::ranges::min(image.levels)) return;
  Dimension dimension{parameter.name + " alignment", true, true, {}};
  for (Level level = 0; level <= max; ++level) dimension.at.push_back(level / static_cast<double>(max));
  image.levels.push_back(static_cast<Level>(dimension.levels()));
  if (parameter.exists_if) dimension.at.push_back(no_position);
  dimensions_.push_back(std::move(dimension));
  images_.push_back(std::move(image));
}

void Encoding::add_threads(bool as_dimensions) {
  std::size_t varying = 0;
  for (std::size_t p = 0; p < space_.parameters().size(); ++p) {
    const Parameter& parameter = space_.parameters()[p];
    if (parameter.role != Role::threads || !all_whole_and_positive(parameter)) continue;
    thread_parameters_.push_back(p);
    if (parameter.values.size() > 1) ++varying;
    const auto [min, max] =
        std::ranges::minmax(parameter.values, {}, [](const Value& value) { return value.as_real(); });
    if (!parameter.exists_if) min_threads_ *= min.as_real();
    max_threads_ *= max.as_real();
  }
  if (varying >= 2 && as_dimensions) add_thread_dimensions();  // one parameter is a dimension itself
}

bool Encoding::list_thread_values() {
  thread_values_ = {1.0};
  for (const std::size_t p : thread_parameters_) {
    const Parameter& parameter = space_.parameters()[p];
    std::set<double> products;
    for (const double before : thread_values_) {
      if (parameter.exists_if) products.insert(before);
      for (const Value& value : parameter.values) products.insert(before * value.as_real());
      if (products.size() <= max_tabulated_levels) continue;
      thread_values_.clear();
      return false;
    }
    thread_values_.assign(products.begin(), products.end());
  }
  return true;
}

void Encoding::add_thread_dimensions() {
  Dimension threads{"threads", true, true, {}};
  std::set<int> alignments;
  if (list_thread_values()) {
    threads.at = stretched_logarithms(thread_values_);
    for (const double product : thread_values_) alignments.insert(std::min(max_alignment, twos(product)));
  } else {
    make_grid(threads);
    alignments = {0};
    for (const std::size_t p : thread_parameters_) {
      std::set<int> sums;
      if (space_.parameters()[p].exists_if) sums = alignments;
      for (const Value& value : space_.parameters()[p].values)
        for (const int before : alignments)
          sums.insert(std::min(max_alignment, before + twos(value.as_real())));
      alignments = std::move(sums);
    }
  }
  dimensions_.push_back(std::move(threads));
  thread_dimensions_ = 1;
  if (alignments.size() < 2) return;
  Dimension alignment{"threads alignment", true, true, {}};
  for (int level = 0; level <= max_alignment; ++level) alignment.at.push_back(level / double{max_alignment});
  dimensions_.push_back(std::move(alignment));
  thread_dimensions_ = 2;
}

Level Encoding::threads_level(double threads) const {
  if (thread_values_.empty())
    return grid_level(std::log2(threads / min_threads_) / std::log2(max_threads_ / min_threads_));
  return static_cast<Level>(std::ranges::lower_bound(thread_values_, threads) - thread_values_.begin());
}

double Encoding::threads_of(const std::vector<int>& indices) const {
  double threads = 1;
  for (const std::size_t p : thread_parameters_)
    if (indices[p] >= 0)
      threads *= space_.parameters()[p].values[static_cast<std::size_t>(indices[p])].as_real();
  return threads;
}

std::optional<double> Encoding::threads(ConfigurationId id) const {
  if (thread_parameters_.empty()) return std::nullopt;
  return threads_of(space_.value_indices(id));
}

void Encoding::encode(ConfigurationId id, std::span<Level> levels) const {
  const std::vector<int> indices = space_.value_indices(id);
  std::size_t d = 0;
  for (const Image& image : images_) {
    const int index = indices[image.parameter];
    levels[d++] = index < 0 ? image.levels.back() : image.levels[static_cast<std::size_t>(index)];
  }
  if (thread_dimensions_ == 0) return;
  const double threads = threads_of(indices);
  levels[d++] = threads_level(threads);
  if (thread_dimensions_ == 2) levels[d] = static_cast<Level>(std::min(max_alignment, twos(threads)));
}

std::vector<Level> Encoding::encode(ConfigurationId id) const {
  std::vector<Level> levels(size());
  encode(id, levels);
  return levels;
}

}  // namespace tune::search
