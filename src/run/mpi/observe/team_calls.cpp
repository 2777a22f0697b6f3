// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/team_calls.hpp"

#include "base/of_process.hpp"

#include <array>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <string_view>

namespace thalweg::mpi::observe {

namespace {

// A program may make teams by the thousand: of those that come later the waiting is not known.
constexpr std::size_t max_teams_sampled = 256;

constexpr std::array<std::string_view, team_collectives> collectives{
    "broadcast", "scatter", "gather",  "allgather", "alltoall",      "reduce",
    "allreduce", "scan",    "barrier", "exscan",    "reduce_scatter"};
constexpr std::array<std::string_view, team_ends> ends{"none", "mine", "all"};

std::string mode_suffix(std::size_t before, std::size_t after) {
  constexpr std::size_t none = 0;
  constexpr std::size_t mine = 1;
  if (before == after)
    return before == mine ? "" : before == none ? "@loose" : "@strict";
  return fmt::format("@{}-{}", ends[before], ends[after]);
}

struct FunctionNames {
  std::vector<std::string> all;
  FunctionNames() {
    for (const std::string_view collective : collectives)
      for (std::size_t before = 0; before < team_ends; ++before)
        for (std::size_t after = 0; after < team_ends; ++after)
          all.push_back(fmt::format("team_{}{}", collective, mode_suffix(before, after)));
  }
};

struct Teams {
  std::mutex mutex;
  std::vector<std::unique_ptr<ObservedTeam>> sampled;
  std::map<int, ObservedTeam> others; ///< by their size
};

} // namespace

std::size_t team_function(int collective, int before, int after) {
  const auto is_below = [](int number, std::size_t limit) {
    return number >= 0 && static_cast<std::size_t>(number) < limit;
  };
  if (!is_below(collective, team_collectives) || !is_below(before, team_ends) || !is_below(after, team_ends))
    return team_functions;
  const auto of = [](int number) { return static_cast<std::size_t>(number); };
  return (of(collective) * team_ends + of(before)) * team_ends + of(after);
}

const char* team_function_name(std::size_t number) {
  return of_process<FunctionNames>().all[number].c_str();
}

ObservedTeam& observe_team(std::uint64_t id, int ranks) {
  auto& teams = of_process<Teams>();
  const std::lock_guard lock(teams.mutex);
  if (ranks < 2 || teams.sampled.size() == max_teams_sampled)
    return teams.others.try_emplace(ranks, ObservedTeam{0, ranks, false, {}}).first->second;
  return *teams.sampled.emplace_back(std::make_unique<ObservedTeam>(ObservedTeam{id, ranks, true, {}}));
}

std::vector<const ObservedTeam*> sampled_teams() {
  auto& teams = of_process<Teams>();
  const std::lock_guard lock(teams.mutex);
  std::vector<const ObservedTeam*> found;
  for (const auto& one : teams.sampled)
    found.push_back(one.get());
  return found;
}

} // namespace thalweg::mpi::observe
