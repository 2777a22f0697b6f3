#include "mpi/collective_runner.hpp"

namespace thalweg::mpi {

Decision run_collective(const CollectiveCall&, CommunicatorState&) noexcept {
  return {Outcome::declined, "native", "no strategy chosen", MPI_SUCCESS};
}

} // namespace thalweg::mpi
