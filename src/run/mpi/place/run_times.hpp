// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Numberings whose gain is predicted to be large are not tried in a replay: the program's own runs decide, of
// which each is timed from MPI's start to its end.

#include "machine/allocation.hpp"
#include "place/kept_runs.hpp"
#include "place/map.hpp"

#include <optional>
#include <string>

namespace thalweg::mpi {

/// A file's text; empty where it cannot be read.
std::string text_of_file(const std::string& path);

/// Is a numbering predicted to be so much better, by hop-bytes and by the most loaded link, that runs decide?
bool is_for_runs(const place::Metrics& before, const place::Metrics& after);

/// What earlier runs took on these slots, or nothing; also where nothing can be read.
std::optional<place::KeptRuns> kept_runs(const std::string& pattern_file,
                                         const machine::Allocation& allocation);

/// Nothing has been placed yet: the recorded run, which took so many seconds, is the one as started.
place::KeptRuns first_runs(const std::string& pattern_file, const machine::Allocation& allocation,
                           double recorded_s, place::Slots slot_of);

/// In words, as "1.42x the speed by 3 runs, 1 of them as started".
std::string describe_runs(const place::KeptRuns& runs);

/// Is this run to be a placed one? A verdict that is too old becomes open.
bool is_next(place::KeptRuns& runs);

/// This run is one of them: on the first rank, once it is decided who goes where.
void begin_timed_run(const std::string& pattern_file, const place::KeptRuns& runs);

/// It has come to its end, with its ranks numbered anew or not, and is kept. Nothing where none was begun.
void end_timed_run(bool is_placed);

} // namespace thalweg::mpi
