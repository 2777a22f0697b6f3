// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How ranks agree on what they saw: the largest of each of a row of numbers, and sums of some, begun at the
// end of one call and completed before a later one, so that no call waits for it that need not.

#include <cstdint>
#include <vector>

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

class RoundAgreement {
public:
  bool is_pending() const { return pending_; }

  // Begins on the shadow communicator; every rank of it does so at the same call.
  void begin(std::vector<double> to_maximize, std::vector<double> to_sum, MPI_Comm communicator);
  // Completes it. Seconds that this rank was at it, beginning included.
  double complete();

  const std::vector<double>& maxima() const { return maxima_; }
  const std::vector<double>& sums() const { return sums_; }

private:
  bool pending_ = false;
  double seconds_ = 0;
  MPI_Request maximizing_{};
  MPI_Request summing_{};
  std::vector<double> own_maxima_;
  std::vector<double> own_sums_;
  std::vector<double> maxima_;
  std::vector<double> sums_;
};

} // namespace thalweg::mpi
