// SPDX-License-Identifier: Apache-2.0
// Times lookups: cold (open and first answer) and repeated, for each kind of match that the file has. The
// first device and problem of the file are asked about.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace tune::lookup;

double seconds(const std::function<void()>& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Figures {
  double median, min;
};

Figures figures(int times, const std::function<void()>& function) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(seconds(function));
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all.front()};
}

void measure(const Options& options, const Query& query) {
  const auto first = Lookup::open(options)->best(query);
  if (!first) {
    std::printf("%s\n", first.error().message.c_str());
    return;
  }
  const Figures cold = figures(200, [&] { Lookup::open(options)->best(query); });
  const auto lookup = Lookup::open(options);
  lookup->best(query);
  constexpr int repeats = 1000;
  const Figures repeated = figures(200, [&] {
    for (int i = 0; i < repeats; ++i) lookup->best(query);
  });
  std::printf("%-18s cold %7.3f ms (least %.3f)   repeated %7.3f us (least %.3f)\n", to_string(first->match),
              1e3 * cold.median, 1e3 * cold.min, 1e6 * repeated.median / repeats,
              1e6 * repeated.min / repeats);
}

/// A query that the first work of the problem answers exactly.
Query exact_query(const std::string& file, const std::string& problem) {
  Connection connection(file, false, 1000);
  Want want;
  want.query.problem = problem;
  const std::vector<RecordedWorkload> workloads = recorded_workloads(connection, 0, want);
  Query query;
  query.problem = problem;
  if (workloads.empty()) return query;
  const RecordedWorkload& workload = workloads.front();
  query.size = workload.extents;
  query.device.name = workload.device.model_key;
  query.device.compute_major = workload.device.compute_major;
  query.device.compute_minor = workload.device.compute_minor;
  query.device.multiprocessors = workload.device.multiprocessors;
  query.device.bandwidth = workload.device.bandwidth;
  for (std::size_t begin = 0; begin < workload.settings.size();) {
    const std::size_t end = std::min(workload.settings.find(',', begin), workload.settings.size());
    const std::size_t equals = workload.settings.find('=', begin);
    query.settings.emplace_back(workload.settings.substr(begin, equals - begin),
                                workload.settings.substr(equals + 1, end - equals - 1));
    begin = end + 1;
  }
  return query;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: bench_lookup DATABASE PROBLEM [recording]: as a file that nobody changes\n");
    return 2;
  }
  try {
    Options options;
    options.database = count > 3 ? "" : arguments[1];
    options.recordings.emplace();
    if (count > 3) options.recordings->push_back(arguments[1]);
    Query query = exact_query(arguments[1], arguments[2]);
    measure(options, query);
    for (std::int64_t& extent : query.size) extent += extent / 8;
    measure(options, query);
    query.device.name = "another";
    measure(options, query);
    query.device.compute_major += 1;
    measure(options, query);
  } catch (const Failed& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return 1;
  }
  return 0;
}
