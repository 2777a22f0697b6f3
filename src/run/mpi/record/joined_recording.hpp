// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks recorded, packed to be sent, and added up. No call of MPI's: it is compiled once for all
// libraries.

#include "pattern/recording.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// What this process counted. `functions` names those that rows of calls have by number.
std::vector<std::uint8_t> pack_recorded(std::span<const char* const> functions);

/// The recordings of all ranks, by rank, as one. Throws where one is damaged.
pattern::Recording join_recorded(const std::vector<std::vector<std::uint8_t>>& ranks);

/// What became of the recorded pattern; on rank 0, empty where nothing was recorded.
struct KeptPattern {
  std::string document; ///< a JSON object, for the report
  std::string line;     ///< for the summary
};

KeptPattern describe_recorded(const pattern::Recording& recorded, const std::string& file);

} // namespace thalweg::mpi
