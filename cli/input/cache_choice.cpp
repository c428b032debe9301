// SPDX-License-Identifier: Apache-2.0
#include "cli/input/cache_choice.hpp"

#include <iostream>

#include "cli/input/options.hpp"
#include "library/run/open_cache.hpp"

namespace tune::cli {

void add_cache_options(po::options_description& options) {
  options.add_options()  //
      ("cache-dir", po::value<std::string>()->value_name("DIR"),
       "keep compiled kernels there; default: $TUNE_CACHE_DIR, else $XDG_CACHE_HOME/tune/binaries, else "
       "~/.cache/tune/binaries")  //
      ("no-compile-cache", po::bool_switch(), "neither use nor keep compiled kernels");
}

std::shared_ptr<cache::BinaryCache> chosen_cache(const po::variables_map& values) {
  if (values["no-compile-cache"].as<bool>()) return nullptr;
  return run::open_cache(option_text(values, "cache-dir"));
}

void tell_notice(const cache::BinaryCache* cache) {
  if (cache != nullptr && !cache->notice().empty()) std::cerr << cache->notice() << "\n";
}

}  // namespace tune::cli
