// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How long a program's runs took as they were started, and with its ranks numbered anew: what decides of a
// numbering whose gain is predicted to be large. Kept from run to run in a file beside the pattern.
//
//     00f3a29c51d0b7e4 open 1764500000 1 2.31 2 1.64 1.7 0 3 1 2
//
// A key (place::trial_key), the verdict and when it was found (seconds since 1970), the runs as they were
// started and the placed ones, each with their number before their seconds, and the slot of each rank.

#include "evidence/runs.hpp"
#include "place/mapping.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::place {

struct KeptRuns {
  std::uint64_t key = 0;
  evidence::Decision verdict = evidence::Decision::open;
  std::int64_t decided_s = 0;
  std::vector<double> started = {}; ///< seconds, the latest last
  std::vector<double> placed = {};
  Slots slot_of = {}; ///< of each rank: all slots, each once

  bool operator==(const KeptRuns&) const = default;
};

/// Adds a run that ended at `now_s`, keeps the latest few, and decides anew.
void add_run(KeptRuns& runs, bool is_placed, double seconds, std::int64_t now_s);

/// Is the next run to be placed? A verdict holds for thirty days: machines and programs change. Then runs
/// count as if there had been one of each.
bool wants_placed(KeptRuns& runs, std::int64_t now_s);

/// The file of runs that belongs to a pattern's.
std::string file_of_runs(const std::string& pattern_file);

/// A line for each, as above.
std::string to_text(const std::vector<KeptRuns>& runs);

/// Reads them. Lines that are damaged are left out: what they said is found again.
std::vector<KeptRuns> parse_runs(std::string_view text);

/// Those with that key and so many ranks, or nothing.
std::optional<KeptRuns> find_runs(const std::vector<KeptRuns>& runs, std::uint64_t key, std::int32_t ranks);

/// Puts runs in the place of those with their key, and the oldest away where there are too many.
void remember(std::vector<KeptRuns>& all, KeptRuns runs);

} // namespace thalweg::place
