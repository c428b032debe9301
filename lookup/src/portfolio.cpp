// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/portfolio.hpp"

#include <algorithm>
#include <tuple>

namespace tune::lookup {
namespace {

// So many configurations are tried, so that an answer takes a millisecond in a large database too. Where
// times in one work say anything of those in another, the smallest worst loss is found among far fewer.
constexpr std::size_t max_candidates = 32;

// Where all works have more measurements than this, any of them does.
constexpr std::size_t many_measurements = 256;

bool stale(const Ranked& one) {
  return one.other_driver || one.other_compiler || one.other_sources;
}

std::vector<Ranked> group_of(Records& records, const std::vector<Ranked>& ranked) {
  std::vector<Ranked> all, kin;
  for (const Ranked& one : ranked) {
    if (records.winner(*one.workload) == nullptr) continue;
    all.push_back(one);
    if (one.kin <= Kinship::architecture) kin.push_back(one);
  }
  std::vector<Ranked> group = kin.empty() ? all : kin;
  std::vector<Ranked> fresh;
  std::copy_if(group.begin(), group.end(), std::back_inserter(fresh),
               [](const Ranked& one) { return !stale(one); });
  return fresh.empty() ? group : fresh;
}

/// What one configuration does in all works of the group.
struct Score {
  int measured = 0;
  double sum = 0, worst = 0;
  bool failed = false;
};

/// Stops where the worst loss reaches `give_up`, or where fewer than `at_least` works can have measured it.
Score score_of(Records& records, const std::vector<Ranked>& group, const std::string& key, double give_up,
               std::size_t at_least) {
  Score score;
  std::size_t missing = 0;
  for (const Ranked& one : group) {
    const auto there = records.outcome(*one.workload, key);
    if (!there && ++missing + at_least > group.size()) return score;
    if (!there) continue;
    const auto loss = records.loss(*one.workload, *there);
    score.failed = score.failed || !loss;
    if (!loss) return score;
    ++score.measured;
    score.sum += *loss;
    score.worst = std::max(score.worst, *loss);
    if (score.worst >= give_up) return score;
  }
  return score;
}

struct PortfolioChoice {
  std::string key;
  Score score;
};

/// The work with the fewest measurements, among which all are that were measured everywhere.
const RecordedWorkload& smallest_workload(Records& records, const std::vector<Ranked>& group) {
  const RecordedWorkload* smallest = group.front().workload;
  std::size_t min = many_measurements;
  for (const Ranked& one : group) {
    const std::size_t count = records.count_measured(*one.workload, min);
    if (count < min) smallest = one.workload;
    min = std::min(min, count);
  }
  return *smallest;
}

/// Of those measured everywhere the one with the smallest worst loss, among the fastest of one work: what is
/// slower there than the worst loss of the best so far is none.
std::optional<PortfolioChoice> exact_choice(Records& records, const std::vector<Ranked>& group) {
  std::optional<PortfolioChoice> best;
  const RecordedWorkload& workload = smallest_workload(records, group);
  const double fastest = records.winner(workload)->value;
  for (const RankedRecord& entry : records.fastest(workload, max_candidates, Order::value)) {
    const double worst = best ? best->score.worst : 1e300;
    if (entry.value / fastest - 1 >= worst) return best;
    const Score score = score_of(records, group, entry.key, worst, group.size());
    const bool everywhere = score.measured == static_cast<int>(group.size());
    if (everywhere && !score.failed && score.worst < worst) best = PortfolioChoice{entry.key, score};
  }
  return best;
}

std::optional<PortfolioChoice> widest_choice(Records& records, const std::vector<Ranked>& group) {
  std::optional<PortfolioChoice> best;
  const auto rank = [](const PortfolioChoice& choice) {
    return std::tuple(-choice.score.measured, choice.score.worst);
  };
  for (const Ranked& one : group) {
    const std::string& key = records.winner(*one.workload)->key;
    const std::size_t at_least = best ? static_cast<std::size_t>(best->score.measured) : 1;
    const PortfolioChoice choice = {key, score_of(records, group, key, 1e300, at_least)};
    if (!choice.score.failed && (!best || rank(choice) < rank(*best))) best = choice;
  }
  return best;
}

}  // namespace

std::optional<Default> portfolio_default(Records& records, const std::vector<Ranked>& ranked) {
  const std::vector<Ranked> group = group_of(records, ranked);
  if (group.empty()) return std::nullopt;
  std::optional<PortfolioChoice> choice = exact_choice(records, group);
  if (!choice) choice = widest_choice(records, group);
  if (!choice) return std::nullopt;
  Default result;
  result.workloads = static_cast<int>(group.size());
  result.loss = {choice->score.sum / choice->score.measured, choice->score.worst, choice->score.measured};
  result.any_architecture = group.front().kin > Kinship::architecture;
  for (const Ranked& one : group) {
    const auto there = records.outcome(*one.workload, choice->key);
    if (!there) continue;
    result.entry = there->entry;
    result.nearest = one.workload;
    result.fit = one;
    break;
  }
  return result;
}

}  // namespace tune::lookup
