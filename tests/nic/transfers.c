/* SPDX-License-Identifier: BSD-3-Clause */
/* transfers FILE barrier|inboxes: the first rank exchanges long messages, which need both sides' help, with
 * the second one. That one meets all others meanwhile, in their first barrier, or to open a team's inboxes.
 * The first rank notes in the file when they have come through. */

#include "thalweg/team.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(int is_right) {
  if (!is_right)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void note(const char* path) {
  const int file = open(path, O_WRONLY);
  must(file >= 0 && write(file, "1", 1) == 1 && close(file) == 0);
}

static void open_inboxes(thalweg_team* team, int says) {
  const char* where = NULL;
  must(thalweg_team_open_inboxes(team) == thalweg_success);
  must(thalweg_team_inboxes(team, &where) == thalweg_success);
  if (says)
    printf("%s\n", where);
}

int main(int count, char** words) {
  const int bytes = 1 << 20;
  int rank = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm others;
  thalweg_team* team = NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &others);
  if (rank != 0 && strcmp(words[2], "inboxes") == 0)
    must(thalweg_team_create(others, &team) == thalweg_success);
  char* const messages = calloc(2, (size_t)bytes);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (rank < 2) {
    MPI_Irecv(messages, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(messages + bytes, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  }
  if (team != NULL)
    open_inboxes(team, rank == 1);
  else if (rank != 0)
    MPI_Barrier(others);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (rank == 0)
    note(words[1]);
  MPI_Barrier(MPI_COMM_WORLD); /* the first rank's report tells of it */
  free(messages);
  must(thalweg_team_free(&team) == thalweg_success);
  MPI_Finalize();
  return 0;
}
