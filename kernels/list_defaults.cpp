// SPDX-License-Identifier: Apache-2.0
// Run by the build: writes the defaults of all problems' settings as a source of the lookup library, which
// does not depend on problems.
#include <fstream>
#include <iostream>

#include "kernels/registry.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: tune_list_defaults FILE\n";
    return 2;
  }
  std::ofstream file(arguments[1]);
  file << "// Written by the build from the table of problems.\n#include \"lookup/src/matching.hpp\"\n\n"
          "namespace tune::lookup {\n\nconst SettingDefault setting_defaults[] = {\n";
  for (const tune::kernels::ProblemEntry& entry : tune::kernels::problems()) {
    const auto problem = entry.make();
    for (const tune::SettingInfo& setting : problem->info().settings)
      file << "    {\"" << entry.name << "\", \"" << setting.name << "\", \""
           << setting.default_value.to_string() << "\"},\n";
  }
  file << "};\nconst std::size_t setting_defaults_count = sizeof setting_defaults / sizeof "
          "setting_defaults[0];\n\n"
          "}  // namespace tune::lookup\n";
  file.close();
  return file ? 0 : 1;
}
