// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which numbering of the ranks the first rank proposes, before anything is tried.

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"
#include "place/kept_runs.hpp"
#include "place/kept_trials.hpp"
#include "place/map.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// Trials of numberings are kept in a file beside the pattern that they are for. What earlier runs found for
/// this pattern on these slots, or nothing; also where nothing can be read. `against` has what a numbering is
/// held against (place::trial_key).
std::optional<place::KeptTrial> kept_trial(const std::string& pattern_file,
                                           const machine::Allocation& allocation,
                                           const place::Slots& against = {});

/// Keeps what was found, whose key is filled in here. False where it cannot be written.
bool keep_trial(const std::string& pattern_file, const machine::Allocation& allocation,
                const place::Slots& against, place::KeptTrial trial);

struct Proposal {
  place::Slots slot_of{};                ///< of each rank of the program; empty: there is none
  place::Slots fallback{};               ///< of each rank if that is not taken; empty: as they were started
  bool is_by_order = false;              ///< the user's own, which nobody tries first
  std::string why{};                     ///< in words, also where there is none
  pattern::Pattern pattern{};            ///< what it is for
  double seconds = 0;                    ///< that the recorded run took
  std::string file{};                    ///< the pattern's; empty: there is none
  place::KeptTrial before{};             ///< what earlier runs found of this numbering
  std::optional<place::KeptRuns> runs{}; ///< where whole runs of the program decide (run_times.hpp)
  place::Result mapped{};                ///< by the pattern; has no slots where there was no search
};

/// What is known of the program from this file, for so many ranks. Without slots yet, and `why` where there
/// will be none.
Proposal read_recorded(const std::string& pattern_file, std::int32_t ranks);

/// Adds slots, for a job whose ranks have these: those that earlier runs had or tried, or found by a search.
/// Where others use links, `quiet` is the same without them. Then what runs have adopted there is what ranks
/// have otherwise, and what to be better than. A search that finds nothing is kept, for later runs to leave
/// it out.
void propose(Proposal& proposal, const machine::Allocation& allocation, const machine::Allocation* quiet);

/// By a file with the slot of each rank: whole numbers, blanks or new lines between them.
Proposal read_slots(const std::string& file, std::int32_t ranks);

struct TrialResult {
  /// Of each pair of rounds, how many times as fast the new numbering was; those of earlier runs first.
  std::vector<double> ratios;
  double saved_s = 0;  ///< what is left of the time for trying; below 0 where it took longer than thought
  double before_s = 0; ///< the phases' messages once, by this run's median round; 0 where there was none
  double placed_s = 0;
};

/// What became of numbering the ranks anew, for the report.
struct PlacingFacts {
  const Proposal& proposal;
  std::string network;
  const std::vector<std::string>& busy_links; ///< that others use, by name
  const std::optional<TrialResult>& trial;    ///< of this run
  bool adopted = false;
  const std::vector<std::int32_t>& slots; ///< of each new rank its old one; empty where ranks stay
};

/// A JSON object.
std::string placing_document(const PlacingFacts& facts);

} // namespace thalweg::mpi
