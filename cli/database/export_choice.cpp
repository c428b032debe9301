// SPDX-License-Identifier: Apache-2.0
#include "cli/database/export_choice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "kernels/registry.hpp"
#include "kernels/sources.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

using Workloads = std::vector<db::Workload>;

/// Equal for works that differ in versions alone.
auto question_of(const db::Workload& workload) {
  return std::tuple(workload.problem, workload.size, workload.settings, workload.model_key, workload.origin,
                    workload.cache);
}

/// What may differ between works of one problem, size, settings and device.
struct Fact {
  const char* name;
  std::string (*of)(const db::Workload& workload);
};
constexpr std::array properties = {
    Fact{"origin", [](const db::Workload& workload) { return std::string(to_string(workload.origin)); }},
    Fact{"cache", [](const db::Workload& workload) { return std::string(to_string(workload.cache)); }},
    Fact{"sources", [](const db::Workload& workload) { return workload.toolchain.source_hash.substr(0, 8); }},
    Fact{"compiler", [](const db::Workload& workload) { return workload.toolchain.compiler; }},
    Fact{"driver", [](const db::Workload& workload) { return workload.driver; }}};

template<class Of>
std::set<std::string> values_of(const Workloads& workloads, Of of) {
  std::set<std::string> values;
  for (const db::Workload& workload : workloads) values.insert(of(workload));
  return values;
}

