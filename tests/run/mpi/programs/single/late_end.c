/* SPDX-License-Identifier: BSD-3-Clause */
// MPI_Finalize from an exit handler, as of programs whose MPI object is a static one of C++: everything that
// was constructed later than the handler was registered has been destroyed by then.
#include "check.h"

#include <stdlib.h>

int main(int argc, char** argv) {
  if (atexit(end) != 0)
    return 2;
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  context("late_end");
  int all[64];
  REQUIRE(world_size <= 64, "%d ranks are too many", world_size);
  for (int call = 0; call < 400; ++call) {
    const int own = world_rank + call;
    MUST(MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    REQUIRE(all[world_size - 1] == world_size - 1 + call, "the last one's is %d", all[world_size - 1]);
  }
  return 0;
}
