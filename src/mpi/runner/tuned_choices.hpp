#pragma once

// What the tuning file says for this job: the same on all ranks, read once at the start.

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "mpi/communicators.hpp"
#include "mpi/runner/choice.hpp"
#include "tune/agreed_picks.hpp"

namespace thalweg::mpi {

class TunedChoices {
public:
  using Finder = tune::Finder;
  struct Entry {
    std::int64_t bytes;
    Finder finder;
    Choice choice;
  };

  // Replaces what is known.
  void set(std::span<const tune::AgreedPick> picks);
  bool any() const { return any_; }

  // The choice for the nearest size that was tuned for communicators like this one, or null. Nothing is known
  // of calls whose sizes are not known to all ranks, and of nonblocking ones, which were not measured.
  // What programs have learned holds for calls whose result is the same with every strategy, unless for
  // `all`.
  const Choice* of(const CollectiveCall& call, CommunicatorState& communicator, bool all) const;
  // The same for calls of so many bytes of a unit.
  const Entry* nearest(Operation operation, std::int64_t bytes, CommunicatorState& communicator) const;

private:
  using Sizes = std::vector<Entry>; // by bytes
  // By ranks and nodes of the communicator.
  std::array<std::map<std::pair<int, int>, Sizes>, operation_count> tables_;
  bool any_ = false;
};

TunedChoices& tuned_choices();

// Bytes of the call's unit (schedule/buffers.hpp), where MPI makes them the same on all ranks; else -1.
std::int64_t agreed_unit_bytes(const CollectiveCall& call, const CommunicatorState& communicator);

} // namespace thalweg::mpi
