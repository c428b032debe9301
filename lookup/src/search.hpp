// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lookup/src/loss.hpp"

namespace tune::lookup {

/// Names and values of a column `configuration`: an object of texts, numbers and truth values. Throws Failed
/// for another text.
std::vector<std::pair<std::string, std::string>> parse_configuration(const std::string& json,
                                                                     const std::string& file);

/// Lookup::candidates on open databases, those of the person first. Throws Failed.
std::vector<Candidate> search(const std::vector<Connection*>& connections, const Want& want,
                              std::size_t max_count);

/// `rank` of the records; of equal fit the one with the better winner first.
std::vector<Ranked> ranked_workloads(Records& records);

/// What `search` makes of a work that fits: with `entry` of its ranking.
Candidate candidate_of(Records& records, const Ranked& ranked, const RankedRecord& entry);
/// Where no record fits by itself; nothing where there is no configuration for it. `source` is set to the
/// number of its database.
std::optional<Candidate> portfolio_candidate(Records& records, const std::vector<Ranked>& ranked,
                                             std::size_t* source = nullptr);

}  // namespace tune::lookup
