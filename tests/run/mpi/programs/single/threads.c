/* SPDX-License-Identifier: BSD-3-Clause */
// MPI_THREAD_MULTIPLE: threads on communicators of their own run collectives and make communicators at the
// same time.
#include "complete.h"
#include "forms.h"

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3 };

typedef struct {
  MPI_Comm comm;
  int number;
} Work;

static void* work(void* argument) {
  const Work* mine = argument;
  int rank, size;
  MUST(MPI_Comm_rank(mine->comm, &rank));
  MUST(MPI_Comm_size(mine->comm, &size));
  for (int i = 0; i < times(60); ++i) {
    const Form form = form_of(i + mine->number);
    context("threads: thread %d, repetition %d, %s", mine->number, i, form_name(form));
    int value = rank + i * 10 + mine->number, sum = -1, word = rank == i % size ? value : -1, got[64];
    form_allreduce(form, &value, &sum, 1, MPI_INT, MPI_SUM, mine->comm);
    REQUIRE(sum == size * (i * 10 + mine->number) + size * (size - 1) / 2, "the sum is %d", sum);
    form_bcast(form, &word, 1, MPI_INT, i % size, mine->comm);
    REQUIRE(word == i % size + i * 10 + mine->number, "the broadcast gave %d", word);
    form_allgather(form, &rank, 1, MPI_INT, got, 1, MPI_INT, mine->comm);
    for (int r = 0; r < size; ++r)
      REQUIRE(got[r] == r, "place %d of the all-gather holds %d", r, got[r]);
    if (i % 20 == 7) {
      MPI_Comm made;
      MUST(MPI_Comm_dup(mine->comm, &made));
      form_barrier(form, made);
      MUST(MPI_Comm_free(&made));
    }
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int in = -1;
    MUST(MPI_Sendrecv(&value, 1, MPI_INT, right, 4, &in, 1, MPI_INT, left, 4, mine->comm, MPI_STATUS_IGNORE));
    REQUIRE(in == left + i * 10 + mine->number, "the neighbor's message holds %d", in);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_MULTIPLE);
  be_patient(100);
  Work jobs[THREADS];
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; ++t) {
    jobs[t].number = t;
    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &jobs[t].comm));
  }
  for (int t = 0; t < THREADS; ++t)
    pthread_create(&threads[t], NULL, work, &jobs[t]);
  for (int t = 0; t < THREADS; ++t)
    pthread_join(threads[t], NULL);
  for (int t = 0; t < THREADS; ++t)
    MUST(MPI_Comm_free(&jobs[t].comm));
  end();
  if (world_rank == 0)
    puts("passed threads");
  return 0;
}
