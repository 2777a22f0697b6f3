// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Calls of teams (thalweg/interposer.h) in the tables of calls: functions behind MPI's own, one for each
// collective and mode.

#include "mpi/observe/samples.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace thalweg::mpi::observe {

inline constexpr std::size_t team_collectives = 11; ///< as thalweg_collective numbers them
inline constexpr std::size_t team_ends = 3;         ///< as thalweg_sync does
inline constexpr std::size_t team_functions = team_collectives * team_ends * team_ends;

/// The number of such a call among these functions; `team_functions` for one that is none.
std::size_t team_function(int collective, int before, int after);
/// "team_allreduce", "team_allreduce@strict", "team_allreduce@all-mine": as `thalweg tune` names them.
const char* team_function_name(std::size_t number);

/// A team, and when this rank entered and left some of its calls.
struct ObservedTeam {
  std::uint64_t id;
  int ranks;
  bool is_sampled;
  SampleStore samples;

  bool wants(std::uint64_t call) const { return is_sampled && samples.wants(call); }
};

/// A new team. It stays; of many, those that come later stand for all of their size.
ObservedTeam& observe_team(std::uint64_t id, int ranks);
/// Those with samples.
std::vector<const ObservedTeam*> sampled_teams();

} // namespace thalweg::mpi::observe
