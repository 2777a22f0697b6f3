#pragma once

// What all ranks recorded, gathered when the program ends.

#include <string>

namespace thalweg::mpi {

// What became of the recorded pattern; on rank 0, empty where nothing was recorded.
struct KeptPattern {
  std::string document; // a JSON object, for the report
  std::string line;     // for the summary
};

// Gathers what was recorded on rank 0 of the world, which keeps it in the program's file. Called by all.
KeptPattern keep_pattern();

} // namespace thalweg::mpi
