/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THALWEG_BATCHES_H
#define THALWEG_BATCHES_H

enum { max_candidates = 512, max_batches = 1001, line_bytes = 65536 };

/* What is asked for: an operation on units of so many bytes, and how to time it. */
struct trial {
  const char* operation;
  int bytes;
  char** candidates;
  int candidate_count;
  int batches;
  double limit; /* times the fastest's first call beyond which a candidate is done with; 0: none */
  int alone;    /* each call by itself */
  int tests;    /* within the computation beside a call that is begun and waited for */
};

/* Whether ranks share cores: rows are longer then, and computations are slept through. */
void share_cores_between_ranks(int do_share);
/* Only the latter: hosts of one machine share its cores. */
void sleep_through_computations(int do_sleep);

/* Times all candidates in turns; rank 0 writes a line of JSON for each. */
void measure_trial(const struct trial* trial);

#endif
