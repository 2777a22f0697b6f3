// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A collective of a team, its arguments checked. In checked teams (THALWEG_CHECK=1) every call is held
// against those of the other ranks before it begins.

#include "job/library/group.hpp"
#include "schedule/problem.hpp"
#include "strategies/implementation.hpp"
#include "team/symmetric_memory.hpp"
#include "thalweg/team.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace thalweg::teams {

/// How far a call synchronizes its ranks.
struct Mode {
  thalweg_sync before = thalweg_sync_mine;
  thalweg_sync after = thalweg_sync_mine;

  /// In tune::modes.
  std::size_t number() const {
    return 3 * static_cast<std::size_t>(before) + static_cast<std::size_t>(after);
  }
  /// Nobody waits for one call, but perhaps for a row of them.
  bool is_in_row() const { return after == thalweg_sync_none; }
};

/// What is tried in the place of what a call would run. It lives as long as its team.
struct Learned {
  strategies::Scheduled scheduled;
  std::int64_t number = 0; ///< among all that are tried for such calls, from 1
};

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
  bool is_own = false;              ///< the team's, not the program's: no selection counts for it
  const Learned* learned = nullptr; ///< runs it, if there is one

  std::size_t unit_bytes() const { return count * element_bytes; }
  Mode mode() const { return {before, after}; }
  bool in_place() const { return input == output && input != nullptr; }
};

/// The name of the call's collective, or "start" where it has none.
std::string_view name_of(const thalweg_team_call& given);

/// Throws Error for a number that is none of them.
schedule::Operation operation_of(thalweg_collective collective);
/// Its thalweg_collective.
int collective_number(schedule::Operation operation);
/// Have teams such a collective?
bool is_of_teams(schedule::Operation operation);

/// Throws Error for what no team can do: it names the value.
TeamCall checked(const thalweg_team_call& given, const job::Group& group);

/// Where the call stands in the program: file and line, or what the return address belongs to.
std::string site_of(const thalweg_team_call& given, const void* return_address);

/// The call in words, without what ranks may differ in.
std::string describe(const thalweg_team_call& given, const TeamCall& call);

/// What ranks of a checked team tell each other of a call: what it is, and where it stands. Longer texts are
/// cut at their begin, as paths' ends say more.
struct CallNote {
  std::array<char, 96> what{};
  std::array<char, 160> site{};
};
CallNote note_of(const std::string& what, const std::string& site);
/// Throws Error where the ranks have not come to the same call, naming both and where they stand.
void check_same_call(std::span<const CallNote> of_ranks);

/// Is a buffer of this rank in symmetric memory, where others may put something into it?
bool is_reached(const job::Group& group, const TeamCall& call);

/// Throws Error where a buffer begins in symmetric memory and reaches beyond its end.
void check_memory(const job::Group& group, const SymmetricMemory& memory, const TeamCall& call,
                  const std::string& site);

} // namespace thalweg::teams
