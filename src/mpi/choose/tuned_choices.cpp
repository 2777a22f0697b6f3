#include "mpi/choose/tuned_choices.hpp"

#include <algorithm>
#include <variant>

#include "mpi/call/datatypes.hpp"
#include "mpi/call/exactness.hpp"

namespace thalweg::mpi {

namespace {

std::int64_t mean_bytes(const IntegerArray& counts, MPI_Datatype type, int ranks) {
  std::int64_t elements = 0;
  for (int rank = 0; rank < ranks; ++rank)
    elements += counts[static_cast<std::size_t>(rank)];
  return elements * static_cast<std::int64_t>(datatype_bytes(type)) / ranks;
}

std::int64_t bytes_of_side(MPI_Count count, MPI_Datatype type) {
  return static_cast<std::int64_t>(count) * static_cast<std::int64_t>(datatype_bytes(type));
}

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

std::int64_t agreed_unit_bytes(const CollectiveCall& call, const CommunicatorState& communicator) {
  switch (call.function->operation) {
  case Operation::barrier:
    return 0;
  case Operation::bcast:
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::scan:
  case Operation::exscan:
    return bytes_of_side(call.sendcount, call.sendtype);
  case Operation::gather:
    return call.root == communicator.rank ? bytes_of_side(call.recvcount, call.recvtype)
                                          : bytes_of_side(call.sendcount, call.sendtype);
  case Operation::scatter:
    return call.root == communicator.rank ? bytes_of_side(call.sendcount, call.sendtype)
                                          : bytes_of_side(call.recvcount, call.recvtype);
  case Operation::allgather:
  case Operation::alltoall:
  case Operation::reduce_scatter_block:
    return bytes_of_side(call.recvcount, call.recvtype);
  case Operation::allgatherv:
  case Operation::reduce_scatter:
    return mean_bytes(call.recvcounts, call.recvtype, communicator.size);
  default:
    return -1;
  }
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
  return picks.nearest(communicator.size, communicator.node_count(), bytes);
}

TunedChoices& tuned_choices() {
  static TunedChoices instance;
  return instance;
}

} // namespace thalweg::mpi
