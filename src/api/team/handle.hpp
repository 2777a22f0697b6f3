// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A team as programs hold it, and how functions of the C interface go into it.

#include "base/error.hpp"
#include "boundary/guarded.hpp"
#include "boundary/request.hpp"
#include "job/library/mpi_library.hpp"
#include "team/team.hpp"
#include "thalweg/team.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

struct thalweg_team {
  explicit thalweg_team(MPI_Comm communicator) : team(communicator) {}
  thalweg_team(std::shared_ptr<thalweg::job::ShadowCommunicator> part, const thalweg::teams::Team& whole)
      : team(std::move(part), whole) {}
  thalweg::teams::Team team;
};

namespace thalweg::teams {

/// A team in a call: waits in other teams let it be.
class TeamAccess {
public:
  explicit TeamAccess(Team& team) : lock_(team.operations().in_call()), team_(team) {}
  ~TeamAccess() { team_.operations().note_under_way(); }
  TeamAccess(const TeamAccess&) = delete;
  TeamAccess& operator=(const TeamAccess&) = delete;
  Team* operator->() const { return &team_; }
  Team& operator*() const { return team_; }

private:
  InTeams in_teams_;
  std::unique_lock<std::recursive_mutex> lock_;
  Team& team_;
};

/// A team may be freed before its requests are: then they have finished.
class TeamRequest final : public thalweg_request {
public:
  TeamRequest(Team& team, std::function<bool()> has_finished)
      : thalweg_request(team.group().rank(), team.group().ranks()), team_(team),
        has_finished_(std::move(has_finished)) {}

  bool test() override {
    if (has_finished_())
      return true;
    job::mpi_must_run();
    return TeamAccess(team_)->operations().test(has_finished_);
  }
  void wait() override {
    if (has_finished_())
      return;
    job::mpi_must_run();
    TeamAccess(team_)->operations().wait_for(has_finished_);
  }

private:
  Team& team_;
  std::function<bool()> has_finished_;
};

inline boundary::Caller caller(std::string_view call, const thalweg_team* team) {
  if (team == nullptr)
    return {.call = call};
  return {.call = call, .rank = team->team.group().rank(), .ranks = team->team.group().ranks()};
}

inline Team& team_of(thalweg_team* team) {
  if (team == nullptr)
    throw Error("there is no team (NULL)",
                "thalweg_team_create() makes one; ranks outside of a split or a subset have none");
  return team->team;
}

inline TeamAccess of(thalweg_team* team) {
  return TeamAccess(team_of(team));
}

} // namespace thalweg::teams
