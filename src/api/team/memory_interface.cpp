// SPDX-License-Identifier: BSD-3-Clause

// The memory of others in the C interface (thalweg/team.h). What can be reached is done at once, and needs
// nothing of the team that somebody else may use.

#include "boundary/sized.hpp"
#include "team/handle.hpp"
#include "team/structures.hpp"

#include <optional>

using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::teams::caller;
using thalweg::teams::FarOperationPointer;
using thalweg::teams::of;
using thalweg::teams::OneSided;
using thalweg::teams::Team;
using thalweg::teams::team_of;
using thalweg::teams::TeamAccess;
using thalweg::teams::TeamRequest;

namespace {

/// How a kind of call is made: at once, by messages, and by messages that are waited for later.
template <typename Given>
struct Ways {
  bool (OneSided::*near)(const Given&) const;
  void (OneSided::*far)(const Given&);
  FarOperationPointer (OneSided::*start)(const Given&);
};

void hand_out(Team& team, const FarOperationPointer& operation, thalweg_request** request) {
  *request = operation->has_finished ? nullptr
                                     : new TeamRequest(team, [operation] { return operation->has_finished; });
}

/// The usual case first.
bool is_made(thalweg_team* team, const thalweg_team_transfer* transfer,
             bool (OneSided::*way)(const thalweg_team_transfer&) const noexcept, thalweg_request** request) {
  if (team == nullptr || transfer == nullptr || !(team->team.one_sided().*way)(*transfer))
    return false;
  if (request != nullptr)
    *request = nullptr;
  return true;
}

template <typename Given>
void make(thalweg_team* handle, const Given& given, const Ways<Given>& ways, thalweg_request** request) {
  std::optional<Given> room; // filled for calls of other versions only
  const Given& whole = thalweg::boundary::sized(given, room);
  Team& team = team_of(handle);
  if ((team.one_sided().*ways.near)(whole)) {
    if (request != nullptr)
      *request = nullptr;
    return;
  }
  const TeamAccess in_call(team);
  if (request == nullptr)
    (team.one_sided().*ways.far)(whole);
  else
    hand_out(team, (team.one_sided().*ways.start)(whole), request);
}

} // namespace

extern "C" {

thalweg_status thalweg_team_put(thalweg_team* team, const thalweg_team_transfer* transfer,
                                thalweg_request** request) {
  if (is_made(team, transfer, &OneSided::put_block, request))
    return thalweg_success;
  return guarded(caller("put", team), [&] {
    must_be_given(transfer, "transfer");
    make(team, *transfer, {&OneSided::put_near, &OneSided::put_far, &OneSided::start_put}, request);
  });
}

thalweg_status thalweg_team_get(thalweg_team* team, const thalweg_team_transfer* transfer,
                                thalweg_request** request) {
  if (is_made(team, transfer, &OneSided::get_block, request))
    return thalweg_success;
  return guarded(caller("get", team), [&] {
    must_be_given(transfer, "transfer");
    make(team, *transfer, {&OneSided::get_near, &OneSided::get_far, &OneSided::start_get}, request);
  });
}

thalweg_status thalweg_team_update(thalweg_team* team, const thalweg_team_atomic* atomic,
                                   thalweg_request** request) {
  return guarded(caller("update", team), [&] {
    must_be_given(atomic, "atomic");
    make(team, *atomic, {&OneSided::update_near, &OneSided::update_far, &OneSided::start_update}, request);
  });
}

thalweg_status thalweg_team_fence(thalweg_team* team) {
  return guarded(caller("fence", team), [&] { of(team)->one_sided().fence(); });
}

thalweg_status thalweg_team_quiet(thalweg_team* team) {
  return guarded(caller("quiet", team), [&] { of(team)->one_sided().quiet(); });
}

thalweg_status thalweg_team_wait(thalweg_team* team, const uint64_t* word, thalweg_condition condition,
                                 uint64_t value, uint64_t* found) {
  return guarded(caller("wait", team), [&] {
    thalweg::teams::check_word(word);
    thalweg::teams::check_condition(condition);
    std::uint64_t last = 0;
    if (!team_of(team).one_sided().is_met_soon(word, condition, value, last))
      last = of(team)->one_sided().wait(word, condition, value);
    if (found != nullptr)
      *found = last;
  });
}

thalweg_status thalweg_team_progress(thalweg_team* team) {
  return guarded(caller("progress", team), [&] { of(team)->one_sided().progress(); });
}

} // extern "C"
