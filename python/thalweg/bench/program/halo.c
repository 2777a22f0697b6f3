// A stencil with short messages: halo SIDE STEPS. Each rank has SIDE x SIDE cells of a grid, which is a torus
// of all ranks, and gets an edge of each of its four neighbors at every step. Rank 0 writes the seconds from
// the first step to the end of MPI.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_by(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int side = argc > 1 ? atoi(argv[1]) : 32;
  const long steps = argc > 2 ? atol(argv[2]) : 10000;
  int ranks = 0, rank = 0, dims[2] = {0, 0};
  const int periods[2] = {1, 1};
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  int near[4];
  MPI_Cart_shift(grid, 0, 1, &near[0], &near[1]);
  MPI_Cart_shift(grid, 1, 1, &near[2], &near[3]);
  const size_t width = (size_t)side + 2;
  double* now = calloc(width * width, sizeof(double));
  double* next = calloc(width * width, sizeof(double));
  double* out = calloc(4 * (size_t)side, sizeof(double));
  double* in = calloc(4 * (size_t)side, sizeof(double));
  now[width + 1] = rank + 1;
  MPI_Barrier(grid);
  const double begin = seconds_by(CLOCK_MONOTONIC);
  const double cpu_begin = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
  for (long step = 0; step < steps; ++step) {
    MPI_Request requests[8];
    for (int one = 0; one < side; ++one) {
      const size_t at = (size_t)one + 1;
      out[one] = now[width + at];
      out[side + one] = now[(size_t)side * width + at];
      out[2 * side + one] = now[at * width + 1];
      out[3 * side + one] = now[at * width + (size_t)side];
    }
    for (int edge = 0; edge < 4; ++edge) {
      MPI_Irecv(in + edge * side, side, MPI_DOUBLE, near[edge], edge ^ 1, grid, &requests[edge]);
      MPI_Isend(out + edge * side, side, MPI_DOUBLE, near[edge], edge, grid, &requests[4 + edge]);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int one = 0; one < side; ++one) {
      const size_t at = (size_t)one + 1;
      now[at] = in[one];
      now[((size_t)side + 1) * width + at] = in[side + one];
      now[at * width] = in[2 * side + one];
      now[at * width + (size_t)side + 1] = in[3 * side + one];
    }
    for (int row = 1; row <= side; ++row)
      for (int column = 1; column <= side; ++column) {
        const size_t at = (size_t)row * width + (size_t)column;
        next[at] = 0.25 * (now[at - 1] + now[at + 1] + now[at - width] + now[at + width]);
      }
    double* const last = now;
    now = next;
    next = last;
  }
  MPI_Finalize();
  if (rank == 0)
    printf("seconds=%.9f cpu=%.9f\n", seconds_by(CLOCK_MONOTONIC) - begin,
           seconds_by(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin);
  free(now);
  free(next);
  free(out);
  free(in);
  return 0;
}
