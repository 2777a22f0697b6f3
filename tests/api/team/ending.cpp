// SPDX-License-Identifier: BSD-3-Clause

// Programs that forget to end: teams and requests that live on after MPI_Finalize() harm nobody.

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <array>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::array<double, 1000> some{};
  {
    thalweg::team all(MPI_COMM_WORLD);
    thalweg::team unused(MPI_COMM_WORLD);
    auto memory = all.allocate<double>(100);
    thalweg::request waiting;
    if (rank == 0) // the others never come
      waiting = all.start().allreduce(some, std::span<double>(some), MPI_SUM);
    MPI_Finalize();
    memory[0] = 1; // is still there
    const thalweg::error failure = checks::failure_of([&] { unused.free(); });
    if (failure.status() != thalweg_error_invalid_argument || unused)
      return 1;
    thalweg_request* one = nullptr;
    if (thalweg_request_wait(&one) != thalweg_success)
      return 1;
  }
  std::printf("all right\n");
}
