#include "mpi/call/schedule_operation.hpp"

namespace thalweg::mpi {

schedule::Operation schedule_operation(Operation operation) {
  switch (operation) {
  case Operation::barrier:
    return schedule::Operation::barrier;
  case Operation::bcast:
    return schedule::Operation::broadcast;
  case Operation::gather:
  case Operation::gatherv:
    return schedule::Operation::gather;
  case Operation::scatter:
  case Operation::scatterv:
    return schedule::Operation::scatter;
  case Operation::allgather:
  case Operation::allgatherv:
    return schedule::Operation::allgather;
  case Operation::alltoall:
  case Operation::alltoallv:
  case Operation::alltoallw:
    return schedule::Operation::alltoall;
  case Operation::reduce:
    return schedule::Operation::reduce;
  case Operation::allreduce:
    return schedule::Operation::allreduce;
  case Operation::reduce_scatter:
  case Operation::reduce_scatter_block:
    return schedule::Operation::reduce_scatter;
  case Operation::scan:
    return schedule::Operation::scan;
  case Operation::exscan:
    return schedule::Operation::exscan;
  case Operation::neighbor_allgather:
  case Operation::neighbor_allgatherv:
    return schedule::Operation::neighbor_allgather;
  case Operation::neighbor_alltoall:
  case Operation::neighbor_alltoallv:
  case Operation::neighbor_alltoallw:
    return schedule::Operation::neighbor_alltoall;
  }
  return schedule::Operation::barrier;
}

} // namespace thalweg::mpi
