// SPDX-License-Identifier: Apache-2.0
#include "cli/input/options.hpp"
#include "library/run/gpu.hpp"
#include "search/space/configuration.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/units.hpp"
#include "tuner/device/device_properties.hpp"

// Values of options; the first letter says of which kind.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  if (size == 0) return 0;
  const std::string text(tune::testing::bytes_of(data + 1, size - 1));
  try {
    switch (data[0]) {
      case 'a':
        cli::parse_assignments(text, "set");
        break;
      case 'b':
        parse_size(text, "--budget");
        break;
      case 'c':
        tune::testing::require(cli::parse_count(text, "seed", 3) >= 3, "a count is not below its least");
        break;
      case 'd':
        run::device_number(text);
        break;
      case 'k': {
        const search::Configuration read = search::Configuration::parse(text);
        tune::testing::require(search::Configuration::parse(read.key()) == read, "a key is read back");
        break;
      }
      case 'r':
        architecture_properties(text);
        break;
      case 's': {
        const double share = cli::parse_share(text, "spread");
        tune::testing::require(share > 0 && share < 1, "a share is between 0 and 1");
        break;
      }
      case 't':
        tune::testing::require(parse_duration(text, "--timeout") >= 0, "a duration is not negative");
        break;
      case 'v': {
        const search::Value read = search::Value::parse(text);
        tune::testing::require(search::Value::parse(read.to_string()) == read, "a value is read back");
        break;
      }
      default:
        cli::parse_strategy(text, "strategy");
    }
  } catch (const Error&) {
  } catch (const std::invalid_argument&) {  // of a configuration
    tune::testing::require(data[0] == 'k', "errors of options are the program's");
  }
  return 0;
}
