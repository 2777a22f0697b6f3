// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where trials of numberings are kept: in a file beside the pattern that they are for.

#include <optional>
#include <string>

#include "machine/allocation.hpp"
#include "place/kept_trials.hpp"

namespace thalweg::mpi {

// What earlier runs found for this pattern on these slots, or nothing; also where nothing can be read.
// `against` has what a numbering is held against (place::trial_key).
std::optional<place::KeptTrial> kept_trial(const std::string& pattern_file,
                                           const machine::Allocation& allocation,
                                           const place::Slots& against = {});

// Keeps what was found, whose key is filled in here. False where it cannot be written.
bool keep_trial(const std::string& pattern_file, const machine::Allocation& allocation,
                const place::Slots& against, place::KeptTrial trial);

} // namespace thalweg::mpi
