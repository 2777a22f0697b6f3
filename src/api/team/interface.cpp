// SPDX-License-Identifier: BSD-3-Clause

// The C interface (thalweg/team.h) over Team.

#include "boundary/sized.hpp"
#include "team/handle.hpp"
#include "team/structures.hpp"
#include "thalweg/team.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

using thalweg::Error;
using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::job::mpi_must_run;
using thalweg::job::ShadowCommunicator;
using thalweg::teams::caller;
using thalweg::teams::of;
using thalweg::teams::OperationPointer;
using thalweg::teams::Team;
using thalweg::teams::TeamAccess;
using thalweg::teams::TeamRequest;

namespace {

thalweg_team* part_of(Team& whole, int color, int key) {
  std::shared_ptr<ShadowCommunicator> part = whole.split(color, key);
  return part ? new thalweg_team(std::move(part), whole) : nullptr;
}

void hand_out(const TeamAccess& team, const OperationPointer& operation, thalweg_request** request) {
  *request = operation ? new TeamRequest(*team, [operation] { return operation->has_finished(); }) : nullptr;
}

/// This rank's place in the list, or -1.
int place_in(std::span<const int> ranks, const Team& team) {
  const int own = team.group().rank();
  int place = -1;
  for (std::size_t index = 0; index < ranks.size(); ++index) {
    if (ranks[index] < 0 || ranks[index] >= team.group().ranks())
      throw Error(fmt::format("rank {} in a list of {}", ranks[index], ranks.size()),
                  fmt::format("the team has ranks 0 to {}", team.group().ranks() - 1));
    if (std::ranges::count(ranks, ranks[index]) > 1)
      throw Error(fmt::format("rank {} twice in a list", ranks[index]), "name each once");
    if (ranks[index] == own)
      place = static_cast<int>(index);
  }
  return place;
}

thalweg_team* subset(Team& team, std::span<const int> ranks) {
  const int place = place_in(ranks, team);
  return part_of(team, place < 0 ? -1 : 0, place);
}

std::vector<int> in_order_of_first(std::span<const int> owners) {
  std::vector<int> ranks;
  for (const int owner : owners)
    if (std::ranges::find(ranks, owner) == ranks.end())
      ranks.push_back(owner);
  return ranks;
}

} // namespace

