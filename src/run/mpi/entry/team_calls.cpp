// SPDX-License-Identifier: BSD-3-Clause

// What the library of teams tells of its calls (thalweg/interposer.h): they are the program's, as MPI's are.

#include "mpi/observe/team_calls.hpp"

#include "base/assertion.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/stopwatch.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "thalweg/interposer.h"

#include <new>
#include <type_traits>

namespace {

using thalweg::mpi::observe::CallRow;
using thalweg::mpi::observe::ObservedTeam;
using thalweg::mpi::observe::Stopwatch;

static_assert(sizeof(Stopwatch) <= sizeof(thalweg_team_event::watch) &&
              std::is_trivially_destructible_v<Stopwatch>);

Stopwatch& watch_of(thalweg_team_event& event) {
  return *std::launder(reinterpret_cast<Stopwatch*>(event.watch));
}

CallRow* row_of(const ObservedTeam& team, const thalweg_team_event& event) {
  using thalweg::mpi::process;
  namespace observe = thalweg::mpi::observe;
  const std::size_t function = observe::team_function(event.collective, event.before, event.after);
  const bool is_counted = thalweg::mpi::runtime.ready && process.observation.is_on &&
                          process.observation.reports &&
                          process.interposer.load() == thalweg::mpi::InterposerState::active;
  if (!is_counted || function == observe::team_functions)
    return nullptr;
  return &observe::call_table().row({event.site,
                                     static_cast<std::uint16_t>(thalweg::mpi::function_count + function),
                                     process.observation.phase, team.ranks});
}

} // namespace

extern "C" __attribute__((visibility("default"))) void* thalweg_attach_team(unsigned long long number,
                                                                            int ranks) {
  return &thalweg::mpi::observe::observe_team(number, ranks);
}

extern "C" __attribute__((visibility("default"))) void thalweg_team_call_begins(void* team,
                                                                                thalweg_team_event* event) {
  const auto& observed = *static_cast<const ObservedTeam*>(team);
  CallRow* const row = row_of(observed, *event);
  event->row = row;
  if (row == nullptr)
    return;
  row->counts.add_size(event->bytes);
  row->meets = observed.ranks > 1;
  (new (event->watch) Stopwatch)->start(*row, observed.wants(event->call));
}

extern "C" __attribute__((visibility("default"))) void thalweg_team_call_ends(void* team,
                                                                              thalweg_team_event* event) {
  auto* const row = static_cast<CallRow*>(event->row);
  if (row == nullptr)
    return;
  Stopwatch& watch = watch_of(*event);
  watch.stop(*row);
  row->ended(event->strategy, nullptr);
  if (auto& observed = *static_cast<ObservedTeam*>(team); observed.wants(event->call))
    observed.samples.add({event->call, watch.start_ticks(), watch.stop_ticks(), row});
}
