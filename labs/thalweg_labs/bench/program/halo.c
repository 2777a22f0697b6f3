/* SPDX-License-Identifier: BSD-3-Clause */
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

// A rank's cells, with a border of its neighbors' around them.
struct part {
  int side;
  size_t width;
  double *now, *next, *out, *in;
  int near[4];
  MPI_Comm grid;
};

static double* numbers(size_t count) {
  return calloc(count, sizeof(double));
}

static struct part make_part(int side) {
  struct part part = {.side = side, .width = (size_t)side + 2};
  int ranks = 0, dims[2] = {0, 0};
  const int periods[2] = {1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &part.grid);
  MPI_Cart_shift(part.grid, 0, 1, &part.near[0], &part.near[1]);
  MPI_Cart_shift(part.grid, 1, 1, &part.near[2], &part.near[3]);
  part.now = numbers(part.width * part.width);
  part.next = numbers(part.width * part.width);
  part.out = numbers(4 * (size_t)side);
  part.in = numbers(4 * (size_t)side);
  part.now[part.width + 1] = 1;
  return part;
}

static void exchange(struct part* part) {
  const int side = part->side;
  const size_t width = part->width, last = (size_t)side;
  MPI_Request requests[8];
  for (int one = 0; one < side; ++one) {
    const size_t at = (size_t)one + 1;
    part->out[one] = part->now[width + at];
    part->out[side + one] = part->now[last * width + at];
    part->out[2 * side + one] = part->now[at * width + 1];
    part->out[3 * side + one] = part->now[at * width + last];
  }
  for (int edge = 0; edge < 4; ++edge) {
    MPI_Irecv(part->in + edge * side, side, MPI_DOUBLE, part->near[edge], edge ^ 1, part->grid,
              &requests[edge]);
    MPI_Isend(part->out + edge * side, side, MPI_DOUBLE, part->near[edge], edge, part->grid,
              &requests[4 + edge]);
  }
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  for (int one = 0; one < side; ++one) {
    const size_t at = (size_t)one + 1;
    part->now[at] = part->in[one];
    part->now[(last + 1) * width + at] = part->in[side + one];
    part->now[at * width] = part->in[2 * side + one];
    part->now[at * width + last + 1] = part->in[3 * side + one];
  }
}

static void relax(struct part* part) {
  const size_t width = part->width;
  double* const now = part->now;
  for (int row = 1; row <= part->side; ++row)
    for (int column = 1; column <= part->side; ++column) {
      const size_t at = (size_t)row * width + (size_t)column;
      part->next[at] = 0.25 * (now[at - 1] + now[at + 1] + now[at - width] + now[at + width]);
    }
  part->now = part->next;
  part->next = now;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct part part = make_part(argc > 1 ? atoi(argv[1]) : 32);
  const long steps = argc > 2 ? atol(argv[2]) : 10000;
  MPI_Barrier(part.grid);
  const double begin = seconds_by(CLOCK_MONOTONIC);
  const double cpu_begin = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
  for (long step = 0; step < steps; ++step) {
    exchange(&part);
    relax(&part);
  }
  MPI_Finalize();
  if (rank == 0)
    printf("seconds=%.9f cpu=%.9f\n", seconds_by(CLOCK_MONOTONIC) - begin,
           seconds_by(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin);
  return 0;
}
