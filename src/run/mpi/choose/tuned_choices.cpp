// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/choose/tuned_choices.hpp"

#include <algorithm>
#include <variant>

#include "mpi/call/exactness.hpp"
#include "mpi/call/sides.hpp"

namespace thalweg::mpi {

namespace {

Operation operation_of(const strategies::Call& call) {
  std::size_t operation = 0;
  while (operation < operation_count &&
         strategies::find_call(call_name(static_cast<Operation>(operation))) != &call)
    ++operation;
  return static_cast<Operation>(operation);
}

TunedChoices::Finder finder_of(const tune::Pick& pick) {
  using Finder = TunedChoices::Finder;
  return pick.source == tune::tune_source     ? Finder::tuner
         : pick.source == tune::online_source ? Finder::learner
                                              : Finder::interrupted;
}

/// Who tunes wants picks for sums too. But no more than last digits may change by it.
bool may_change_digits(const TunedChoices::Entry& entry, const CollectiveCall& call) {
  return entry.finder == TunedChoices::Finder::tuner &&
         (only_rounds(call) || !std::holds_alternative<strategies::Scheduled>(entry.choice.implementation));
}

} // namespace

std::int64_t agreed_unit_bytes(const CollectiveCall& call, CommunicatorState& communicator) {
  if (!operation_shape(call.function->operation).are_sizes_agreed)
    return -1;
  return static_cast<std::int64_t>(sides_of(call, communicator).unit_bytes());
}

void TunedChoices::take(Picks& known, const std::vector<tune::Pick>& picks) {
  for (const tune::Pick& pick : picks) {
    const auto operation = static_cast<std::size_t>(operation_of(*strategies::find_call(pick.call)));
    if (operation >= operation_count)
      continue;
    Choice choice = make_choice(pick.use, "best by the tuning file");
    const Finder finder = finder_of(pick);
    choice.blocks = strategies::is_native(pick.use) && finder == Finder::tuner;
    known[operation].add(pick.ranks, pick.nodes, {pick.bytes, finder, std::move(choice)});
    any_ = true;
  }
}

void TunedChoices::take(const tune::Tuning& tuning) {
  *this = {};
  take(picks_, tuning.picks);
  take(nonblocking_, tuning.nonblocking);
  any_nonblocking_strategy_ = std::ranges::any_of(tuning.nonblocking, [](const tune::Pick& pick) {
    return std::holds_alternative<strategies::Scheduled>(pick.use);
  });
}

const Choice* TunedChoices::of(const CollectiveCall& call, CommunicatorState& communicator, bool all) const {
  const Mode mode = call.function->mode;
  if (mode == Mode::persistent || !communicator.agreed || communicator.inter)
    return nullptr;
  const Entry* found = nearest(mode == Mode::blocking ? picks_ : nonblocking_, call.function->operation,
                               agreed_unit_bytes(call, communicator), communicator);
  if (found == nullptr || !(all || is_exact(call) || may_change_digits(*found, call)))
    return nullptr;
  return &found->choice;
}

const TunedChoices::Entry* TunedChoices::nearest(Operation operation, std::int64_t bytes,
                                                 CommunicatorState& communicator) const {
  return nearest(picks_, operation, bytes, communicator);
}

const TunedChoices::Entry* TunedChoices::nearest(const Picks& known, Operation operation, std::int64_t bytes,
                                                 CommunicatorState& communicator) {
  const job::PicksByShape<Entry>& picks = known[static_cast<std::size_t>(operation)];
  if (picks.is_empty() || bytes < 0)
    return nullptr;
  return picks.nearest(communicator.size, communicator.group().node_count(), bytes);
}

TunedChoices& tuned_choices() {
  static TunedChoices instance;
  return instance;
}

} // namespace thalweg::mpi
