// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "db/best.hpp"
#include "kernels/sources.hpp"
#include "search/space/nearest.hpp"
#include "tuner/cli/best_text.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/paths.hpp"
#include "tuner/cli/work_choice.hpp"
#include "tuner/core/architectures.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"
#include "tuner/cuda/available.hpp"

namespace tune::cli {
namespace {

po::options_description options() {
  po::options_description all;
  add_work_options(all);
  all.add_options()(
      "device", po::value<std::string>()->value_name("D"),
      "number of a GPU, or a device's name as 'tune list devices' shows it; default: the first GPU, "
      "else any device");
  all.add_options()("cache", po::value<std::string>()->default_value("cold")->value_name("C"),
                    "of the caches when an execution starts: cold or warm");
  add_database_option(all);
  add_format_option(all, "text, json, flags (-D options for a compiler) or header (C++)");
  return all;
}

/// What is known of the device for which an answer is wanted.
db::BestQuery device_query(const po::variables_map& values) {
  db::BestQuery query;
  const std::string text = text_of(values, "device");
  const std::optional<int> number = device_number(text);
  if (!text.empty() && !number) {
    query.model_key = text;
    return query;
  }
  std::string why_none;
  const std::vector<DeviceFacts> devices = cuda::list_devices(&why_none);
  if (number && static_cast<std::size_t>(*number) >= devices.size())
    throw UsageError(format("there is no device {}: {}", *number,
                            devices.empty() ? why_none : std::string("'tune devices' lists them")));
  if (devices.empty()) return query;
  const DeviceFacts& device = devices[static_cast<std::size_t>(number.value_or(0))];
  query.model_key = device.model_key();
  query.architecture = device.architecture();
  query.driver = device.driver;
  return query;
}

struct Found {
  db::Candidate candidate;
  std::filesystem::path path;
  bool shipped = false;
};

/// Candidates of the person's own database, then of the shipped recordings; a better fit wins, and at equal
/// fit the person's own.
std::vector<Found> find_all(const po::variables_map& values, const db::BestQuery& query) {
  std::vector<Found> all;
  const std::filesystem::path own = database_path(text_of(values, "db"));
  const auto add = [&](const std::filesystem::path& path, bool shipped) {
    const db::Database database(path, shipped ? db::Access::immutable : db::Access::read_only);
    for (db::Candidate& candidate : db::best(database, query))
      all.push_back({std::move(candidate), path, shipped});
  };
  if (values.count("db") || std::filesystem::exists(own)) add(own, false);
  for (const std::filesystem::path& path : shipped_recordings()) add(path, true);
  std::ranges::stable_sort(all, {}, [](const Found& found) { return found.candidate.match; });
  return all;
}

bool fits(const Found& found) {
  return found.candidate.match == db::Match::exact || found.candidate.match == db::Match::other_size;
}

/// The record's configuration if it is valid at the size that is asked for (an unpadded array may not take
/// the vectors of another size), else the fastest of the same record that is.
bool make_valid(const WorkChoice& work, Found& found) {
  if (found.candidate.match == db::Match::exact) return true;
  const std::string& architecture = found.candidate.result.work.architecture;
  const std::span known = known_architectures();
  if (std::ranges::find(known, architecture) == known.end())
    return true;  // its plan still says what cannot be
  const search::SearchSpace space(work.problem->space(work.instance, architecture_facts(architecture)));
  if (space.find(found.candidate.result.configuration)) return true;
  db::ResultFilter filter;
  filter.work = found.candidate.result.work.id;
  const db::Database database(found.path, found.shipped ? db::Access::immutable : db::Access::read_only);
  for (db::ResultRow& row : db::list_results(database, filter)) {
    if (!space.find(row.configuration)) continue;
    found.candidate.result = std::move(row);
    found.candidate.ties.clear();
    found.candidate.why += "; faster ones there are not valid at this size";
    return true;
  }
  return false;
}

[[noreturn]] void no_answer(const WorkChoice& work, const db::BestQuery& query,
                            const std::vector<Found>& others) {
  std::string text = format("no result of {}", work.instance.problem);
  if (!work.instance.settings.empty()) text += " " + work.instance.settings_key();
  if (query.model_key) text += format(" on {}", *query.model_key);
  std::vector<std::string> devices;
  for (const Found& other : others) devices.push_back(other.candidate.result.work.device);
  const auto nearest = query.model_key ? search::nearest_name(*query.model_key, devices) : std::nullopt;
  if (nearest && *nearest != *query.model_key)
    throw Error(format("{}; did you mean '{}'?", text, *nearest), Exit::no_answer);
  if (!others.empty()) {
    const db::ResultRow& other = others.front().candidate.result;
    text += format(" that fits (there is one of {} on {})", other.work.size, other.work.device);
  }
  std::string settings;
  for (const auto& [name, value] : work.instance.settings)
    settings += (settings.empty() ? " --set " : ",") + name + "=" + value.to_string();
  throw Error(format("{}; to get one: tune --problem {} --size {}{}", text, work.instance.problem,
                     work.instance.size(), settings),
              Exit::no_answer);
}

int run(const po::variables_map& values) {
  const std::string form = chosen_name(values, "format", {"text", "json", "flags", "header"});
  const WorkChoice work = chosen_work(values);
  db::BestQuery query = device_query(values);
  query.cache = cache_state_from_string(chosen_name(values, "cache", {"cold", "warm"}));
  query.problem = work.instance.problem;
  query.extents = work.instance.extents;
  query.settings = work.instance.settings_key();
  query.toolchain = Toolchain{"", source_hash(*work.problem, kernels::EmbeddedSources())};
  std::vector<Found> all = find_all(values, query);
  const auto chosen =
      std::ranges::find_if(all, [&](Found& found) { return fits(found) && make_valid(work, found); });
  if (chosen == all.end()) no_answer(work, query, all);
  const BestAnswer answer{work, chosen->candidate, chosen->path, chosen->shipped};
  if (form == "json") std::cout << best_json(answer);
  if (form == "flags") std::cout << best_flags(answer);
  if (form == "header") std::cout << best_header(answer);
  if (form == "text") std::cout << best_text(answer);
  return 0;
}

}  // namespace

const Command& best_command() {
  static const Command command = {"best",
                                  "gives the best stored configuration, and says why that one",
                                  "tune best --problem P [--size S] [--device D] [options]",
                                  "  tune best --problem stencil3d --size 512x512x512\n"
                                  "  nvcc $(tune best --problem stencil3d --format flags) ...\n",
                                  "problem",
                                  options,
                                  run};
  return command;
}

}  // namespace tune::cli
