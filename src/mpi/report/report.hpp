#pragma once

#include <string>

namespace thalweg::mpi {

// What the run came to besides calls, on rank 0.
struct Outcomes {
  std::string learned; // of learned.hpp
  std::string pattern; // of gathering.hpp
  std::string pattern_line;
  std::string trace_line; // of kept_trace.hpp
};

// Gathers what all ranks recorded on rank 0 of the world, and writes the summary and the file that the
// settings ask for. Collective over the world.
void report(const Outcomes& outcomes);

// Lets this rank's counts outlive it, where `thalweg run` made memory for that; before the first row.
void begin_journal();

} // namespace thalweg::mpi
