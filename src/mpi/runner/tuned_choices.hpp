#pragma once

// What the tuning file says for this job: the same on all ranks, read once at the start.

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "mpi/communicators.hpp"
#include "mpi/runner/choice.hpp"

namespace thalweg::mpi {

class TunedChoices {
public:
  // Who found it: the tuner, or a program that learned, to the search's end or not.
  enum class Finder : char { tuner = 't', learner = 'l', interrupted = 'i' };
  struct Entry {
    std::int64_t bytes;
    Finder finder;
    Choice choice;
  };

  // Reads lines "CALL RANKS NODES BYTES FINDER STRATEGY". Throws Error for a text that does not read.
  void read(std::string_view text);
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
