#pragma once

// What runs have found of the numberings that they tried, kept from run to run: so none is tried twice, and a
// trial that had no time to end goes on in the next run.
//
//     00f3a29c51d0b7e4 open 7 5  0 3 1 2      key, verdict, rounds, rounds won, slot of each rank

#include "place/mapping.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::place {

enum class TrialVerdict : std::uint8_t {
  open, ///< not decided yet
  go,   ///< surely faster
  stay  ///< not surely faster
};

struct KeptTrial {
  std::uint64_t key = 0; ///< equal for the same pattern on the same slots of the same machine
  TrialVerdict verdict = TrialVerdict::open;
  int rounds = 0;
  int wins = 0;
  Slots slot_of = {}; ///< of each rank: all slots, each once

  bool operator==(const KeptTrial&) const = default;
};

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
