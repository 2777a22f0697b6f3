// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/round_agreement.hpp"

#include "mpi/comm/clocks.hpp"
#include "mpi/wait/polling.hpp"

namespace thalweg::mpi {

namespace {

void begin_one(const std::vector<double>& own, std::vector<double>& result, MPI_Op op, MPI_Comm communicator,
               MPI_Request& request) {
  result.resize(own.size());
  request = MPI_REQUEST_NULL;
  if (!own.empty())
    native.Iallreduce(own.data(), result.data(), static_cast<int>(own.size()), MPI_DOUBLE, op, communicator,
                      &request);
}

void complete_one(MPI_Request& request) {
  if (request != MPI_REQUEST_NULL)
    poll_request(&request, MPI_STATUS_IGNORE); // operations of ours that are in flight go on meanwhile
}

} // namespace

void RoundAgreement::begin(std::vector<double> to_maximize, std::vector<double> to_sum,
                           MPI_Comm communicator) {
  const double begun = local_seconds();
  own_maxima_ = std::move(to_maximize);
  own_sums_ = std::move(to_sum);
  begin_one(own_maxima_, maxima_, MPI_MAX, communicator, maximizing_);
  begin_one(own_sums_, sums_, MPI_SUM, communicator, summing_);
  pending_ = true;
  seconds_ = local_seconds() - begun;
}

double RoundAgreement::complete() {
  const double begun = local_seconds();
  complete_one(maximizing_);
  complete_one(summing_);
  pending_ = false;
  return seconds_ + local_seconds() - begun;
}

} // namespace thalweg::mpi
