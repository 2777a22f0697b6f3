/* SPDX-License-Identifier: BSD-3-Clause */
// Programs with sessions never call MPI_Init.
#include "forms.h"

#include <stdio.h>

int main(int argc, char** argv) {
  read_options(&argc, argv);
#if HAVE_SESSIONS
  const int sessions = known("session-again") ? 1 : 3;
  for (int i = 0; i < sessions; ++i) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "conformance", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    int rank, size, sum = -1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int form = 0; form < FORM_COUNT; ++form) {
      form_allreduce((Form)form, &rank, &sum, 1, MPI_INT, MPI_SUM, comm);
      if (sum != size * (size - 1) / 2) {
        fprintf(stderr, "FAILED sessions: rank %d of %d: the sum is %d\n", rank, size, sum);
        return 3;
      }
    }
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (rank == 0 && i == sessions - 1)
      puts("passed sessions");
  }
#else
  puts("passed sessions");
#endif
  return 0;
}
