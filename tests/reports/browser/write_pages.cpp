// SPDX-License-Identifier: Apache-2.0
// Writes pages for the test in a browser into the folder that it is given.
#include <fstream>
#include <iostream>
#include <string>

#include "reports/html.hpp"
#include "tests/reports/invented_database.hpp"
#include "tests/reports/large_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace tune;

reports::ReportData invented_data(void (*invent)(db::Database&)) {
  const tune::testing::TemporaryFolder folder;
  db::Database database(folder / "tune.db");
  invent(database);
  return tune::testing::in_memory(reports::collect(database, {}));
}

void write(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "write_pages FOLDER\n";
    return 2;
  }
  const std::string folder = std::string(arguments[1]) + "/";
  const reports::ReportData data = invented_data(tune::testing::invent);
  write(folder + "invented.html", reports::html_page(reports::page_parts(data)));
  write(folder + "bare.html", reports::html_page(reports::page_parts(data), {.library = false}));
  write(folder + "metric.html",
        reports::html_page(reports::page_parts(invented_data(tune::testing::invent_metric))));
  write(folder + "front.html",
        reports::html_page(reports::page_parts(invented_data(tune::testing::invent_front))));
  write(folder + "large.html", reports::html_page(reports::page_parts(tune::testing::large_data(100'000))));
}
