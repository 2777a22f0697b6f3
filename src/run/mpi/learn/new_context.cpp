// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/new_context.hpp"

#include "base/assertion.hpp"
#include "mpi/state/runtime.hpp"
#include "pattern/traffic.hpp"

#include <bit>
#include <fmt/format.h>

namespace thalweg::mpi {

namespace {

// What it is thought to take to get ready, where a communicator has no channels yet.
constexpr double ready_seconds = 1e-3;

// What an agreement is thought to take, before there was one.
double expected_agreement_seconds(int ranks, int nodes) {
  constexpr double message = 5e-6;
  constexpr double between_nodes = 4;
  constexpr double with_shared_cores = 4;
  return message * (1 + std::bit_width(static_cast<unsigned>(ranks - 1))) * (nodes > 1 ? between_nodes : 1) *
         (runtime.world.placement.oversubscribed ? with_shared_cores : 1);
}

/// Was the entry found for units like these?
bool is_alike(const TunedChoices::Entry& entry, const UnitSize& size, int others) {
  const auto degree_class = [others](double degree) {
    return pattern::size_class(degree > 0 ? static_cast<std::int64_t>(degree + 0.5) : others);
  };
  return size.bytes >= 0 && pattern::size_class(entry.bytes) == pattern::size_class(size.bytes) &&
         degree_class(entry.degree) == degree_class(size.degree);
}

} // namespace

// Channels are opened on all ranks, and agreements are agreed upon.
Circumstances circumstances_of(CommunicatorState& communicator, double agreement_seconds) {
  const int ranks = communicator.size;
  const int nodes = communicator.group().node_count();
  return {ranks, nodes, agreement_seconds > 0 ? agreement_seconds : expected_agreement_seconds(ranks, nodes),
          communicator.is_open() ? 0 : ready_seconds};
}

std::unique_ptr<TuningContext> new_context(const CallKind& kind, const UnitSize& size,
                                           CommunicatorState& communicator, const Circumstances& around,
                                           tune::ExplorationBudget& exploration_budget) {
  const TunedChoices::Entry* start = tuned_choices().nearest(
      kind.operation, kind.blocks ? Mode::blocking : Mode::nonblocking, size, communicator);
  const bool searched = start != nullptr && start->finder != TunedChoices::Finder::interrupted &&
                        is_alike(*start, size, communicator.size - 1);
  return std::make_unique<TuningContext>(kind, start == nullptr ? nullptr : &start->choice, searched, around,
                                         exploration_budget);
}

void report_different_ways(const CallKind& kind, int ranks) {
  log_line(fmt::format("learning of {} on {} ranks has gone different ways and stops; please report this",
                       call_name(kind.operation), ranks));
  THALWEG_ASSERT(light, !"ranks have gone different ways");
}

bool is_learning_wanted(const CallKind& kind) {
  return kind.exact || runtime.settings.learn == LearnMode::all;
}

} // namespace thalweg::mpi
