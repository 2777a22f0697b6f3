// SPDX-License-Identifier: BSD-3-Clause

// C++ programs link and run: a reduction with a lambda as user operation, and a broadcast of a vector.
#include <cstdio>
#include <mpi.h>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<double> data(1000, rank == size - 1 ? 2.5 : 0.0);
  MPI_Bcast(data.data(), 1000, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
  MPI_Op largest;
  MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        for (int i = 0; i < *length; ++i)
          if (static_cast<int*>(in)[i] > static_cast<int*>(inout)[i])
            static_cast<int*>(inout)[i] = static_cast<int*>(in)[i];
      },
      1, &largest);
  int highest = -1;
  MPI_Allreduce(&rank, &highest, 1, MPI_INT, largest, MPI_COMM_WORLD);
  MPI_Op_free(&largest);
  const bool right = highest == size - 1 && data.front() == 2.5 && data.back() == 2.5;
  if (!right)
    std::fprintf(stderr, "FAILED cxx: rank %d of %d: largest %d, data %g\n", rank, size, highest,
                 data.back());
  if (right && rank == 0)
    std::puts("passed cxx");
  MPI_Finalize();
  return right ? 0 : 3;
}