std::string some_of(const std::set<std::string>& values) {
  constexpr std::size_t max = 4;
  std::string text;
  std::size_t count = 0;
  for (const std::string& value : values) {
    if (count++ == max) return text + ", ...";
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

/// Whether the results are of the kernel sources that this program has, by problem; no of problems that it
/// does not know.
class Current {
 public:
  bool operator()(const db::Workload& workload) {
    const auto [found, missing] = hashes_.try_emplace(workload.problem);
    if (missing &&
        std::ranges::count(kernels::problems(), workload.problem, &kernels::ProblemEntry::name) > 0)
      found->second = source_hash(*kernels::make_problem(workload.problem), kernels::EmbeddedSources());
    return !found->second.empty() && workload.toolchain.source_hash == found->second;
  }

 private:
  std::map<std::string, std::string> hashes_;
};

bool has(const Configuration& stored, const Settings& settings) {
  return std::ranges::all_of(settings, [&](const auto& setting) {
    return stored.has(setting.first) && stored[setting.first].to_string() == setting.second.to_string();
  });
}

Configuration settings_of(const db::Workload& workload) {
  return workload.settings.empty() ? Configuration() : Configuration::parse(workload.settings);
}

/// `radius: 1, 2; type: float` of the settings with at least so many values.
std::string settings_of(const Workloads& workloads, std::size_t min) {
  std::set<std::string> names;
  for (const db::Workload& workload : workloads) {
    const Configuration stored = settings_of(workload);
    for (const auto& [name, value] : stored.entries()) names.insert(name);
  }
  std::string text;
  for (const std::string& name : names) {
    const auto values = values_of(workloads, [&](const db::Workload& workload) {
      const Configuration stored = settings_of(workload);
      return stored.has(name) ? stored[name].to_string() : std::string("none");
    });
    if (values.size() >= min) text += format("{}{}: {}", text.empty() ? "" : "; ", name, some_of(values));
  }
  return text;
}

}  // namespace

Instance instance_of(const db::Workload& workload) {
  return {workload.problem, workload.extents, settings_of(workload).entries()};
}

std::string title_of(const db::Workload& workload) {
  return format("{} {} on {}{}{}", workload.problem, instance_of(workload).key(), workload.device,
                workload.origin == Origin::measured ? "" : format(" ({})", to_string(workload.origin)),
                workload.cache == CacheState::warm ? " with warm caches" : "");
}

Workloads fitting_workloads(const db::Database& database, const StoredChoice& choice,
                            const Settings& settings) {
  std::map<std::int64_t, db::Workload> found;
  for (const db::RunSummary& run : db::list_runs(database)) {
    const db::Workload& workload = run.workload;
    if ((!choice.problem || *choice.problem == workload.problem) &&
        (!choice.size || *choice.size == workload.size) &&
        (!choice.device || *choice.device == workload.device || *choice.device == workload.model_key) &&
        has(settings_of(workload), settings))
      found.emplace(workload.id, workload);
  }
  Workloads workloads, exact;
  for (auto& [id, workload] : found) {
    if (settings_of(workload).entries().size() == settings.size()) exact.push_back(workload);
    workloads.push_back(std::move(workload));
  }
  return settings.empty() || exact.empty() ? workloads : exact;
}

Workloads current_workloads(Workloads workloads, std::vector<std::string>& notes) {
  Current current;
  Workloads kept;
  for (const db::Workload& workload : workloads) {
    const bool gives_way =
        !current(workload) && std::ranges::any_of(workloads, [&](const db::Workload& other) {
          return question_of(other) == question_of(workload) && current(other);
        });
    if (!gives_way) kept.push_back(workload);
    if (gives_way)
      notes.push_back(
          format("{}: results of other kernel sources ({}) are left out; a folder with --out takes "
                 "them too",
                 title_of(workload), workload.toolchain.source_hash.substr(0, 8)));
  }
  return kept;
}

Workloads best_workloads(const db::Database& database, const Workloads& workloads) {
  using Rank = std::pair<bool, double>;  // stale, seconds
  Current current;
  std::map<decltype(question_of(workloads.front())), std::pair<Rank, db::Workload>> best;
  for (const db::Workload& workload : workloads) {
    db::ResultFilter fastest;
    fastest.workload = workload.id;
    fastest.limit = 1;
    const auto rows = db::list_results(database, fastest);
    if (rows.empty() || !rows.front().time) continue;
    const Rank rank{!current(workload), *rows.front().time};
    const auto [found, missing] = best.try_emplace(question_of(workload), rank, workload);
    if (!missing && rank < found->second.first) found->second = {rank, workload};
  }
  Workloads chosen;
  for (auto& [question, winner] : best) chosen.push_back(std::move(winner.second));
  std::ranges::sort(chosen, {}, &db::Workload::id);
  return chosen;
}

std::string differences(const Workloads& workloads) {
  std::string choose;
  const auto tell = [&](const std::string& option, const std::set<std::string>& values) {
    if (values.size() > 1)
      choose += format("{}{} ({})", choose.empty() ? "" : " and ", option, some_of(values));
  };
  tell("--problem", values_of(workloads, [](const db::Workload& workload) { return workload.problem; }));
  tell("--size", values_of(workloads, [](const db::Workload& workload) { return workload.size; }));
  tell("--device", values_of(workloads, [](const db::Workload& workload) { return workload.device; }));
  const std::string settings = settings_of(workloads, 2);
  if (!settings.empty()) choose += format("{}--set ({})", choose.empty() ? "" : " and ", settings);
  if (!choose.empty()) return "choose with " + choose + ", or name a folder with --out (caches/)";
  for (const Fact& fact : properties) {
    const auto values = values_of(workloads, fact.of);
    if (values.size() > 1)
      choose += format("{}{} ({})", choose.empty() ? "" : ", ", fact.name, some_of(values));
  }
  return format("they differ in {} alone: name a folder with --out (caches/)", choose);
}

std::string settings_there(const Workloads& workloads) {
  const std::string text = settings_of(workloads, 1);
  return text.empty() ? text : "; there is: " + text;
}

std::vector<std::string> file_names(const Workloads& workloads) {
  const auto plain = [](std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-'; }, '_');
    return text;
  };
  const auto base = [&](const db::Workload& workload) {
    return plain(workload.problem + "_" + workload.size +
                 (workload.settings.empty() ? "" : "_" + workload.settings) + "_" + workload.device);
  };
  std::map<std::string, Workloads> alike;
  for (const db::Workload& workload : workloads) alike[base(workload)].push_back(workload);
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const db::Workload& workload : workloads) {
    std::string name = base(workload);
    const Workloads& others = alike[name];
    for (const Fact& fact : properties)
      if (values_of(others, fact.of).size() > 1)
        name += plain(format("_{}-{}", fact.name, fact.of(workload)));
    std::string unique = name;
    for (int number = 2; !used.insert(unique).second; ++number) unique = format("{}_{}", name, number);
    names.push_back(std::move(unique));
  }
  return names;
}

}  // namespace tune::cli
