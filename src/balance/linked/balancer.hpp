#pragma once

// The flow of a job's ranks that each know their own load alone, as balance/line.hpp has it: prefix sums,
// then each rank works on a slice of the line and tells both ends of what it finds there.

#include "balance/line.hpp"
#include "balance/linked/exchange.hpp"
#include "thalweg/balance.h"

namespace thalweg::balance {

/// What ranks have too much of, and what they lack.
struct Both {
  Tasks surplus = 0;
  Tasks deficit = 0;
};

class Balancer {
public:
  /// Collective.
  explicit Balancer(MPI_Comm communicator);

  const job::Group& group() const { return group_; }
  /// Collective. This rank's messages, first those that it sends, each kind by the other end's rank. Throws
  /// Error on all ranks where a load is below 0, or their sum over tasks_max.
  const std::vector<thalweg_transfer>& flow(Service service, Tasks load);

private:
  /// The stretches that begin in this rank's slice of a line of that length. This rank's own begins where
  /// those of its kind `before` end.
  Line slice_of_line(Tasks excess, const Both& before, Tasks length) const;

  job::Group group_;
  Exchange exchange_;
  std::vector<thalweg_transfer> transfers_;
};

} // namespace thalweg::balance
