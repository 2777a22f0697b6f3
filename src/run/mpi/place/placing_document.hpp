// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What became of numbering the ranks anew, for the report. No call of MPI's: it is compiled once for all
// libraries.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpi/place/proposal.hpp"
#include "mpi/place/trial_result.hpp"

namespace thalweg::mpi {

struct PlacingFacts {
  const Proposal& proposal;
  std::string network;
  const std::vector<std::string>& busy_links; // that others use, by name
  const std::optional<TrialResult>& trial;    // of this run
  bool adopted = false;
  const std::vector<std::int32_t>& slots; // of each new rank its old one; empty where ranks stay
};

// A JSON object.
std::string placing_document(const PlacingFacts& facts);

} // namespace thalweg::mpi
