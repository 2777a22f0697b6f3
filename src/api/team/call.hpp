// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A collective of a team, its arguments checked.

#include "job/library/group.hpp"
#include "schedule/operation.hpp"
#include "thalweg/team.h"

#include <string>
#include <string_view>

namespace thalweg::teams {

struct TeamCall {
  schedule::Operation operation = schedule::Operation::barrier;
  std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::size_t count = 0; ///< elements of a unit
  std::size_t element_bytes = 1;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  Rank root = 0;
  thalweg_sync before = thalweg_sync_mine;
  thalweg_sync after = thalweg_sync_mine;

  std::size_t unit_bytes() const { return count * element_bytes; }
  bool in_place() const { return input == output && input != nullptr; }
};

/// The name of the call's collective, or "start" where it has none.
std::string_view name_of(const thalweg_team_call& given);

/// Throws Error for a number that is none of them.
schedule::Operation operation_of(thalweg_collective collective);
/// Have teams such a collective?
bool is_of_teams(schedule::Operation operation);

/// Throws Error for what no team can do: it names the value.
TeamCall checked(const thalweg_team_call& given, const job::Group& group);

/// Where the call stands in the program: file and line, or what the return address belongs to.
std::string site_of(const thalweg_team_call& given, const void* return_address);

} // namespace thalweg::teams