extern "C" {

THALWEG_API thalweg_status(thalweg_team_create)();
// What programs call that were compiled when headers did not tell their version.
thalweg_status(thalweg_team_create)() {
  return guarded({.call = "create"}, thalweg::boundary::refuse_first_version);
}

thalweg_status thalweg_team_create_for(int header_version, MPI_Comm communicator, thalweg_team** team) {
  return guarded({.call = "create"}, [&] {
    thalweg::boundary::must_fit(header_version);
    must_be_given(team, "team");
    *team = new thalweg_team(communicator);
  });
}

thalweg_status thalweg_team_split(thalweg_team* team, int color, int key, thalweg_team** part) {
  return guarded(caller("split", team), [&] {
    must_be_given(part, "part");
    *part = part_of(*of(team), color, key);
  });
}

thalweg_status thalweg_team_subset(thalweg_team* team, int count, const int ranks[], thalweg_team** part) {
  return guarded(caller("subset", team), [&] {
    must_be_given(part, "subset");
    if (count < 0)
      throw Error(fmt::format("a list of {} ranks", count), "give the number of ranks");
    if (count > 0)
      must_be_given(ranks, "ranks");
    *part = subset(*of(team), {ranks, static_cast<std::size_t>(count)});
  });
}

thalweg_status thalweg_team_of_blocks(thalweg_team* team, size_t blocks, const int owners[],
                                      thalweg_team** owning) {
  return guarded(caller("of_blocks", team), [&] {
    must_be_given(owning, "owning");
    if (blocks > 0)
      must_be_given(owners, "owners");
    *owning = subset(*of(team), in_order_of_first({owners, blocks}));
  });
}

thalweg_status thalweg_team_free(thalweg_team** team) {
  return guarded(caller("free", team == nullptr ? nullptr : *team), [&] {
    must_be_given(team, "team");
    if (*team == nullptr)
      return;
    if (!thalweg::job::mpi_runs())
      *team = nullptr; // what MPI still knows of can no longer be taken back: the memory stays
    mpi_must_run();
    of(*team)->operations().complete();
    of(*team)->keep_learned();
    of(*team)->end_messages();
    of(*team)->one_sided().end();
    delete *team;
    *team = nullptr;
  });
}

int thalweg_team_rank(const thalweg_team* team) {
  return team == nullptr ? -1 : team->team.group().rank();
}

int thalweg_team_size(const thalweg_team* team) {
  return team == nullptr ? 0 : team->team.group().ranks();
}

thalweg_status thalweg_team_use(thalweg_team* team, const char* selections) {
  return guarded(caller("use", team), [&] { of(team)->use(selections == nullptr ? "" : selections); });
}

thalweg_status thalweg_team_strategy(thalweg_team* team, thalweg_collective collective, size_t bytes,
                                     const char** strategy) {
  thread_local std::string text; // NOLINT: C has no other way to give it
  return guarded(caller("strategy", team), [&] {
    must_be_given(strategy, "strategy");
    text = of(team)->strategy(collective, bytes);
    *strategy = text.c_str();
  });
}

thalweg_status thalweg_team_allocate(thalweg_team* team, size_t bytes, void** memory) {
  return guarded(caller("allocate", team), [&] {
    must_be_given(memory, "memory");
    *memory = of(team)->allocate(bytes);
  });
}

thalweg_status thalweg_team_release(thalweg_team* team, void* memory) {
  return guarded(caller("release", team), [&] { of(team)->release(memory); });
}

void* thalweg_team_reach(const thalweg_team* team, const void* address, int rank) {
  return team == nullptr ? nullptr : team->team.reach(address, rank);
}

thalweg_status thalweg_team_start(thalweg_team* team, const thalweg_team_call* call,
                                  thalweg_request** request) {
  const void* const from = __builtin_return_address(0);
  const std::string_view name = call == nullptr ? "start" : thalweg::teams::name_of(*call);
  return guarded(caller(name, team), [&] {
    must_be_given(call, "call");
    std::optional<thalweg_team_call> room; // filled for calls of other versions only
    const thalweg_team_call& whole = thalweg::boundary::sized(*call, room);
    if (request == nullptr)
      of(team)->run(whole, from);
    else
      hand_out(of(team), of(team)->start(whole, from), request);
  });
}

thalweg_status thalweg_team_barrier(thalweg_team* team, thalweg_request** request) {
  const void* const from = __builtin_return_address(0);
  return guarded(caller("barrier", team), [&] {
    if (request == nullptr)
      of(team)->barrier(from);
    else
      hand_out(of(team), of(team)->start_barrier(from), request);
  });
}

thalweg_status thalweg_team_complete(thalweg_team* team) {
  return guarded(caller("complete", team), [&] { of(team)->operations().complete(); });
}

thalweg_status thalweg_team_open_inboxes(thalweg_team* team) {
  return guarded(caller("open_inboxes", team), [&] { of(team)->open_inboxes(); });
}

thalweg_status thalweg_team_inboxes(thalweg_team* team, const char** where) {
  return guarded(caller("inboxes", team), [&] {
    must_be_given(where, "where");
    *where = of(team)->messages().where().c_str();
  });
}

thalweg_status thalweg_team_send(thalweg_team* team, int to, int tag, const void* message, size_t bytes) {
  return guarded(caller("send", team), [&] {
    if (bytes > 0)
      must_be_given(message, "message");
    of(team)->messages().send(to, tag, {static_cast<const std::byte*>(message), bytes});
  });
}

thalweg_status thalweg_team_receive(thalweg_team* team, int from, int tag, void* message, size_t room,
                                    thalweg_received* received) {
  return guarded(caller("receive", team), [&] {
    if (room > 0)
      must_be_given(message, "message");
    thalweg::boundary::must_take_result(received);
    const thalweg_received found =
        of(team)->messages().receive(from, tag, {static_cast<std::byte*>(message), room});
    thalweg::boundary::give_result(found, received);
  });
}

} // extern "C"
