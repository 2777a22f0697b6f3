// The C interface (thalweg/team.h) over Team.

#include "team/mpi_calls.hpp"
#include "team/team.hpp"
#include "thalweg/team.h"

#include <algorithm>
#include <vector>

using thalweg::teams::Communicator;
using thalweg::teams::Flight;
using thalweg::teams::must;
using thalweg::teams::Team;

struct thalweg_team {
  explicit thalweg_team(Communicator communicator) : team(std::move(communicator)) {}
  Team team;
};

struct thalweg_request {
  Team* team;
  std::shared_ptr<Flight> flight;
};

namespace {

thread_local std::string last_error; // NOLINT: C has no other way to say what failed

template <typename Work>
int guarded(Work&& work) noexcept {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    try {
      last_error = error.what();
    } catch (...) {
      last_error.clear();
    }
    return -1;
  }
}

thalweg_team* team_of(Communicator communicator) {
  return communicator.get() == MPI_COMM_NULL ? nullptr : new thalweg_team(std::move(communicator));
}

void hand_out(Team& team, std::shared_ptr<Flight> flight, thalweg_request** request) {
  *request = flight ? new thalweg_request{&team, std::move(flight)} : nullptr;
}

void wait(thalweg_request** request) {
  if (*request == nullptr)
    return;
  (*request)->team->wait(*(*request)->flight);
  delete *request;
  *request = nullptr;
}

/// The ranks listed, as a color of 0 and their places as keys.
int place_in(std::span<const int> ranks, const Team& team) {
  const int own = team.group().rank();
  int place = -1;
  for (std::size_t index = 0; index < ranks.size(); ++index) {
    if (ranks[index] < 0 || ranks[index] >= team.group().ranks())
      throw thalweg::Error(fmt::format("rank {} in a list of {}", ranks[index], ranks.size()),
                           fmt::format("the team has ranks 0 to {}", team.group().ranks() - 1));
    if (std::ranges::count(ranks, ranks[index]) > 1)
      throw thalweg::Error(fmt::format("rank {} twice in a list", ranks[index]), "name each once");
    if (ranks[index] == own)
      place = static_cast<int>(index);
  }
  return place;
}

thalweg_team* subset(const Team& team, std::span<const int> ranks) {
  const int place = place_in(ranks, team);
  return team_of(team.split(place < 0 ? -1 : 0, place));
}

} // namespace

extern "C" {

const char* thalweg_team_error(void) {
  return last_error.c_str();
}

int thalweg_team_create(MPI_Comm communicator, thalweg_team** team) {
  return guarded([&] {
    MPI_Comm own = MPI_COMM_NULL;
    must(MPI_Comm_dup(communicator, &own), "MPI_Comm_dup");
    *team = team_of(Communicator(own));
  });
}

int thalweg_team_split(thalweg_team* team, int color, int key, thalweg_team** part) {
  return guarded([&] { *part = team_of(team->team.split(color, key)); });
}

int thalweg_team_subset(thalweg_team* team, int count, const int ranks[], thalweg_team** part) {
  return guarded([&] { *part = subset(team->team, {ranks, static_cast<std::size_t>(count)}); });
}

int thalweg_team_of_blocks(thalweg_team* team, size_t blocks, const int owners[], thalweg_team** owning) {
  return guarded([&] {
    std::vector<int> ranks;
    for (const int owner : std::span(owners, blocks))
      if (std::ranges::find(ranks, owner) == ranks.end())
        ranks.push_back(owner);
    *owning = subset(team->team, ranks);
  });
}

int thalweg_team_free(thalweg_team** team) {
  return guarded([&] {
    if (*team != nullptr)
      (*team)->team.complete();
    delete *team;
    *team = nullptr;
  });
}

int thalweg_team_rank(const thalweg_team* team) {
  return team->team.group().rank();
}

int thalweg_team_size(const thalweg_team* team) {
  return team->team.group().ranks();
}

int thalweg_team_use(thalweg_team* team, const char* selections) {
  return guarded([&] { team->team.use(selections == nullptr ? "" : selections); });
}

const char* thalweg_team_strategy(thalweg_team* team, thalweg_collective collective, size_t bytes) {
  thread_local std::string text; // NOLINT: C has no other way to give it
  return guarded([&] { text = team->team.strategy(collective, bytes); }) == 0 ? text.c_str() : nullptr;
}

int thalweg_team_allocate(thalweg_team* team, size_t bytes, void** memory) {
  return guarded([&] { *memory = team->team.allocate(bytes); });
}

int thalweg_team_release(thalweg_team* team, void* memory) {
  return guarded([&] { team->team.release(memory); });
}

void* thalweg_team_reach(const thalweg_team* team, const void* address, int rank) {
  return team->team.reach(address, rank);
}

int thalweg_team_start(thalweg_team* team, const thalweg_team_call* call, thalweg_request** request) {
  const void* const from = __builtin_return_address(0);
  return guarded([&] {
    if (request == nullptr)
      team->team.run(*call, from);
    else
      hand_out(team->team, team->team.start(*call, from), request);
  });
}

int thalweg_team_barrier(thalweg_team* team, thalweg_request** request) {
  const void* const from = __builtin_return_address(0);
  return guarded([&] {
    if (request == nullptr)
      team->team.barrier(from);
    else
      hand_out(team->team, team->team.start_barrier(from), request);
  });
}

int thalweg_team_complete(thalweg_team* team) {
  return guarded([&] { team->team.complete(); });
}

int thalweg_request_test(thalweg_request** request, int* finished) {
  return guarded([&] {
    *finished = *request == nullptr || (*request)->team->test(*(*request)->flight) ? 1 : 0;
    if (*finished != 0)
      wait(request);
  });
}

int thalweg_request_wait(thalweg_request** request) {
  return guarded([&] { wait(request); });
}

int thalweg_request_wait_all(size_t count, thalweg_request* requests[]) {
  return guarded([&] {
    for (size_t index = 0; index < count; ++index)
      wait(&requests[index]);
  });
}

} // extern "C"
