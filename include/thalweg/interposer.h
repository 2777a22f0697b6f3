/* SPDX-License-Identifier: BSD-3-Clause */
/* Services that the libraries of Thalweg in a program and the interposer of `thalweg run` have for each
 * other. Programs need none of it.
 *
 * The functions live in the interposer: they are looked up with dlsym(RTLD_DEFAULT, name), and their
 * absence means that Thalweg is not there, or of a version that does not know them. Neither side therefore
 * needs the other, and their versions may differ: structures have their size, and unknown members of texts
 * are passed on as they are. */
#ifndef THALWEG_INTERPOSER_H
#define THALWEG_INTERPOSER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a library with streams, as long as there are any. */
typedef struct thalweg_stream_hooks {
  size_t size; /* sizeof(thalweg_stream_hooks); later versions add functions at the end */
  /* Lets the process's streams progress. Called in the program's MPI calls, by the thread that makes them:
   * at once where that waits, else now and then. Gives 1 if anything has moved, else 0. */
  int (*progress)(void);
  /* Calls thalweg_report_stream() for each stream that is left: MPI is about to end. */
  void (*report)(void);
} thalweg_stream_hooks;

/* The hooks are called, and stay where they are, until they are detached. */
void thalweg_attach_streams(const thalweg_stream_hooks* hooks);
/* Ends that: the hooks are not called any more. */
void thalweg_detach_streams(const thalweg_stream_hooks* hooks);

/* Counters of this rank's end of a stream: a JSON object for the report, which is copied.
 *
 *   id          text that is the same on all ranks of the stream, and no other stream's
 *   name        the stream's name; or created_at: the address in the program behind the call that made it
 *   same        object: values that are the same on all ranks
 *   sum, max    objects of numbers: the report has their sums, or the largest of them, over all ranks
 *   phases      array of objects with number, sum and max, of the same phases on all ranks
 *   loads       the same of moments at which work was evened out; of max, load_ns is this rank's load before
 *   choice      object, that of the first rank: how shape and buffers were chosen. candidates: array of
 * objects with the texts candidate and note (picked, or why it was not tried), and predicted_s and measured_s
 * where they are known
 *   remarks     array of texts, of which those of the first rank are kept: its owner's texts */
void thalweg_report_stream(const char* json);

/* A call of a team that blocks, on the stack of who makes it. */
typedef struct thalweg_team_event {
  size_t size;              /* sizeof(thalweg_team_event) */
  unsigned long long call;  /* how many there were of the team before: the same on all its ranks */
  unsigned long long bytes; /* this rank's payload */
  int collective;           /* a thalweg_collective (thalweg/team.h) */
  int before;               /* a thalweg_sync, as the next one */
  int after;
  const void* site;     /* the address in the program behind the call */
  const char* strategy; /* what has run it: a text that stays */
  void* row;            /* the interposer's own, as the next one */
  unsigned long long watch[6];
} thalweg_team_event;

/* A team of so many ranks, which reports know by a number that is the same on all of them, and no other
 * team's. Gives what its calls name it by, for as long as the process lives. */
void* thalweg_attach_team(unsigned long long number, int ranks);
/* The report counts the call as one of the program's. */
void thalweg_team_call_begins(void* team, thalweg_team_event* event);
void thalweg_team_call_ends(void* team, thalweg_team_event* event);

#ifdef __cplusplus
}
#endif

#endif
