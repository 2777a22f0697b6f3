// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What runs have found of the numberings that they tried, kept from run to run: so none is tried twice, and a
// trial that had no time to end goes on in the next run.
//
//     00f3a29c51d0b7e4 open 0.12 3 1.31 0.98 1.4  0 3 1 2
//
// A key, the verdict, seconds that are left for trying, how many rounds there were and what each found, and
// the slot of each rank.

#include "evidence/evidence.hpp"
#include "machine/allocation.hpp"
#include "place/mapping.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::place {

/// Has it all slots, each once, and is it not empty?
bool has_each_slot_once(const Slots& slots);

/// "open", "go" or "stay": of the new numbering, as files and reports have it.
std::string_view name(evidence::Decision decision);

struct KeptTrial {
  std::uint64_t key = 0; ///< of trial_key()
  evidence::Decision verdict = evidence::Decision::open;
  /// What runs could have spent on trying, less what they did: below 0 where one took longer than thought.
  double saved_s = 0;
  /// Of each round, how many times as fast the new numbering was.
  std::vector<double> ratios = {};
  Slots slot_of = {}; ///< of each rank: all slots, each once

  bool operator==(const KeptTrial&) const = default;
};

/// For runs that looked for another numbering and found none, so that none looks again: `as_started` stays.
KeptTrial nothing_found(Slots as_started);
bool found_nothing(const KeptTrial& trial);

/// The same for the same pattern, as its file has it, on the same slots of the same machine, held against the
/// same slots of the ranks; none: as they are numbered.
std::uint64_t trial_key(std::string_view pattern_text, const machine::Allocation& allocation,
                        const Slots& against = {});

/// The file of trials that belongs to a pattern's.
std::string file_of_trials(const std::string& pattern_file);

/// A line for each, as above.
std::string to_text(const std::vector<KeptTrial>& trials);

/// Reads them. Lines that are damaged are left out: what they said is found again.
std::vector<KeptTrial> parse_trials(std::string_view text);

/// The trial with that key and so many ranks, or nothing.
std::optional<KeptTrial> find_trial(const std::vector<KeptTrial>& trials, std::uint64_t key,
                                    std::int32_t ranks);

/// Puts a trial in the place of the one with its key, and the oldest away where there are too many.
void remember(std::vector<KeptTrial>& trials, KeptTrial trial);

} // namespace thalweg::place
