// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tune {

/// Four significant digits with an SI prefix: `si(2.84e-4, "s")` is `284 us`, `si(4.8e11, "cell updates/s")`
/// is `480 G cell updates/s`... with the prefix next to the unit where the unit is a symbol (`B/s`, `s`,
/// `Hz`, `W`).
std::string si(double value, std::string_view unit);
/// Binary prefixes: `227 KiB`.
std::string bytes_text(double bytes);
/// `4 s`, `2 min 5 s`, `1 h 12 min`.
std::string duration_text(double seconds);
/// `92 %`, one decimal below 10.
std::string percent_text(double share);
/// `samples` of `sample`, `queries` of `query`, `boxes` of `box`.
std::string plural(std::string_view noun);
/// `1 sample`, `2 samples`.
std::string counted(std::uint64_t count, std::string_view what);

/// Reads `90`, `90s`, `5m`, `1.5h` as seconds. Throws UsageError that names `option`.
double parse_duration(std::string_view text, std::string_view option);
/// Reads `500M`, `2G`, `1.5T` (binary prefixes) or plain bytes. Throws UsageError that names `option`.
std::uint64_t parse_size(std::string_view text, std::string_view option);

}  // namespace tune
