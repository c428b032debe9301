// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lookup/src/loss.hpp"

namespace tune::lookup {

/// Returns the names and values of a column `configuration`: an object of texts, numbers and truth values.
/// Throws Failed for another text.
std::vector<std::pair<std::string, std::string>> parse_configuration(const std::string& json,
                                                                     const std::string& file);

/// Returns the number that the whole text is, whatever the locale, or `otherwise`.
double real_or(const std::string& text, double otherwise);

/// Implements Lookup::candidates on open databases, those of the user first. Throws Failed.
std::vector<Candidate> search(const std::vector<Connection*>& connections, const Want& want,
                              std::size_t max_count);

/// Returns `rank` of the records; of equal fit the one with the better winner first.
std::vector<Ranked> ranked_workloads(Records& records);

/// Returns the candidate for a workload that fits, with `entry` of its ranking.
Candidate candidate_of(Records& records, const Ranked& ranked, const RankedRecord& entry);
/// Returns the portfolio's candidate, for queries that no record fits, or nothing where there is no
/// configuration. `source` is set to the number of its database.
std::optional<Candidate> portfolio_candidate(Records& records, const std::vector<Ranked>& ranked,
                                             std::size_t* source = nullptr);

}  // namespace tune::lookup
