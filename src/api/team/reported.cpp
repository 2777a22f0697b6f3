// SPDX-License-Identifier: BSD-3-Clause
#include "team/reported.hpp"

#include "base/of_process.hpp"
#include "base/random.hpp"
#include "job/library/mpi_library.hpp"

#include <dlfcn.h>
#include <map>
#include <mpi.h>
#include <mutex>
#include <numeric>
#include <vector>

namespace thalweg::teams {

namespace {

/// What the interposer has; null where it does not have it, or is not there.
struct Interposer {
  decltype(&thalweg_attach_team) attach = find<decltype(&thalweg_attach_team)>("thalweg_attach_team");
  decltype(&thalweg_team_call_begins) begins =
      find<decltype(&thalweg_team_call_begins)>("thalweg_team_call_begins");
  decltype(&thalweg_team_call_ends) ends = find<decltype(&thalweg_team_call_ends)>("thalweg_team_call_ends");

  bool is_there() const { return attach != nullptr && begins != nullptr && ends != nullptr; }

private:
  template <typename Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
};

struct MadeTeams {
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> by_ranks; ///< how many, by their ranks in the world
};

std::uint64_t hash_of_ranks(const job::Group& group) {
  std::vector<int> own(static_cast<std::size_t>(group.ranks()));
  std::vector<int> in_world(own.size());
  std::iota(own.begin(), own.end(), 0);
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  job::must(PMPI_Comm_group(group.communicator(), &members), "MPI_Comm_group");
  job::must(PMPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  job::must(PMPI_Group_translate_ranks(members, group.ranks(), own.data(), world, in_world.data()),
            "MPI_Group_translate_ranks");
  PMPI_Group_free(&members);
  PMPI_Group_free(&world);
  constexpr std::uint64_t of_teams = 0x7465616d; // no communicator's
  return std::accumulate(in_world.begin(), in_world.end(), of_teams, [](std::uint64_t hash, int rank) {
    return mixed_hash(hash, static_cast<std::uint64_t>(rank));
  });
}

// Teams of the same ranks are made in the same order on all of them.
std::uint64_t next_number(const job::Group& group) {
  const std::uint64_t ranks = hash_of_ranks(group);
  auto& made = of_process<MadeTeams>();
  const std::scoped_lock lock(made.mutex);
  return mixed_hash(ranks, ++made.by_ranks[ranks]);
}

} // namespace

Reporting::Reporting(const job::Group& group) {
  if (const auto& interposer = of_process<const Interposer>(); interposer.is_there())
    team_ = interposer.attach(next_number(group), group.ranks());
}

ReportedCall::ReportedCall(Reporting& reporting, const TeamCall& call, int ranks, const void* return_address)
    : team_(reporting.team_) {
  if (team_ == nullptr) [[likely]]
    return;
  const bool has_unit_for_each = call.operation == schedule::Operation::alltoall ||
                                 call.operation == schedule::Operation::reduce_scatter;
  event_ = {.size = sizeof event_,
            .call = reporting.calls_++,
            .bytes = call.unit_bytes() * (has_unit_for_each ? static_cast<std::size_t>(ranks) : 1),
            .collective = collective_number(call.operation),
            .before = call.before,
            .after = call.after,
            .site = return_address,
            .strategy = "",
            .row = nullptr,
            .watch = {}};
  of_process<const Interposer>().begins(team_, &event_);
}

ReportedCall::~ReportedCall() {
  if (team_ != nullptr) [[unlikely]]
    of_process<const Interposer>().ends(team_, &event_);
}

} // namespace thalweg::teams
