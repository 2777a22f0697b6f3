#include "mpi/learn/fence.hpp"

#include "mpi/comm/clocks.hpp"
#include "mpi/wait/polling.hpp"

namespace thalweg::mpi {

namespace {

void begin_one(const std::vector<double>& offered, std::vector<double>& result, MPI_Op op,
               MPI_Comm communicator, MPI_Request& request) {
  result.resize(offered.size());
  request = MPI_REQUEST_NULL;
  if (!offered.empty())
    native.Iallreduce(offered.data(), result.data(), static_cast<int>(offered.size()), MPI_DOUBLE, op,
                      communicator, &request);
}

void complete_one(MPI_Request& request) {
  if (request != MPI_REQUEST_NULL)
    poll_request(&request, MPI_STATUS_IGNORE); // operations of ours that are in flight go on meanwhile
}

} // namespace

void Fence::begin(std::vector<double> to_maximize, std::vector<double> to_sum, MPI_Comm communicator) {
  const double begun = local_seconds();
  offered_maxima_ = std::move(to_maximize);
  offered_sums_ = std::move(to_sum);
  begin_one(offered_maxima_, maxima_, MPI_MAX, communicator, maximizing_);
  begin_one(offered_sums_, sums_, MPI_SUM, communicator, summing_);
  pending_ = true;
  seconds_ = local_seconds() - begun;
}

double Fence::complete() {
  const double begun = local_seconds();
  complete_one(maximizing_);
  complete_one(summing_);
  pending_ = false;
  return seconds_ + local_seconds() - begun;
}

} // namespace thalweg::mpi
