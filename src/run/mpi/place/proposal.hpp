// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which numbering of the ranks the first rank proposes, before anything is tried.

#include <string>

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"
#include "place/kept_trials.hpp"
#include "place/map.hpp"

namespace thalweg::mpi {

struct Proposal {
  place::Slots slot_of{};     // of each rank of the program; empty: there is none
  place::Slots fallback{};    // of each rank if that is not taken; empty: as they were started
  bool is_by_order = false;   // the user's own, which nobody tries first
  std::string why{};          // in words, also where there is none
  pattern::Pattern pattern{}; // what it is for
  double seconds = 0;         // that the recorded run took
  std::string file{};         // the pattern's; empty: there is none
  place::KeptTrial before{};  // what earlier runs found of this numbering
  place::Result mapped{};     // by the pattern; has no slots where there was no search
};

// What is known of the program from this file, for so many ranks. Without slots yet, and `why` where there
// will be none.
Proposal read_recorded(const std::string& pattern_file, std::int32_t ranks);

// Adds slots, for a job whose ranks have these: those that earlier runs tried, or found by a search. Where
// others use links, `quiet` is the same without them. Then what runs have adopted there is what ranks have
// otherwise, and what to be better than. A search that finds nothing is kept, for later runs to leave it out.
void propose(Proposal& proposal, const machine::Allocation& allocation, const machine::Allocation* quiet);

// By a file with the slot of each rank: whole numbers, blanks or new lines between them.
Proposal read_slots(const std::string& file, std::int32_t ranks);

} // namespace thalweg::mpi
