// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/live_page.hpp"

#include "cli/input/stored_problem.hpp"
#include "reports/html.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {

reports::ReportFilter report_filter(const StoredChoice& choice, std::optional<std::uint64_t> run,
                                    bool all_versions, const db::Database& database) {
  check_stored_choice(choice, &database);
  reports::ReportFilter filter;
  filter.problem = choice.problem;
  filter.size = choice.size;
  filter.device = choice.device;
  filter.all_versions = all_versions;
  filter.run = find_run(run, database);
  return filter;
}

LivePage::LivePage(const db::Database& database, reports::ReportFilter filter)
    : database_(database),
      filter_(std::move(filter)),
      start_(format("{}", std::chrono::system_clock::now().time_since_epoch().count())) {
  refresh();
}

void LivePage::refresh() {
  const auto begin = std::chrono::steady_clock::now();
  if (version_ && begin < next_) return;
  // Asked before the data are read: what is written meanwhile makes them old.
  const std::int64_t version = database_.data_version();
  if (version_ == version) return;
  data_ = reports::collect(database_, filter_, [&](const db::Workload& workload) {
    const auto [place, added] = defaults_.try_emplace(workload.id);
    if (added) place->second = stored_default(workload);
    return place->second;
  });
  version_ = version;
  page_.clear();
  update_.clear();
  const auto end = std::chrono::steady_clock::now();
  next_ = end + 3 * (end - begin);
}

HttpResponse LivePage::answer(const HttpRequest& request) {
  if (request.path != "/" && request.path != "/data")
    return {
        .status = 404, .type = "text/plain; charset=utf-8", .body = "there are / and /data\n", .headers = {}};
  refresh();
  const std::string tag = format("{}-{}", start_, *version_);
  HttpResponse response;
  if (request.path == "/") {
    if (page_.empty()) page_ = reports::html_page(data_, {.live = tag});
    response.type = "text/html; charset=utf-8";
    response.body = page_;
    return response;
  }
  response.type = "application/json";
  response.headers.emplace_back("ETag", format("\"{}\"", tag));
  const auto known = request.headers.find("if-none-match");
  if (known != request.headers.end() && known->second == format("\"{}\"", tag)) {
    response.status = 304;
    return response;
  }
  if (update_.empty()) update_ = reports::page_update(data_);
  response.body = update_;
  return response;
}

}  // namespace tune::cli
